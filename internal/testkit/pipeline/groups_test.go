package pipeline

// This file runs kernels in groups of each number of lanes, wherever a region can run so.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/testkit/load"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// groupsOf are the numbers of lanes that a back end's groups may have, beside the whole warp.
func (b backEnd) groupsOf() []int {
	if b.vectors == jit.AVX512 {
		return []int{16}
	}
	return []int{8, 16}
}

// counted makes a device compile in groups, and counts the regions that run so, and those that are as large as the warp.
func (b backEnd) counted(c *jit.PipelineC, refused map[string]error, grouped *int) func(*ptxvm.Device) error {
	with := b.with(c, refused)
	return func(d *ptxvm.Device) error {
		if err := with(d); err != nil {
			return err
		}
		behind := c.Opt.Behind
		c.Opt = opt.Options{Verify: true, Behind: func(pass, text string) {
			if behind(pass, text); pass == opt.Placing {
				*grouped += strings.Count(text, fmt.Sprintf(" lanes %d(", c.Build.Lanes))
			}
		}}
		return vm.CompileWith(d, jit.ThroughC(jit.Options{Vectors: b.vectors}, c))
	}
}

// inGroups are kernels of which regions run in groups; the others exit, part, exchange data, or have loops whose turns are not known.
var inGroups = []string{"bitonic", "fft256", "sgemm"}

// TestGroups runs the kernels that the compiler may be tuned on in groups of each number of lanes.
func TestGroups(t *testing.T) {
	each(t, func(t *testing.T, k kernels.Kernel, b backEnd) {
		if !slices.Contains(taken, k.Name) && !slices.Contains(waits, k.Name) || !b.own && !*full && k.Name != "fft256" {
			return
		}
		text, r := source(t, k), k.Make(k.Small)
		want := run(t, text, r, 1, nil)
		for _, lanes := range b.groupsOf() {
			grouped, refused := 0, map[string]error{}
			got := run(t, text, r, 3, b.counted(&jit.PipelineC{Build: build.Options{Waits: true, Lanes: lanes}}, refused, &grouped))
			same(t, fmt.Sprint(lanes, " lanes"), &want[0], got)
			if t.Logf("%d blocks of %d lanes; %d lane operations are compiled code's", grouped, lanes, got[2].compiled); slices.Contains(inGroups, k.Name) && grouped == 0 {
				t.Errorf("no region runs in groups of %d lanes", lanes)
			}
		}
	})
}

// TestStageGroups: what is shown of a kernel for a width has groups as large as its vectors, as what is compiled for it.
func TestStageGroups(t *testing.T) {
	for _, k := range kernels.All() {
		if k.Name != "sgemm" {
			continue
		}
		at := k.Make(k.Small).Launches[0]
		m, err := load.Text(k.PTX(), source(t, k))
		if err != nil {
			t.Fatal(err)
		}
		code, err := decoded(m, m.Func(at.Kernel), ir.LaunchShape{BlockX: int32(at.Block[0]), BlockY: int32(at.Block[1]), BlockZ: int32(at.Block[2])})
		if err != nil {
			t.Fatal(err)
		}
		for v, want := range map[jit.Vectors][2]bool{jit.AVX2: {true, false}, jit.AVX512: {false, true}} {
			text, err := jit.Stage(code, "jit-ssa", v)
			if got := [2]bool{strings.Contains(text, " lanes 8 "), strings.Contains(text, " lanes 16 ")}; err != nil || got != want {
				t.Errorf("%v: groups of 8 and 16 lanes: %v, want %v; %v", v, got, want, err)
			}
		}
	}
}

