package launchlang

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

// Session is what launches share: the device with the linked modules, images and named buffers.
type Session struct {
	*Setup
	group   *group // of all devices
	rank    int    // of the device
	device  *ptxvm.Device
	Program *ptxvm.Program
	images  []image
	named   []*named
	Jobs    []*Job // in the order of their launches
}

// Setup is what sessions are made from.
type Setup struct {
	Devices int // that run each launch at once
	Config  ptxvm.DeviceConfig
	Modules []*ptxvm.Module
	Files   []string            // that the modules come from
	Writes  []Output            // files that are written beside those of the launches
	Loading context.Context     // ends the loading; nil: nothing does
	Opened  func(*ptxvm.Device) // is shown each device before anything is loaded there; nil: is not called

	// Of an outcome that is forgiven, a launch's results count, and those on other devices go on; nil: none is.
	Forgives func(error) bool
}

// Job is one kernel ready to launch.
type Job struct {
	*Session
	Request
	Kernel  *ptxvm.Kernel
	Shape   ptxvm.Launch
	Tensor  *ptxvm.TensorMemory // what is watched, of the last launch
	buffers []ptxvm.Buffer      // one per spec; the zero Buffer for values
	args    []any
	own     []*named // what this launch's --buf and --global name
}

// Options are what a launch is asked for: texts where they have a grammar of their own (docs/arguments.md).
type Options struct {
	Kernel      string       // its name; "": the only one
	Shape       ptxvm.Launch // no extents: the kernel's own, else 1
	SharedGiven bool         // shape.Shared is meant, also if it is 0

	Args, Images, Bufs, Globals, Expects []string

	Tolerance string // of expects; "": bit for bit
	Triton    string // a file of Triton's metadata
	Timeout   time.Duration
	Watch     ptxvm.Watch
	Writes    []Output // files that are written beside the results
}

// Request is the options of a launch, read but not yet bound to a kernel.
type Request struct {
	*Options
	Specs  []Arg
	images []Image
	named  []namedSpec

	expects []expectation
	within  value.Tolerance
	meta    *tritonMeta // nil without
}

// ReadRequest reads the options that have a grammar of their own.
func ReadRequest(o *Options) (r Request, err error) {
	r.Options = o
	if r.Specs, err = parseArgs(o.Args); err != nil {
		return r, err
	}
	if r.images, err = parseImages(o.Images); err != nil {
		return r, err
	}
	if r.named, err = parseNamed(o.Bufs, o.Globals); err != nil {
		return r, err
	}
	if o.Tolerance != "" {
		if r.within, err = value.ParseTolerance(o.Tolerance); err != nil {
			return r, fmt.Errorf("--tol: %w", err)
		}
	}
	if o.Triton != "" {
		if r.meta, err = readTriton(o.Triton); err != nil {
			return r, err
		}
	}
	r.expects, err = parseExpects(o.Expects)
	return r, err
}

