package converge

import (
	"fmt"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// ownMasks are operations that the lanes of a warp execute together with different member masks: those below 16 with their own
// half, and once more with all lanes for whom the others have been waiting since (9.7.13.9: the same mask). %u counts the turns
// of a lane, %m is its mask. want is what a lane of the lower half gets in its first turn, and lanes of the lower and of the
// upper half get together.
var ownMasks = []struct {
	text string
	want func(lane uint32) (first, together uint32)
}{
	{`setp.eq.u32 %y, %u, 0; vote.sync.ballot.b32 %a, %y, %m;`, func(uint32) (uint32, uint32) { return 0xffff, 0xffff0000 }},
	{`and.b32 %b, %l, 15; mad.lo.u32 %a, %u, 100, %l; shfl.sync.idx.b32 %a, %a, %b, 31, %m;`, func(lane uint32) (uint32, uint32) { return lane & 15, 100 + lane&15 }},
	{`redux.sync.add.u32 %a, %u, %m;`, func(uint32) (uint32, uint32) { return 0, 16 }},
	{`match.any.sync.b32 %a, %u, %m;`, func(lane uint32) (uint32, uint32) { return 0xffff, 0xffff << (lane &^ 15) }},
	{`setp.eq.u32 %y, %u, 0; vote.sync.all.pred %q, %y, %m; selp.u32 %a, 1, 2, %q;`, func(uint32) (uint32, uint32) { return 1, 2 }},
	{`elect.sync %a|%q, %m; @%q add.u32 %a, %a, 7;`, func(lane uint32) (uint32, uint32) { return elected(lane), elected(lane) }},
	{`st.shared.u32 [%s], %u; bar.warp.sync %m; and.b32 %b, %l, 15; shl.b32 %b, %b, 2; add.u32 %b, %b, %z; ld.shared.u32 %a, [%b]; bar.warp.sync %m;`,
		func(uint32) (uint32, uint32) { return 0, 1 }},
}

// elected is what a lane gets where lane 0 is elected, which adds 7.
func elected(lane uint32) uint32 {
	if lane == 0 {
		return 7
	}
	return 0
}

const ownMaskKernel = `.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {
	.shared .align 8 .b8 smem[1024];
	.reg .b32 %%a, %%b, %%l, %%m, %%s, %%u, %%v, %%z;
	.reg .b64 %%d, %%o;
	.reg .pred %%p, %%q, %%y;
	ld.param.u64 %%o, [p];
	mov.u32 %%v, %%tid.x; mov.u32 %%a, %%ntid.x; mov.u32 %%b, %%ctaid.x; mad.lo.u32 %%a, %%b, %%a, %%v;
	mul.wide.u32 %%d, %%a, 4; add.u64 %%o, %%o, %%d;
	mov.u32 %%l, %%laneid; shr.u32 %%b, %%v, 5; mov.u32 %%z, smem; mad.lo.u32 %%z, %%b, 128, %%z; mad.lo.u32 %%s, %%l, 4, %%z;
	mov.u32 %%v, 0; mov.u32 %%u, 0;
	setp.lt.u32 %%p, %%l, 16; selp.b32 %%m, 0xffff, -1, %%p;
T:	%s
	mad.lo.u32 %%v, %%v, 5, %%a;
	setp.ne.u32 %%p, %%m, -1; mov.u32 %%m, -1; add.u32 %%u, %%u, 1;
	@%%p bra T;
	st.global.u32 [%%o], %%v;
	ret;
}
`

// TestOwnMasks: who has named all lanes waits for those that are here with another mask, in every engine.
func TestOwnMasks(t *testing.T) {
	for _, o := range ownMasks {
		m, err := ptxvm.Compile("k.ptx", fmt.Appendf(nil, ownMaskKernel, o.text), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range Ways([]ptxvm.Engine{ptxvm.Interp, ptxvm.JIT, ptxvm.Auto}, 3) {
			for i, have := range launchParted(t, m, w, 64, Launches) {
				for n, got := range have.out[:64*partedCTAs] {
					lane := uint32(n % 32)
					first, want := o.want(lane)
					if lane < 16 {
						want += 5 * first
					}
					if got != want {
						t.Fatalf("%s\n%v, launch %d, lane %d of warp %d: %#x, want %#x", o.text, w, i+1, lane, n/32, got, want)
					}
				}
			}
		}
	}
}
