package ssa

import (
	"slices"
	"testing"
)

// TestCovered: an access for which a condition for all warps stands is covered, and is not where one of its terms is missing, or the check is of
// fewer bytes.
func TestCovered(t *testing.T) {
	without := func(drop int, hi int64) error {
		f := New("f", 32)
		start, warp, hot, end := f.NewBlock(0), f.NewBlock(2), f.NewBlock(2), f.NewBlock(0)
		w := f.NewParam(warp, W, true)
		f.Warp, f.Warps = w, 8
		start.Jump(warp, f.Word(0))
		f.Checks = append(f.Checks, Check{Hi: hi, Align: 4})
		index := f.Bin(Add, f.Make(Arg, W, 0), f.Bin(Mul, w, f.Make(Arg, W, 4)))
		base := f.Bin(Add, f.Make(Arg, X, 8), f.Bin(Shl, f.Make(Sext, X, 0, index), f.Wide(2)))
		all := f.Throughout(f.Make(Inside, M, 1, base), w, f.Warps)
		terms := f.Terms(all)
		cond := f.Truth(true)
		for i, term := range terms {
			if i != drop {
				cond = f.And(cond, term)
			}
		}
		if len(terms) != 4 {
			t.Fatalf("%d terms", len(terms))
		}
		warp.Cond = cond
		warp.Jump(hot)
		warp.Jump(end)
		load := &Effect{Kind: Load, Mask: f.Truth(true), Access: &Access{Elem: 4, Count: 1, Align: 4, Bits: []uint8{32}, Base: base, Step: 4, Check: 1}}
		f.NewResult(hot, hot.Add(load), W, false)
		hot.Jump(end)
		return Verify(f)
	}
	if err := without(-1, 128); err != nil {
		t.Error(err)
	}
	if err := without(-1, 124); err == nil {
		t.Error("a check of 31 lanes covers 32")
	}
	for drop := range 4 { // two corners, that the index does not wrap between them, and that steps keep the alignment
		if without(drop, 128) == nil {
			t.Errorf("covered without term %d", drop)
		}
	}
}

// TestDecided: an access is covered by a condition that a parameter stands for, if the parameter holds on no other way.
func TestDecided(t *testing.T) {
	verify := func(other func(f *Func, cta, no, to *Block)) error {
		f := New("f", 32)
		cta, no, to, hot, end := f.NewBlock(1), f.NewBlock(1), f.NewBlock(1), f.NewBlock(1), f.NewBlock(0)
		f.Checks = append(f.Checks, Check{Hi: 128, Align: 4})
		base, holds := f.Make(Arg, X, 8), f.NewParam(to, M, true)
		cta.Cond = f.And(f.Make(Inside, M, 1, base), f.Cmp(LtS, f.Make(Arg, W, 0), f.Make(Arg, W, 4)))
		cta.Jump(to, f.Truth(true))
		cta.Jump(no)
		no.Jump(to, f.Truth(false))
		to.Cond = holds
		to.Jump(hot)
		to.Jump(end)
		load := &Effect{Kind: Load, Mask: f.Truth(true), Access: &Access{Elem: 4, Count: 1, Align: 4, Bits: []uint8{32}, Base: base, Step: 4, Check: 1}}
		f.NewResult(hot, hot.Add(load), W, false)
		hot.Jump(end)
		other(f, cta, no, to)
		return Verify(f)
	}
	if err := verify(func(*Func, *Block, *Block, *Block) {}); err != nil {
		t.Error(err)
	}
	for name, other := range map[string]func(f *Func, cta, no, to *Block){
		"it holds on both ways":      func(f *Func, cta, no, to *Block) { no.Out[0].Args[0] = f.Truth(true) },
		"who knows":                  func(f *Func, cta, no, to *Block) { no.Out[0].Args[0] = f.Cmp(Eq, f.Make(Arg, W, 0), f.Make(Arg, W, 4)) },
		"where the condition fails":  func(f *Func, cta, no, to *Block) { cta.Out[0], cta.Out[1] = cta.Out[1], cta.Out[0] },
		"it is another condition":    func(f *Func, cta, no, to *Block) { cta.Cond = f.Cmp(LtS, f.Make(Arg, W, 0), f.Make(Arg, W, 4)) },
		"a condition is not decided": func(f *Func, cta, no, to *Block) { to.Cond = f.Cmp(Eq, f.Make(Arg, W, 0), f.Make(Arg, W, 4)) },
	} {
		if verify(other) == nil {
			t.Errorf("covered where %s", name)
		}
	}
}

// TestTerms: of a conjunction what follows from another term is left out.
func TestTerms(t *testing.T) {
	f := New("f", 32)
	a, b := f.Make(Arg, W, 0), f.Make(Arg, W, 4)
	le := func(v Value, k int32) Value { return f.Cmp(LeS, v, f.Word(uint32(k))) }
	all := f.Truth(true)
	for _, c := range []Value{le(a, 7), le(b, 9), le(a, -3), f.Cmp(LtS, a, b), le(a, 5), le(b, 10)} {
		all = f.And(all, c)
	}
	got := f.Terms(f.And(all, f.And(le(a, -3), all)))
	slices.Sort(got)
	want := []Value{le(b, 9), le(a, -3), f.Cmp(LtS, a, b)}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v\n%s", got, want, f)
	}
}
