package vec

// Running the kernels of a block through the public interface.

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// Runner runs blocks on small devices, one an architecture.
type Runner struct {
	Context  context.Context  // of every launch
	Observer machine.Observer // of every launch; nil: none
	Engine   ptxvm.Engine
	Prepare  func(*ptxvm.Device) error // of each device before it is used; nil: nothing

	LaneOps, New uint64 // of all launches: lane operations, and those by code of the compiler's new pipeline

	devices map[string]*device
}

// device is a device with the buffers of every launch.
type device struct {
	*ptxvm.Device
	others       []*ptxvm.Device // of the same machine
	places       []byte          // the addresses of multicastAt
	copies       [copies]ptxvm.Buffer
	in, out, mem ptxvm.Buffer
	images       []ptxvm.Array // of lane 0, then of lane 1 …
	textures     map[string]bool
}

const (
	copies      = 3  // of what a multicast address stands for
	maxValues   = 24 // operands or results of a block
	valuesBytes = 32 * maxValues * valueBytes
	memBytes    = warpBytes + 2*laneBytes // GW is a line of 128 bytes
)

// NewRunner makes a runner without devices.
func NewRunner() *Runner {
	return &Runner{Context: context.Background(), devices: map[string]*device{}}
}

// Close ends the devices.
func (r *Runner) Close() error {
	var err error
	for _, d := range r.devices {
		for _, o := range append(d.others, d.Device) {
			err = errors.Join(err, o.Close())
		}
	}
	return err
}

func (r *Runner) device(arch string) (*device, error) {
	if d := r.devices[arch]; d != nil {
		return d, nil
	}
	devices, err := ptxvm.NewDevices(copies, &ptxvm.DeviceConfig{Arch: arch, Workers: 1, Memory: 16 << 20, Engine: r.Engine, MaxSteps: 1 << 20})
	if err != nil {
		return nil, err
	}
	dev := devices[0]
	if r.Prepare != nil {
		if err := r.Prepare(dev); err != nil {
			return nil, err
		}
	}
	d := &device{Device: dev, others: devices[1:]}
	for _, b := range []struct {
		at   *ptxvm.Buffer
		size int
	}{{&d.in, valuesBytes}, {&d.out, valuesBytes}, {&d.mem, handlesAt + warpBytes + 2*laneBytes}} {
		if *b.at, err = dev.Alloc(b.size); err != nil {
			return nil, err
		}
	}
	if err := d.addCopies(); err != nil {
		return nil, err
	}
	r.devices[arch] = d
	return d, nil
}

// addCopies makes the multicast ranges of multicastAt.
func (d *device) addCopies() (err error) {
	for k, of := range append([]*ptxvm.Device{d.Device}, d.others...) {
		if d.copies[k], err = of.Alloc(warpBytes); err != nil {
			return err
		}
	}
	var places []uint64
	for _, n := range []int{2, copies} {
		m, err := d.NewMulticast(d.copies[:n]...)
		if err != nil {
			return err
		}
		places = append(places, m.Addr())
	}
	for _, b := range d.copies {
		places = append(places, b.Addr())
	}
	for k, of := range [][]ptxvm.Buffer{d.copies[:1], d.copies[1:2], d.copies[:2], d.copies[:], d.copies[:1]} {
		make := d.NewMulticastEndpoint
		if len(of) == 1 {
			make = func(list ...ptxvm.Buffer) (ptxvm.Endpoint, error) { return d.NewEndpoint(list[0]) }
		}
		e, err := make(of...)
		if err != nil {
			return err
		}
		if k == 4 {
			e.Fail(0x5a)
		}
		places = append(places, uint64(e.ID()))
	}
	for _, at := range places {
		d.places = binary.LittleEndian.AppendUint64(d.places, at)
	}
	return nil
}

// execution is a block that runs.
type execution struct {
	*Wrapped
	r    *Runner
	d    *device
	p    *ptxvm.Program
	errs []error

	broken bool // it could not be launched
	stats  ptxvm.Stats
}

