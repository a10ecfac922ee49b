package main

// This file measures whole kernels against the same work in C (bench/native), compiled by gcc and by
// clang: the better of the two is the reference. Both sides start from the same bytes, and both
// results are held to the corpus.

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// ccFlags compile the references: vectorised for this machine, every rounding where the source has it.
var ccFlags = []string{"-std=gnu11", "-O3", "-march=native", "-fopenmp-simd", "-fno-math-errno", "-fno-trapping-math"}

// nativeTable prints a line for each workload: microseconds of processor time of C by the better compiler, and
// of ptxvm on one worker, and their ratio.
func nativeTable(s *series) error {
	fmt.Printf("Machine: %s, vectors of %d bits.\n\n| Kernel | C | by | ptxvm, %s | Of C | Goal | Glane-ops/s |\n|---|---|---|---|---|---|---|\n", machine(), vectorBits(), s.engine)
	var all, twelve, fast ratios
	err := s.each(func(w *workload) error {
		ratio, ofFast, err := w.compare(s)
		if all = append(all, ratio); w.twelve {
			twelve, fast = append(twelve, ratio), append(fast, ofFast)
		}
		return err
	})
	if err != nil {
		return err
	}
	if len(all) > 0 {
		fmt.Printf("\nGeometric mean: %.3f of C.\n", all.mean())
	}
	if len(twelve) > 0 {
		fmt.Printf("Of the twelve kernels %d: geometric mean %.3f (goal %v), the least %.3f (goal %v).\n", len(twelve), twelve.mean(), mean, slices.Min(twelve), least)
		fmt.Printf("Against C with -ffast-math where a kernel has approximate functions: geometric mean %.3f, the least %.3f.\n", fast.mean(), slices.Min(fast))
	}
	return nil
}

// ratios are times of C divided by ours.
type ratios []float64

// mean is the geometric mean.
func (r ratios) mean() float64 {
	product := 1.0
	for _, v := range r {
		product *= v
	}
	return math.Pow(product, 1/float64(len(r)))
}

// goalText is what is to be reached of C.
func (w *workload) goalText() string {
	switch g := w.goal[widthIndex()]; {
	case g != 0:
		return fmt.Sprint(g)
	case w.twelve:
		return fmt.Sprint(least)
	}
	return ""
}

// compare measures both sides and prints a line for each reference: C with the same arithmetic, and for a kernel of
// approximate functions C that may change it, too. Without such functions both ratios are the same.
func (w *workload) compare(s *series) (ratio, ofFast float64, err error) {
	r := w.make(corpus.Target{Arch: 90})
	ours, ops, err := w.ours(s, r)
	if err != nil {
		return 0, 0, err
	}
	against := func(name string, flags ...string) (float64, error) {
		c, by, err := w.c(s, r, flags)
		if err != nil {
			return 0, err
		}
		of := c.Seconds() / ours.Seconds()
		fmt.Printf("| %s | %.1f µs | %s | %.1f µs | %.3f | %s | %.2f |\n", name, micros(c), by, micros(ours), of, w.goalText(), float64(ops)/float64(ours))
		return of, nil
	}
	if !w.fast {
		ratio, err = against(w.name)
		return ratio, ratio, err
	}
	if ratio, err = against(w.name, "-ffp-contract=fast"); err != nil { // as nvcc contracts
		return 0, 0, err
	}
	ofFast, err = against(w.name+", -ffast-math", "-ffp-contract=fast", "-ffast-math")
	return ratio, ofFast, err
}

func micros(d time.Duration) float64 { return d.Seconds() * 1e6 }

// c runs the reference by each compiler that is there, with more flags, and returns the faster one.
func (w *workload) c(s *series, r *corpus.Run, flags []string) (best time.Duration, by string, err error) {
	args, err := w.arguments(s.dir, r)
	if err != nil {
		return 0, "", err
	}
	for _, cc := range compilersHere() {
		for _, form := range w.forms() {
			took, err := w.runC(s, cc, slices.Concat(form, flags), args)
			if err == nil {
				err = checkFiles(s.dir, r)
			}
			if err != nil {
				return 0, "", fmt.Errorf("%s %v: %w", cc, form, err)
			}
			if best == 0 || took < best {
				best, by = took, strings.Join(append([]string{cc}, form...), " ")
			}
		}
	}
	if best == 0 {
		err = errors.New("neither gcc nor clang is here")
	}
	return best, by, err
}

// compilersHere are those of C that are installed.
func compilersHere() []string {
	return slices.DeleteFunc([]string{"gcc", "clang"}, func(cc string) bool {
		_, err := exec.LookPath(cc)
		return err != nil
	})
}

// forms are the flags of each form of the reference.
func (w *workload) forms() (list [][]string) {
	for _, n := range w.lanes {
		list = append(list, []string{fmt.Sprintf("-DLANES=%d", n)})
	}
	if len(list) == 0 {
		list = [][]string{nil}
	}
	return list
}

