package driver

import (
	"encoding/binary"
	"testing"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// TestFunctionResources: attributes of functions tell bytes of constants and of local memory, and an estimate of registers, which directives
// bound.
func TestFunctionResources(t *testing.T) {
	r := newRig(t, Config{})
	m, _, code := r.Load([][]byte{[]byte(`.version 8.0
.target sm_75
.address_size 64
.const .align 4 .b8 coefficients[80];
.func (.param .u32 r) deep(.param .u32 p)
{
	.local .align 4 .b8 room[256];
	.reg .b32 %v;
	ld.param.u32 %v, [p]; st.local.u32 [room], %v; ld.local.u32 %v, [room+4]; st.param.u32 [r], %v;
	ret;
}
.visible .entry large(.param .u64 out, .param .u32 n)
{
	.local .align 4 .b8 depot[4000];
	.reg .b64 %o; .reg .b32 %v, %n;
	ld.param.u64 %o, [out]; ld.param.u32 %n, [n];
	st.local.u32 [depot], %n; ld.local.u32 %v, [depot+400];
	{ .param .u32 a; .param .u32 b; st.param.u32 [a], %v; call.uni (b), deep, (a); ld.param.u32 %v, [b]; }
	st.global.u32 [%o], %v;
	ret;
}
.visible .entry wide(.param .u64 out) .maxnreg 24
{
	.reg .b64 %o, %a<20>;
	ld.param.u64 %o, [out];
	ld.global.v2.u64 {%a0, %a1}, [%o]; ld.global.v2.u64 {%a2, %a3}, [%o+16]; ld.global.v2.u64 {%a4, %a5}, [%o+32];
	ld.global.v2.u64 {%a6, %a7}, [%o+48]; ld.global.v2.u64 {%a8, %a9}, [%o+64]; ld.global.v2.u64 {%a10, %a11}, [%o+80];
	st.global.v2.u64 [%o+96], {%a0, %a11}; st.global.v2.u64 [%o+112], {%a1, %a10}; st.global.v2.u64 [%o+128], {%a2, %a9};
	st.global.v2.u64 [%o+144], {%a3, %a8}; st.global.v2.u64 [%o+160], {%a4, %a7}; st.global.v2.u64 [%o+176], {%a5, %a6};
	ret;
}
.visible .entry tile(.param .u64 out) .reqntid 64
{
	.reg .b64 %o; .reg .b32 %v;
	ld.param.u64 %o, [out]; mov.u32 %v, %ntid.x; st.global.u32 [%o], %v;
	ret;
}
.visible .entry small(.param .u64 out) .maxntid 64 { ret; }`)})
	r.want(code, Success)
	for _, c := range []struct {
		kernel           string
		attribute        int
		least, mostValue int
	}{
		{"large", FuncConst, 80, 80}, {"large", FuncLocal, 4256, 4400}, {"small", FuncLocal, 0, 0}, {"small", FuncRegisters, 8, 24},
		{"wide", FuncRegisters, 24, 24}, {"large", FuncRegisters, 8, 40}, {"small", FuncMaxThreads, 64, 64},
		{"tile", FuncMaxThreads, 64, 64},
	} {
		f, code := r.Function(0, m, c.kernel)
		r.want(code, Success)
		if n, code := r.FunctionGet(0, f, c.attribute); code != Success || n < c.least || n > c.mostValue {
			t.Errorf("attribute %d of %s: %d (%d), want %d to %d", c.attribute, c.kernel, n, code, c.least, c.mostValue)
		}
	}

	// A kernel that requires a block has it where one thread is asked for, as kernels of CUDA Tile are launched.
	f, code := r.Function(0, m, "tile")
	r.want(code, Success)
	out, code := r.Alloc(0, 4, MemoryManaged)
	r.want(code, Success)
	params := binary.LittleEndian.AppendUint64(nil, out)
	l := Launch{Grid: vm.Dim3{X: 1, Y: 1, Z: 1}, Block: vm.Dim3{X: 1, Y: 1, Z: 1}, Buffer: address(params), BufferSize: 8}
	r.want(r.Launch(0, 0, f, l), Success)
	r.want(r.Synchronize(0), Success)
	if n := r.word(out); n != 64 {
		t.Errorf("%d threads", n)
	}
	l.Block.X = 32
	r.want(r.Launch(0, 0, f, l), InvalidConfiguration)
}
