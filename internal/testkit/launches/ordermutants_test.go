package launches_test

// This file takes from real kernels one barrier, wait, fence, expectation or commit after the other, and from each of their member
// masks a lane.

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

var syncAll = flag.Bool("sync.all", false, "take each synchronisation from Triton's kernels, too, and from long ones, and look at four schedules of kernels without matrix units")

// ordering are the statements that make something wait for something else.
var ordering = regexp.MustCompile(`^\s*(@!?%p\d+\s+)?(bar|barrier|fence|membar|cp\.async\.(wait|commit|mbarrier|bulk\.(wait|commit))|wgmma\.(fence|commit|wait)|tcgen05\.(commit|wait|fence)|mbarrier\.(arrive|expect))`)

// masked are the statements with a member mask, which is the last operand.
var masked = regexp.MustCompile(`^(\s*(?:@!?%p\d+\s+)?(?:shfl|vote|match|redux)\.sync.*[, ])[^, ]+;`)

// unseen are the removals that no check reports, each with the reason: a case, an architecture and a line of the module.
var unseen = map[string]string{
	"tmagemm/sm_90:85": proxyOfBarriers,

	"bytegemm/sm_90:63":  proxyOfBarriers,
	"bytegemm/sm_90:396": sameShape,
	"bytegemm/sm_90:498": neverRuns,
	"bytegemm/sm_90:539": sameShape,
	"bytegemm/sm_90:623": nothingBehind,

	"sparsegemm/sm_90:247": neverRuns,
	"sparsegemm/sm_90:454": neverRuns,
	"sparsegemm/sm_90:458": neverRuns,
	"sparsegemm/sm_90:587": nothingBehind,

	"tcgemm/half/2/sm_100:647":  barrierBehind,
	"tcgemm/half/2/sm_100:653":  proxyOfBarriers,
	"tcgemm/half/2/sm_100:679":  allocation,
	"tcgemm/half/2/sm_100:692":  allocation,
	"tcgemm/half/2/sm_100:835":  tilesArrived,
	"tcgemm/half/2/sm_100:1088": loadsOver,
	"tcgemm/half/2/sm_100:1093": barrierBehind,
	"tcgemm/half/2/sm_100:1104": loadsOver,
	"tcgemm/nv4/1/sm_100:3508":  barrierBehind,
	"tcgemm/nv4/1/sm_100:3514":  proxyOfBarriers,
	"tcgemm/nv4/1/sm_100:3540":  allocation,
	"tcgemm/nv4/1/sm_100:3549":  allocation,
	"tcgemm/nv4/1/sm_100:3613":  tilesArrived,
	"tcgemm/nv4/1/sm_100:4071":  loadsOver,
	"tcgemm/nv4/1/sm_100:4076":  barrierBehind,
	"tcgemm/nv4/1/sm_100:4083":  loadsOver,

	"triton/matmul/sm_80:101":    joined,
	"triton/matmul/sm_80:316":    twice,
	"triton/matmul/sm_80:317":    twice,
	"triton/matmul/sm_80:448":    twice,
	"triton/matmul/sm_80:449":    twice,
	"triton/attention/sm_80:152": joined,
	"triton/attention/sm_80:751": joined,
	"triton/attention/sm_80:862": "what the result overwrites was read a barrier before",
	"triton/matmul/sm_90:99":     joined,
	"triton/matmul/sm_90:384":    "what the result overwrites was read two steps and a barrier before",
	"triton/attention/sm_90:152": joined,
	"triton/attention/sm_90:581": "the fence before the first product has shown the second one's tile, too",
	"triton/attention/sm_90:674": joined,
	"triton/attention/sm_90:755": "what the result overwrites was read a step and a barrier before",

	"dsmem/ring/sm_90:243": unrolled,
	"dsmem/ring/sm_90:245": unrolled,
	"dsmem/ring/sm_90:251": unrolled,
	"dsmem/ring/sm_90:253": unrolled,
	"dsmem/ring/sm_90:271": unrolled,
	"dsmem/ring/sm_90:273": unrolled,
	"dsmem/ring/sm_90:278": unrolled,
	"dsmem/ring/sm_90:280": unrolled,
	"dsmem/ring/sm_90:300": unrolled,
	"dsmem/ring/sm_90:302": unrolled,
	"dsmem/ring/sm_90:307": unrolled,
	"dsmem/ring/sm_90:309": unrolled,
	"dsmem/ring/sm_90:331": unrolled,
	"dsmem/ring/sm_90:333": unrolled,
	"dsmem/ring/sm_90:338": unrolled,
	"dsmem/ring/sm_90:340": unrolled,
	"dsmem/ring/sm_90:401": "behind it no CTA reaches the memory of another",

	"scan/sm_75:200": "the value stands in the word that tells of it",
	"scan/sm_75:240": "the value stands in the word that tells of it",
	"scan/sm_90:200": "the value stands in the word that tells of it",
	"scan/sm_90:240": "the value stands in the word that tells of it",

	"warplock/sm_75:54":      strongAlone,
	"warplock/sm_75:61":      strongAlone,
	"warplock/grid/sm_75:54": strongAlone,
	"warplock/grid/sm_75:61": strongAlone,
	"gridsync/sm_75:81":      strongAlone,
	"gridsync/sm_75:88":      strongAlone,
	"gridsync/sm_75:101":     strongAlone,
	"gridsync/sm_75:115":     strongAlone,
	"gridsync/sm_75:119":     strongAlone,
	"warplock/sm_90:54":      strongAlone,
	"warplock/sm_90:61":      strongAlone,
	"warplock/grid/sm_90:54": strongAlone,
	"warplock/grid/sm_90:61": strongAlone,
	"gridsync/sm_90:81":      strongAlone,
	"gridsync/sm_90:88":      strongAlone,
	"gridsync/sm_90:101":     strongAlone,
	"gridsync/sm_90:115":     strongAlone,
	"gridsync/sm_90:119":     strongAlone,

	"linkedlist/sm_75:77":  headOrders,
	"linkedlist/sm_75:79":  headOrders,
	"linkedlist/sm_75:104": headOrders,
	"linkedlist/sm_90:77":  headOrders,
	"linkedlist/sm_90:79":  headOrders,
	"linkedlist/sm_90:104": headOrders,

	"triton/matmul/sm_120:100":    joined,
	"triton/attention/sm_120:152": joined,
	"triton/attention/sm_120:771": joined,
	"triton/attention/sm_120:880": "what the result overwrites was read a barrier before",
}

