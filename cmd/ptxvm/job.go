package main

// This file prepares launches: modules, device, kernels, buffers; run and bench share it.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/value"
	"ptxvm.invalid/ptxvm/report"
)

// session is what the launches of one command line share: the device with the linked modules,
// images and named buffers.
type session struct {
	group   *group // of all devices
	rank    int    // of the device
	device  *ptxvm.Device
	program *ptxvm.Program
	images  []image
	named   []*named
	jobs    []*job // in the order of their launches
	line    *progressLine

	suppress *report.Suppressions // may be nil
}

// job is one kernel ready to launch.
type job struct {
	*session
	request
	kernel  *ptxvm.Kernel
	shape   ptxvm.Launch
	tensor  *ptxvm.TensorMemory // what --show asks for, of the last launch
	buffers []ptxvm.Buffer      // one per spec; the zero Buffer for values
	args    []any
	own     []*named // what this launch's --buf and --global name
}

// request is the options of a launch, read but not yet bound to a kernel.
type request struct {
	flags  *runFlags
	specs  []argSpec
	images []imageSpec
	named  []namedSpec

	expects   []expectation
	tolerance value.Tolerance
	triton    *tritonMeta // nil without --triton
}

// read reads the options that have a grammar of their own.
func (f *runFlags) read() (r request, err error) {
	r.flags = f
	if r.specs, err = parseArgs(f.args); err != nil {
		return r, err
	}
	if err = f.checkShowTo(); err != nil {
		return r, err
	}
	if r.images, err = parseImages(f.images); err != nil {
		return r, err
	}
	if r.named, err = parseNamed(f.bufs, f.globals); err != nil {
		return r, err
	}
	if f.tol != "" {
		if r.tolerance, err = value.ParseTolerance(f.tol); err != nil {
			return r, fmt.Errorf("--tol: %w", err)
		}
	}
	if f.triton != "" {
		if r.triton, err = readTriton(f.triton); err != nil {
			return r, err
		}
	}
	r.expects, err = parseExpects(f.expects)
	return r, err
}

// prepare does everything before the first launch. What fails here leaves no trace. cfg holds
// what flags do not say; launches holds the flags of each launch, those of the device in the first.
func prepare(launches []*runFlags, files []string, s streams, cfg ptxvm.DeviceConfig) (*session, error) {
	f := launches[0]
	if err := f.complete(&cfg); err != nil {
		return nil, usageError{err}
	}
	var requests []request
	for _, flags := range launches {
		r, err := flags.read()
		if err != nil {
			return nil, usageError{err}
		}
		requests = append(requests, r)
	}
	var err error
	if cfg.Suppress, err = f.suppressions(files); err != nil {
		return nil, usageError{err}
	}
	judge, err := ptxvm.ParseJudge(f.judge)
	if err != nil {
		return nil, usageError{err}
	}
	f.sourceRoot.near(files)
	s.quiet = f.quiet
	modules, err := compileFiles(s, &ptxvm.CompileConfig{Arch: f.arch, Judge: judge}, files)
	if err != nil {
		return nil, err
	}
	if cfg.Arch == "" {
		cfg.Arch = ptxvm.NewestTarget(modules...)
	}
	ses := &session{suppress: cfg.Suppress}
	if err := ses.load(cfg, modules, files, requests); err != nil {
		ses.close(&err)
		return nil, err
	}
	return ses, nil
}

// load makes the devices, links the modules, and binds every launch to its kernel.
func (s *session) load(cfg ptxvm.DeviceConfig, modules []*ptxvm.Module, files []string, requests []request) (err error) {
	n := requests[0].flags.devices
	if n < 1 || n > maxDevices {
		return usageError{fmt.Errorf("--devices %d: want 1 to %d", n, maxDevices)}
	}
	return s.loadAll(n, cfg, modules, files, requests)
}

// maxDevices bounds --devices.
const maxDevices = 64

// loadOne does so for one device.
func (s *session) loadOne(modules []*ptxvm.Module, files []string, requests []request) (err error) {
	if s.program, err = s.device.Load(modules...); err != nil {
		return err
	}
	for _, r := range requests {
		j := &job{session: s, request: r}
		if err := j.bind(files); err != nil {
			return err
		}
		s.jobs = append(s.jobs, j)
	}
	if err := s.checkImages(s.program.References()); err != nil {
		return err
	}
	return s.checkOutputs(files)
}

// bind finds the kernel and holds the arguments against its parameters.
func (j *job) bind(files []string) (err error) {
	if j.kernel, err = j.program.Kernel(j.kernelName()); err != nil {
		return usageError{err}
	}
	j.shape = j.flags.shape(j.kernel.Info())
	j.applyTriton(j.kernel.Info())
	if err := checkArgs(j.kernel.Info(), j.specs, files); err != nil {
		return usageError{err}
	}
	if err := j.makeImages(j.request.images); err != nil {
		return err
	}
	if err := j.makeNamed(j.request.named); err != nil {
		return err
	}
	return j.bindExpects()
}

// checkReferences finds what addresses point to, before anything runs.
func (j *job) checkReferences() error {
	for i := range j.specs {
		for _, p := range j.specs[i].addresses() {
			if _, err := j.session.value(p.to); err != nil {
				return usageError{fmt.Errorf("--arg %s: %w", j.specs[i].text, err)}
			}
		}
	}
	return nil
}

// fill allocates the buffers and copies in what they and named memory start with.
func (j *job) fill() error {
	if err := j.fillNamed(); err != nil {
		return err
	}
	j.buffers = make([]ptxvm.Buffer, len(j.specs))
	j.args = make([]any, len(j.specs))
	for i := range j.specs {
		if err := j.fillArg(i); err != nil {
			return usageError{fmt.Errorf("--arg %s: %w", j.specs[i].text, err)}
		}
	}
	return nil
}

