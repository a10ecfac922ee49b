package launches_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// TestParamAddress reads a parameter through its address, also where a loop, guarded lanes, and a register of 32 bits have it, in
// launches between which the parameter block moves, as other kernels have blocks of other sizes, but not all that a worker keeps of
// the launch before is thrown away, as those have one CTA.
func TestParamAddress(t *testing.T) {
	for _, engine := range []ptxvm.Engine{ptxvm.Interp, ptxvm.JIT} {
		d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Engine: engine, Memory: 1 << 20, Workers: 2})
		if err != nil {
			t.Skip(err) // no compiled code here
		}
		defer d.Close()
		kernel := kernelOf(t, d, paramAddressKernel)
		out, err := ptxvm.Upload(d, make([]uint32, 64*64))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 6 {
			other := kernelOf(t, d, fmt.Sprintf(otherKernel, 1024<<(i%3)))
			if _, err := other.LaunchBlock(context.Background(), ptxvm.Launch{}, make([]byte, 1024<<(i%3))); err != nil {
				t.Fatal(err)
			}
			kept, err := ptxvm.Upload(d, make([]byte, 16)) // where the block was
			if err != nil {
				t.Fatal(err)
			}
			defer kept.Free()
			a, b := uint32(3+i), uint32(1000*i)
			if _, err := kernel.Launch(context.Background(), ptxvm.Launch{Grid: ptxvm.Dim3{X: 64}, Block: ptxvm.Dim3{X: 64}}, out, a, b); err != nil {
				t.Fatalf("engine %v, launch %d: %v", engine, i, err)
			}
			got := make([]uint32, 64*64)
			if err := ptxvm.Download(out, got); err != nil {
				t.Fatal(err)
			}
			for lane, have := range got {
				want := a*3 + b
				if lane%32 < 20 {
					want += b
				}
				if have != want {
					t.Fatalf("engine %v, launch %d, thread %d: %d; want %d", engine, i, lane, have, want)
				}
			}
		}
	}
}

func kernelOf(t *testing.T, d *ptxvm.Device, src string) *ptxvm.Kernel {
	t.Helper()
	m, err := ptxvm.Compile("k.ptx", []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

const otherKernel = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .align 4 .b8 room[%d]) { ret; }
`

var paramAddressKernel = strings.TrimSpace(`
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 a, .param .u32 b)
{
	.reg .b64 p, q, g; .reg .b32 t, l, v, s, n, h; .reg .pred k, m;
	ld.param.u64 p, [out]; mov.u32 t, %tid.x; and.b32 l, t, 31; mov.b32 s, 0; mov.b32 n, 0;
	setp.lt.u32 k, l, 20;
again:
	mov.b64 q, a; cvta.param.u64 g, q; ld.u32 v, [g]; add.u32 s, s, v;
	add.u32 n, n, 1; setp.lt.u32 m, n, 3; @m bra again;
	cvta.param.u64 g, b; ld.u32 v, [g]; add.u32 s, s, v;
	@!k bra done;
	mov.b32 h, b; cvt.u64.u32 q, h; cvta.param.u64 g, q; ld.u32 v, [g]; add.u32 s, s, v;
done:
	mov.u32 v, %ctaid.x; mad.lo.u32 t, v, 64, t; mad.wide.u32 p, t, 4, p; st.global.u32 [p], s; ret;
}
`)