// start compiles kernels of a block.
func (r *Runner) start(w *Wrapped, kernels ...variant) (*execution, error) {
	src := w.source(kernels...)
	m, err := ptxvm.Compile(w.File, []byte(src), nil)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %s: %w", w.File, w.Line, w.Text, err)
	}
	d, err := r.device(w.Target.String())
	if err != nil {
		return nil, err
	}
	vm.TuningOf(d.Device).Observer = r.Observer
	if err := d.addTextures(w.Textures()); err != nil {
		return nil, err
	}
	p, err := d.Load(m)
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %s: %w", w.File, w.Line, w.Text, err)
	}
	return &execution{Wrapped: w, r: r, d: d, p: p}, nil
}

// Block runs every case in every mode and reports the differences.
func (r *Runner) Block(b *Block) []error {
	w, err := Wrap(b)
	if err == nil {
		err = w.checkCases()
	}
	if err != nil {
		return []error{err}
	}
	inPlace, constants := w.inPlace(), w.constants()
	kernels := append([]variant{masked, uniform}, inPlace...)
	for i := range constants {
		kernels = append(kernels, constants[i].variant)
	}
	x, err := r.start(w, kernels...)
	if err != nil {
		return []error{err}
	}
	defer x.p.Unload()
	if b.Todo != "" {
		return x.refused()
	}
	x.lanes(masked, Masks...)
	for _, k := range inPlace {
		x.lanes(k, 0xffffffff)
	}
	for i := range w.Cases {
		x.alone(&w.Cases[i])
	}
	for i := range constants {
		x.all(constants[i].variant, constants[i].c)
	}
	return x.errs
}

// refused holds a block that is not executed yet to the refusal before anything runs.
func (x *execution) refused() []error {
	_, err := x.launch(masked, 1, func(int) *Case { return &x.Cases[0] })
	var unsupported *ptxvm.UnsupportedError
	if errors.As(err, &unsupported) {
		return nil
	}
	return []error{fmt.Errorf("%s:%d: %s: marked todo, but: %v", x.File, x.Line, x.Text, err)}
}

// checkCases holds the cases to the block's names.
func (w *Wrapped) checkCases() error {
	for i := range w.Cases {
		if c := &w.Cases[i]; len(c.In) != len(w.in) || len(c.Out) != len(w.out) {
			return fmt.Errorf("%s:%d: %s: %d operands and %d results, want %d and %d", w.File, c.Line, w.Text,
				len(c.In), len(c.Out), len(w.in), len(w.out))
		}
	}
	if len(w.Cases) == 0 || len(w.out) == 0 {
		return fmt.Errorf("%s:%d: %s: no case or no result", w.File, w.Line, w.Text)
	}
	return nil
}

// lanes runs the cases of single lanes, up to 32 at a time in turn.
func (x *execution) lanes(k variant, masks ...uint32) {
	var cases []*Case
	for i := range x.Cases {
		if !x.Cases[i].Warp {
			cases = append(cases, &x.Cases[i])
		}
	}
	for from := 0; from < len(cases); from += 32 {
		some := cases[from:min(from+32, len(cases))]
		for _, mask := range masks {
			x.check(k, mask, func(lane int) *Case { return some[lane%len(some)] })
		}
	}
}

// alone runs a case that has the warp for itself: with operands in all lanes, in scalar slots
// where they are equal.
func (x *execution) alone(c *Case) {
	if c.Warp {
		x.check(masked, c.Mask, func(int) *Case { return c })
	}
	for _, v := range c.In {
		if len(v) > 1 {
			return
		}
	}
	if c.Mask == 0xffffffff {
		x.all(uniform, c)
	}
}

// all runs a case in all lanes.
func (x *execution) all(k variant, c *Case) {
	x.check(k, 0xffffffff, func(int) *Case { return c })
}

