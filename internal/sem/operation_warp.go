package sem

// Warp functions (9.7.9.6, 9.7.13.9 to 9.7.13.15) for engines that compile them.

import (
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
)

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

var warpModes = map[isa.Mod]WarpMode{
	isa.M_up: ShuffleUp, isa.M_down: ShuffleDown, isa.M_bfly: ShuffleBfly, isa.M_idx: ShuffleIdx,
	isa.M_all: VoteAll, isa.M_any: VoteAny, isa.M_uni: VoteUni,
}

// warpHandlers have the kinds of warp functions by handler; votes may share their code.
var warpHandlers = []struct {
	h    machine.Handler
	kind OperationKind
}{
	{shflModes[isa.M_up], OpShuffle}, {shflModes[isa.M_down], OpShuffle}, {shflModes[isa.M_bfly], OpShuffle}, {shflModes[isa.M_idx], OpShuffle},
	{voteModes[isa.M_any], OpVote}, {voteModes[isa.M_all], OpVote}, {voteModes[isa.M_uni], OpVote}, {ballot, OpBallot}, {matchAny, OpMatchAny}, {matchAll, OpMatchAll},
	{redux, OpRedux}, {elect, OpElect}, {activemask, OpActive}, {warpSync, OpWarpSync}, {nothing, OpNothing}, {fence, OpFence},
}

// warp fills in what a warp function uses.
func (op *Operation) warp(in *machine.Inst) {
	o, isWarp := in.Ext.Data.(*warpOp)
	if r, ok := in.Ext.Data.(*reduxData); ok {
		o, isWarp = &r.warpOp, true
		if op.Fn = r.f; r.float {
			op.Kind = OpOther
		}
	}
	if isWarp {
		op.Warp = WarpUse{o.sync, o.members, o.pair, o.flip, warpModes[in.Ext.Sel.Get(isa.C_mode)]}
	}
}
