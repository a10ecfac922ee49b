package pipeline

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/jit/build"
	"ptxvm.invalid/ptxvm/internal/jit/cc"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/ssa/eval"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// taken are the kernels that the pipeline takes, of those that the compiler may be tuned on; the others are refused for a reason.
var taken = []string{"aossoa", "base64", "bilinear", "bytecode", "bytesadd", "calls", "chol6", "compact", "conv3x3", "editdist", "fir17", "gemv", "gray", "heat2d", "itoa",
	"knapsack", "life", "maxpool", "minmax", "pagerank", "powmod", "queens", "ttnorm", "xorshift"}

// helped are those of which the interpreter executes instructions, which is so in machine code of our own alone.
var helped = []string{"lu16"}

// waits are those with barriers, which our own back end takes, and C where it is asked for.
var waits = []string{"bitonic", "crc32", "dot", "fft256", "sgemm"}

// outcome is what a run has left.
type outcome struct {
	memory   [][]byte
	counts   []uint64 // of each launch: CTAs, warp instructions, lane operations
	err      string
	compiled uint64 // lane operations of compiled code
	byC      uint64 // and of the new pipeline
	notC     []string
}

// run launches a kernel's launches on a new device, some times one after the other: what code has learned of memory stays.
func run(t testing.TB, source string, r *corpus.Run, times int, prepare func(*ptxvm.Device) error) []outcome {
	t.Helper()
	cfg := ptxvm.DeviceConfig{Workers: 1, Memory: 1 << 26, Engine: ptxvm.JIT}
	if prepare == nil {
		cfg.Engine = ptxvm.Interp
	}
	d, err := ptxvm.NewDevice(&cfg)
	if errors.Is(err, ptxvm.ErrNoJIT) {
		t.Skip("no compiled code on this processor")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if prepare != nil {
		if err := prepare(d); err != nil {
			t.Fatal(err)
		}
	}
	return runOn(t, d, source, r, times)
}

// runOn is run on a device.
func runOn(t testing.TB, d *ptxvm.Device, source string, r *corpus.Run, times int) (out []outcome) {
	t.Helper()
	next := runningOn(t, d, source, r)
	for range times {
		out = append(out, next())
	}
	return out
}

// runningOn loads a kernel; what it returns runs the launches.
func runningOn(t testing.TB, d *ptxvm.Device, source string, r *corpus.Run) func() outcome {
	t.Helper()
	m, err := ptxvm.Compile("kernel.ptx", []byte(source), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	buffers := map[*corpus.Buffer]ptxvm.Buffer{}
	for _, b := range r.Buffers {
		if buffers[b], err = d.Alloc(len(b.Init)); err != nil {
			t.Fatal(err)
		}
	}
	return func() outcome { return launch(t, p, r, buffers) }
}

func launch(t testing.TB, p *ptxvm.Program, r *corpus.Run, buffers map[*corpus.Buffer]ptxvm.Buffer) (o outcome) {
	for _, b := range r.Buffers {
		if _, err := buffers[b].WriteAt(b.Init, 0); err != nil {
			t.Fatal(err)
		}
	}
	for _, l := range r.Launches {
		k, err := p.Kernel(l.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		var args []any
		for _, a := range l.Args {
			if a.Buffer == nil {
				args = append(args, a.Scalar)
			} else {
				args = append(args, buffers[a.Buffer])
			}
		}
		s, err := k.Launch(context.Background(), ptxvm.Launch{Grid: dim(l.Grid), Block: dim(l.Block), Shared: l.Shared}, args...)
		if err != nil {
			o.err = err.Error()
			break
		}
		o.counts = append(o.counts, s.CTAs, s.WarpInsts, s.LaneOps)
		o.compiled, o.byC, o.notC = o.compiled+s.Compiled, o.byC+s.New, slices.Concat(s.NotC, s.NotNew)
	}
	for _, b := range r.Buffers {
		p := make([]byte, len(b.Init))
		if _, err := buffers[b].ReadAt(p, 0); err != nil {
			t.Fatal(err)
		}
		o.memory = append(o.memory, p)
	}
	return o
}

func dim(n [3]int) ptxvm.Dim3 { return ptxvm.Dim3{X: uint32(n[0]), Y: uint32(n[1]), Z: uint32(n[2])} }

// differs says where two outcomes differ, "" if they do not.
func (o *outcome) differs(want *outcome) string {
	if o.err != want.err {
		return fmt.Sprintf("error %q, the interpreter's %q", o.err, want.err)
	}
	for i := range want.memory {
		for k := range want.memory[i] {
			if o.memory[i][k] != want.memory[i][k] {
				return fmt.Sprintf("byte %d of buffer %d is %#x, the interpreter's %#x", k, i, o.memory[i][k], want.memory[i][k])
			}
		}
	}
	if !slices.Equal(o.counts, want.counts) {
		return fmt.Sprintf("CTAs, steps and lane operations %v, the interpreter's %v", o.counts, want.counts)
	}
	return ""
}

// stepsOf takes it that as many instructions of warps were executed as elsewhere.
func (o *outcome) stepsOf(want *outcome) {
	for i := 1; i < min(len(o.counts), len(want.counts)); i += 3 {
		o.counts[i] = want.counts[i]
	}
}

// with makes a device compile by the new pipeline; refused has why kernels were not taken.
func (b backEnd) with(c *jit.PipelineC, refused map[string]error) func(*ptxvm.Device) error {
	c.Own = b.own
	if b.eval {
		c.Instead = func(f *ssa.Func) (jit.WholeCode, error) { return eval.New(f, eval.Options{Forced: c.Forced != nil}) }
	}
	return func(d *ptxvm.Device) error {
		c.Opt = opt.Options{Verify: true, Behind: func(pass, text string) { keep(pass+".ssa", text) }}
		c.Note = func(kernel string, err error) {
			refused[kernel] = err
			if c.Build.Lanes == 0 && len(c.Without) == 0 { // else, as no device compiles, checks may not reach: the verifier refuses these
				rig.NoDefect(kernel, err)
			}
		}
		c.Text = func(kernel, text string) { keep(kernel+".c", text) }
		c.Bytes = func(kernel string, code []byte) { keep(kernel+".bin", string(code)) }
		return vm.CompileWith(d, jit.ThroughC(jit.Options{Vectors: b.vectors}, c))
	}
}

// backEnd makes machine code: our own by a set of vector instructions, or by way of C, the second opinion.
type backEnd struct {
	name    string
	own     bool
	vectors jit.Vectors
	eval    bool // package eval executes what would be code of our own
}

var (
	throughC = backEnd{name: "c"}
	byEval   = backEnd{name: "eval", own: true, vectors: jit.AVX2, eval: true}
	ways     = []backEnd{{name: "own", own: true, vectors: jit.AVX2}, {name: "own512", own: true, vectors: jit.AVX512}, throughC, byEval}
)

var back = flag.String("back", "", "the back end: own, own512, c or eval; all if it is empty")

var full = flag.Bool("full", false, "all kernels in all ways")

var keepIn = flag.String("keep", "", "folder for the texts of all stages")

// keep writes a text where the flag says.
func keep(name, text string) {
	if *keepIn != "" {
		if err := os.WriteFile(filepath.Join(*keepIn, name), []byte(text), 0o666); err != nil {
			panic(err)
		}
	}
}

// source is a kernel's PTX.
func source(t testing.TB, k kernels.Kernel) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(k.PTX())))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// backEnds runs a test by each back end.
func backEnds(t *testing.T, test func(t *testing.T, b backEnd)) {
	for _, b := range ways {
		t.Run(b.name, func(t *testing.T) {
			if *back != "" && *back != b.name {
				t.Skip("another back end is asked for")
			}
			if _, err := cc.Find(false); err != nil && !b.own {
				t.Skip(err)
			}
			if b.own && !slices.Contains(jit.Runnable(), b.vectors) {
				t.Skip("not by this processor")
			}
			test(t, b)
		})
	}
}

// TestKernels runs the kernels that the compiler may be tuned on, three times each: at first nothing is known of memory.
func TestKernels(t *testing.T) {
	each(t, func(t *testing.T, k kernels.Kernel, b backEnd) {
		refused := b.compare(t, k, jit.PipelineC{Build: build.Options{Waits: true}})
		for name, err := range refused {
			if err != nil {
				t.Logf("%s: %v", name, err)
			}
			is := slices.Contains(taken, k.Name) || slices.Contains(waits, k.Name) || slices.Contains(helped, k.Name) && b.own
			if is != (err == nil) {
				t.Errorf("taken %v", err == nil)
			}
		}
	})
}

// TestRest runs the copy for any lanes alone.
func TestRest(t *testing.T) {
	each(t, func(t *testing.T, k kernels.Kernel, b backEnd) {
		if slices.Contains(taken, k.Name) || b.own && slices.Contains(slices.Concat(waits, helped), k.Name) {
			b.compare(t, k, jit.PipelineC{Build: build.Options{Rest: true}})
		}
	})
}

// brief are the kernels that go through C without -full: a C compiler takes up to a second for each.
var brief = []string{"base64", "bilinear", "bytecode", "bytesadd", "heat2d", "knapsack", "maxpool"}

// each visits the kernels that the compiler may be tuned on.
func each(t *testing.T, visit func(t *testing.T, k kernels.Kernel, b backEnd)) {
	backEnds(t, func(t *testing.T, b backEnd) {
		for _, k := range kernels.All() {
			if k.Tuned() && (b.own || *full || slices.Contains(brief, k.Name)) {
				t.Run(k.Name, func(t *testing.T) { visit(t, k, b) })
			}
		}
	})
}

// compare runs a kernel by the pipeline and by the interpreter.
func (b backEnd) compare(t *testing.T, k kernels.Kernel, o jit.PipelineC) (refused map[string]error) {
	t.Helper()
	text, r := source(t, k), k.Make(k.Small)
	refused = map[string]error{}
	got := run(t, text, r, 3, b.with(&o, refused))
	want := run(t, text, r, 1, nil)
	for i := range got {
		if diff := got[i].differs(&want[0]); diff != "" {
			t.Errorf("run %d: %s", i, diff)
		}
	}
	total := uint64(0)
	for i := 2; i < len(want[0].counts); i += 3 {
		total += want[0].counts[i]
	}
	t.Logf("%d of %d lane operations are compiled code's, at first %d", got[2].compiled, total, got[0].compiled)
	return refused
}

// TestLeave leaves before accesses, each time at one of them, wherever the code comes to it.
func TestLeave(t *testing.T) {
	each(t, func(t *testing.T, k kernels.Kernel, b backEnd) {
		if !slices.Contains([]string{"knapsack", "pagerank", "bytecode", "maxpool"}, k.Name) {
			return
		}
		for _, nth := range []int{1, 3} {
			seen := map[int32]bool{}
			b.compare(t, k, jit.PipelineC{Build: build.Options{Leave: func(pc int32) bool {
				seen[pc] = true
				pcs := slices.Sorted(maps.Keys(seen))
				return pcs[max(len(pcs)-nth, 0)] == pc
			}}})
		}
	})
}

// TestFuel gives warps fuel for three turns of a loop.
func TestFuel(t *testing.T) {
	each(t, func(t *testing.T, k kernels.Kernel, b backEnd) {
		if !slices.Contains([]string{"pagerank", "bytecode", "powmod", "editdist"}, k.Name) {
			return
		}
		text, r := source(t, k), k.Make(k.Small)
		got, want := run(t, text, r, 2, b.with(&jit.PipelineC{Turn: 3}, map[string]error{})), run(t, text, r, 1, nil)
		for i := range got {
			if diff := got[i].differs(&want[0]); diff != "" {
				t.Errorf("run %d: %s", i, diff)
			}
		}
		if total := want[0].counts[2]; got[1].byC == total || got[1].byC == 0 {
			t.Errorf("%d of %d lane operations are the pipeline's", got[1].byC, total)
		}
	})
}

// TestFaults: kernels whose last buffers are too short fault as they do in the interpreter.
func TestFaults(t *testing.T) {
	each(t, func(t *testing.T, k kernels.Kernel, b backEnd) {
		if !slices.Contains([]string{"knapsack", "heat2d", "maxpool", "gray"}, k.Name) {
			return
		}
		r := k.Make(k.Small)
		last := r.Buffers[len(r.Buffers)-1]
		last.Init = last.Init[:len(last.Init)/2]
		text := source(t, k)
		got, want := run(t, text, r, 1, b.with(&jit.PipelineC{}, map[string]error{})), run(t, text, r, 1, nil)
		if want[0].err == "" {
			t.Fatal("it does not fault")
		}
		if diff := got[0].differs(&want[0]); diff != "" {
			t.Error(diff)
		}
	})
}

// wrapping reads in[i + 0x7ffffff0 - 0x7ffffff0], where the sum of 32 bits wraps in half of each warp: these lanes are off.
const wrapping = `.version 8.0
.target sm_90
.address_size 64
.visible .entry wrapping(.param .u64 in, .param .u64 out)
{
	.reg .pred %p<3>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<10>;
	ld.param.u64 %rd1, [in];
	ld.param.u64 %rd2, [out];
	cvta.to.global.u64 %rd1, %rd1;
	cvta.to.global.u64 %rd2, %rd2;
	mov.u32 %r1, %tid.x;
	mov.u32 %r5, %ctaid.x;
	shl.b32 %r5, %r5, 5;
	add.s32 %r2, %r1, 0x7ffffff0;
	setp.gt.s32 %p1, %r2, 0;
	mul.wide.s32 %rd3, %r2, 4;
	add.s64 %rd4, %rd1, %rd3;
	sub.s64 %rd4, %rd4, 0x1ffffffc0;
	mov.u32 %r3, 7;
	@%p1 ld.global.u32 %r3, [%rd4];
	add.s32 %r6, %r1, %r5;
	mul.wide.s32 %rd5, %r6, 4;
	add.s64 %rd6, %rd2, %rd5;
	st.global.u32 [%rd6], %r3;
	ret;
}
`

// TestWrap: an address whose index wraps between two lanes is no range of addresses.
func TestWrap(t *testing.T) { backEnds(t, testWrap) }

func testWrap(t *testing.T, b backEnd) {
	in, out := &corpus.Buffer{Name: "in", Elem: corpus.S32, Init: make([]byte, 64)}, &corpus.Buffer{Name: "out", Elem: corpus.S32, Init: make([]byte, 4*32*40)}
	for i := range in.Init {
		in.Init[i] = byte(i)
	}
	r := &corpus.Run{Buffers: []*corpus.Buffer{in, out}, Launches: []corpus.Launch{{Kernel: "wrapping", Grid: [3]int{40, 1, 1}, Block: [3]int{32, 1, 1},
		Args: []corpus.Arg{{Buffer: in}, {Buffer: out}}}}}
	refused := map[string]error{}
	got, want := run(t, wrapping, r, 3, b.with(&jit.PipelineC{}, refused)), run(t, wrapping, r, 1, nil)
	for i := range got {
		if diff := got[i].differs(&want[0]); diff != "" {
			t.Errorf("run %d: %s", i, diff)
		}
	}
	if err := refused["wrapping"]; err != nil || got[2].compiled == 0 {
		t.Errorf("refused: %v; %d lane operations are compiled code's", err, got[2].compiled)
	}
}

// TestHelped has the interpreter execute each third instruction of the kernels, in both copies.
func TestHelped(t *testing.T) {
	each(t, func(t *testing.T, k kernels.Kernel, b backEnd) {
		if !b.own || !slices.Contains(slices.Concat(taken, waits, helped), k.Name) {
			return
		}
		for from := range int32(3) {
			o := build.Options{Rest: from == 1, Help: func(pc int32) bool { return pc%3 == from }}
			b.compare(t, k, jit.PipelineC{Build: o})
		}
	})
}
