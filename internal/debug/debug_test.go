package debug_test

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/testkit/stepping"
	"ptxvm.invalid/ptxvm/internal/vm"
)

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
	s := stepping.Open(t, stepping.Target(t, stepping.Kernels, "k", vm.Launch{Grid: vm.Dim3{X: 2}, Block: vm.Dim3{X: 64}}, 256))
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