// runC compiles and runs the reference in one form.
func (w *workload) runC(s *series, cc string, form, args []string) (time.Duration, error) {
	binary, err := w.buildC(s, cc, form)
	if err != nil {
		return 0, err
	}
	out, err := exec.Command(binary, append([]string{fmt.Sprint(s.span.Seconds())}, args...)...).Output()
	if err != nil {
		return 0, err
	}
	return timeOfC(out)
}

// buildC compiles the reference in one form.
func (w *workload) buildC(s *series, cc string, form []string) (binary string, err error) {
	binary = filepath.Join(s.dir, strings.Join(append([]string{w.name, cc}, form...), "."))
	if _, err := os.Stat(binary); err == nil {
		return binary, nil // as for another size
	}
	src := filepath.Join(s.top, "bench", "native")
	flags := slices.Concat(ccFlags, widthFlags(), []string{"-ffp-contract=off", "-w", "-I", src}, form)
	flags = append(flags, "-o", binary, filepath.Join(src, "main.c"), w.referencePath(s.top), "-lm")
	if out, err := exec.Command(cc, flags...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return binary, nil
}

// referencePath is the reference's source.
func (w *workload) referencePath(top string) string {
	if w.reference != "" {
		return filepath.Join(top, filepath.FromSlash(w.reference))
	}
	return filepath.Join(top, "bench", "native", w.source()+".c")
}

// timeOfC reads what native/main.c prints: the fastest processor time.
func timeOfC(out []byte) (time.Duration, error) {
	var ns int64
	_, err := fmt.Sscan(string(out), &ns)
	return time.Duration(max(ns, 1)), err
}

// arguments writes the buffers and lists the arguments of the reference: all buffers, then the scalars of
// the first launch.
func (w *workload) arguments(dir string, r *corpus.Run) (args []string, err error) {
	for i, b := range r.Buffers {
		path := bufferFile(dir, i)
		if err := os.WriteFile(path, b.Init, 0o666); err != nil {
			return nil, err
		}
		args = append(args, "@"+path)
	}
	for _, a := range r.Launches[0].Args {
		if a.Buffer == nil {
			args = append(args, scalarText(a))
		}
	}
	return args, nil
}

func bufferFile(dir string, i int) string { return filepath.Join(dir, fmt.Sprintf("buffer%d", i)) }

// scalarText prints a scalar so that a double holds it.
func scalarText(a corpus.Arg) string {
	bits := make([]byte, 8)
	copy(bits, a.Scalar)
	v := binary.LittleEndian.Uint64(bits)
	switch a.Elem {
	case corpus.F32:
		return fmt.Sprint(float64(math.Float32frombits(uint32(v))))
	case corpus.S32:
		return fmt.Sprint(int32(v))
	}
	return fmt.Sprint(v)
}

// source is the name of the reference, and of the kernel.
func (w *workload) source() string {
	if w.name == "w3" {
		return "saxpy"
	}
	return w.name
}

// checkFiles holds what the reference wrote to the corpus. A run without any result there is held to the first
// reference; else buffers without one are scratch.
func checkFiles(dir string, r *corpus.Run) error {
	known := slices.ContainsFunc(r.Buffers, func(b *corpus.Buffer) bool { return b.Want != nil })
	for i, b := range r.Buffers {
		got, err := os.ReadFile(bufferFile(dir, i) + ".out")
		if err != nil {
			return err
		}
		if b.Want == nil && !known {
			b.Want = got
		}
		if err := b.Check(got); err != nil {
			return err
		}
	}
	return nil
}

// module is the kernel's file.
func (w *workload) module(top string) string {
	if w.ptx != "" {
		return filepath.Join(top, filepath.FromSlash(w.ptx))
	}
	return filepath.Join(top, "testdata", "cuda", w.source()+".sm_90.ptx")
}

// running is a workload's module on a device.
type running struct {
	device  *ptxvm.Device
	program *ptxvm.Program
	buffers map[*corpus.Buffer]ptxvm.Buffer
	clock   func() time.Duration // of processor time
	byWall  bool                 // wall time counts, else processor time
}

// throughC tells that kernels go through the new pipeline and C, as far as it takes them.
var throughC bool

// pipeline is which compiler kernels have: new or old, or none for that which devices choose.
var pipeline string

// compileBy makes a device compile as flags say.
func compileBy(d *ptxvm.Device) error {
	switch {
	case throughC || pipeline == "new":
		return vm.CompileWith(d, jit.ThroughC(jit.Options{}, &jit.PipelineC{Note: noted, Own: !throughC}))
	case pipeline == "old":
		return vm.CompileWith(d, jit.Options{})
	case pipeline != "":
		return fmt.Errorf("-pipeline %s: there are new and old", pipeline)
	}
	return nil
}

// noted prints why a kernel is not taken.
func noted(kernel string, refused error) {
	if refused != nil {
		fmt.Printf("%s: %v\n", kernel, refused)
	}
}

// start loads the module on a new device, to be closed, and allocates the buffers of a run.
func (w *workload) start(top string, r *corpus.Run, e ptxvm.Engine, workers int) (*running, error) {
	return w.startOn(top, r, ptxvm.DeviceConfig{Workers: workers, Engine: e})
}

// startOn is start on a device of any configuration.
func (w *workload) startOn(top string, r *corpus.Run, cfg ptxvm.DeviceConfig) (*running, error) {
	cfg.Memory = 1 << 28
	d, err := ptxvm.NewDevice(&cfg)
	if err != nil {
		return nil, err
	}
	if err := compileBy(d); err != nil {
		d.Close()
		return nil, err
	}
	x := &running{device: d, clock: cpuTime, buffers: map[*corpus.Buffer]ptxvm.Buffer{}}
	name := w.module(top)
	src, err := os.ReadFile(name)
	if err == nil {
		x.program, err = load(d, name, src)
	}
	for _, b := range r.Buffers {
		if err == nil {
			x.buffers[b], err = d.Alloc(len(b.Init))
		}
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return x, nil
}

// ours runs the launches on one worker and returns the time of the fastest round, with its lane-ops.
func (w *workload) ours(s *series, r *corpus.Run) (best time.Duration, ops uint64, err error) {
	x, err := w.start(s.top, r, s.engine, 1)
	if err != nil {
		return 0, 0, err
	}
	defer x.device.Close()
	if err := x.warm(r); err != nil {
		return 0, 0, err
	}
	var times rounds
	for start, n := time.Now(), 0; n < 3 || time.Since(start) < s.span; n++ {
		took, done, err := x.round(r, nil)
		if err != nil {
			return 0, 0, err
		}
		times.add(took)
		ops = done
	}
	return times.fastest(), ops, x.check(r)
}

// A kernel has its code when it has run so often, or for so long: code for some of the lanes is made when it was missing forty times.
const (
	warmRounds = 100
	warmSpan   = 500 * time.Millisecond
)

// warm lets the engine compile, which is not measured: a short launch was over before its code was made, where rounds are few.
func (x *running) warm(r *corpus.Run) error {
	for start, n := time.Now(), 0; n < warmRounds && time.Since(start) < warmSpan; n++ {
		if _, _, err := x.round(r, nil); err != nil {
			return err
		}
	}
	return nil
}

// check holds what the last round wrote to the corpus.
func (x *running) check(r *corpus.Run) error {
	for _, b := range r.Buffers {
		got := make([]byte, len(b.Init))
		if _, err := x.buffers[b].ReadAt(got, 0); err != nil {
			return err
		}
		if err := b.Check(got); err != nil {
			return err
		}
	}
	return nil
}

// round fills the buffers and launches; the time is that of all launches together, as C's is of all that they are there.
// each hears of every launch, if there is one.
func (x *running) round(r *corpus.Run, each func(ptxvm.Stats)) (took spent, ops uint64, err error) {
	for _, b := range r.Buffers {
		if _, err := x.buffers[b].WriteAt(b.Init, 0); err != nil {
			return spent{}, 0, err
		}
	}
	launches := make([]func() (ptxvm.Stats, error), len(r.Launches))
	for i, l := range r.Launches {
		if launches[i], err = x.launch(l); err != nil {
			return spent{}, 0, err
		}
	}
	took = x.timed(func() {
		for _, launch := range launches {
			var stats ptxvm.Stats
			if stats, err = launch(); err != nil {
				return
			}
			ops += stats.LaneOps
			if each != nil {
				each(stats)
			}
		}
	})
	return took, ops, err
}

// launch prepares a launch: its arguments are made before it is timed.
func (x *running) launch(l corpus.Launch) (func() (ptxvm.Stats, error), error) {
	k, err := x.program.Kernel(l.Kernel)
	if err != nil {
		return nil, err
	}
	args := make([]any, len(l.Args))
	for i, a := range l.Args {
		if args[i] = a.Scalar; a.Buffer != nil {
			args[i] = x.buffers[a.Buffer]
		}
	}
	shape := ptxvm.Launch{Grid: dim(l.Grid), Block: dim(l.Block), Shared: l.Shared}
	return func() (ptxvm.Stats, error) { return k.Launch(context.Background(), shape, args...) }, nil
}

// timed reads the clocks around a round's launches, that which counts next to them: reading the processor time of several threads
// takes a microsecond.
func (x *running) timed(launch func()) (s spent) {
	if x.byWall {
		cpu, wall := x.clock(), time.Now()
		launch()
		s.wall = time.Since(wall)
		s.cpu = x.clock() - cpu
		return s
	}
	wall, cpu := time.Now(), x.clock()
	launch()
	s.cpu = x.clock() - cpu
	s.wall = time.Since(wall)
	return s
}

func dim(n [3]int) ptxvm.Dim3 { return ptxvm.Dim3{X: uint32(n[0]), Y: uint32(n[1]), Z: uint32(n[2])} }
