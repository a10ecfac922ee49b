package vm_test

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// TestPointees: a pointer's elements are what the kernel accesses there first, through sums and conversions of addresses; numbers
// have none, nor has what is loaded an element of what it was loaded from.
func TestPointees(t *testing.T) {
	m, err := vm.Compile("k.ptx", []byte(`.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 bytes, .param .u64 doubles, .param .u64 list, .param .u64 count, .param .u64 unused, .param .u64 halves) {
	.reg .b64 %d<9>; .reg .b32 %r<3>; .reg .f64 %f<3>; .reg .b16 %h;
	ld.param.u64 %d1, [bytes]; ld.param.u64 %d2, [doubles]; ld.param.u64 %d3, [list]; ld.param.u64 %d4, [count]; ld.param.u64 %d7, [halves];
	cvta.to.global.u64 %d1, %d1; add.u64 %d1, %d1, %d4;
	ld.global.u8 %r1, [%d1];
	atom.global.add.f64 %f1, [%d2+8], 0d3FF0000000000000;
	ld.global.u64 %d5, [%d3]; ld.u32 %r2, [%d5];
	ld.global.b16 %h, [%d7];
	ret;
}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"u8", "f64", "u64", "", "", "u16"} {
		if p := m.Kernels()[0].Params[i]; p.Elem != want {
			t.Errorf("%s: %q, want %q", p.Name, p.Elem, want)
		}
	}
}
