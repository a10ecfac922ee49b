package main

// This file prepares launches: devices, kernels, buffers; and runs them.

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
)

// session is what launches share: the device with the linked modules, images and named buffers.
type session struct {
	*setup
	group   *group // of all devices
	rank    int    // of the device
	device  *ptxvm.Device
	program *ptxvm.Program
	images  []image
	named   []*named
	jobs    []*job // in the order of their launches
}

// setup is what sessions are made from.
type setup struct {
	devices int // that run each launch at once
	config  ptxvm.DeviceConfig
	modules []*ptxvm.Module
	files   []string // that the modules come from
	writes  []output // files that are written beside those of the launches

	// Of an outcome that is forgiven, a launch's results count, and those on other devices go on; nil: none is.
	forgives func(error) bool
}

// job is one kernel ready to launch.
type job struct {
	*session
	request
	kernel  *ptxvm.Kernel
	shape   ptxvm.Launch
	tensor  *ptxvm.TensorMemory // what is watched, of the last launch
	buffers []ptxvm.Buffer      // one per spec; the zero Buffer for values
	args    []any
	own     []*named // what this launch's --buf and --global name
}

// options are what a launch is asked for: texts where they have a grammar of their own (docs/arguments.md).
type options struct {
	kernel      string       // its name; "": the only one
	shape       ptxvm.Launch // no extents: the kernel's own, else 1
	sharedGiven bool         // shape.Shared is meant, also if it is 0

	args, images, bufs, globals, expects []string

	tolerance string // of expects; "": bit for bit
	triton    string // a file of Triton's metadata
	timeout   time.Duration
	watch     ptxvm.Watch
	writes    []output // files that are written beside the results
}

// request is the options of a launch, read but not yet bound to a kernel.
type request struct {
	*options
	specs  []argSpec
	images []imageSpec
	named  []namedSpec

	expects []expectation
	within  value.Tolerance
	meta    *tritonMeta // nil without
}

// readRequest reads the options that have a grammar of their own.
func readRequest(o *options) (r request, err error) {
	r.options = o
	if r.specs, err = parseArgs(o.args); err != nil {
		return r, err
	}
	if r.images, err = parseImages(o.images); err != nil {
		return r, err
	}
	if r.named, err = parseNamed(o.bufs, o.globals); err != nil {
		return r, err
	}
	if o.tolerance != "" {
		if r.within, err = value.ParseTolerance(o.tolerance); err != nil {
			return r, fmt.Errorf("--tol: %w", err)
		}
	}
	if o.triton != "" {
		if r.meta, err = readTriton(o.triton); err != nil {
			return r, err
		}
	}
	r.expects, err = parseExpects(o.expects)
	return r, err
}

// openSession makes the devices, links the modules, and binds every launch to its kernel. What fails here leaves no trace.
func openSession(with *setup, requests []request) (*session, error) {
	s := &session{setup: with}
	if n := with.devices; n < 1 || n > maxDevices {
		return nil, fmt.Errorf("--devices %d: want 1 to %d", n, maxDevices)
	}
	if err := s.loadAll(requests); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// maxDevices bounds --devices.
const maxDevices = 64

// loadOne does so for one device.
func (s *session) loadOne(requests []request) (err error) {
	if s.program, err = s.device.Load(s.modules...); err != nil {
		return err
	}
	for _, r := range requests {
		j := &job{session: s, request: r}
		if err := j.bind(); err != nil {
			return err
		}
		s.jobs = append(s.jobs, j)
	}
	if err := s.checkImages(s.program.References()); err != nil {
		return err
	}
	return s.checkOutputs()
}

// bind finds the kernel and holds the arguments against its parameters.
func (j *job) bind() (err error) {
	if j.kernel, err = j.program.Kernel(j.kernelName()); err != nil {
		return err
	}
	j.shape = shapeOf(j.options.shape, j.kernel.Info())
	j.applyTriton(j.kernel.Info())
	if err := checkArgs(j.kernel.Info(), j.specs, j.files); err != nil {
		return err
	}
	if err := j.makeImages(j.request.images); err != nil {
		return err
	}
	if err := j.makeNamed(j.request.named); err != nil {
		return err
	}
	return j.bindExpects()
}

// shapeOf is the launch's shape; what is not given is the kernel's own, else 1.
func shapeOf(given ptxvm.Launch, info ptxvm.KernelInfo) ptxvm.Launch {
	if given.Block == (ptxvm.Dim3{}) {
		given.Block = info.ReqBlock
	}
	if given.Cluster == (ptxvm.Dim3{}) {
		given.Cluster = info.ReqCluster
	}
	return given
}

// checkReferences finds what addresses point to, before anything runs.
func (j *job) checkReferences() error {
	for i := range j.specs {
		for _, p := range j.specs[i].addresses() {
			if _, err := j.session.value(p.to); err != nil {
				return fmt.Errorf("--arg %s: %w", j.specs[i].text, err)
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
			return fmt.Errorf("--arg %s: %w", j.specs[i].text, err)
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
	if err == nil && (!spec.buf.start.zero() || j.config.Sanitize != 0 && !spec.buf.start.unset) {
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
	if j.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, j.timeout)
		defer cancel()
	}
	stats, err := j.kernel.Watch(ctx, j.shape, j.watch, j.args...)
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

// allResults are those of a single launch with what outlives it.
func (j *job) allResults() ([]result, error) {
	own, err := j.results()
	if err != nil {
		return nil, err
	}
	shared, err := j.session.results()
	return append(own, shared...), err
}

// restoreAll writes again what buffers, variables and images hold before a launch.
func (j *job) restoreAll() error {
	for i, spec := range j.specs {
		if spec.buf == nil {
			continue
		}
		if err := j.restore(j.buffers[i], spec.buf); err != nil {
			return err
		}
	}
	for _, n := range j.own {
		if !n.set {
			continue
		}
		if err := j.restore(n.buffer, &n.bufSpec); err != nil {
			return err
		}
	}
	return j.restoreImages()
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

// close gives the memory of all devices back.
func (s *session) close() (err error) {
	if s.group == nil {
		return nil
	}
	for _, o := range s.group.sessions {
		err = errors.Join(err, o.device.Close())
	}
	return err
}
