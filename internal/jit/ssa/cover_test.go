package ssa

import "testing"

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
		terms := f.terms(all)
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
