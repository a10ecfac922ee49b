package converge

// Kernels by hand: each kind of defect that has been found.

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// leftTwice has some lanes go to the end, a ballot of the others, and some of these go, too.
const leftTwice = `setp.lt.u32 %p, %h, 0x30000000; @%p bra E; vote.sync.ballot.b32 %a, %y, -1; add.u32 %v, %v, %a; bfe.u32 %b, %h, 7, 1; setp.ne.u32 %p, %b, 0; @%p bra E; `

// leftOnce is its first half.
var leftOnce = leftTwice[:strings.Index(leftTwice, "bfe")]

// partedKernels are pieces of kernels in which lanes have exited or parted when an operation of the whole warp comes: %v is
// what a lane stores, %t its thread, %l its lane, %c the CTA, %m a full member mask, %y holds for all lanes; E is another
// end of a thread.
var partedKernels = []struct{ name, text string }{
	{"two lanes meet while others have gone on", `setp.gt.u32 %p, %t, 1; @%p bra J; bar.warp.sync -1; J: setp.ne.u32 %p, %t, 0; @%p bra D; mad.lo.u32 %v, %c, 3, 100; D:`},
	{"two lanes meet behind a barrier", `st.shared.u32 [%s], %v; bar.sync 0; setp.gt.u32 %p, %t, 1; @%p bra J; ld.shared.u32 %v, [%s+8]; bar.warp.sync %m; J: setp.ne.u32 %p, %t, 0; @%p exit;`},
	{"ballot", leftTwice + `vote.sync.ballot.b32 %b, %y, %m; mad.lo.u32 %v, %v, 3, %b;`},
	{"vote of all", leftTwice + `setp.gt.u32 %p, %l, 4; vote.sync.all.pred %q, %p, -1; selp.u32 %b, 5, 9, %q; add.u32 %v, %v, %b;`},
	{"vote of any", leftTwice + `setp.eq.u32 %p, %l, 4; vote.sync.any.pred %q, %p, %m; @%q add.u32 %v, %v, 1000;`},
	{"match of any", leftTwice + `and.b32 %b, %l, 3; match.any.sync.b32 %b, %b, -1; add.u32 %v, %v, %b;`},
	{"match of any, 64 bits", leftTwice + `shr.u64 %d, %d, 4; match.any.sync.b64 %b, %d, -1; xor.b32 %v, %v, %b;`},
	{"match of all", leftTwice + `match.all.sync.b32 %b|%q, %c, %m; @%q add.u32 %v, %v, %b;`},
	{"shuffle", leftTwice + `shfl.sync.up.b32 %b|%q, %h, 0, 0, -1; @%q add.u32 %v, %v, %b;`},
	{"redux", leftTwice + `redux.sync.add.u32 %b, %h, -1; mad.lo.u32 %v, %v, 3, %b;`},
	{"elect", leftTwice + `elect.sync %b|%q, -1; @%q add.u32 %v, %v, 1000; add.u32 %v, %v, %b;`},
	{"bar.warp.sync", leftTwice + `st.shared.u32 [%s], %v; bar.warp.sync %m; xor.b32 %b, %s, 4; ld.shared.u32 %b, [%b]; add.u32 %v, %v, %b;`},
	{"activemask", leftTwice + `bar.warp.sync -1; activemask.b32 %b; add.u32 %v, %v, %b;`},
	{"leader of an mbarrier", leftTwice + `vote.sync.ballot.b32 %a, %y, -1; clz.b32 %b, %a; sub.u32 %b, 31, %b; setp.eq.u32 %q, %b, %l; shl.b32 %b, %w, 3; add.u32 %b, %b, %z; popc.b32 %a, %a; @%q mbarrier.init.shared.b64 [%b], %a; bar.warp.sync -1; mbarrier.arrive.shared.b64 %d, [%b]; W: mbarrier.test_wait.shared.b64 %p, [%b], %d; @!%p bra W; bar.warp.sync -1; @%q mbarrier.inval.shared.b64 [%b]; add.u32 %v, %v, %a;`},
	{"matches of 64 bits in an arm", `setp.lt.u32 %p, %l, 16; @!%p bra F; vote.sync.ballot.b32 %a, %y, -1; shr.u64 %d, %d, 4; match.any.sync.b64 %b, %d, -1; xor.b32 %v, %a, %b; bra J; F: st.global.u32 [%o], %a; exit; J:`},
	{"one function in both arms", leftOnce + `bfe.u32 %b, %h, 5, 1; setp.ne.u32 %p, %b, 0; @%p bra F; { .param .b32 x; .param .b32 r; st.param.b32 [x], %m; call (r), met, (x); ld.param.b32 %b, [r]; } bra J; F: { .param .b32 x; .param .b32 r; st.param.b32 [x], %m; call (r), met, (x); ld.param.b32 %b, [r]; } J: add.u32 %v, %v, %b; match.any.sync.b32 %a, %b, %m; add.u32 %v, %v, %a;`},
	{"shuffles in both arms", leftOnce + `and.b32 %a, %h, 3; setp.lt.u32 %p, %a, 2; vote.sync.ballot.b32 %b, %p, -1; @%p bra F; not.b32 %b, %b; shfl.sync.bfly.b32 %a|%q, %h, 0, 31, %b; @%q add.u32 %v, %v, %a; bra J; F: setp.eq.u32 %q, %l, 4; @%q exit; shfl.sync.up.b32 %a, %h, 0, 0, %b; xor.b32 %v, %v, %a; J: redux.sync.xor.b32 %a, %v, %m; add.u32 %v, %v, %a;`},
	{"a loop that warps leave one by one", `mov.u32 %b, 0; T: setp.lt.u32 %p, %b, %w; vote.sync.ballot.b32 %a, %p, %m; add.u32 %v, %v, %a; @!%p bra X; add.u32 %a, %b, %l; and.b32 %a, %a, 8; setp.ne.u32 %p, %a, 0; @%p bra E; setp.eq.u32 %p, %l, 6; @%p bra F; vote.sync.ballot.b32 %a, %y, 0xffffffbf; add.u32 %v, %v, %a; bra J; F: redux.sync.add.u32 %a, %h, 64; add.u32 %v, %v, %a; J: add.u32 %b, %b, 1; bra T; X:`},
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
	.reg .b32 %t, %v, %n, %w, %l, %c, %h, %m, %a, %b, %s, %z, %u;
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
	mov.u32 %u, %ctaid.x; mad.lo.u32 %u, %u, 77, 5;
	` + text + `
	mul.lo.u32 %a, %u, 3;
	mad.lo.u32 %v, %v, 5, %a;
	st.global.u32 [%o], %v;
	exit;
E:	mul.lo.u32 %a, %u, 5;
	xor.b32 %v, %v, %a;
	st.global.u32 [%o], %v;
	ret;
}
`
}

// partedCTAs are so many that CTAs begin in compiled code behind others whose lanes have parted.
const partedCTAs = 150

// TestPartedWarps has lanes exit and part in front of operations of the whole warp: in every engine, width and number of workers
// each of six launches writes what the interpreter does, in as many steps.
func TestPartedWarps(t *testing.T) {
	for _, k := range partedKernels {
		t.Run(k.name, func(t *testing.T) {
			m, err := ptxvm.Compile("k.ptx", []byte(partedKernel(k.text)), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, block := range []uint32{41, 128} {
				want := launchParted(t, m, Way{Engine: ptxvm.Interp, Workers: 1}, block, 1)[0]
				for _, w := range Ways([]ptxvm.Engine{ptxvm.JIT, ptxvm.Auto}, uint64(block)) {
					for i, have := range launchParted(t, m, w, block, Launches) {
						if diff := have.differs(want); diff != "" {
							t.Fatalf("%v, %d threads, launch %d: %s", w, block, i+1, diff)
						}
					}
				}
			}
		})
	}
}

// written is what a launch has done.
type written struct {
	out   []uint32
	stats ptxvm.Stats
}

// differs says where two launches differ, "" if nowhere.
func (a *written) differs(b *written) string {
	for i := range a.out {
		if a.out[i] != b.out[i] {
			return fmt.Sprintf("word %d is %#x, the interpreter's %#x", i, a.out[i], b.out[i])
		}
	}
	if a.stats.WarpInsts != b.stats.WarpInsts || a.stats.LaneOps != b.stats.LaneOps {
		return fmt.Sprintf("%d steps of %d lane-ops, the interpreter's %d of %d", a.stats.WarpInsts, a.stats.LaneOps, b.stats.WarpInsts, b.stats.LaneOps)
	}
	return ""
}

// launchParted launches a kernel several times, with memory as it was before.
func launchParted(t *testing.T, m *ptxvm.Module, w Way, block uint32, times int) (list []*written) {
	t.Helper()
	d, err := w.open()
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := p.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	words := slices.Repeat([]uint32{0xeeeeeeee}, partedCTAs*128)
	for range times {
		buf, err := ptxvm.Upload(d, words)
		if err != nil {
			t.Fatal(err)
		}
		r := &written{out: make([]uint32, len(words))}
		shape := ptxvm.Launch{Grid: ptxvm.Dim3{X: partedCTAs}, Block: ptxvm.Dim3{X: block}}
		if r.stats, err = kernel.Launch(context.Background(), shape, buf); err != nil {
			t.Fatalf("%v, %d threads: %v", w, block, told(err))
		}
		if err := ptxvm.Download(buf, r.out); err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	return list
}