// check runs a kernel on one warp, whose lanes have the given cases, and compares results; in
// lanes outside the mask nothing may have changed.
func (x *execution) check(k variant, mask uint32, of func(lane int) *Case) {
	if x.broken {
		return
	}
	got, err := x.launch(k, mask, of)
	if err != nil {
		x.fail(k, mask, of(0), 0, "%v", err)
		x.broken = true
		return
	}
	for lane := range 32 {
		c := of(lane)
		for i, r := range x.out {
			want := c.Out[i].Lane(lane)
			if mask>>lane&1 == 0 {
				want = poisonOf(r)
			}
			if want.Ignored {
				continue
			}
			if !same(got[lane*len(x.out)+i], want, r.bits()) {
				x.fail(k, mask, c, lane, "%s = %s, want %s (%s)", r.name, hex(got[lane*len(x.out)+i], r.bits()), hex(want, r.bits()), c.Source)
			}
		}
	}
}

func (x *execution) fail(k variant, mask uint32, c *Case, lane int, format string, args ...any) {
	if len(x.errs) < 4 {
		where := fmt.Sprintf("%s:%d: %s: %s, mask %#x, lane %d: ", x.File, c.Line, x.Text, k.name, mask, lane)
		x.errs = append(x.errs, fmt.Errorf(where+format, args...))
	}
}

func same(got, want Value, bits int) bool {
	lo, hi := got.Bits(bits)
	wlo, whi := want.Bits(bits)
	return lo == wlo && hi == whi
}

func hex(v Value, bits int) string {
	lo, hi := v.Bits(bits)
	if bits > 64 {
		return fmt.Sprintf("%#x%016x", hi, lo)
	}
	return fmt.Sprintf("%#x", lo)
}

// poisonOf is what a result holds where the statements did not run.
func poisonOf(r *register) Value {
	if r.bits() == 1 {
		return Value{}
	}
	return Value{Lo: poison, Hi: poison}
}

// launch runs a kernel on one warp and returns the results of all lanes.
func (x *execution) launch(k variant, mask uint32, of func(lane int) *Case) ([]Value, error) {
	kernel, err := x.p.Kernel(k.name)
	if err != nil {
		return nil, err
	}
	var in []byte
	for lane := range 32 {
		in = append(in, x.row(of(lane), lane)...)
	}
	var handles []byte
	if used := x.imagesUsed(); used != nil {
		if handles, err = x.d.handles(used); err != nil {
			return nil, err
		}
	}
	for _, w := range []struct {
		b    ptxvm.Buffer
		data []byte
	}{
		{x.d.in, in}, {x.d.mem, append(make([]byte, memBytes), handles...)}, {x.d.mem.Slice(handlesAt+warpBytes, x.d.mem.Len()), x.d.places},
		{x.d.copies[0], make([]byte, warpBytes)}, {x.d.copies[1], make([]byte, warpBytes)}, {x.d.copies[2], make([]byte, warpBytes)},
	} {
		if _, err := w.b.WriteAt(w.data, 0); err != nil {
			return nil, err
		}
	}
	params, pattern := make([]byte, paramBytes), make([]byte, laneBytes)
	copy(params, in)
	for i := range pattern {
		pattern[i] = patternByte(i)
	}
	shape := ptxvm.Launch{Grid: ptxvm.Dim3{X: 1}, Block: ptxvm.Dim3{X: 32}}
	if x.stats, err = kernel.Launch(x.r.Context, shape, x.d.in, x.d.out, x.d.mem, mask, params, pattern); err != nil {
		return nil, err
	}
	x.r.LaneOps, x.r.New = x.r.LaneOps+x.stats.LaneOps, x.r.New+x.stats.New
	return x.results()
}

// row is the operands of one lane.
func (w *Wrapped) row(c *Case, lane int) (b []byte) {
	for i, r := range w.in {
		lo, hi := c.In[i].Lane(lane).Bits(r.bits())
		b = binary.LittleEndian.AppendUint64(b, lo)
		b = binary.LittleEndian.AppendUint64(b, hi)
	}
	return b
}

func (x *execution) results() ([]Value, error) {
	data := make([]byte, 32*len(x.out)*valueBytes)
	if _, err := x.d.out.ReadAt(data, 0); err != nil {
		return nil, err
	}
	return values(data), nil
}

// values reads what the kernels store.
func values(data []byte) (list []Value) {
	for ; len(data) > 0; data = data[valueBytes:] {
		list = append(list, Value{Lo: binary.LittleEndian.Uint64(data), Hi: binary.LittleEndian.Uint64(data[8:])})
	}
	return list
}
