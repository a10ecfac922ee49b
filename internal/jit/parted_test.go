package jit_test

import (
	"bytes"
	"fmt"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

func init() { machine.Checked = true }

// partedKernels are pieces of kernels in which lanes have exited or parted when an operation of the whole warp comes: %v is
// what a lane stores, %t its thread, %l its lane, %c the CTA, %m a full member mask.
var partedKernels = []struct{ name, text string }{
	{"two lanes meet while others have gone on", `setp.gt.u32 %p, %t, 1; @%p bra J; bar.warp.sync -1; J: setp.ne.u32 %p, %t, 0; @%p bra D; mad.lo.u32 %v, %c, 3, 100; D:`},
	{"pairs are added behind a barrier", `st.shared.u32 [%s], %v; bar.sync 0; setp.gt.u32 %p, %t, 1; @%p bra J; ld.shared.u32 %a, [%s+8]; add.u32 %a, %a, %v; st.shared.u32 [%s], %a; bar.warp.sync %m; J: setp.ne.u32 %p, %t, 0; @%p bra D; ld.shared.u32 %v, [smem]; ld.shared.u32 %a, [smem+4]; add.u32 %v, %v, %a; D:`},
	{"ballots between exits", `setp.eq.u32 %p, %l, 9; @%p bra E; vote.sync.ballot.b32 %a, %y, -1; bfe.u32 %b, %h, 7, 1; setp.ne.u32 %p, %b, 0; @%p bra E; vote.sync.ballot.b32 %b, %y, %m; mad.lo.u32 %v, %a, 3, %b;`},
	{"matches of 64 bits behind a ballot", `setp.lt.u32 %p, %l, 16; @!%p bra F; vote.sync.ballot.b32 %a, %y, -1; shr.u64 %d, %d, 4; match.any.sync.b64 %b, %d, -1; xor.b32 %v, %a, %b; bra J; F: st.global.u32 [%o], %a; exit; J:`},
	{"one function in both arms", `vote.sync.ballot.b32 %a, %y, %m; bfe.u32 %b, %h, 5, 1; setp.ne.u32 %p, %b, 0; @%p bra F; { .param .b32 x; .param .b32 r; st.param.b32 [x], %m; call (r), met, (x); ld.param.b32 %b, [r]; } bra J; F: { .param .b32 x; .param .b32 r; st.param.b32 [x], %m; call (r), met, (x); ld.param.b32 %b, [r]; } J: add.u32 %v, %v, %b; match.any.sync.b32 %a, %b, %m; add.u32 %v, %v, %a;`},
	{"early exit, then a leader", `setp.lt.u32 %p, %h, 0x60000000; @%p exit; vote.sync.ballot.b32 %a, %y, -1; clz.b32 %b, %a; sub.u32 %b, 31, %b; setp.eq.u32 %q, %b, %l; shl.b32 %b, %w, 3; add.u32 %b, %b, %z; popc.b32 %a, %a; @%q mbarrier.init.shared.b64 [%b], %a; bar.warp.sync -1; mbarrier.arrive.shared.b64 %d, [%b]; W: mbarrier.test_wait.shared.b64 %p, [%b], %d; @!%p bra W; bar.warp.sync -1; @%q mbarrier.inval.shared.b64 [%b]; add.u32 %v, %v, %a;`},
	{"a loop that warps leave one by one, with votes", `mov.u32 %b, 0; T: setp.lt.u32 %p, %b, %w; vote.sync.ballot.b32 %a, %p, %m; add.u32 %v, %v, %a; @!%p bra X; and.b32 %a, %l, 8; setp.ne.u32 %p, %a, 0; @%p ret; setp.eq.u32 %p, %l, 6; @%p bra F; vote.sync.ballot.b32 %a, %y, 0xffffffbf; add.u32 %v, %v, %a; bra J; F: redux.sync.add.u32 %a, %h, 64; add.u32 %v, %v, %a; J: add.u32 %b, %b, 1; bra T; X:`},
	{"shuffles in both arms", `and.b32 %a, %h, 3; setp.lt.u32 %p, %a, 2; vote.sync.ballot.b32 %b, %p, -1; @%p bra F; not.b32 %b, %b; shfl.sync.bfly.b32 %a|%q, %h, 5, 31, %b; @%q add.u32 %v, %v, %a; bra J; F: setp.eq.u32 %q, %l, 4; @%q exit; shfl.sync.up.b32 %a, %h, 3, 0, %b; xor.b32 %v, %v, %a; J: redux.sync.xor.b32 %a, %v, %m; add.u32 %v, %v, %a;`},
	{"an elected lane, and active ones", `setp.gt.u32 %p, %l, 20; @%p bra F; elect.sync %a|%q, 0x001fffff; @%q add.u32 %v, %v, 1000; add.u32 %v, %v, %a; F: setp.lt.u32 %p, %h, 0x30000000; @%p exit; activemask.b32 %a; add.u32 %v, %v, %a; vote.sync.all.pred %q, %p, -1; vote.sync.uni.pred %p, %q, %m; @%p add.u32 %v, %v, 7;`},
	{"exits in front of barriers", `setp.eq.u32 %p, %l, 3; @%p exit; bar.sync 0; vote.sync.ballot.b32 %a, %y, -1; add.u32 %v, %v, %a; setp.lt.u32 %p, %h, 0x40000000; @%p bra E; bar.sync 0; setp.gt.u32 %p, %l, 11; @%p bra F; redux.sync.max.u32 %a, %h, -1; add.u32 %v, %v, %a; bra J; F: redux.sync.max.u32 %a, %l, -1; add.u32 %v, %v, %a; J: bar.sync 0;`},
}

func partedKernel(text string) string {
	return `.version 8.6
.target sm_90
.address_size 64
.func (.param .b32 r) met(.param .b32 x) {
	.reg .b32 %m, %l;
	ld.param.b32 %m, [x];
	mov.u32 %l, %laneid;
	bar.warp.sync %m;
	add.u32 %l, %l, 77;
	st.param.b32 [r], %l;
	ret;
}
.visible .entry k(.param .u64 p) {
	.shared .align 8 .b8 smem[1024];
	.reg .b32 %t, %v, %n, %w, %l, %c, %h, %m, %a, %b, %s, %z;
	.reg .b64 %d, %o;
	.reg .pred %p, %q, %y;
	ld.param.u64 %o, [p];
	mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %c, %ctaid.x; mov.u32 %l, %laneid;
	mad.lo.u32 %v, %c, %n, %t;
	mul.wide.u32 %d, %v, 4;
	add.u64 %o, %o, %d;
	shr.u32 %w, %t, 5;
	mad.lo.u32 %h, %v, 2654435761, 99;
	mad.lo.u32 %h, %h, 1664525, 1013904223;
	setp.eq.u32 %y, %t, %t;
	mov.u32 %m, -1;
	mov.u32 %z, smem;
	mad.lo.u32 %s, %t, 4, %z;
	add.u32 %z, %z, 768;
	` + text + `
	mad.lo.u32 %v, %v, 5, %c;
	st.global.u32 [%o], %v;
E:	ret;
}
`
}

// TestPartedWarps has lanes exit and part in front of operations of the whole warp, in six launches of CTAs one behind the other:
// in each, memory and counts are the interpreter's. What compiled code holds where it is left and entered is checked meanwhile.
func TestPartedWarps(t *testing.T) {
	for _, k := range partedKernels {
		t.Run(k.name, func(t *testing.T) {
			l := newLaboratory(t, "k.ptx", partedKernel(k.text))
			l.keep = true
			buf, _ := l.arena.Alloc(1<<15, mem.Info{Label: "buf"})
			data := l.arena.Bytes(buf, 1<<15)
			for _, block := range []uint32{32, 41, 100, 128} {
				launch := func(compile host.Compiler, workers int) (machine.Stats, []byte) {
					for i := range data {
						data[i] = 0xee
					}
					s, err := l.launch(t, "k", [3]uint32{30, 1, 1}, [3]uint32{block, 1, 1}, func(x *host.Launch) { x.Compile, x.Workers = compile, workers }, buf)
					if err != nil {
						t.Fatal(err)
					}
					return s, bytes.Clone(data)
				}
				l.decoder = nil
				want, memory := launch(nil, 1)
				for _, o := range append(jit.Compilers(), jit.Options{Vectors: jit.AVX2, Whole: true}) {
					l.decoder = nil
					compile := engine(t, o).Install
					for i := range 6 {
						got, mem := launch(compile, 1+i/3)
						what := fmt.Sprintf("%v, whole %v, %d threads, launch %d", o, o.Whole, block, i)
						if !bytes.Equal(mem, memory) || got.Steps != want.Steps || got.LaneOps != want.LaneOps {
							t.Fatalf("%s: %s; %d steps, %d lane-ops; the interpreter %d and %d", what, firstDifference(mem, memory), got.Steps, got.LaneOps, want.Steps, want.LaneOps)
						}
						if got.NativeOps == 0 {
							t.Errorf("%s: nothing ran in compiled code", what)
						}
					}
				}
			}
		})
	}
}
