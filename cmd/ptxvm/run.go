package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"ptxvm"
)

// newRun builds the run verb: link files, make buffers, launch once, write results.
func newRun(s streams) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE… [flags]",
		Short: "Run a kernel on the CPU",
		Args:  needFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			return runOnce(cmd.Context(), s, &f, files)
		},
	}
	f.bind(cmd)
	return cmd
}

// needFiles asks for at least one FILE in words of its own.
func needFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageError{fmt.Errorf("%s needs a PTX file; - is standard input", cmd.Name())}
	}
	return nil
}

func runOnce(ctx context.Context, s streams, f *runFlags, files []string) error {
	job, err := prepare(s, f, files)
	if err != nil {
		return report(s, f, err)
	}
	defer job.close()
	stats, err := job.launch(ctx)
	if err != nil {
		return report(s, f, err)
	}
	if err := job.writeResults(s.out); err != nil {
		return err
	}
	if f.stats {
		printStats(s.err, stats)
	}
	return nil
}

// job is one kernel ready to launch, with its buffers in place.
type job struct {
	device  *ptxvm.Device
	kernel  *ptxvm.Kernel
	shape   ptxvm.Launch
	specs   []argSpec
	buffers []ptxvm.Buffer // one per spec; the zero Buffer for scalars
	args    []any
	flags   *runFlags
	bar     *progressBar
}

// prepare does everything before the launch. What fails here leaves no trace.
func prepare(s streams, f *runFlags, files []string) (*job, error) {
	if f.engine != "auto" && f.engine != "interp" {
		return nil, usageError{fmt.Errorf("--engine %s is not built yet; there are auto and interp", f.engine)}
	}
	specs, err := parseArgs(f.args)
	if err != nil {
		return nil, usageError{err}
	}
	modules, err := compileFiles(s, f.arch, files)
	if err != nil {
		return nil, err
	}
	j := &job{specs: specs, flags: f, bar: newProgressBar(s.err, f.quiet)}
	if err := j.load(s, modules); err != nil {
		return nil, errors.Join(err, j.close())
	}
	return j, nil
}

// load makes the device, links the modules and fills the buffers.
func (j *job) load(s streams, modules []*ptxvm.Module) (err error) {
	f := j.flags
	j.device, err = ptxvm.NewDevice(&ptxvm.DeviceConfig{
		Arch: f.deviceArch(modules), Memory: int64(f.memory), Workers: f.workers, Seed: f.seed,
		MaxSteps: f.maxSteps, MaxOutput: int64(f.maxOutput), Stdout: s.out, Progress: j.bar.update,
	})
	if err != nil {
		return usageError{err}
	}
	program, err := j.device.Load(modules...)
	if err != nil {
		return err
	}
	if j.kernel, err = pickKernel(program, f.kernel); err != nil {
		return usageError{err}
	}
	j.shape = f.launchShape(j.kernel.Info())
	return j.fill()
}

// launchShape applies the defaults: block and cluster are what the kernel demands, else 1.
func (f *runFlags) launchShape(info ptxvm.KernelInfo) ptxvm.Launch {
	shape := ptxvm.Launch{Grid: f.grid.Dim3, Block: f.block.Dim3, Cluster: f.cluster.Dim3, Shared: int(f.shared)}
	if !f.block.given {
		shape.Block = info.ReqBlock
	}
	if !f.cluster.given {
		shape.Cluster = info.ReqCluster
	}
	return shape
}

// deviceArch is --arch, or the newest target among the modules.
func (f *runFlags) deviceArch(modules []*ptxvm.Module) string {
	if f.arch != "" || len(modules) == 0 {
		return f.arch
	}
	return modules[0].Target()
}

// fill checks the arguments against the signature, then allocates and copies in.
func (j *job) fill() error {
	if err := checkArgs(j.kernel.Info(), j.specs); err != nil {
		return usageError{err}
	}
	j.buffers = make([]ptxvm.Buffer, len(j.specs))
	j.args = make([]any, len(j.specs))
	for i, spec := range j.specs {
		if spec.buf == nil {
			j.args[i] = spec.value
			continue
		}
		b, err := ptxvm.Upload(j.device, spec.buf.data.bytes)
		if err != nil {
			return usageError{fmt.Errorf("--arg %s: %w", spec.text, err)}
		}
		j.buffers[i], j.args[i] = b, b
	}
	return nil
}

func (j *job) launch(ctx context.Context) (ptxvm.Stats, error) {
	if j.flags.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, j.flags.timeout)
		defer cancel()
	}
	defer j.bar.done()
	return j.kernel.Launch(ctx, j.shape, j.args...)
}

// writeResults reads back what the kernel wrote: sinks first, whole, then what is printed.
func (j *job) writeResults(out io.Writer) error {
	for i, spec := range j.specs {
		if spec.buf == nil || spec.buf.input {
			continue
		}
		if _, err := j.buffers[i].ReadAt(spec.buf.data.bytes, 0); err != nil {
			return err
		}
		if spec.buf.sink == "" {
			continue
		}
		if err := writeSink(spec.buf.sink, spec.buf.data); err != nil {
			return usageError{fmt.Errorf("cannot write %s: %w", spec.buf.sink, err)}
		}
	}
	return j.printBuffers(out)
}

func (j *job) printBuffers(out io.Writer) error {
	params := j.kernel.Info().Params
	for i, spec := range j.specs {
		if spec.buf == nil || !spec.buf.print {
			continue
		}
		if err := printArray(out, params[i].Name, spec.buf.data); err != nil {
			return err
		}
	}
	return nil
}

func (j *job) close() error {
	if j.device == nil {
		return nil
	}
	return j.device.Close()
}

func parseArgs(texts []string) ([]argSpec, error) {
	specs := make([]argSpec, len(texts))
	for i, text := range texts {
		var err error
		if specs[i], err = parseArg(text); err != nil {
			return nil, err
		}
	}
	return specs, nil
}

// checkArgs compares the --arg list with the parameters before anything is allocated.
func checkArgs(info ptxvm.KernelInfo, specs []argSpec) error {
	if len(specs) != len(info.Params) {
		return fmt.Errorf("%s takes %d arguments, %d given\n%s\n%s", info.Name, len(info.Params), len(specs),
			info.Signature(), exampleLine(info))
	}
	for i, spec := range specs {
		p := info.Params[i]
		have := len(spec.value)
		if spec.buf != nil {
			have = 8
		}
		if have != p.Size {
			return fmt.Errorf("--arg %s gives %d bytes, parameter %d needs %d: %s\nwrite --arg %s",
				spec.text, have, i, p.Size, p.Decl(), exampleArg(p))
		}
	}
	return nil
}

// exampleLine is a command line ready to edit.
func exampleLine(info ptxvm.KernelInfo) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ptxvm run FILE --kernel %s --grid 1 --block 32", info.Name)
	for _, p := range info.Params {
		fmt.Fprintf(&b, " --arg %s", exampleArg(p))
	}
	return b.String()
}

// exampleArg is a spec of the right size for a parameter.
func exampleArg(p ptxvm.ParamInfo) string {
	switch {
	case p.Count > 0:
		return "bytes:" + strings.Repeat("00", min(p.Size, 16))
	case p.Type == "u64" || p.Type == "b64":
		return "inout:f32x32=0"
	}
	return p.Type + ":0"
}

// pickKernel finds the kernel of a name, or the only one.
func pickKernel(program *ptxvm.Program, name string) (*ptxvm.Kernel, error) {
	return program.Kernel(name)
}
