package sem

// Warp functions (9.7.9.6, 9.7.13.9 to 9.7.13.15) for engines that compile them.

import "ptxvm.invalid/ptxvm/internal/uop"

// WarpUse describes a warp function: the lanes that execute it, with those of their member masks, are
// the peers. D and A are rows, or predicates in votes.
type WarpUse struct {
	Sync    bool   // Members holds; without it the executing lanes are the peers
	Members uint32 // row of member masks
	Pair    uint32 // predicate p of d|p
	Flip    uint32 // votes: all ones if the source predicate is negated
	Mode    WarpMode
}

// WarpMode is how a shuffle finds its source lanes, or what a vote asks.
type WarpMode uint8

// The modes.
const (
	ShuffleUp WarpMode = iota
	ShuffleDown
	ShuffleBfly
	ShuffleIdx
	VoteAll
	VoteAny
	VoteUni
)

// warp fills in what a warp function uses.
func (op *Operation) warp(o *uop.Warp) {
	if op.Fn = o.Fn; o.Float {
		op.Kind = OpOther
	}
	op.Warp = WarpUse{o.Sync, o.Members, o.Pair, o.Flip, op.Warp.Mode}
}
