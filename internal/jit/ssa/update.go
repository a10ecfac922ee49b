package ssa

import (
	"fmt"
	"math"
)

// This file has what atomic operations make of memory.

// Update is what becomes of an element of memory and an operand.
type Update uint8

// The updates. Inc is 0 from the operand on, Dec the operand from 0 and from beyond it. Cas stores its second operand where the first is.
const (
	NoUpdate Update = iota
	UpdateAdd
	UpdateAnd
	UpdateOr
	UpdateXor
	UpdateMinS
	UpdateMaxS
	UpdateMinU
	UpdateMaxU
	UpdateExch
	UpdateInc
	UpdateDec
	UpdateCas
	UpdateAddF    // of 32 bits with the canonical NaN; of 64 bits a NaN stays, of two the operand's
	UpdateAddFlat // of floats, subnormal ones being 0
	NumUpdates
)

// updateDef is a line of the table of updates.
type updateDef struct {
	name  string
	types string // of elements
	args  int
	code  Code // that makes it of what was there and the operand; Invalid: made does
}

var updateDefs = [NumUpdates]updateDef{
	UpdateAdd: {"add", "WX", 1, Add}, UpdateAnd: {"and", "WX", 1, And}, UpdateOr: {"or", "WX", 1, Or}, UpdateXor: {"xor", "WX", 1, Xor},
	UpdateMinS: {"mins", "WX", 1, MinS}, UpdateMaxS: {"maxs", "WX", 1, MaxS}, UpdateMinU: {"minu", "WX", 1, MinU}, UpdateMaxU: {"maxu", "WX", 1, MaxU},
	UpdateExch: {"exch", "WX", 1, Invalid}, UpdateInc: {"inc", "W", 1, Invalid}, UpdateDec: {"dec", "W", 1, Invalid}, UpdateCas: {"cas", "WX", 2, Invalid},
	UpdateAddF: {"addf", "WX", 1, Invalid}, UpdateAddFlat: {"addflat", "W", 1, Invalid},
}

// Evaluate is what becomes of an element and the operands.
func (u Update) Evaluate(t Type, old, x, y uint64) uint64 {
	if c := updateDefs[u].code; c != Invalid {
		return cut(t, defs[c].eval(t, old, x))
	}
	return made[u](t, old, x, y)
}

// made are the updates that are no operation.
var made = [NumUpdates]func(t Type, old, x, y uint64) uint64{
	UpdateExch: func(_ Type, _, x, _ uint64) uint64 { return x },
	UpdateInc: func(_ Type, old, x, _ uint64) uint64 {
		if old >= x {
			return 0
		}
		return old + 1
	},
	UpdateDec: func(_ Type, old, x, _ uint64) uint64 {
		if old == 0 || old > x {
			return x
		}
		return old - 1
	},
	UpdateCas: func(_ Type, old, x, y uint64) uint64 {
		if old == x {
			return y
		}
		return old
	},
	UpdateAddF: addFloats,
	UpdateAddFlat: func(t Type, old, x, _ uint64) uint64 {
		return flat(addFloats(t, flat(old), flat(x), 0))
	},
}

func addFloats(t Type, old, x, _ uint64) uint64 {
	if t == W {
		if d := math.Float32frombits(uint32(old)) + math.Float32frombits(uint32(x)); d == d {
			return uint64(math.Float32bits(d))
		}
		return 0x7fffffff
	}
	return doubleOf(func(a, b, _ float64) float64 { return a + b }, x, old, 0)
}

// flat is a float of 32 bits, or 0 with its sign if it is subnormal.
func flat(v uint64) uint64 {
	if v&0x7f800000 == 0 {
		return v & (1 << 31)
	}
	return v
}

// String is the update's name in text.
func (u Update) String() string { return updateDefs[u].name }

// updateNamed finds an update; 0: there is none.
func updateNamed(name string) Update {
	for u := NoUpdate + 1; u < NumUpdates; u++ {
		if updateDefs[u].name == name {
			return u
		}
	}
	return NoUpdate
}

// reduction is how the lanes of a warp do as one what each does to an element: by the operation on all their words.
type reduction struct {
	code    Code
	neutral uint32 // what changes nothing
	turned  bool   // unsigned, by signed words with the highest bit turned
}

var reductions = [NumUpdates]reduction{
	UpdateAdd: {Sum, 0, false}, UpdateAnd: {AndAll, 1<<32 - 1, false}, UpdateOr: {OrAll, 0, false}, UpdateXor: {XorAll, 0, false},
	UpdateMinS: {Least, 1<<31 - 1, false}, UpdateMaxS: {Most, 1 << 31, false},
	UpdateMinU: {Least, 1<<31 - 1, true}, UpdateMaxU: {Most, 1 << 31, true},
}

// Combine is what some lanes, of which there is one, do together to a word: a number that does the same; 0 if there is none.
func (f *Func) Combine(u Update, lanes, v Value) Value {
	r := &reductions[u]
	switch {
	case r.code == Invalid || f.TypeOf(v) != W && !f.Info[v].Uni:
		return 0
	case f.Info[v].Uni:
		return f.combineUniform(r.code, lanes, v)
	}
	turn := func(v Value) Value {
		if r.turned {
			v = f.Bin(Xor, v, f.Word(1<<31))
		}
		return v
	}
	return turn(f.Make(r.code, W, 0, f.Sel(lanes, turn(v), f.Word(r.neutral))))
}

// combineUniform is Combine for what all lanes have.
func (f *Func) combineUniform(c Code, lanes, v Value) Value {
	switch {
	case f.Ops[v].Code == Bcast:
		v = f.Ops[v].A
	case f.Info[v].Num:
	case f.TypeOf(v) == X:
		return 0
	default:
		v = f.Make(Least, W, 0, v)
	}
	if c != Sum && c != XorAll {
		return v
	}
	n := f.Make(Popc, W, 0, f.Make(Ballot, W, 0, lanes))
	if c == XorAll {
		n = f.Bin(And, n, f.Word(1))
	}
	if f.TypeOf(v) == X {
		n = f.Make(Zext, X, 0, n)
	}
	return f.Bin(Mul, v, n)
}

// updates says what is wrong with an atomic operation, beside what is so of all accesses.
func (f *Func) updates(e *Effect) error {
	d, a := &updateDefs[e.Update], e.Access
	t := map[uint8]Type{4: W, 8: X}[a.Elem]
	ok := t != None && len(a.Bits) == 1 && len(e.Args) == d.args && d.args > 0 && len(e.Results) == int(bit(a.Bits[0] != 0))
	for _, c := range []byte(d.types) {
		ok = ok && (c == 'W') == (t == W) || ok && len(d.types) == 2
	}
	for _, v := range append(e.Args, e.Results...) {
		ok = ok && f.TypeOf(v) == t
	}
	once := e.Kind == AtomicOnce
	if once {
		ok = ok && a.Index == 0 && a.Step == 0 && f.IsNum(e.Mask) && f.IsNum(e.Args[0]) && len(e.Results) == 0 && d.args == 1
	}
	if !ok {
		return fmt.Errorf("update %v of %d bytes and %d operands is none", e.Update, a.Elem, len(e.Args))
	}
	return nil
}