func (j *job) fillArg(i int) (err error) {
	spec := &j.specs[i]
	switch {
	case spec.texture != "":
		j.args[i], err = j.texture(spec.texture)
		return err
	case spec.surface != "":
		j.args[i], err = j.surface(spec.surface)
		return err
	case spec.tmap != nil:
		j.args[i], err = j.tensorMap(spec.tmap, j.kernel.Info().Params[i].Size)
		return err
	case spec.buf == nil && spec.ptr:
		if b, ok := j.sliced(spec); ok {
			j.args[i] = b
			return nil
		}
		fallthrough
	case spec.buf == nil:
		j.args[i], err = j.resolve(spec.value, spec.places)
		return err
	}
	b, err := j.device.Alloc(spec.buf.start.size)
	if err == nil && (!spec.buf.start.zero() || j.flags.sanitize != "" && !spec.buf.start.unset) {
		err = j.restore(b, spec.buf)
	}
	j.buffers[i], j.args[i] = b, b
	return err
}

// restore writes what a buffer starts with.
func (j *job) restore(b ptxvm.Buffer, spec *bufSpec) error {
	data, err := spec.start.data()
	if err == nil {
		data, err = j.resolve(data, spec.start.places)
	}
	if err == nil {
		_, err = b.WriteAt(data, 0)
	}
	return err
}

func (j *job) launch(ctx context.Context) (ptxvm.Stats, error) {
	if j.flags.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(j.flags.timeout))
		defer cancel()
	}
	stats, err := j.kernel.Watch(ctx, j.shape, ptxvm.Watch{Trace: j.flags.trace.what, Tensor: j.flags.show.cta}, j.args...)
	j.line.done()
	j.tensor = stats.Tensor
	stats.Notes = append(stats.Notes, j.unused()...)
	return stats, j.withResults(err)
}

// unused notes what the launch has not touched of the buffers that are its own.
func (j *job) unused() (notes []*ptxvm.Report) {
	for i, spec := range j.specs {
		if spec.buf == nil {
			continue
		}
		if r := j.device.Unused(j.buffers[i], j.kernel.Info().ParamName(i)); r != nil {
			r.Kernel = j.kernel.Info().Name
			notes = append(notes, r)
		}
	}
	return notes
}

// withResults adds what sanitizers say about the bytes that the launch hands back.
func (j *job) withResults(err error) error {
	reports := &ptxvm.SanitizerError{Kernel: j.kernel.Info().Name}
	known := errors.As(err, &reports)
	before := len(reports.Reports)
	for i, spec := range j.specs {
		if spec.buf != nil && !spec.buf.input {
			reports.Reports = append(reports.Reports, j.device.Unwritten(j.buffers[i])...)
		}
	}
	if known || len(reports.Reports) == before {
		return err
	}
	reports.Err = err
	return reports
}

// results reads back what the launch wrote: its anonymous buffers and the variables it names.
func (j *job) results() ([]result, error) {
	var out []result
	for i, spec := range j.specs {
		if spec.buf == nil || spec.buf.input {
			continue
		}
		r, err := readBack(diag.Escape(j.kernel.Info().ParamName(i)), j.buffers[i], spec.buf)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	variables, err := j.namedResults(j.own, true)
	return append(out, variables...), err
}

// results reads back what outlives launches: named buffers and images.
func (s *session) results() ([]result, error) {
	buffers, err := s.namedResults(s.named, false)
	if err != nil {
		return nil, err
	}
	images, err := s.imageResults()
	return append(buffers, images...), err
}

// unchanged tells whether memory still holds what it started with.
func (s *session) unchanged(spec *bufSpec, now []byte) (bool, error) {
	data, err := spec.start.data()
	if err == nil {
		data, err = s.resolve(data, spec.start.places)
	}
	return bytes.Equal(data, now), err
}

// maxCompared bounds the inputs that are looked at again after a launch.
const maxCompared = 64 << 20

// writtenInputs lists the arguments whose in: buffers the kernel has written; what is compared by --expect is meant.
func (j *job) writtenInputs() (list []string, err error) {
	for i, spec := range j.specs {
		if spec.buf == nil || !spec.buf.input || spec.buf.start.unset || spec.buf.start.size > maxCompared || j.expected(i) {
			continue
		}
		r, err := readBack("", j.buffers[i], spec.buf)
		if err != nil {
			return nil, err
		}
		if same, err := j.unchanged(spec.buf, r.bytes); err != nil || !same {
			list = append(list, spec.text)
		}
	}
	return list, nil
}

// expected tells whether a parameter is compared.
func (j *job) expected(param int) bool {
	return slices.ContainsFunc(j.expects, func(e expectation) bool {
		return e.param(j.kernel.Info(), param)
	})
}

// readBack reads a buffer as its spec describes it.
func readBack(name string, b ptxvm.Buffer, spec *bufSpec) (result, error) {
	r := result{name: name, sink: spec.sink, term: spec.term, array: spec.start.array}
	r.bytes = make([]byte, spec.start.size)
	return r, ptxvm.Download(b, r.bytes)
}

// release frees the anonymous buffers of a launch that is over.
func (j *job) release() error {
	var errs []error
	for _, b := range j.buffers {
		errs = append(errs, b.Free())
	}
	return errors.Join(errs...)
}

// close gives the device's memory back and joins a failure of that to err.
func (s *session) close(err *error) {
	if s.group == nil {
		return
	}
	for _, o := range s.group.sessions {
		*err = errors.Join(*err, o.device.Close())
	}
}
