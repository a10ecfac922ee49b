// Package pipeline holds what goes through the compiler's new pipeline to the interpreter: bytes, steps, lane operations and faults.
package pipeline

import (
	"context"
	"errors"
	"flag"
	"fmt"
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
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// taken are the kernels that the pipeline takes, of those that the compiler may be tuned on; the others are refused for a reason.
var taken = []string{"aossoa", "base64", "bilinear", "bytecode", "bytesadd", "calls", "chol6", "conv3x3", "editdist", "gray", "heat2d", "itoa",
	"knapsack", "life", "maxpool", "pagerank"}

// outcome is what a run has left.
type outcome struct {
	memory   [][]byte
	counts   []uint64 // of each launch: CTAs, warp instructions, lane operations
	err      string
	compiled uint64 // lane operations of compiled code
}

// run launches a kernel's launches on a new device, some times one after the other: what code has learned of memory stays.
func run(t *testing.T, source string, r *corpus.Run, times int, prepare func(*ptxvm.Device) error) (out []outcome) {
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
	for range times {
		out = append(out, launch(t, p, r, buffers))
	}
	return out
}

func launch(t *testing.T, p *ptxvm.Program, r *corpus.Run, buffers map[*corpus.Buffer]ptxvm.Buffer) (o outcome) {
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
		o.compiled += s.Compiled
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

// through makes a device compile by the new pipeline; refused has why kernels were not taken.
func through(o build.Options, refused map[string]error) func(*ptxvm.Device) error {
	return func(d *ptxvm.Device) error {
		return vm.CompileWith(d, jit.ThroughC(jit.Options{}, &jit.PipelineC{
			Build: o, Opt: opt.Options{Verify: true, Behind: func(pass, text string) { keep(pass+".ssa", text) }},
			Note: func(kernel string, err error) { refused[kernel] = err }, Text: func(kernel, c string) { keep(kernel+".c", c) },
		}))
	}
}

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
func source(t *testing.T, k kernels.Kernel) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", filepath.FromSlash(k.PTX())))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func needCompiler(t *testing.T) {
	if _, err := cc.Compiler(); err != nil {
		t.Skip(err)
	}
}

// TestKernels runs the kernels that the compiler may be tuned on, three times each: at first nothing is known of memory.
func TestKernels(t *testing.T) {
	each(t, func(t *testing.T, k kernels.Kernel) {
		refused := compare(t, k, build.Options{})
		for name, err := range refused {
			if err != nil {
				t.Logf("%s: %v", name, err)
			}
			if is := slices.Contains(taken, k.Name); is != (err == nil) {
				t.Errorf("taken %v", err == nil)
			}
		}
	})
}

// TestRest runs the copy for any lanes alone.
func TestRest(t *testing.T) {
	each(t, func(t *testing.T, k kernels.Kernel) {
		if slices.Contains(taken, k.Name) {
			compare(t, k, build.Options{Rest: true})
		}
	})
}

// each visits the kernels that the compiler may be tuned on.
func each(t *testing.T, visit func(*testing.T, kernels.Kernel)) {
	needCompiler(t)
	for _, k := range kernels.All() {
		if k.Tuned() {
			t.Run(k.Name, func(t *testing.T) { visit(t, k) })
		}
	}
}

// compare runs a kernel by the pipeline and by the interpreter.
func compare(t *testing.T, k kernels.Kernel, o build.Options) (refused map[string]error) {
	t.Helper()
	text, r := source(t, k), k.Make(k.Small)
	refused = map[string]error{}
	got := run(t, text, r, 3, through(o, refused))
	want := run(t, text, r, 1, nil)
	for i := range got {
		if diff := got[i].differs(&want[0]); diff != "" {
			t.Errorf("run %d: %s", i, diff)
		}
	}
	return refused
}
