package jit_test

import (
	"bytes"
	"encoding/binary"
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
	{"cluster barrier", `st.shared.u32 [%s], %v; barrier.cluster.arrive; add.u32 %v, %v, 4; barrier.cluster.wait; ld.shared.u32 %a, [%x]; add.u32 %v, %v, %a; barrier.cluster.arrive.relaxed.aligned; setp.eq.u32 %p, %w, 1; @%p exit; barrier.cluster.wait.aligned;`, []uint32{2}},
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
			for _, cluster := range append(k.clusters, 1) {
				l.likeInterpreter(t, cluster, func(what string, s *machine.Stats, _ []byte, o jit.Options) { checkWholes(t, what, s, o) })
			}
		})
	}
}

// likeInterpreter runs the kernel k, whose parameter is a buffer, in CTAs of several sizes by all kinds of compiled code: memory and
// counts are the interpreter's.
func (l *laboratory) likeInterpreter(t *testing.T, cluster uint32, check func(what string, s *machine.Stats, memory []byte, o jit.Options)) {
	t.Helper()
	buf, _ := l.arena.Alloc(1<<15, mem.Info{Label: "buf"})
	data := l.arena.Bytes(buf, 1<<15)
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
			got, mem := run(engine(t, o).Install)
			what := fmt.Sprintf("%+v, %d threads, clusters of %d", o, block, cluster)
			if !bytes.Equal(mem, memory) || got.Steps != want.Steps || got.LaneOps != want.LaneOps {
				t.Fatalf("%s: %s; %d steps, %d lane-ops; the interpreter %d and %d", what, firstDifference(mem, memory), got.Steps, got.LaneOps, want.Steps, want.LaneOps)
			}
			check(what, &got, mem[:4*6*block], o)
		}
	}
}

// calling keeps a sum in local memory, and has a function whose frame lies behind it add to that. What the function finds in its own
// local memory, and in that of the function that it calls, is zero in each CTA when it is called first.
const calling = `.version 8.0
.target sm_90
.address_size 64
.func (.param .b32 r) deeper(.param .b64 at, .param .b32 n) {
	.local .align 8 .b8 own[200];
	.reg .b64 %d; .reg .b32 %a, %b;
	ld.param.u64 %d, [at]; ld.param.u32 %b, [n];
	ld.local.u32 %a, [own+196];
	add.u32 %b, %b, %a;
	st.local.u32 [own+196], %b;
	ld.local.u32 %a, [%d];
	add.u32 %a, %a, %b;
	st.local.u32 [%d], %a;
	st.param.b32 [r], %a;
	ret;
}
.func (.param .b32 r) add(.param .b64 at, .param .b32 n) {
	.local .align 8 .b8 own[600];
	.reg .b64 %d; .reg .b32 %a, %b;
	ld.param.u64 %d, [at]; ld.param.u32 %b, [n];
	ld.local.u32 %a, [own+8];
	add.u32 %b, %b, %a;
	st.local.u32 [own+8], %b;
	{ .param .b64 x; .param .b32 y; .param .b32 z; st.param.b64 [x], %d; st.param.b32 [y], %b; call (z), deeper, (x, y); ld.param.b32 %a, [z]; }
	st.param.b32 [r], %a;
	ret;
}
.visible .entry k(.param .u64 p) {
	.local .align 8 .b8 depot[24];
	.reg .b32 %t, %v, %n, %a, %b, %r;
	.reg .b64 %d, %o;
	.reg .pred %p, %q;
	ld.param.u64 %o, [p];
	mov.u32 %t, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %a, %ctaid.x;
	mad.lo.u32 %v, %a, %n, %t;
	mul.wide.u32 %d, %v, 4;
	add.u64 %o, %o, %d;
	mov.u32 %r, 0;
	mov.u64 %d, depot;
L:	and.b32 %a, %t, 12;
	add.u32 %b, %r, %t;
	ld.local.u32 %n, [depot+20];
	add.u32 %n, %n, %b;
	st.local.v2.u32 [depot+16], {%b, %n};
	setp.eq.u32 %q, %a, 4;
	@%q bra M;
	{ .param .b64 x; .param .b32 y; .param .b32 z; st.param.b64 [x], %d; st.param.b32 [y], %b; call (z), add, (x, y); ld.param.b32 %a, [z]; }
	add.u32 %v, %v, %a;
M:	ld.local.u32 %a, [%d];
	ld.local.u32 %b, [%d+20];
	mad.lo.u32 %v, %v, 3, %a;
	xor.b32 %v, %v, %b;
	add.u32 %r, %r, 1;
	setp.lt.u32 %p, %r, 3;
	@%p bra L;
	st.global.u32 [%o], %v;
	ret;
}
`

// called is what a thread of the kernel stores.
func called(v, t uint32) uint32 {
	var depot [6]uint32
	own, deeper := uint32(0), uint32(0)
	for r := range uint32(3) {
		b := r + t
		depot[4], depot[5] = b, depot[5]+b
		if t&12 != 4 {
			own += b
			deeper += own
			depot[0] += deeper
			v += depot[0]
		}
		v = v*3 + depot[0] ^ depot[5]
	}
	return v
}

// TestLocalOfCallers: local memory and parameters of a kernel that calls are in vector code, beside the frames of what it calls.
func TestLocalOfCallers(t *testing.T) {
	newLaboratory(t, "k.ptx", calling).likeInterpreter(t, 1, func(what string, s *machine.Stats, memory []byte, o jit.Options) {
		for _, l := range s.Left {
			if op := l.Code.Insts[l.PC].Op; l.Helped && l.Code.Func.Entry && !o.Quick && op.Reach() != uop.ReachCalls {
				t.Errorf("%s: a handler has executed %s", what, op)
			}
		}
		for i := range uint32(len(memory) / 4) {
			got, want := binary.LittleEndian.Uint32(memory[4*i:]), called(i, i%uint32(len(memory)/4/6))
			if got != want {
				t.Fatalf("%s: thread %d has stored %d, want %d", what, i, got, want)
			}
		}
	})
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
