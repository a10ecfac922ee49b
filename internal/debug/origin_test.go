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

// handing is a kernel whose value goes through .param memory into two functions and back.
const handing = `.version 8.0
.target sm_80
.address_size 64
.func (.param .f32 r) half(.param .f32 x)
{
	.reg .f32 %x;
	ld.param.f32 %x, [x];
	mul.rn.f32 %x, %x, 0f3F000000;
	st.param.f32 [r], %x;
	ret;
}
.func (.param .f32 r) scale(.param .f32 x, .param .f32 s)
{
	.reg .f32 %x, %s;
	ld.param.f32 %x, [x];
	{
	.param .f32 a;
	.param .f32 b;
	st.param.f32 [a], %x;
	call.uni (b), half, (a);
	ld.param.f32 %x, [b];
	}
	ld.param.f32 %s, [s];
	neg.f32 %x, %x;
	st.param.f32 [r], %x;
	ret;
}
.visible .entry k(.param .u64 out)
{
	.reg .b64 %o;
	.reg .f32 %x, %y;
	ld.param.u64 %o, [out];
	ld.global.f32 %x, [%o+4];
	add.rn.f32 %x, %x, 0f3F800000;
	{
	.param .f32 a;
	.param .f32 b;
	.param .f32 r;
	st.param.f32 [b], 0f00000000;
	st.param.f32 [a], %x;
	call.uni (r), scale, (a, b);
	ld.param.f32 %y, [r];
	}
	st.global.f32 [%o], %y;
	ret;
}
`

// TestWhyHandedOver follows a value through the .param memory of calls and returns.
func TestWhyHandedOver(t *testing.T) {
	s := stepping.Open(t, stepping.Target(t, handing, "k", vm.Launch{Block: vm.Dim3{X: 2}}, 256))
	if err := s.Break(&debug.Breakpoint{Location: "k.ptx:44"}); err != nil {
		t.Fatal(err)
	}
	if stop, err := s.Continue(); err != nil || stop.Why != debug.AtBreak {
		t.Fatal(stop, err)
	}
	e, err := debug.ParseExpr("%y")
	if err != nil {
		t.Fatal(err)
	}
	told, err := s.Why(e)
	if err != nil {
		t.Fatal(err)
	}
	const want = "computed ld.param.f32, stored st.param.f32, computed neg.f32, computed ld.param.f32, stored st.param.f32, computed mul.rn.f32, " +
		"computed ld.param.f32, stored st.param.f32, computed ld.param.f32, stored st.param.f32, computed add.rn.f32, computed ld.global.f32, input"
	if have := strings.Join(chain(told.Root), ", "); have != want {
		t.Errorf("%%y comes from %s\nwant %s", have, want)
	}
}