// exchange has lanes load through one pointer what others of their warp have stored through another one, without a barrier.
const exchange = `.version 6.0
.target sm_60
.address_size 64
.visible .entry exchange(.param .u64 p, .param .u64 q, .param .u64 out)
{
	.reg .b32 %r<8>;
	.reg .b64 %rd<12>;
	ld.param.u64 %rd1, [p];
	ld.param.u64 %rd2, [q];
	ld.param.u64 %rd3, [out];
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 15;
	shr.u32 %r3, %r1, 4;
	mul.wide.u32 %rd4, %r2, 4;
	mul.wide.u32 %rd5, %r3, 64;
	add.s64 %rd6, %rd4, %rd5;
	add.s64 %rd7, %rd1, %rd6;
	ld.global.u32 %r4, [%rd7+64]; // of the next 16 threads, before they store
	add.s64 %rd8, %rd2, %rd6;
	st.global.u32 [%rd8], %r1;
	add.s64 %rd9, %rd3, %rd6;
	st.global.u32 [%rd9], %r4;
	ld.global.u32 %r5, [%rd7+64]; // and behind that
	st.global.u32 [%rd9+256], %r5;
	ret;
}
`

// TestLockstep: below sm_70, where an instruction orders the lanes of a warp, regions are never run in groups, even where tests ask for it.
func TestLockstep(t *testing.T) {
	backEnds(t, func(t *testing.T, b backEnd) {
		for target, whole := range map[string]bool{"sm_60": true, "sm_70": false} {
			text := strings.Replace(exchange, "sm_60", target, 1)
			both, out := &corpus.Buffer{Name: "both", Elem: corpus.U32, Init: make([]byte, 1024)}, &corpus.Buffer{Name: "out", Elem: corpus.U32, Init: make([]byte, 1024)}
			r := &corpus.Run{Buffers: []*corpus.Buffer{both, out}, Launches: []corpus.Launch{{Kernel: "exchange", Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1},
				Args: []corpus.Arg{{Buffer: both}, {Buffer: both}, {Buffer: out}}}}}
			grouped := 0
			got := run(t, text, r, 3, b.counted(&jit.PipelineC{Build: build.Options{Lanes: 16}}, map[string]error{}, &grouped))
			if (grouped == 0) != whole {
				t.Errorf("%s: %d blocks run in groups", target, grouped)
			}
			if whole {
				same(t, target, &run(t, text, r, 1, nil)[0], got)
			}
		}
	})
}

// TestRandomGroups runs random kernels so, with and without barriers, in all ways.
func TestRandomGroups(t *testing.T) {
	backEnds(t, func(t *testing.T, b backEnd) {
		n := b.howMany(60)
		if b.eval && *random == defaultRandom {
			n = 12
		}
		grouped := 0
		for i := range n {
			write := wraps
			if i%3 != 0 {
				write = exchanges
			}
			b.randomInGroups(t, *seed+uint64(i), b.groupsOf()[i%len(b.groupsOf())], write, &grouped)
		}
		if t.Logf("%d blocks in groups", grouped); grouped < n {
			t.Errorf("of %d kernels %d blocks run in groups", n, grouped)
		}
	})
}

// randomInGroups runs a random kernel in groups of so many lanes, in all ways.
func (b backEnd) randomInGroups(t *testing.T, seed uint64, lanes int, write func(g *rand.Rand, block shape) string, grouped *int) {
	t.Helper()
	text, l := randomKernel(seed, 39, write)
	keep("kernel.ptx", text)
	want := run(t, text, l.run(), 1, nil)
	for w, c := range randomWays() {
		if !b.own && w > 0 {
			break
		}
		if c.Build.Waits, c.Build.Lanes = true, lanes; strings.Contains(text, exits) && strings.Contains(text, ".sync") {
			c.Turn = 0 // a warp for which others wait until they exit executes the barrier twice: fuel decides who that is
		}
		for _, got := range run(t, text, l.run(), 2, b.counted(&c, map[string]error{}, grouped)) {
			if diff := got.differs(&want[0]); diff != "" && !(c.Turn != 0 && want[0].err != "" && got.err != "") {
				t.Fatalf("seed %d, way %d, %d lanes: %s\n%s", l.seed, w, lanes, diff, text)
			}
		}
	}
}

// TestFoundGroups runs those again that were wrong: a store of some lanes by a mask that is a number stored for lanes that a group has not.
func TestFoundGroups(t *testing.T) {
	backEnds(t, func(t *testing.T, b backEnd) {
		grouped := 0
		for _, seed := range []uint64{122, 151} {
			b.randomInGroups(t, seed, 16, exchanges, &grouped)
		}
		if grouped == 0 {
			t.Error("no block runs in groups")
		}
	})
}
