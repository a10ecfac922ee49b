package sem

// Results of 64 bits and less in 128-bit registers (tables 27 and 28, 9.4.1): a handler writes
// the low half as it writes a 64-bit register; the high half is then zeros, or the sign.

import "ptxvm.invalid/ptxvm/internal/machine"

// ExtendHigh makes the statement extend the low halves, rows at these offsets, to their high
// halves; such a statement never executes on scalar slots.
func (b *Build) ExtendHigh(lows []uint32, signed bool) {
	if len(lows) > 0 {
		b.Ext().High = &machine.High{Lows: lows, Signed: signed}
	}
}

func extendHigh(w *machine.Warp, in *machine.Inst) machine.State {
	st := in.Inner(w, in)
	if st == machine.Next {
		for _, off := range in.Ext.High.Lows {
			fillHigh(w.R64(off), w.R64(off+row64Bytes), w.Mask, in.Ext.High.Signed)
		}
	}
	return st
}

func fillHigh(lo, hi *[32]uint64, mask uint32, signed bool) {
	Each(mask, func(i int) {
		hi[i] = 0
		if signed {
			hi[i] = uint64(int64(lo[i]) >> 63)
		}
	})
}
