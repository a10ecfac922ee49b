package debug_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// kernels of this package's tests.
const kernels = `.version 8.0
.target sm_90
.address_size 64
.func (.reg .u32 %r) double(.reg .u32 %a) {
	.reg .u32 %t;
	add.u32 %t, %a, %a;
	mov.u32 %r, %t;
	ret;
}
.visible .entry k(.param .u64 out) {
	.reg .u64 %p;
	.reg .u32 %lane, %x, %y, %i;
	.reg .pred %odd, %more;
	.shared .u32 s[64];
	ld.param.u64 %p, [out];
	mov.u32 %lane, %tid.x;
	mad.wide.u32 %p, %lane, 4, %p;
	mul.lo.u32 %x, %lane, 10;
	and.b32 %y, %lane, 1;
	setp.ne.u32 %odd, %y, 0;
	@%odd bra ODD;
	add.u32 %x, %x, 1;
	bra JOIN;
ODD:
	add.u32 %x, %x, 2;
	add.u32 %x, %x, 3;
JOIN:
	mov.u32 %i, 0;
LOOP:
	add.u32 %i, %i, 1;
	setp.lt.u32 %more, %i, 4;
	@%more bra LOOP;
	call (%x), double, (%x);
	mov.u32 %y, s;
	mad.lo.u32 %y, %lane, 4, %y;
	st.shared.u32 [%y], %x;
	bar.sync 0;
	ld.shared.u32 %x, [s+4];
	st.global.u32 [%p], %x;
	ret;
}
`

// target launches a kernel of a text on fresh devices.
func target(t testing.TB, src, kernel string, shape vm.Launch, bytes int, cfg vm.DeviceConfig) debug.Target {
	t.Helper()
	m, err := vm.Compile("k.ptx", []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	return debug.Target{Open: func(w vm.Watch, seed uint64, out io.Writer) (*debug.Launch, error) {
		cfg := cfg
		cfg.Engine, cfg.Workers, cfg.Deterministic, cfg.Seed, cfg.Stdout, cfg.Memory, cfg.Arch = vm.Interp, 1, true, seed, out, 1<<24, "sm_90"
		d, err := vm.NewDevice(&cfg)
		if err != nil {
			return nil, err
		}
		vm.KeepRegisters(d)
		p, err := d.Load(m)
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
		k, err := p.Kernel(kernel)
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
		b, err := d.Alloc(bytes)
		if err != nil {
			return nil, errors.Join(err, d.Close())
		}
		return &debug.Launch{Kernel: k, Shape: shape, Close: d.Close, Run: func(ctx context.Context) error {
			_, err := k.Watch(ctx, shape, w, b)
			return err
		}}, nil
	}}
}

func open(t testing.TB, to debug.Target) *debug.Session {
	t.Helper()
	s, err := debug.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// hash is the state of a launch that waits.
func hash(t testing.TB, s *debug.Session) string {
	t.Helper()
	h := sha256.New()
	if err := s.WriteState(h); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// forwards is the state at each moment.
func forwards(t testing.TB, s *debug.Session) (list []string) {
	t.Helper()
	for s.Running() {
		list = append(list, hash(t, s))
		if stop, err := s.Goto(s.Moment() + 1); err != nil || stop.Why == debug.Faulted {
			t.Fatal(stop, err)
		}
	}
	return list
}

// TestMoments reaches each moment forwards, by goto and backwards.
func TestMoments(t *testing.T) {
	s := open(t, target(t, kernels, "k", vm.Launch{Grid: vm.Dim3{X: 2}, Block: vm.Dim3{X: 64}}, 256, vm.DeviceConfig{}))
	list := forwards(t, s)
	n, known := s.Length()
	if !known || n != uint64(len(list)) || n < 100 {
		t.Fatalf("%d moments, of %d", len(list), n)
	}
	seen := map[string]bool{}
	for _, h := range list {
		seen[h] = true
	}
	if len(seen) != len(list) {
		t.Errorf("%d states at %d moments", len(seen), len(list))
	}
	for m := len(list) - 1; m >= 0; m -= 7 {
		if _, err := s.Goto(uint64(m)); err != nil {
			t.Fatal(err)
		}
		if have := hash(t, s); have != list[m] {
			t.Errorf("moment %d by goto is %s, forwards %s", m, have, list[m])
		}
	}
	if _, err := s.Goto(n - 1); err != nil {
		t.Fatal(err)
	}
	s.Mode = debug.ByWarp
	for back := 0; back < 40; back++ {
		stop, err := s.ReverseStepInstruction(false)
		if err != nil {
			t.Fatal(err)
		}
		if have := hash(t, s); have != list[s.Moment()] {
			t.Errorf("moment %d backwards is %s, forwards %s (%v)", s.Moment(), have, list[s.Moment()], stop.Why)
		}
	}
}

// value evaluates an expression in the focus.
func eval(t testing.TB, s *debug.Session, text string) string {
	t.Helper()
	e, err := debug.ParseExpr(text)
	if err != nil {
		return err.Error()
	}
	scope, err := s.Scope()
	if err != nil {
		return err.Error()
	}
	list, err := scope.EachLane(e)
	if err != nil {
		return err.Error()
	}
	var words []string
	for i := range list {
		words = append(words, debug.FormatValue(&list[i].Value, 0))
	}
	return strings.Join(words, " ")
}
