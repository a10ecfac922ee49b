package ssa

import "testing"

// fuelled is a function that notes the fuel of lanes that wait, leaves with it, and gives it back.
func fuelled() (f *Func, keep, join *Effect) {
	f = New("f", 32)
	b := f.NewBlock(2)
	e := b.Add(&Effect{Kind: Resume, Homes: []Home{{Kind: Pred, Off: 4}}})
	lanes := f.NewResult(b, e, M, false)
	keep = b.Add(&Effect{Kind: KeepFuel, Mask: lanes, Args: []Value{f.Word(NoFuel)}})
	fuel := f.NewResult(b, keep, W, true)
	f.States = append(f.States, State{PC: 3, Mask: f.Not(lanes), FuelOut: true, Places: []Place{{PC: 7, Mask: lanes, Fuel: fuel}}})
	b.Add(&Effect{Kind: Fuel, Mask: f.Any(f.Not(lanes)), State: 1})
	join = b.Add(&Effect{Kind: JoinFuel, Mask: f.Truth(false), Args: []Value{fuel}})
	return f, keep, join
}

// TestFuel: what lanes have that wait is read back as it is printed, is a use of its number, and is replaced with it.
func TestFuel(t *testing.T) {
	f, keep, _ := fuelled()
	readsBack(t, f)
	s := &f.States[1]
	if reads := s.Reads(); len(reads) != 3 || reads[2] != keep.Results[0] {
		t.Errorf("a state reads %v", reads)
	}
	other := f.Word(5)
	if s.Replace(func(v Value) Value {
		if v == keep.Results[0] {
			v = other
		}
		return v
	}); s.Places[0].Fuel != other {
		t.Errorf("%v has not been replaced", s.Places[0])
	}
}

// TestFuelVerified: it is a number of 32 bits, and one effect makes it, the other does not.
func TestFuelVerified(t *testing.T) {
	for name, change := range map[string]func(f *Func, keep, join *Effect){
		"no mask":          func(_ *Func, keep, _ *Effect) { keep.Mask = 0 },
		"a number as mask": func(f *Func, keep, _ *Effect) { keep.Mask = f.Word(1) },
		"nothing before":   func(_ *Func, keep, _ *Effect) { keep.Args = nil },
		"64 bits":          func(f *Func, _, join *Effect) { join.Args = []Value{f.Const(X, 1)} },
		"lanes":            func(f *Func, _, join *Effect) { join.Args = []Value{f.Strided(f.Word(1), 4)} },
		"a result":         func(f *Func, _, join *Effect) { f.NewResult(f.Blocks[0], join, W, true) },
	} {
		f, keep, join := fuelled()
		if change(f, keep, join); Verify(f) == nil {
			t.Errorf("%s: the verifier has not found that", name)
		}
	}
}
