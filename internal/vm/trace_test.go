package vm_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// TestTrace looks at every field of steps: guards, jumps, calls, waits, faults, and filters.
func TestTrace(t *testing.T) {
	const src = `.version 9.0
.target sm_90
.address_size 64
.func (.reg .u32 r) twice(.reg .u32 a)
{
	add.u32 r, a, a;
	ret;
}
.visible .entry k(.param .u64 out)
{
	.reg .b64 p;
	.reg .b32 i, j;
	.reg .f32 f;
	.reg .pred q;
	mov.u32 i, %tid.x;
	setp.lt.u32 q, i, 4;
	@q mov.f32 f, 0f3fc00000;
	@!q bra DONE;
	call (j), twice, (i);
	ld.param.u64 p, [out];
	st.global.u32 [p+4], j;
DONE:
	setp.gt.u32 q, i, 99;
	@q trap;
	bar.sync 0;
	bra.uni LAST;
LAST:
	ret;
}
`
	steps := traceOf(t, src, &vm.Trace{})
	want := []string{
		"w0 ff/ff mov.u32 i, %tid.x; >i u32 0..7 ",
		"w0 ff/ff setp.lt.u32 q, i, 4; <i u32 0..7 >q pred 1..0 ",
		"w0 f/ff @q mov.f32 f, 0f3fc00000; >f f32 1.5..1.5 ",
		"w0 f0/ff @!q bra DONE; diverges",
		"w0 f/f call (j), twice, (i); <i b32 0x00000000..0x00000003 diverges",
		"w0 f/f ·add.u32 r, a, a; <a u32 0..3 <a u32 0..3 >r u32 0..6 ",
		"w0 f/f ·ret; diverges",
		"w0 f/f ld.param.u64 p, [out]; >p u64 P..P ",
		"w0 f/f st.global.u32 [p+4], j; <[p+4] b64 A..A <j u32 0..6 ",
		"w0 ff/ff setp.gt.u32 q, i, 99; <i u32 0..7 >q pred 0..0 ",
		"w0 0/ff @q trap; ",
		"w0 ff/ff bar.sync 0; ",
		"w0 ff/ff bra.uni LAST; jumps 28",
		"w0 ff/ff ret; exits",
	}
	if !slices.Equal(steps, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(steps, "\n"), strings.Join(want, "\n"))
	}
	for _, c := range []struct {
		trace vm.Trace
		want  []string
	}{
		{vm.Trace{From: 17, To: 18, Thread: &vm.Index3{X: 3}}, []string{
			"w0 8/8 @q mov.f32 f, 0f3fc00000; >f f32 1.5..1.5 ", "w0 0/8 @!q bra DONE; diverges"}},
		{vm.Trace{From: 17, To: 17, Thread: &vm.Index3{X: 5}}, []string{"w0 0/20 @q mov.f32 f, 0f3fc00000; "}},
		{vm.Trace{From: 25, To: 25, Thread: &vm.Index3{X: 39}}, []string{"w1 80/80 bar.sync 0; "}},
		{vm.Trace{From: 25, To: 25}, []string{"w0 ffffffff/ffffffff bar.sync 0; waits", "w1 ff/ff bar.sync 0; ", "w0 ffffffff/ffffffff bar.sync 0; "}},
		{vm.Trace{From: 15, To: 15, CTA: vm.Index3{X: 1}, Thread: &vm.Index3{Y: 1}}, []string{"w0 10/10 mov.u32 i, %tid.x; >i u32 0..0 "}},
	} {
		if got := traceOf(t, src, &c.trace); !slices.Equal(got, c.want) {
			t.Errorf("%+v: got\n%s\nwant\n%s", c.trace, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// traceOf runs a kernel with two CTAs of eight threads, and prints the steps.
func traceOf(t *testing.T, src string, trace *vm.Trace) (lines []string) {
	t.Helper()
	trace.Each = func(s *vm.Step) { lines = append(lines, stepText(s)) }
	k, out := loadKernel(t, src)
	shape := vm.Launch{Grid: vm.Dim3{X: 2}, Block: vm.Dim3{X: 8}}
	switch {
	case trace.Thread != nil && trace.Thread.Y > 0:
		shape.Block = vm.Dim3{X: 4, Y: 2}
	case trace.From == 25: // the barrier, in two warps
		shape.Block.X = 40
	}
	if _, err := k.Watch(context.Background(), shape, vm.Watch{Trace: trace}, out); err != nil {
		t.Fatal(err)
	}
	replace := strings.NewReplacer(fmt.Sprintf("%d..%[1]d", out.Addr()), "P..P", fmt.Sprintf("0x%016x..0x%016[1]x", out.Addr()+4), "A..A")
	for i := range lines {
		lines[i] = replace.Replace(lines[i])
	}
	return lines
}

// onlyKernel makes a device, and the only kernel of a module for it.
func onlyKernel(t testing.TB, src string, cfg vm.DeviceConfig) (*vm.Device, *vm.Kernel) {
	t.Helper()
	m, err := vm.Compile("t.ptx", []byte(src), nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := vm.NewDevice(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("")
	if err != nil {
		t.Fatal(err)
	}
	return d, k
}

// loadKernel compiles the only kernel of a module for a device with a buffer.
func loadKernel(t *testing.T, src string) (*vm.Kernel, vm.Buffer) {
	t.Helper()
	d, k := onlyKernel(t, src, vm.DeviceConfig{Memory: 1 << 24, Workers: 1})
	out, err := d.Alloc(256)
	if err != nil {
		t.Fatal(err)
	}
	return k, out
}

// stepText is a step on one line: the first and the last value of each operand.
func stepText(s *vm.Step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "w%d %x/%x %s%s ", s.Warp, s.Lanes, s.Active, strings.Repeat("·", s.Calls), s.Text)
	b.WriteString(operandsText("<", s.Reads, s.Lanes) + operandsText(">", s.Writes, s.Lanes) + s.Then)
	if s.Next > 0 {
		fmt.Fprintf(&b, " %d", s.Next)
	}
	return b.String()
}

func operandsText(mark string, list []vm.Traced, lanes uint32) string {
	var b strings.Builder
	for i := range list {
		v := &list[i]
		first, last := -1, 0
		for lane := range 32 {
			if lanes>>lane&1 != 0 {
				if first < 0 {
					first = lane
				}
				last = lane
			}
		}
		fmt.Fprintf(&b, "%s%s %s %s..%s ", mark, v.Name, v.Type, v.Value(first), v.Value(last))
	}
	return b.String()
}

// TestTraceFault: the last step is the one that faults; what lies outside the launch is refused.
func TestTraceFault(t *testing.T) {
	k, out := loadKernel(t, ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg .b64 a;\nld.param.u64 a, [p];\nst.global.u32 [a+256], 1;\nret;\n}\n")
	last := ""
	trace := vm.Trace{Each: func(s *vm.Step) { last = s.Text + " " + s.Then }}
	_, err := k.Watch(context.Background(), vm.Launch{}, vm.Watch{Trace: &trace}, out)
	var f *vm.Fault
	if !errors.As(err, &f) || last != "st.global.u32 [a+256], 1; faults" {
		t.Errorf("got %v, last step %q", err, last)
	}
	for _, bad := range []vm.Trace{{CTA: vm.Index3{X: 1}}, {Thread: &vm.Index3{Z: 1}}} {
		bad.Each = trace.Each
		var arg *vm.ArgError
		if _, err := k.Watch(context.Background(), vm.Launch{}, vm.Watch{Trace: &bad}, out); !errors.As(err, &arg) || !strings.Contains(err.Error(), "is not in the") {
			t.Errorf("%+v: got %v", bad, err)
		}
	}
}

// TestIndexIsNoExtent: a place counts from 0, where an extent of 0 counts as 1.
func TestIndexIsNoExtent(t *testing.T) {
	f := vm.Fault{Thread: vm.Index3{X: 31}}
	if got := fmt.Sprint(f.CTA, f.Thread, vm.Dim3{X: 31}); got != "(0,0,0) (31,0,0) 31,1,1" {
		t.Error(got)
	}
}