const (
	proxyOfBarriers = "it shows new mbarriers to the async proxy: which proxy knows of an mbarrier is not followed"
	sameShape       = "since the fence before, products of one shape alone have touched the registers, which needs none (9.7.15.7.1)"
	barrierBehind   = "the barrier behind it orders the same"
	allocation      = "before the barrier stands tcgen05.alloc alone, which is synchronous"
	tilesArrived    = "the tensor copies arrive at the mbarrier in the proxy by which the product reads them"
	loadsOver       = "tcgen05.wait::ld stands before the barrier, and tcgen05.dealloc is synchronous"
	twice           = "the same stands at the end of the step before: the same kernel"
	neverRuns       = "the compiler takes two steps of the loop at a time: which of the two is the last is known there, and this is for the other"
	nothingBehind   = "it stands in the last step, behind which nothing is written to shared memory"
	unrolled        = "it is in the part for four steps at once; the clusters here have three"
	headOrders      = "each push reads the list's head, and writes it behind a fence: a later one has seen what all earlier ones did"
	strongAlone     = "what it orders are strong accesses alone (volatile), which do not race whatever their order"
	joined          = "the copies join the next group, for which the kernel waits as well: the same kernel"
)

// gpu is what a module is for.
var gpu = regexp.MustCompile(`(?m)^\.target\s+(sm_\w+)`)

// orderMutant is a module without one statement, or with lane 0 outside one mask.
type orderMutant struct {
	line      int
	statement string
	src       []byte
}

// orderMutants changes each statement of the kernels of a module that a run launches.
func orderMutants(src []byte, r *corpus.Run) (list []orderMutant) {
	lines, inside := bytes.Split(src, []byte("\n")), false
	for i, l := range lines {
		if _, name, ok := bytes.Cut(l, []byte(".entry ")); ok {
			inside = slices.ContainsFunc(r.Launches, func(l corpus.Launch) bool {
				return bytes.HasPrefix(name, []byte(l.Kernel+"(")) || string(name) == l.Kernel
			})
		}
		var changed []byte
		switch m := masked.FindSubmatch(l); {
		case !inside || m == nil && !ordering.Match(l):
			continue
		case m != nil:
			changed = append(bytes.Clone(m[1]), "0xfffffffe;"...)
		}
		text := bytes.Join(slices.Concat(lines[:i], [][]byte{changed}, lines[i+1:]), []byte("\n"))
		list = append(list, orderMutant{i + 1, strings.TrimSpace(string(l)), text})
	}
	return list
}

// sizes are the launches of a kernel, at extents where stages are used again: together they execute what can be executed.
type sizes []func(corpus.Target) *corpus.Run

// orderCase is a kernel.
type orderCase struct {
	corpus.Case
	sizes
}

// plain is a kernel that is looked at as it is in the corpus, for what it does without matrix units.
type plain int

const (
	quick     plain = iota + 1
	takesLong       // seconds: the whole run alone has it
)

var plainCases = map[string]plain{
	"matmul": takesLong, "transpose": quick, "reduce/s32": quick, "reduce/f32": takesLong, "scan": quick, "dsmem/hist": quick, "dsmem/ring": quick,
	"histogram": quick, "radixsort": takesLong, "nbody": quick, "stencil": quick, "spmv/warp": quick, "gridsync": takesLong, "cg": takesLong,
	"warplock": takesLong, "warplock/grid": takesLong, "linkedlist": takesLong, "wmma/wide": quick, "wmma/tall": quick,
}

