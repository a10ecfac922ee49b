package launches_test

import (
	"context"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// TestNarrowParams passes parameters and results of 8 and 16 bits in .param space, which follow each other closer than a
// word: nvcc -G passes __half so.
func TestNarrowParams(t *testing.T) {
	const src = `.version 8.0
.target sm_80
.address_size 64
.func (.param .b16 r) f(.param .b16 a, .param .b8 b, .param .align 2 .b8 c[2])
{
	.reg .b16 x, y, z;
	ld.param.b16 x, [a]; ld.param.u8 y, [b]; ld.param.b16 z, [c];
	shl.b16 y, y, 8; or.b16 x, x, y; xor.b16 x, x, z; st.param.b16 [r], x; ret;
}
.visible .entry k(.param .u64 out)
{
	.reg .b64 p; .reg .b16 x, y, z;
	mov.b16 x, 0x0012; mov.b16 y, 0x34; mov.b16 z, 0x5600;
	{
		.param .b16 r; .param .b16 a; .param .b8 b; .param .align 2 .b8 c[2];
		st.param.b16 [a], x; st.param.u8 [b], y; st.param.b16 [c], z;
		call (r), f, (a, b, c);
		ld.param.b16 x, [r];
	}
	ld.param.u64 p, [out]; st.global.u16 [p], x; ret;
}
`
	for _, engine := range []ptxvm.Engine{ptxvm.Interp, ptxvm.JIT} {
		m, err := ptxvm.Compile("k.ptx", []byte(src), nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Engine: engine, Memory: 1 << 20})
		if err != nil {
			t.Skip(err) // no compiled code here
		}
		defer d.Close()
		p, err := d.Load(m)
		if err != nil {
			t.Fatal(err)
		}
		k, err := p.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		out, err := ptxvm.Upload(d, []uint16{0})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Launch(context.Background(), ptxvm.Launch{}, out); err != nil {
			t.Fatal(err)
		}
		got := []uint16{0}
		if err := ptxvm.Download(out, got); err != nil || got[0] != 0x6212 {
			t.Errorf("engine %v: %#x, %v; want 0x6212", engine, got[0], err)
		}
	}
}
