package debug_test

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/testkit/stepping"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// chain lists the instructions behind a value, the last ones first.
func chain(o *vm.Origin) (list []string) {
	for ; o != nil; o = o.Sources[0] {
		line := string(o.Kind)
		if o.Step != nil {
			opcode, _, _ := strings.Cut(o.Step.Text, " ")
			line += " " + opcode
		}
		if list = append(list, line); len(o.Sources) == 0 {
			break
		}
	}
	return list
}

// TestWhy asks for values of registers and of memory at moments within the launch: in another lane, behind a call, through shared memory
// that another thread has written.
func TestWhy(t *testing.T) {
	s := stepping.Open(t, stepping.Target(t, stepping.Kernels, "k", vm.Launch{Grid: vm.Dim3{X: 2}, Block: vm.Dim3{X: 64}}, 256))
	why := func(text string) []string {
		t.Helper()
		e, err := debug.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		at, before := s.Moment(), hash(t, s)
		told, err := s.Why(e)
		if err != nil {
			t.Fatal(err)
		}
		if s.Moment() != at || hash(t, s) != before {
			t.Errorf("the launch has moved from moment %d to %d", at, s.Moment())
		}
		return chain(told.Root)
	}
	holds := func(text, want string) {
		t.Helper()
		if have := strings.Join(why(text), ", "); have != want {
			t.Errorf("%s comes from %s, want %s", text, have, want)
		}
	}
	holds("%x", "")
	b := &debug.Breakpoint{Location: "k.ptx:39", Thread: &debug.Threads{Block: [3]uint32{1}, AnyThread: true}}
	if err := s.Break(b); err != nil {
		t.Fatal(err)
	}
	if stop, err := s.Continue(); err != nil || stop.Why != debug.AtBreak {
		t.Fatal(stop, err)
	}
	computed := "computed call, computed mov.u32, computed add.u32"
	if have := strings.Join(why("%x@3"), ", "); !strings.Contains(have, "add.u32") {
		t.Errorf("%%x@3 comes from %s, want %s", have, computed)
	}
	if have := why("s[40]"); len(have) == 0 || have[0] != "stored st.shared.u32" {
		t.Errorf("s[40] comes from %q", have)
	}
	if _, err := s.StepInstruction(false); err != nil {
		t.Fatal(err)
	}
	if have := why("%x"); len(have) < 2 || have[0] != "computed ld.shared.u32" || have[1] != "stored st.shared.u32" {
		t.Errorf("%%x comes from %q", have)
	}
	if have := strings.Join(why("[out]:u32"), ", "); !strings.HasPrefix(have, "stored st.global.u32, computed ld.shared.u32, stored st.shared.u32, computed call") {
		t.Errorf("what block 0 has written comes from %s", have)
	}
}
