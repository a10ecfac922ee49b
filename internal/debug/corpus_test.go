package debug_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
	"ptxvm.invalid/ptxvm/internal/vm"
)

var whole = flag.Bool("whole", false, "step through every case of the corpus, at more moments")

// maxSteps bounds the launches that a sample steps through.
const maxSteps = 8_000

// TestCorpus reaches moments of compilers' kernels forwards, by going there from behind, and backwards: the same states.
func TestCorpus(t *testing.T) {
	for i, c := range corpus.Cases() {
		if !*whole && i%4 != 1 {
			continue
		}
		for _, mode := range []vm.Async{vm.AsyncEager, vm.AsyncRandom} {
			if mode == vm.AsyncRandom && !*whole && i%3 != 0 {
				continue
			}
			t.Run(c.Name+"/"+mode.String(), func(t *testing.T) { stepThrough(t, c, mode) })
		}
	}
}

func stepThrough(t *testing.T, c corpus.Case, mode vm.Async) {
	arch := c.Archs[len(c.Archs)-1]
	text, err := os.ReadFile(filepath.Join("../../testdata", c.Path(arch)))
	if err != nil {
		t.Fatal(err)
	}
	m, err := vm.Compile(c.Path(arch), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := debug.Open(debug.Target{Seed: 7, Open: func(w vm.Watch, seed uint64, out io.Writer) (*debug.Launch, error) {
		return openCase(c, arch, m, w, &vm.DeviceConfig{Engine: vm.Interp, Workers: 1, Deterministic: true, Seed: seed, Stdout: out, Async: mode, Memory: 1 << 28, Arch: m.Target()})
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	stop, err := s.Continue()
	if err != nil {
		t.Fatal(err)
	}
	n, _ := s.Length()
	if !*whole && n > maxSteps {
		t.Skipf("%d moments", n)
	}
	if stop.Why == debug.Faulted && n == 0 {
		t.Fatal(stop.Err)
	}
	compareMoments(t, s, n)
}

// compareMoments looks at moments of a launch on the way forwards, and again on the way back.
func compareMoments(t *testing.T, s *debug.Session, n uint64) {
	count := uint64(5)
	if *whole {
		count = 25
	}
	states := map[uint64]string{}
	var moments []uint64
	for i := range count {
		m := (n - 1) * i / max(count-1, 1)
		if _, err := s.Goto(m); err != nil {
			t.Fatal(err)
		}
		if s.Moment() != m {
			t.Fatalf("at moment %d of %d instead of %d", s.Moment(), n, m)
		}
		moments, states[m] = append(moments, m), hash(t, s)
	}
	for i := len(moments) - 1; i >= 0; i-- {
		m := moments[i]
		if _, err := s.Goto(m); err != nil {
			t.Fatal(err)
		}
		if have := hash(t, s); have != states[m] {
			t.Errorf("moment %d from behind is %s, forwards %s", m, have, states[m])
		}
		if m == 0 {
			continue
		}
		if _, err := s.ReverseStepInstruction(false); err != nil {
			t.Fatal(err)
		}
		before, there := s.Moment(), hash(t, s)
		if _, err := s.Goto(before); err != nil || hash(t, s) != there {
			t.Errorf("moment %d backwards is %s, forwards %s (%v)", before, there, hash(t, s), err)
		}
	}
}

// openCase makes the first launch of a case.
func openCase(c corpus.Case, arch int, m *vm.Module, w vm.Watch, cfg *vm.DeviceConfig) (*debug.Launch, error) {
	d, err := vm.NewDevice(cfg)
	if err != nil {
		return nil, err
	}
	debug.Prepare(d)
	fail := func(err error) (*debug.Launch, error) { return nil, errors.Join(err, d.Close()) }
	p, err := d.Load(m)
	if err != nil {
		return fail(err)
	}
	run := c.Make(corpus.Target{Arch: arch})
	buffers := map[*corpus.Buffer]vm.Buffer{}
	for _, b := range run.Buffers {
		if buffers[b], err = d.Alloc(len(b.Init)); err != nil {
			return fail(err)
		}
		if _, err := buffers[b].WriteAt(b.Init, 0); err != nil {
			return fail(err)
		}
	}
	k, shape, args, err := rig.Ready(d, p, run.Launches[0], buffers)
	if err != nil {
		return fail(err)
	}
	return &debug.Launch{Kernel: k, Shape: shape, Close: d.Close, Run: func(ctx context.Context) error {
		_, err := k.Watch(ctx, shape, w, args...)
		return err
	}}, nil
}
