package converge

// Kernels in every engine.

import (
	"context"
	"errors"
	"fmt"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// Way is a way to run a kernel.
type Way struct {
	Engine  ptxvm.Engine
	Options jit.Options // of engines that compile
	Workers int
	Hot     uint32 // of Auto: how many steps for each instruction are interpreted before code is compiled

	Sanitize ptxvm.Sanitize
}

func (w Way) String() string {
	s := fmt.Sprintf("engine %v, %d workers", w.Engine, w.Workers)
	if w.Engine != ptxvm.Interp {
		s += fmt.Sprintf(", %v", w.Options)
	}
	if w.Engine == ptxvm.Auto {
		s += fmt.Sprintf(", compiled after %d steps", w.Hot)
	}
	return s
}

// Ways are all that this machine can run with some engines. Kernels differ in the moment at which Auto compiles.
func Ways(engines []ptxvm.Engine, seed uint64) (list []Way) {
	for _, e := range engines {
		options := jit.Compilers()
		if e == ptxvm.Interp || e == ptxvm.CC {
			options = []jit.Options{{}}
		}
		for _, o := range options {
			for workers := 1; workers <= 2; workers++ {
				w := Way{Engine: e, Options: o, Workers: workers}
				if e == ptxvm.Auto {
					w.Hot = uint32(seed % 5 * 3)
				}
				list = append(list, w)
			}
		}
	}
	return list
}

// Launches is how often a kernel is launched in each way.
const Launches = 6

// Difference is where a launch is not what the oracle says.
type Difference struct {
	Way    Way
	Launch int // from 1
	What   string
}

func (d *Difference) Error() string { return fmt.Sprintf("%v, launch %d: %s", d.Way, d.Launch, d.What) }

// Compare runs a kernel in some ways and holds it to the oracle: nil, a *Difference, or why it cannot be run.
func (k *Kernel) Compare(ways []Way) error {
	m, err := ptxvm.Compile("kernel.ptx", []byte(k.String()), nil)
	if err != nil {
		return err
	}
	want := k.Evaluate()
	for _, w := range ways {
		if err := k.compare(m, w, want); err != nil {
			return err
		}
	}
	return nil
}

// device is a kernel loaded on a device in one way, with its memory.
type device struct {
	*ptxvm.Device
	kernel       *ptxvm.Kernel
	out, acc, in ptxvm.Buffer
}

func (k *Kernel) load(m *ptxvm.Module, w Way) (*device, error) {
	d, err := w.open()
	if err != nil {
		return nil, err
	}
	made, err := k.fill(d, m)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return made, nil
}

// open makes a device that runs kernels in that way.
func (w *Way) open() (*ptxvm.Device, error) {
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{
		Engine: w.Engine, Workers: w.Workers, Memory: 1 << 24, MaxSteps: 1 << 22, Sanitize: w.Sanitize,
	})
	if err != nil {
		return nil, err
	}
	if w.Engine == ptxvm.JIT || w.Engine == ptxvm.Auto {
		if err := vm.CompileWith(d, w.Options); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	if w.Engine == ptxvm.Auto {
		tuning := vm.TuningOf(d)
		tuning.QuickAfter, tuning.HotAfter, tuning.PartsAfter = w.Hot, 2*w.Hot, w.Hot
	}
	return d, nil
}

// fill loads the kernel and allocates what it needs.
func (k *Kernel) fill(d *ptxvm.Device, m *ptxvm.Module) (*device, error) {
	made := &device{Device: d}
	p, err := d.Load(m)
	if err != nil {
		return nil, err
	}
	if made.kernel, err = p.Kernel("k"); err != nil {
		return nil, err
	}
	words := make([]uint32, inWords)
	for i := range words {
		words[i] = input(uint32(i))
	}
	if made.in, err = ptxvm.Upload(d, words); err != nil {
		return nil, err
	}
	if made.out, err = d.Alloc(4 * k.Threads * k.Grid * k.Slots); err != nil {
		return nil, err
	}
	made.acc, err = d.Alloc(4 * (k.Grid + accSpread))
	return made, err
}

// launch is one launch on memory that is zero.
func (d *device) launch(k *Kernel) (*Result, error) {
	r, _, err := d.launched(k)
	return r, err
}

// launched is launch, and what was counted.
func (d *device) launched(k *Kernel) (*Result, ptxvm.Stats, error) {
	if err := errors.Join(ptxvm.Fill(d.out, uint32(0)), ptxvm.Fill(d.acc, uint32(0))); err != nil {
		return nil, ptxvm.Stats{}, err
	}
	l := ptxvm.Launch{Grid: ptxvm.Dim3{X: uint32(k.Grid)}, Block: ptxvm.Dim3{X: uint32(k.Columns), Y: uint32(k.rows())}}
	s, err := d.kernel.Launch(context.Background(), l, d.out, d.acc, d.in)
	r := &Result{make([]uint32, d.out.Len()/4), make([]uint32, d.acc.Len()/4)}
	if err != nil {
		return r, s, err
	}
	return r, s, errors.Join(ptxvm.Download(d.out, r.Out), ptxvm.Download(d.acc, r.Acc))
}

// compare launches a kernel in one way.
func (k *Kernel) compare(m *ptxvm.Module, w Way, want *Result) error {
	d, err := k.load(m, w)
	if err != nil {
		return err
	}
	defer d.Close()
	for i := 1; i <= Launches; i++ {
		have, err := d.launch(k)
		if err != nil {
			return &Difference{w, i, told(err)}
		}
		if what := k.differs(want, have); what != "" {
			return &Difference{w, i, what}
		}
	}
	return nil
}

// told is an error, a defect with the stack at which it was noticed.
func told(err error) string {
	var defect *ptxvm.DefectError
	if errors.As(err, &defect) {
		return err.Error() + "\n" + defect.Stack
	}
	return err.Error()
}

// differs says where a launch is not as it should be, "" if nowhere.
func (k *Kernel) differs(want, have *Result) string {
	for i, v := range want.Out {
		if v != have.Out[i] {
			tid := i / k.Slots
			return fmt.Sprintf("out[%d], word %d of thread %d in CTA %d: want %#x, have %#x",
				i, i%k.Slots, tid%k.Threads, tid/k.Threads, v, have.Out[i])
		}
	}
	for i, v := range want.Acc {
		if v != have.Acc[i] {
			return fmt.Sprintf("acc[%d]: want %#x, have %#x", i, v, have.Acc[i])
		}
	}
	return ""
}
