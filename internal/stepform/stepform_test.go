package stepform_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/stepform"
)

// program has a register that is the same in all lanes, one that counts, one that does neither, and a predicate.
const program = `.version 8.0
.target sm_75
.address_size 64
.visible .entry k()
{
	.reg .pred %p<2>;
	.reg .b32 %r<5>;
	mov.u32 %r1, 7;
	mov.u32 %r2, %tid.x;
	mul.lo.s32 %r3, %r2, %r2;
	setp.gt.u32 %p1, %r2, 3;
	@%p1 ret;
	ret;
}
`

// TestForms holds the lines of a warp of six lanes to words written by hand, and its JSON to a reader.
func TestForms(t *testing.T) {
	want := []string{
		"k.ptx:8  w0 0000003f @0  mov.u32 %r1, 7;  → %r1=7\n",
		"k.ptx:9  w0 0000003f @1  mov.u32 %r2, %tid.x;  → %r2=0 1 … 5\n",
		"k.ptx:10  w0 0000003f @2  mul.lo.s32 %r3, %r2, %r2;  %r2=0 1 … 5, %r2=0 1 … 5  → %r3=0 1 4 9 16 25\n",
		"k.ptx:11  w0 0000003f @3  setp.gt.u32 %p1, %r2, 3;  %r2=0 1 … 5  → %p1=lanes 00000030\n",
	}
	var lines []string
	var log bytes.Buffer
	trace := &ptxvm.Trace{Each: func(s *ptxvm.Step) {
		lines = append(lines, stepform.Line(s))
		if err := stepform.WriteJSON(&log, s); err != nil {
			t.Error(err)
		}
	}}
	launch(t, trace)
	for i, line := range want {
		if i >= len(lines) || lines[i] != line {
			t.Errorf("line %d of %q, want %q", i, lines, line)
		}
	}
	for d := json.NewDecoder(&log); d.More(); {
		var step struct {
			Schema int
			Lanes  uint32
			Source []any
			Writes []struct{ Values []string }
		}
		if err := d.Decode(&step); err != nil || step.Schema != 1 || step.Source == nil || step.Lanes == 0 {
			t.Errorf("%+v, %v", step, err)
		}
		for _, w := range step.Writes {
			if len(w.Values) != 6 {
				t.Errorf("%d values of six lanes", len(w.Values))
			}
		}
	}
}

// launch runs the program with six threads.
func launch(t *testing.T, trace *ptxvm.Trace) {
	t.Helper()
	m, err := ptxvm.Compile("k.ptx", []byte(program), nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	shape := ptxvm.Launch{Grid: ptxvm.Dim3{X: 1}, Block: ptxvm.Dim3{X: 6}}
	if _, err := k.Watch(t.Context(), shape, ptxvm.Watch{Trace: trace}); err != nil {
		t.Fatal(err)
	}
}
