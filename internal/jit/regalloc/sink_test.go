package regalloc

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
)

// builder makes instructions on vectors.
type builder struct{ *isel.Func }

func (b builder) make(in *isel.Block, uses ...isel.VReg) isel.VReg {
	d := b.NewReg(isel.Vector)
	in.Insts = append(in.Insts, &isel.Inst{Op: name("make"), Uses: uses, Defs: []isel.VReg{d}})
	return d
}

func (b builder) use(in *isel.Block, uses ...isel.VReg) {
	in.Insts = append(in.Insts, &isel.Inst{Op: name("use"), Uses: uses})
}

func (b builder) jump(in, to *isel.Block, args ...isel.VReg) {
	in.Insts = append(in.Insts, &isel.Inst{Op: name("jump"), To: to, Args: args})
}

// crowd takes four registers at once, which is all that there are.
func (b builder) crowd(in *isel.Block) {
	b.use(in, b.make(in), b.make(in), b.make(in), b.make(in))
}

// TestSink: what is read from memory only where a loop has been left is stored there, and not where it is defined in each turn of the loop.
func TestSink(t *testing.T) {
	for _, c := range []struct {
		name          string
		inLoop        bool // a register is wanted there for something else
		cold, coldIn  bool // what is behind the loop is cold; it leads back
		stored, begin bool // where it is defined; where what is behind the loop begins
	}{
		{name: "behind", begin: true}, {name: "in a cold block", cold: true, begin: true}, {name: "in a cold block of the loop", cold: true, coldIn: true, begin: true},
		{name: "in the loop", inLoop: true, stored: true},
	} {
		f := builder{isel.New("sink")}
		first, loop, behind, last := f.NewBlock(0, false), f.NewBlock(0, false), f.NewBlock(0, c.cold), f.NewBlock(0, false)
		f.jump(first, loop)
		v := f.make(loop)
		if c.inLoop {
			f.crowd(loop)
		}
		f.use(loop, v)
		f.jump(loop, behind)
		f.jump(loop, loop)
		f.jump(loop, last)
		f.crowd(behind)
		f.use(behind, v)
		if c.coldIn {
			f.jump(behind, loop)
		}
		f.make(last)
		for _, b := range []*isel.Block{first, loop, last, behind} {
			f.Add(b)
		}
		r := Allocate(f.Func, registers(4))
		if err := Check(r); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if stored, begin := r.Home[v] != None, len(r.Begin[behind.ID]) == 1; stored != c.stored || begin != c.begin || len(r.Begin[last.ID]) != 0 {
			t.Errorf("%s: stored where it is defined: %v, where what is behind the loop begins: %v, want %v, %v", c.name, stored, begin, c.stored, c.begin)
		}
	}
}

// TestSinkNested: each value is stored where its own loop is left: that of an outer one where it is defined, if it is read in that.
func TestSinkNested(t *testing.T) {
	f := builder{isel.New("nested")}
	first, outer, inner, next, last := f.NewBlock(0, false), f.NewBlock(0, false), f.NewBlock(0, false), f.NewBlock(0, false), f.NewBlock(0, false)
	f.jump(first, outer)
	v := f.make(outer)
	f.jump(outer, inner)
	w := f.make(inner)
	f.jump(inner, inner)
	f.jump(inner, next)
	f.crowd(next)
	f.use(next, v, w)
	f.jump(next, outer)
	f.jump(next, last)
	f.make(last)
	for _, b := range []*isel.Block{first, outer, inner, next, last} {
		f.Add(b)
	}
	r := Allocate(f.Func, registers(4))
	if err := Check(r); err != nil {
		t.Fatal(err)
	}
	if r.Home[v] == None {
		t.Error("the value of the outer loop is read there, and not stored where it is defined")
	}
	if r.Home[w] != None || len(r.Begin[next.ID]) != 1 {
		t.Errorf("the value of the inner loop is stored in each turn, and where that is left %v", r.Begin[next.ID])
	}
}
