package jit_test

import (
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// calls has calls of all kinds: recursive ones deeper than may wait in compiled code, through addresses, with a guard that holds in
// some lanes, of functions that wait at barriers, that loop until their turn is over, and in which lanes end. %s is what stands in
// the kernel.
const calls = `.version 8.0
.target sm_90
.address_size 64
.func (.param .b32 r) twice(.param .b32 n) {
	.reg .b32 %%a;
	ld.param.u32 %%a, [n]; add.u32 %%a, %%a, %%a; st.param.b32 [r], %%a; ret;
}
.func (.param .b32 r) square(.param .b32 n) {
	.reg .b32 %%a;
	ld.param.u32 %%a, [n]; mul.lo.u32 %%a, %%a, %%a; add.u32 %%a, %%a, 1; st.param.b32 [r], %%a; ret;
}
.func (.param .b32 r) sum(.param .b32 n) {
	.reg .b32 %%a, %%b; .reg .pred %%p;
	ld.param.u32 %%a, [n]; mov.u32 %%b, 1; setp.eq.u32 %%p, %%a, 0; @%%p bra E;
	sub.u32 %%b, %%a, 1;
	{ .param .b32 x; .param .b32 z; st.param.b32 [x], %%b; call (z), sum, (x); ld.param.b32 %%b, [z]; }
	mad.lo.u32 %%b, %%b, 3, %%a;
E:	st.param.b32 [r], %%b; ret;
}
.func (.param .b32 r) meeting(.param .b32 n) {
	.reg .b32 %%a;
	.shared .align 4 .b32 word;
	ld.param.u32 %%a, [n]; bar.sync 0; atom.shared.add.u32 %%a, [word], 1; bar.sync 0; ld.shared.u32 %%a, [word]; bar.sync 0; st.param.b32 [r], %%a; ret;
}
.func (.param .b32 r) long(.param .b32 n) {
	.reg .b32 %%a, %%b; .reg .pred %%p;
	ld.param.u32 %%a, [n]; mov.u32 %%b, 0; add.u32 %%a, %%a, 16380;
L:	add.u32 %%b, %%b, 1; setp.lt.u32 %%p, %%b, %%a; @%%p bra L;
	st.param.b32 [r], %%b; ret;
}
.func (.param .b32 r) ends(.param .b32 n) {
	.reg .b32 %%a, %%b; .reg .pred %%p;
	ld.param.u32 %%a, [n]; and.b32 %%b, %%a, 5; setp.eq.u32 %%p, %%b, 5; @%%p exit;
	st.param.b32 [r], %%b; ret;
}
.visible .entry k(.param .u64 p) {
P:	.callprototype (.param .b32 _) _ (.param .b32 _);
` + callingKernel

// callingKernel is the kernel's body behind its declarations: in a loop, what a kind puts there makes %a of %a.
const callingKernel = `	.reg .b32 %%t, %%v, %%n, %%a, %%b, %%i;
	.reg .b64 %%d, %%o, %%f;
	.reg .pred %%p, %%q;
	ld.param.u64 %%o, [p];
	mov.u32 %%t, %%tid.x; mov.u32 %%n, %%ntid.x; mov.u32 %%a, %%ctaid.x;
	mad.lo.u32 %%v, %%a, %%n, %%t;
	mul.wide.u32 %%d, %%v, 4; add.u64 %%o, %%o, %%d;
	mov.u32 %%i, 0;
L:	and.b32 %%a, %%t, 7; add.u32 %%a, %%a, %%i;
%s
	add.u32 %%v, %%v, %%a;
	add.u32 %%i, %%i, 1; setp.lt.u32 %%p, %%i, 4; @%%p bra L;
	st.global.u32 [%%o], %%v;
	ret;
}
`

// callKinds are what may stand in the kernel: %a goes in and comes out.
var callKinds = []struct{ name, text string }{
	{"direct", "{ .param .b32 x; .param .b32 z; st.param.b32 [x], %a; call.uni (z), twice, (x); ld.param.b32 %a, [z]; }"},
	{"guarded", "and.b32 %b, %t, 3; setp.eq.u32 %q, %b, 1; { .param .b32 x; .param .b32 z; st.param.b32 [x], %a; st.param.b32 [z], %t; @%q call (z), square, (x); ld.param.b32 %a, [z]; }"},
	{"in divergent code", "and.b32 %b, %t, 3; setp.eq.u32 %q, %b, 1; @%q bra M; { .param .b32 x; .param .b32 z; st.param.b32 [x], %a; call (z), square, (x); ld.param.b32 %a, [z]; } M:"},
	{"recursive", "{ .param .b32 x; .param .b32 z; st.param.b32 [x], %a; call.uni (z), sum, (x); ld.param.b32 %a, [z]; }"},
	{"recursive, all alike", "add.u32 %a, %i, 9; { .param .b32 x; .param .b32 z; st.param.b32 [x], %a; call.uni (z), sum, (x); ld.param.b32 %a, [z]; }"},
	{"through one address", "mov.u64 %f, square; { .param .b32 x; .param .b32 z; st.param.b32 [x], %a; call (z), %f, (x), P; ld.param.b32 %a, [z]; }"},
	{"through addresses", "and.b32 %b, %t, 1; setp.eq.u32 %q, %b, 1; mov.u64 %f, twice; mov.u64 %d, square; selp.b64 %f, %d, %f, %q; { .param .b32 x; .param .b32 z; st.param.b32 [x], %a; call (z), %f, (x), P; ld.param.b32 %a, [z]; }"},
	{"waits", "{ .param .b32 x; .param .b32 z; st.param.b32 [x], %a; call (z), meeting, (x); ld.param.b32 %a, [z]; }"},
	{"turns end", "{ .param .b32 x; .param .b32 z; st.param.b32 [x], %a; call (z), long, (x); ld.param.b32 %a, [z]; }"},
	{"turns end alike", "{ .param .b32 x; .param .b32 z; st.param.b32 [x], 9; call (z), long, (x); ld.param.b32 %a, [z]; }"},
	{"lanes end", "{ .param .b32 x; .param .b32 z; st.param.b32 [x], %t; call (z), ends, (x); ld.param.b32 %a, [z]; }"},
	{"behind lanes that end", "and.b32 %b, %t, 9; setp.eq.u32 %q, %b, 9; @%q exit; { .param .b32 x; .param .b32 z; st.param.b32 [x], %a; call (z), twice, (x); ld.param.b32 %a, [z]; }"},
}

// TestCalls: calls in the middle of compiled code do what the interpreter makes of them, with its steps and lane-ops.
func TestCalls(t *testing.T) {
	for _, k := range callKinds {
		t.Run(k.name, func(t *testing.T) {
			l := newLaboratory(t, "k.ptx", fmt.Sprintf(calls, k.text))
			made, blocked := uint64(0), uint64(0)
			l.likeInterpreter(t, 1, func(_ string, s *machine.Stats, _ []byte, o jit.Options) {
				for _, left := range s.Left {
					if left.Code.Insts[left.PC].Op.Reach() != uop.ReachCalls {
						continue
					}
					if left.Helped {
						made += left.Times
					}
					blocked += left.Blocked
				}
			})
			if apart := k.name == "in divergent code"; (made == 0) != apart || apart && blocked == 0 {
				t.Errorf("%d calls were made in compiled code, %d were left", made, blocked)
			}
		})
	}
}

// inlinedCalls has calls of functions that are put in place, in loops and in divergent code, in each other and one behind the other.
const inlinedCalls = `.version 8.0
.target sm_90
.address_size 64
.func (.param .b32 r) twice(.param .b32 n) {
	.reg .b32 %%a;
	ld.param.u32 %%a, [n]; add.u32 %%a, %%a, %%a; st.param.b32 [r], %%a; ret;
}
.func (.param .b32 r) early(.param .b32 n, .param .b64 at) {
	.reg .b32 %%a, %%b; .reg .b64 %%d; .reg .pred %%p;
	ld.param.u32 %%a, [n]; and.b32 %%b, %%a, 3; setp.eq.u32 %%p, %%b, 1; @%%p bra A;
	st.param.b32 [r], %%a; setp.eq.u32 %%p, %%b, 2; @%%p ret;
	ld.param.u64 %%d, [at]; ld.global.u32 %%b, [%%d]; add.u32 %%b, %%b, %%a; st.param.b32 [r], %%b; ret;
A:	{ .param .b32 x; .param .b32 z; st.param.b32 [x], %%a; call.uni (z), twice, (x); ld.param.b32 %%a, [z]; }
	add.u32 %%a, %%a, 7; st.param.b32 [r], %%a; ret;
}
.func (.param .b64 r) pair(.param .align 8 .b8 n[16]) {
	.reg .b32 %%a, %%b; .reg .b64 %%d;
	ld.param.b32 %%a, [n+4]; ld.param.b32 %%b, [n]; ld.param.b64 %%d, [n+8];
	mad.wide.u32 %%d, %%a, %%b, %%d; st.param.b64 [r], %%d; ret;
}
.func (.param .b32 r) gcd(.param .b32 a, .param .b32 b) {
	.reg .b32 %%a, %%b, %%c; .reg .pred %%p;
	ld.param.b32 %%a, [a]; ld.param.b32 %%b, [b];
L:	setp.eq.u32 %%p, %%b, 0; @%%p bra E;
	rem.u32 %%c, %%a, %%b; mov.u32 %%a, %%b; mov.u32 %%b, %%c; bra L;
E:	st.param.b32 [r], %%a; ret;
}
.func (.param .b32 r) sums(.param .b32 n, .param .b32 m) {
	.reg .b32 %%a, %%b, %%i; .reg .pred %%p;
	ld.param.b32 %%a, [n]; ld.param.b32 %%i, [m]; mov.u32 %%b, 0;
L:	{ .param .b32 x; .param .b32 y; .param .b32 z; st.param.b32 [x], %%a; st.param.b32 [y], %%i; call (z), gcd, (x, y); ld.param.b32 %%a, [z]; }
	add.u32 %%b, %%b, %%a; add.u32 %%a, %%a, %%b; sub.u32 %%i, %%i, 1; setp.gt.s32 %%p, %%i, 0; @%%p bra L;
	st.param.b32 [r], %%b; ret;
}
.visible .entry k(.param .u64 p) {
` + callingKernel

var inlinedKinds = []struct{ name, text string }{
	{"straight", "{ .param .b32 x; .param .b32 z; st.param.b32 [x], %a; call.uni (z), twice, (x); ld.param.b32 %a, [z]; }"},
	{"of one value", "{ .param .b32 x; .param .b32 z; st.param.b32 [x], %i; call.uni (z), twice, (x); ld.param.b32 %b, [z]; } add.u32 %a, %a, %b;"},
	{"returns early", "{ .param .b32 x; .param .b64 y; .param .b32 z; st.param.b32 [x], %a; st.param.b64 [y], %o; call (z), early, (x, y); ld.param.b32 %a, [z]; }"},
	{"in divergent code", "and.b32 %b, %t, 3; setp.eq.u32 %q, %b, 1; @%q bra M; { .param .b32 x; .param .b64 y; .param .b32 z; st.param.b32 [x], %a; st.param.b64 [y], %o; call (z), early, (x, y); ld.param.b32 %a, [z]; } M:"},
	{"structure", "{ .param .align 8 .b8 x[16]; .param .b64 z; st.param.b32 [x], %a; st.param.b32 [x+4], %t; st.param.b64 [x+8], %o; call (z), pair, (x); ld.param.b64 %d, [z]; } cvt.u32.u64 %a, %d;"},
	{"structure, by vectors", "{ .param .align 8 .b8 x[16]; .param .b64 z; st.param.v2.b32 [x], {%a, %t}; st.param.b64 [x+8], %o; call (z), pair, (x); ld.param.b64 %d, [z]; } cvt.u32.u64 %a, %d;"},
	{"loops", "add.u32 %b, %t, 12; { .param .b32 x; .param .b32 y; .param .b32 z; st.param.b32 [x], %a; st.param.b32 [y], %b; call (z), gcd, (x, y); ld.param.b32 %a, [z]; }"},
	{"loops in loops", "and.b32 %b, %t, 6; { .param .b32 x; .param .b32 y; .param .b32 z; st.param.b32 [x], %a; st.param.b32 [y], %b; call (z), sums, (x, y); ld.param.b32 %a, [z]; }"},
	{"twice", "{ .param .b32 x; .param .b32 z; st.param.b32 [x], %a; call.uni (z), twice, (x); ld.param.b32 %a, [z]; } { .param .b32 x; .param .b32 z; st.param.b32 [x], %a; call.uni (z), twice, (x); ld.param.b32 %a, [z]; }"},
}

// TestFunctionsInPlace: functions in place of their calls do what the interpreter makes of the calls, with its steps and lane-ops, and no call is
// left.
func TestFunctionsInPlace(t *testing.T) {
	for _, k := range inlinedKinds {
		t.Run(k.name, func(t *testing.T) {
			l := newLaboratory(t, "k.ptx", fmt.Sprintf(inlinedCalls, k.text))
			l.inline = true
			in := l.m.Func("k").Inline()
			if in == nil {
				t.Fatal("nothing is put in place")
			}
			if err := in.Func.Verify(); err != nil {
				t.Fatal(err)
			}
			for pc := range in.Func.Insts {
				if in.Func.Insts[pc].IsCall() {
					t.Errorf("a call is left at %d", pc)
				}
			}
			l.likeInterpreter(t, 1, func(what string, s *machine.Stats, _ []byte, _ jit.Options) {
				for _, left := range s.Left {
					if left.Helped {
						t.Errorf("%s: a handler has executed %s", what, left.Code.Insts[left.PC].Op)
					}
				}
			})
		})
	}
}

// TestNotInPlace: what recurs, waits, ends lanes, has a guard or is called through addresses is called; what does not, and uses up its
// turn, is in place with the interpreter's counts.
func TestNotInPlace(t *testing.T) {
	for _, k := range callKinds {
		l := newLaboratory(t, "k.ptx", fmt.Sprintf(calls, k.text))
		l.inline = true
		in := l.m.Func("k").Inline()
		switch k.name {
		case "direct", "in divergent code", "turns end", "turns end alike", "behind lanes that end":
			if in == nil {
				t.Errorf("%s: no function is in place", k.name)
			}
			l.likeInterpreter(t, 1, func(string, *machine.Stats, []byte, jit.Options) {})
		default:
			if in != nil {
				t.Errorf("%s: a function is in place", k.name)
			}
		}
	}
}

// TestCallFaults: a fault in a function that compiled code has called has the interpreter's callers.
func TestCallFaults(t *testing.T) {
	text := "setp.eq.u32 %q, %i, 3; @%q trap;"
	l := newLaboratory(t, "k.ptx", fmt.Sprintf(calls, "add.u32 %a, %i, 12; { .param .b32 x; .param .b32 z; st.param.b32 [x], %a; call.uni (z), sum, (x); ld.param.b32 %a, [z]; }"+text))
	buf, _ := l.arena.Alloc(1<<15, mem.Info{Label: "buf"})
	run := func(depth int32, compile host.Compiler) string {
		_, err := l.launch(t, "k", [3]uint32{2, 1, 1}, [3]uint32{64, 1, 1}, func(x *host.Launch) { x.Compile, x.Depth = compile, depth }, buf)
		return callersOf(err)
	}
	for _, depth := range []int32{0, 2, 8, 9, 10, 13} {
		want := run(depth, nil)
		for _, v := range microWidths {
			if got := run(depth, engine(t, jit.Options{Vectors: v}).Install); got != want {
				t.Errorf("%v, at most %d calls: %s; the interpreter: %s", v, depth, got, want)
			}
		}
	}
}

// BenchmarkCall is what a turn of a loop costs that calls a function of three instructions: in the middle of compiled code, by leaving
// it, and in the interpreter.
func BenchmarkCall(b *testing.B) {
	const turns, ctas = 4096, 16
	src := fmt.Sprintf(calls, callKinds[0].text)
	src = strings.Replace(src, "%i, 4;", fmt.Sprint("%i, ", turns, ";"), 1)
	leaving := func(o jit.Options) jit.Options {
		return jit.Leaving(o, func(pc int32) bool { return pc == 11 }) // the call
	}
	for _, c := range []struct {
		name    string
		options func(jit.Options) jit.Options
	}{{"inside", func(o jit.Options) jit.Options { return o }}, {"left", leaving}, {"interpreter", nil}} {
		b.Run(c.name, func(b *testing.B) {
			l := newLaboratory(b, "k.ptx", src)
			buf, _ := l.arena.Alloc(1<<15, mem.Info{Label: "buf"})
			l.keep = true
			var compile host.Compiler
			if c.options != nil {
				compile = engine(b, c.options(jit.Options{})).Install
			}
			for b.Loop() {
				l.run(b, "k", ctas, [3]uint32{32, 1, 1}, compile, buf)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*turns*ctas), "ns/turn")
		})
	}
}
