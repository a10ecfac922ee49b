package jit_test

import (
	"encoding/binary"
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// wideConstants moves and stores constants as operands of 128 bits, for all lanes and for some; register 0 is none of them.
const wideConstants = `.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {
	.reg .b64 %first, %o, %a, %b; .reg .b128 %q, %r; .reg .b32 %t; .reg .pred %p;
	mov.b64 %first, 77;
	ld.param.u64 %o, [p]; mov.u32 %t, %tid.x; mad.wide.u32 %o, %t, 64, %o;
	setp.gt.u32 %p, %t, 4;
	mov.b128 {%a, %b}, 96; st.global.v2.b64 [%o], {%a, %b};
	mov.b128 %q, -5; st.global.b128 [%o+16], %q;
	mov.b128 %r, {%first, %first}; @%p mov.b128 %r, 0x123456789abcdef0; st.global.b128 [%o+32], %r;
	st.global.b64 [%o+48], %first; st.global.b64 [%o+56], %first;
	ret;
}
`

// TestWideConstants: a constant as an operand of 128 bits has zero as its upper half, as in what ptxas makes of it.
func TestWideConstants(t *testing.T) {
	l := newLaboratory(t, "k.ptx", wideConstants)
	buf, _ := l.arena.Alloc(4096, mem.Info{Label: "buf"})
	data := l.arena.Bytes(buf, 4096)
	compilers := []host.Compiler{nil}
	for _, o := range jit.Compilers() {
		compilers = append(compilers, engine(t, o).Install)
	}
	for i, compile := range compilers {
		clear(data)
		l.run(t, "k", 1, [3]uint32{40, 1, 1}, compile, buf)
		for lane := range 40 {
			want := []uint64{96, 0, 1<<64 - 5, 0, 0x123456789abcdef0, 0, 77, 77}
			if lane <= 4 {
				want[4], want[5] = 77, 77
			}
			got := make([]uint64, len(want))
			for k := range got {
				got[k] = binary.LittleEndian.Uint64(data[64*lane+8*k:])
			}
			if !slices.Equal(got, want) {
				t.Fatalf("compiler %d, lane %d: %#x, want %#x", i, lane, got, want)
			}
		}
	}
}
