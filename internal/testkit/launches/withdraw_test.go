package launches_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

// withdrawing is a persistent kernel: each CTA notes whose work it does in the words of the work's CTA (its own ctaid + 1),
// and asks for another cluster until there is none.
const withdrawing = `
.version 8.6
.target sm_100a
.address_size 64
.visible .entry persist(.param .u64 .ptr .global out)
{
	.reg .b64 %rd<4>; .reg .b32 %r<9>; .reg .b128 %h; .reg .pred %p;
	.shared .align 16 .b8 answer[16]; .shared .align 8 .b64 bar;
	ld.param.u64 %rd0, [out];
	mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ctaid.y; mov.u32 %r2, %nctaid.x;
	mad.lo.u32 %r3, %r1, %r2, %r0;
	add.u32 %r4, %r3, 1;
	mov.u32 %r5, 0;
	mbarrier.init.shared.b64 [bar], 1;
	fence.mbarrier_init.release.cluster;
next:
	mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
	clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [bar];
	mad.wide.u32 %rd1, %r3, 4, %rd0;
	atom.global.add.u32 %r8, [%rd1], %r4;
wait:
	mbarrier.try_wait.parity.acquire.cta.shared.b64 %p, [bar], %r5;
	@!%p bra wait;
	xor.b32 %r5, %r5, 1;
	ld.shared.b128 %h, [answer];
	clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p, %h;
	@!%p ret;
	clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r0, %r1, _, _}, %h;
	fence.proxy.async;
	mad.lo.u32 %r3, %r1, %r2, %r0;
	bra next;
}
`

// TestWithdraw has CTAs take over others: the work of each is done once, by a CTA that ran; some is taken over, and other
// seeds take other CTAs.
func TestWithdraw(t *testing.T) {
	const nx, ny = 40, 20
	took := map[string]bool{}
	for _, engine := range []ptxvm.Engine{ptxvm.Interp, ptxvm.Auto, ptxvm.JIT} {
		for _, async := range []ptxvm.Async{ptxvm.AsyncEager, ptxvm.AsyncLazy, ptxvm.AsyncRandom} {
			for run := range 6 {
				seed, workers := uint64(run%3), 1+run/3
				name := fmt.Sprintf("engine %v, async %v, seed %d, workers %d", engine, async, seed, workers)
				d := rig.Device(t, ptxvm.DeviceConfig{Arch: "sm_100a", Memory: 1 << 20, Engine: engine, Async: async, Seed: seed, Workers: workers})
				m, err := ptxvm.Compile("withdraw.ptx", []byte(withdrawing), nil)
				if err != nil {
					t.Fatal(err)
				}
				p, err := d.Load(m)
				if err != nil {
					t.Fatal(err)
				}
				var out ptxvm.Buffer
				var stats ptxvm.Stats
				for range 2 { // the second time there may be compiled code from the start
					out = rig.Buffer(t, d, 4*nx*ny)
					if stats, err = rig.Kernel(t, p, "persist").Launch(context.Background(), ptxvm.Launch{Grid: ptxvm.Dim3{X: nx, Y: ny}}, out); err != nil {
						t.Fatalf("%s: %v", name, err)
					}
				}
				done := make([]byte, 4*nx*ny)
				if _, err := out.ReadAt(done, 0); err != nil {
					t.Fatal(err)
				}
				ran := 0
				for i := range nx * ny {
					by := int(binary.LittleEndian.Uint32(done[4*i:])) - 1
					if by < 0 || by >= nx*ny {
						t.Fatalf("%s: the work of CTA %d was done by %d", name, i, by)
					}
					if by == i {
						ran++
					} else if own := int(binary.LittleEndian.Uint32(done[4*by:])) - 1; own != by {
						t.Fatalf("%s: CTA %d did the work of %d, and was taken over itself by %d", name, by, i, own)
					}
				}
				if ran == nx*ny || stats.CTAs != uint64(ran) {
					t.Errorf("%s: %d of %d CTAs did their own work, %d ran", name, ran, nx*ny, stats.CTAs)
				}
				if workers == 1 && engine == ptxvm.Interp && async == ptxvm.AsyncLazy {
					took[string(done)] = true
				}
			}
		}
	}
	if len(took) != 3 {
		t.Errorf("three seeds took over %d different sets of CTAs", len(took))
	}
}