// OpenSession makes the devices, links the modules, and binds every launch to its kernel. What fails here leaves no trace.
func OpenSession(with *Setup, requests []Request) (*Session, error) {
	s := &Session{Setup: with}
	if n := with.Devices; n < 1 || n > maxDevices {
		return nil, fmt.Errorf("--devices %d: want 1 to %d", n, maxDevices)
	} else if n > 1 && slices.ContainsFunc(requests, func(r Request) bool { return r.Shape.Capture != "" }) {
		return nil, fmt.Errorf("--capture with --devices %d: a capture holds one launch, and each device has one; exec --capture takes one of a program's", n)
	}
	if err := s.loadAll(requests); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// maxDevices bounds --devices.
const maxDevices = 64

func (s *Session) loading() context.Context {
	if s.Loading == nil {
		return context.Background()
	}
	return s.Loading
}

// loadOne does so for one device.
func (s *Session) loadOne(requests []Request) (err error) {
	if s.Program, err = s.device.LoadContext(s.loading(), s.Modules...); err != nil {
		return err
	}
	for _, r := range requests {
		j := &Job{Session: s, Request: r}
		if err := j.bind(); err != nil {
			return err
		}
		s.Jobs = append(s.Jobs, j)
	}
	if err := s.checkImages(s.Program.References()); err != nil {
		return err
	}
	return s.checkOutputs()
}

// bind finds the kernel and holds the arguments against its parameters.
func (j *Job) bind() (err error) {
	if j.Kernel, err = j.Program.Kernel(j.kernelName()); err != nil {
		return err
	}
	j.Shape = shapeOf(j.Options.Shape, j.Kernel.Info())
	j.applyTriton(j.Kernel.Info())
	if err := typed(j.Kernel.Info(), j.Specs); err != nil {
		return err
	}
	if err := checkArgs(j.Kernel.Info(), j.Specs, j.Files); err != nil {
		return err
	}
	if err := j.makeImages(j.Request.images); err != nil {
		return err
	}
	if err := j.makeNamed(j.Request.named); err != nil {
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
func (j *Job) checkReferences() error {
	for i := range j.Specs {
		for _, p := range j.Specs[i].addresses() {
			if _, err := j.Session.value(p.to); err != nil {
				return fmt.Errorf("--arg %s: %w", j.Specs[i].text, err)
			}
		}
	}
	return nil
}

// Fill allocates the buffers and copies in what they and named memory start with.
func (j *Job) Fill() error {
	if err := j.fillNamed(); err != nil {
		return err
	}
	j.buffers = make([]ptxvm.Buffer, len(j.Specs))
	j.args = make([]any, len(j.Specs))
	for i := range j.Specs {
		if err := j.fillArg(i); err != nil {
			return fmt.Errorf("--arg %s: %w", j.Specs[i].text, err)
		}
	}
	return nil
}

func (j *Job) fillArg(i int) (err error) {
	spec := &j.Specs[i]
	switch {
	case spec.texture != "":
		j.args[i], err = j.texture(spec.texture)
		return err
	case spec.surface != "":
		j.args[i], err = j.surface(spec.surface)
		return err
	case spec.tmap != nil:
		j.args[i], err = j.tensorMap(spec.tmap, j.Kernel.Info().Params[i].Size)
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
	if err == nil && (!spec.buf.start.zero() || j.Config.Sanitize != 0 && !spec.buf.start.unset) {
		err = j.restore(b, spec.buf)
	}
	j.buffers[i], j.args[i] = b, b
	return err
}

// restore writes what a buffer starts with.
func (j *Job) restore(b ptxvm.Buffer, spec *bufSpec) error {
	data, err := spec.start.Data()
	if err == nil {
		data, err = j.resolve(data, spec.start.places)
	}
	if err == nil {
		_, err = b.WriteAt(data, 0)
	}
	return err
}

func (j *Job) Launch(ctx context.Context) (ptxvm.Stats, error) {
	if j.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, j.Timeout)
		defer cancel()
	}
	stats, err := j.Kernel.Watch(ctx, j.Shape, j.Watch, j.args...)
	j.Tensor = stats.Tensor
	stats.Notes = append(stats.Notes, j.unused()...)
	return stats, j.withResults(err)
}

// unused notes what the launch has not touched of the buffers that are its own.
func (j *Job) unused() (notes []*ptxvm.Report) {
	for i, spec := range j.Specs {
		if spec.buf == nil {
			continue
		}
		if r := j.device.Unused(j.buffers[i], j.Kernel.Info().ParamName(i)); r != nil {
			r.Kernel = j.Kernel.Info().Name
			notes = append(notes, r)
		}
	}
	return notes
}

// withResults adds what sanitizers say about the bytes that the launch hands back.
func (j *Job) withResults(err error) error {
	reports := &ptxvm.SanitizerError{Kernel: j.Kernel.Info().Name}
	known := errors.As(err, &reports)
	before := len(reports.Reports)
	for i, spec := range j.Specs {
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

// Results reads back what the launch wrote: its anonymous buffers and the variables it names.
func (j *Job) Results() ([]Result, error) {
	var out []Result
	for i, spec := range j.Specs {
		if spec.buf == nil || spec.buf.input {
			continue
		}
		r, err := readBack(diag.Escape(j.Kernel.Info().ParamName(i)), j.buffers[i], spec.buf)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	variables, err := j.namedResults(j.own, true)
	return append(out, variables...), err
}

// AllResults are those of a single launch with what outlives it.
func (j *Job) AllResults() ([]Result, error) {
	own, err := j.Results()
	if err != nil {
		return nil, err
	}
	shared, err := j.Session.results()
	return append(own, shared...), err
}

// RestoreAll writes again what buffers, variables and images hold before a launch.
func (j *Job) RestoreAll() error {
	for i, spec := range j.Specs {
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
func (s *Session) results() ([]Result, error) {
	buffers, err := s.namedResults(s.named, false)
	if err != nil {
		return nil, err
	}
	images, err := s.imageResults()
	return append(buffers, images...), err
}

// unchanged reports whether memory still holds what it started with.
func (s *Session) unchanged(spec *bufSpec, now []byte) (bool, error) {
	data, err := spec.start.Data()
	if err == nil {
		data, err = s.resolve(data, spec.start.places)
	}
	return bytes.Equal(data, now), err
}

// maxCompared bounds the inputs that are looked at again after a launch.
const maxCompared = 64 << 20

// WrittenInputs lists the arguments whose in: buffers the kernel has written; what is compared by --expect is meant.
func (j *Job) WrittenInputs() (list []string, err error) {
	for i, spec := range j.Specs {
		if spec.buf == nil || !spec.buf.input || spec.buf.start.unset || spec.buf.start.size > maxCompared || j.expected(i) {
			continue
		}
		r, err := readBack("", j.buffers[i], spec.buf)
		if err != nil {
			return nil, err
		}
		if same, err := j.unchanged(spec.buf, r.Bytes); err != nil || !same {
			list = append(list, spec.text)
		}
	}
	return list, nil
}

// expected reports whether a parameter is compared.
func (j *Job) expected(param int) bool {
	return slices.ContainsFunc(j.expects, func(e expectation) bool {
		return e.param(j.Kernel.Info(), param)
	})
}

// readBack reads a buffer as its spec describes it.
func readBack(name string, b ptxvm.Buffer, spec *bufSpec) (Result, error) {
	r := Result{name: name, Sink: spec.sink, term: spec.term, Array: spec.start.Array}
	r.Bytes = make([]byte, spec.start.size)
	return r, ptxvm.Download(b, r.Bytes)
}

// Release frees the anonymous buffers of a launch that is over.
func (j *Job) Release() error {
	var errs []error
	for _, b := range j.buffers {
		errs = append(errs, b.Free())
	}
	return errors.Join(errs...)
}

// Close gives the memory of all devices back.
func (s *Session) Close() (err error) {
	if s.group == nil {
		return nil
	}
	for _, o := range s.group.sessions {
		err = errors.Join(err, o.device.Close())
	}
	return err
}
