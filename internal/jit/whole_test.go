package jit_test

import (
	"bytes"
	"fmt"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// wholes are pieces of kernels with instructions whose handlers look at the warp as a whole: %v is what a thread stores at last, %n
// the threads of all warps, %t the thread, %w its warp.
var wholes = []struct {
	name, text string
	clusters   []uint32
}{
	{"clock", `mov.u32 %a, %clock; add.u32 %v, %v, %a; mov.u64 %d, %clock64; cvt.u32.u64 %b, %d; sub.u32 %b, %b, %a; mad.lo.u32 %v, %v, 5, %b; mov.u64 %d, %globaltimer; mov.u64 %e, %globaltimer; sub.u64 %d, %e, %d; cvt.u32.u64 %b, %d; add.u32 %v, %v, %b;`, nil},
	{"clock of some lanes", `and.b32 %a, %t, 5; setp.eq.u32 %p, %a, 1; @%p bra T; mov.u32 %b, %clock; add.u32 %v, %v, %b; bra J; T: add.u32 %v, %v, 9; mov.u32 %b, %clock_hi; mov.u32 %a, %clock; xor.b32 %v, %v, %a; J: add.u32 %v, %v, %b;`, nil},
	{"counted barrier", `st.shared.u32 [%s], %v; bar.sync 1, %n; ld.shared.u32 %a, [%x]; add.u32 %v, %v, %a; barrier.sync 2, %n; mov.u32 %b, %clock; add.u32 %v, %v, %b;`, nil},
	{"producers and consumers", `and.b32 %a, %w, 1; setp.eq.u32 %p, %a, 1; @%p bra T; st.shared.u32 [%s], %v; bar.arrive 3, %n; bra J; T: bar.sync 3, %n; ld.shared.u32 %a, [%x]; add.u32 %v, %v, %a; J: bar.sync 0; add.u32 %v, %v, 1;`, nil},
	{"reductions", `and.b32 %a, %v, 1; setp.eq.u32 %p, %a, 1; bar.red.popc.u32 %b, 4, %p; add.u32 %v, %v, %b; setp.ne.u32 %p, %t, 7; bar.red.and.pred %q, 4, %n, %p; selp.u32 %b, 3, 5, %q; add.u32 %v, %v, %b; barrier.red.or.pred %q, 5, %p; @%q add.u32 %v, %v, 1;`, nil},
	{"warps that end before others", `setp.ge.u32 %p, %w, 2; @%p bra T; min.u32 %a, %n, 64; barrier.sync 1, %a; mov.u32 %b, %clock; add.u32 %v, %v, %b; bar.sync 6; bra J; T: setp.eq.u32 %q, %w, 3; @%q exit; add.u32 %v, %v, 2; bar.sync 6; J: add.u32 %v, %v, 1;`, nil},
	{"cluster barrier", `st.shared.u32 [%s], %v; barrier.cluster.arrive; add.u32 %v, %v, 4; barrier.cluster.wait; ld.shared.u32 %a, [%x]; add.u32 %v, %v, %a; barrier.cluster.arrive.relaxed.aligned; setp.eq.u32 %p, %w, 1; @%p exit; barrier.cluster.wait.aligned;`, []uint32{1, 2}},
	{"sleep", `and.b32 %a, %w, 1; setp.eq.u32 %p, %a, 1; @%p bra J; nanosleep.u32 100; mov.u32 %a, %clock; add.u32 %v, %v, %a; J: nanosleep.u32 40; mov.u32 %a, %clock; add.u32 %v, %v, %a;`, nil},
	{"stack", `stacksave.u64 %d; and.b32 %a, %t, 24; add.u32 %a, %a, 8; cvt.u64.u32 %e, %a; alloca.u64 %e, %e, 8; st.local.u32 [%e], %v; ld.local.u32 %b, [%e+4]; add.u32 %v, %v, %b; ld.local.u32 %b, [%e]; add.u32 %v, %v, %b; st.local.u32 [%e+4], %v; sub.u64 %e, %e, %d; cvt.u32.u64 %b, %e; add.u32 %v, %v, %b; stackrestore.u64 %d;`, nil},
	{"single warps", `min.u32 %a, %n, 32; add.u32 %b, %w, 10; bar.sync %b, %a; add.u32 %v, %v, %b; bar.sync 0; bar.arrive 9, 32; add.u32 %v, %v, 2;`, nil},
}

func wholeKernel(text string) string {
	return `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {
	.shared .align 4 .b8 smem[4096];
	.local .align 8 .b8 depot[16];
	.reg .b32 %t, %v, %n, %w, %a, %b, %s, %x, %r, %c;
	.reg .b64 %d, %e, %o;
	.reg .pred %p, %q;
	ld.param.u64 %o, [p];
	mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %c, %ctaid.x;
	mad.lo.u32 %v, %c, %n, %t;
	mul.wide.u32 %d, %v, 4;
	add.u64 %o, %o, %d;
	shr.u32 %w, %t, 5;
	mov.u32 %a, smem;
	mad.lo.u32 %s, %t, 4, %a;
	add.u32 %b, %t, 33;
	rem.u32 %b, %b, %n;
	mad.lo.u32 %x, %b, 4, %a;
	add.u32 %n, %n, 31;
	and.b32 %n, %n, 0xffffffe0;
	mov.u32 %r, 0;
L:	` + text + `
	st.global.u32 [%o], %v;
	add.u32 %r, %r, 1;
	setp.lt.u32 %p, %r, 3;
	@%p bra L;
	st.global.u32 [%o], %v;
	ret;
}
`
}

// TestHelpWhole has handlers executed that look at the warp as a whole: clocks, barriers with counts and of clusters, sleep, stacks.
// Memory and counts are the interpreter's, in batches and without, and what had to wait is told apart.
func TestHelpWhole(t *testing.T) {
	for _, k := range wholes {
		t.Run(k.name, func(t *testing.T) {
			l := newLaboratory(t, "k.ptx", wholeKernel(k.text))
			buf, _ := l.arena.Alloc(1<<15, mem.Info{Label: "buf"})
			data := l.arena.Bytes(buf, 1<<15)
			if k.clusters == nil {
				k.clusters = []uint32{1}
			}
			for _, cluster := range k.clusters {
				for _, block := range []uint32{32, 41, 64, 128, 100} {
					run := func(compile host.Compiler) (machine.Stats, []byte) {
						clear(data)
						s, err := l.launch(t, "k", [3]uint32{6, 1, 1}, [3]uint32{block, 1, 1}, func(x *host.Launch) { x.Compile, x.Cluster[0] = compile, cluster }, buf)
						if err != nil {
							t.Fatal(err)
						}
						return s, bytes.Clone(data)
					}
					want, memory := run(nil)
					for _, o := range []jit.Options{{Vectors: jit.AVX2}, {Vectors: jit.AVX512}, {Vectors: jit.AVX2, Quick: true}, {Vectors: jit.AVX512, Whole: true}} {
						e := engine(t, o)
						got, mem := run(e.Install)
						what := fmt.Sprintf("%+v, %d threads, clusters of %d", o, block, cluster)
						if !bytes.Equal(mem, memory) || got.Steps != want.Steps || got.LaneOps != want.LaneOps {
							t.Fatalf("%s: %s; %d steps, %d lane-ops; the interpreter %d and %d", what, firstDifference(mem, memory), got.Steps, got.LaneOps, want.Steps, want.LaneOps)
						}
						checkWholes(t, what, &got, o)
					}
				}
			}
		})
	}
}

// checkWholes: instructions are executed inside of compiled code, or it is left where they had to wait.
func checkWholes(t *testing.T, what string, s *machine.Stats, o jit.Options) {
	helped := uint64(0)
	for _, l := range s.Left {
		switch reach := l.Code.Insts[l.PC].Op.Reach(); {
		case l.Helped:
			helped += l.Times
		case o.Quick:
		case reach == uop.ReachClock || reach == uop.ReachWhole:
			if l.Blocked != l.Times {
				t.Errorf("%s: code has left %s %d times, %d of them to wait", what, l.Code.Insts[l.PC].Op, l.Times, l.Blocked)
			}
		}
	}
	if helped == 0 && !o.Quick && !o.Whole {
		t.Errorf("%s: no handler was called", what)
	}
}
