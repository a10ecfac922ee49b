package jit_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
)

var (
	callExits     = flag.Int("calls.exits", 1, "TestExitsInPlace leaves at so many instructions of each kernel, kind of code and way; negative: at each")
	callExitsSeed = flag.Uint64("calls.exits.seed", 1, "which they are, and which modules are random ones")
	callModules   = flag.Int("calls.exits.n", 2, "random modules that TestExitsInPlace leaves")
)

// exitKinds are, besides inlinedKinds, kernels whose bodies in place are left: between barriers, for some lanes, and where
// lanes that have returned from one body wait for others.
var exitKinds = []struct{ name, text string }{
	{"between barriers", "bar.sync 0; { .param .b32 x; .param .b64 y; .param .b32 z; st.param.b32 [x], %a; st.param.b64 [y], %o; call (z), early, (x, y); ld.param.b32 %a, [z]; } bar.sync 0;"},
	{"loops for some lanes", "and.b32 %b, %t, 6; setp.eq.u32 %q, %b, 2; @%q bra M; { .param .b32 x; .param .b32 y; .param .b32 z; st.param.b32 [x], %a; st.param.b32 [y], %b; call (z), sums, (x, y); ld.param.b32 %a, [z]; } M:"},
	{"in both arms", "and.b32 %b, %t, 3; setp.lt.u32 %q, %b, 2; @%q bra M; { .param .b32 x; .param .b32 z; st.param.b32 [x], %a; call (z), twice, (x); ld.param.b32 %a, [z]; } bra N; M: { .param .b32 x; .param .b64 y; .param .b32 z; st.param.b32 [x], %a; st.param.b64 [y], %o; call (z), early, (x, y); ld.param.b32 %a, [z]; } N:"},
	{"a result of another", "{ .param .b32 x; .param .b64 y; .param .b32 z; st.param.b32 [x], %a; st.param.b64 [y], %o; call (z), early, (x, y); ld.param.b32 %b, [z]; } and.b32 %b, %b, 15; { .param .b32 x; .param .b32 y; .param .b32 z; st.param.b32 [x], %b; st.param.b32 [y], %a; call (z), gcd, (x, y); ld.param.b32 %a, [z]; }"},
	{"fault in a body", "add.u64 %d, %o, 32768; setp.gt.u32 %q, %i, 2; @%q add.u64 %d, %d, %d; setp.lt.u32 %q, %i, 3; @%q mov.u64 %d, %o; { .param .b32 x; .param .b64 y; .param .b32 z; st.param.b32 [x], %a; st.param.b64 [y], %d; call (z), early, (x, y); ld.param.b32 %a, [z]; }"},
}

// TestExitsInPlace leaves bodies that stand in place of their calls at one of their instructions, and at random sets of them:
// before it is executed, at an access whose allocation is unknown, or for a handler. Memory, faults with their callers, steps and
// lane-ops are the interpreter's, which calls.
func TestExitsInPlace(t *testing.T) {
	reached, tried, faulted := 0, 0, 0
	leave := func(name, text string, seed uint64) {
		t.Run(name, func(t *testing.T) {
			l := newLaboratory(t, "k.ptx", text)
			in := l.m.Func("k").Inline()
			if in == nil {
				t.Skip("nothing is in place")
			}
			l.inline = true
			x := &inPlaceExits{callingRun: l.calling([3]uint32{72, 1, 1}), in: in, text: text, rng: rand.New(rand.NewPCG(*callExitsSeed, seed))}
			if x.want = x.by(t, nil); x.want.fault != "" {
				faulted++
			}
			for _, o := range jit.Compilers() {
				x.leave(t, "leaving", o, jit.Leaving)
				x.leave(t, "missing", o, jit.Missing)
				x.leave(t, "helping", o, jit.Helping)
			}
			reached, tried = reached+x.reached, tried+x.tried
		})
	}
	for i, k := range slices.Concat(inlinedKinds, exitKinds) {
		leave(k.name, fmt.Sprintf(inlinedCalls, k.text), uint64(i))
	}
	for i := range uint64(*callModules) {
		w := &callWriter{rng: rand.New(rand.NewPCG(*callExitsSeed, 100+i)), faults: i%3 == 2}
		leave(fmt.Sprintf("random %d", i), w.module(), 100+i)
	}
	if t.Logf("%d runs, %d of which left where they were to", tried, reached); reached*2 < tried {
		t.Error("forced exits are not taken")
	}
	if faulted == 0 {
		t.Error("no kernel faults")
	}
}

// inPlaceExits leaves a kernel with bodies in place.
type inPlaceExits struct {
	*callingRun
	in             *ir.Inlined
	text           string
	want           *calledResult
	rng            *rand.Rand
	reached, tried int
}

// leave leaves in one way at the places that the flag asks for, and at one set of all.
func (x *inPlaceExits) leave(t *testing.T, name string, o jit.Options, way func(jit.Options, func(pc int32) bool) jit.Options) {
	asked := map[int32]bool{}
	x.at(t, way(o, func(pc int32) bool {
		if int(pc) < len(x.in.At) && x.in.At[pc].Site >= 0 {
			asked[pc] = true
		}
		return false
	}), name+" nowhere", nil)
	pcs := slices.Sorted(maps.Keys(asked))
	if len(pcs) == 0 {
		return
	}
	x.rng.Shuffle(len(pcs), func(i, k int) { pcs[i], pcs[k] = pcs[k], pcs[i] })
	alone := pcs
	if *callExits >= 0 {
		alone = pcs[:min(*callExits, len(pcs))]
	}
	for _, pc := range alone {
		x.at(t, way(o, func(at int32) bool { return at == pc }), name, []int32{pc})
	}
	set := pcs[:1+x.rng.IntN(len(pcs))]
	x.at(t, way(o, func(at int32) bool { return slices.Contains(set, at) }), name, set)
}

// at runs the kernel compiled so that it leaves at some instructions.
func (x *inPlaceExits) at(t *testing.T, o jit.Options, name string, pcs []int32) {
	got := x.by(t, engine(t, o).Install)
	if differs := got.differs(x.want); differs != "" {
		t.Errorf("%v, %s at %d: %s\n%s\n%s", o, name, pcs, differs, x.in.Func, x.text)
	}
	if len(pcs) == 0 {
		return
	}
	x.tried++
	if slices.ContainsFunc(got.stats.Left, func(l machine.Left) bool {
		return l.Code.Func.Entry && slices.Contains(pcs, l.PC) && l.Times != 0
	}) {
		x.reached++
	}
}
