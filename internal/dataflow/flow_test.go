package dataflow

import (
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
)

// TestSummary: what Flow says in short is of what it says at length.
func TestSummary(t *testing.T) {
	reg := func(words uint32, w regs.Width) regs.Shadowed { return regs.Shadowed{Words: words, Width: w} }
	add := Flow{Rule: FlowCarry, Dst: []regs.Shadowed{reg(8, regs.Row32)}, Args: []FlowArg{{Shadowed: reg(16, regs.Row32)}, {}}, Guard: reg(24, regs.Pred)}
	add.summarise()
	if !slices.Equal(add.Words, []uint32{16}) || !slices.Equal(add.Preds, []uint32{24}) || !add.Plain || add.Symbols || !add.resting || !slices.Equal(add.touched, []uint32{16, 8}) {
		t.Errorf("an addition: %+v", add)
	}
	for name, f := range map[string]Flow{
		"of a variable":       {Args: []FlowArg{{Sym: &FlowSym{}}}},
		"a copy of a pointer": {Tags: TagsCopy, Dst: []regs.Shadowed{reg(8, regs.Row64)}},
		"a load":              {Mem: &FlowMem{Base: reg(32, regs.Row64)}},
		"a call":              {Rule: FlowRuntime},
		"a stack":             {Tags: TagsAlloca},
	} {
		if f.summarise(); f.resting {
			t.Errorf("%s rests where nothing has a shadow", name)
		}
		if f.Mem != nil && (f.Plain || !slices.Equal(f.Words, []uint32{32})) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestLooked: a source whose place a result takes is kept, by its bytes.
func TestLooked(t *testing.T) {
	row := func(name string, off uint32, width regs.Width) Operand {
		return Operand{Row: regs.Row{Off: off, Width: width}, Name: name}
	}
	a := &Arithmetic{Sources: []Operand{row("a", 0, regs.Row32), row("", 256, regs.Row32), row("c", 384, regs.Row32)}, Results: []Operand{row("d", 256, regs.Row64)}}
	in := &machine.Inst{}
	if Looked(in, a); !slices.Equal(a.Kept, []int{2}) || in.Full == nil || in.Part == nil {
		t.Errorf("sources %v are kept", a.Kept)
	}
}