// seeds is how many schedules of a mutant are looked at: of kernels whose clusters tell each other things, some.
func (c *orderCase) seeds() uint64 {
	if plainCases[c.Name] != 0 && *syncAll {
		return 4
	}
	return 1
}

// orderCases are the kernels.
func orderCases() (list []orderCase) {
	small := map[string]sizes{
		"tmagemm":  {func(corpus.Target) *corpus.Run { return corpus.TMAGemm(100, 56, 296) }},
		"pipegemm": {func(corpus.Target) *corpus.Run { return corpus.PipeGemm(64, 64, 160) }},
		"sparsegemm": { // an odd number of steps, and an even one
			func(corpus.Target) *corpus.Run { return corpus.SparseGemm(64, 32, 160) }, func(corpus.Target) *corpus.Run { return corpus.SparseGemm(64, 32, 128) }},
		"tcgemm/half/2": {func(corpus.Target) *corpus.Run { return corpus.TensorGemm("half", 2, 130, 72, 232) }},
	}
	if *syncAll {
		small["bytegemm"] = sizes{func(corpus.Target) *corpus.Run { return corpus.ByteGemm(64, 128, 640) }}
		small["tcgemm/nv4/1"] = sizes{func(corpus.Target) *corpus.Run { return corpus.TensorGemm("nv4", 1, 130, 72, 928) }}
	}
	for _, c := range corpus.Cases() {
		if runs, ok := small[c.Name]; ok {
			list = append(list, orderCase{c, runs})
		} else if *syncAll && (c.Name == "triton/matmul" || c.Name == "triton/attention") || plainCases[c.Name] != 0 {
			list = append(list, orderCase{c, sizes{c.Make}})
		}
	}
	return list
}

// TestOrderMutants: what a kernel waits for cannot be left out in silence: a check names it, or threads wait for ever.
func TestOrderMutants(t *testing.T) {
	for _, c := range orderCases() {
		for _, arch := range c.Archs {
			if kind := plainCases[c.Name]; !*syncAll && (kind == takesLong || kind == quick && arch != 90) {
				continue
			}
			t.Run(fmt.Sprintf("%s/sm_%d", c.Name, arch), func(t *testing.T) {
				t.Parallel()
				if c.Make(corpus.Target{Arch: arch}).Unfenced {
					t.Skip("the compiler leaves out fences that are reported")
				}
				src, err := os.ReadFile("testdata/" + c.Path(arch))
				if err != nil {
					t.Fatal(err)
				}
				if err := runMutant(t, &c, arch, src); err != nil {
					t.Fatalf("the kernel itself: %v", err)
				}
				mutants := orderMutants(src, c.Make(corpus.Target{Arch: arch}))
				for _, m := range mutants {
					place := fmt.Sprintf("%s/sm_%d:%d", c.Name, arch, m.line)
					err := runMutant(t, &c, arch, m.src)
					t.Logf("%s %s %.140v", place, m.statement, err)
					if listed := unseen[place] != ""; err == nil && !listed {
						t.Errorf("%s %s can go, and nothing is reported", place, m.statement)
					} else if err != nil && listed {
						t.Errorf("%s %s is reported now: take it off the list", place, m.statement)
					}
				}
				least := 5
				if plainCases[c.Name] != 0 {
					least = 1
				}
				if len(mutants) < least {
					t.Errorf("only %d statements order anything", len(mutants))
				}
			})
		}
	}
}

// runMutant runs a case under all checks, with everything asynchronous as late as it may be, and says what was reported
// first, or that the kernel found no end.
func runMutant(t *testing.T, c *orderCase, arch int, src []byte) error {
	t.Helper()
	m, err := ptxvm.Compile("mutant.ptx", src, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range c.sizes {
		for seed := range c.seeds() {
			if err := runSize(t, m, string(gpu.FindSubmatch(src)[1]), size(corpus.Target{Arch: arch}), seed); err != nil {
				return err
			}
		}
	}
	return nil
}

func runSize(t *testing.T, m *ptxvm.Module, arch string, r *corpus.Run, seed uint64) error {
	t.Helper()
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: arch, Async: ptxvm.AsyncLazy, Sanitize: ptxvm.SanitizeAll, Seed: seed, Workers: 1, MaxSteps: 1e7})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	buffers := map[*corpus.Buffer]ptxvm.Buffer{}
	for _, b := range r.Buffers {
		if buffers[b], err = ptxvm.Upload(d, b.Init); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i < len(r.Launches) && err == nil; i++ {
		_, err = rig.Launch(d, p, r.Launches[i], buffers, nil)
	}
	var found *ptxvm.SanitizerError
	var fault *ptxvm.Fault
	var dead *ptxvm.DeadlockError
	if err != nil && !errors.As(err, &found) && !errors.As(err, &fault) && !errors.As(err, &dead) {
		t.Errorf("no report but %v", err)
	}
	return err
}
