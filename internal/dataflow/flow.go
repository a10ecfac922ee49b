// Package dataflow says what instructions do to values, for those who follow them from register to register: which bits
// nothing has written, where a pointer points (Flow), what becomes of floating-point numbers (Arithmetic). internal/observe makes
// it of decoded code, internal/san/flow and numbers go by it.
package dataflow

// This file is where those look on who follow values through registers: code of launches with Values has, outside of
// everything else, a wrapper that passes each instruction with its Flow on.
//
// A register has a shadow in its frame's block: which of its bits nothing has written (poison) and which object a lane's
// value points to (its tag). The frame begins with both zero.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// Values follows the values of a launch; several workers call it at a time.
type Values interface {
	machine.Values // which the machine calls by itself
	// Step runs an instruction for the lanes in w.Mask and moves the shadows of its registers. Where FrameRests has been
	// called, it does not see what depends on registers without shadows and leaves others so.
	Step(w *machine.Warp, in *machine.Inst, f *Flow, run machine.Handler) machine.State
}

// FlowRule says how the shadow of a result follows from those of the sources.
type FlowRule uint8

// The rules of values.
const (
	FlowNew     FlowRule = iota // results have nothing to do with what is followed
	FlowAll                     // any unwritten bit of a source makes its element of the result unwritten
	FlowBitwise                 // bit by bit: Fn, whose sources are changed where they are unwritten
	FlowLinear                  // bits only move: Fn of the poison of the Data sources
	FlowCarry                   // what is at or above the lowest unwritten bit
	FlowEqual                   // comparison for equality of whole numbers
	FlowOrder                   // comparison of whole numbers
	FlowTest                    // any other comparison
	FlowLogic                   // of predicates, by Word
	FlowSelect                  // the third source chooses
	FlowUnpack                  // parts of Elem bits
	FlowPieces                  // the results, end to end, are the sources of Elem bits, end to end
	FlowLoad
	FlowStore
	FlowAtomic
	FlowShuffle
	FlowRuntime // a call that the runtime answers
)

// FlowTags says how pointers pass.
type FlowTags uint8

// The rules of tags.
const (
	TagsUnknown FlowTags = iota // a result of pointers points nowhere that is known
	TagsCopy                    // of the Data sources
	TagsAdd                     // a pointer and a number
	TagsSub                     // less a number
	TagsNear                    // a pointer and a number, if the result is near the pointer
	TagsSymbol                  // Sym
	TagsAlloca                  // a new piece of the stack
)

// FlowArg is a source.
type FlowArg struct {
	regs.Shadowed
	At   uint32 // its row or predicate, also of a constant
	Wide bool   // 64 bits
	Pred bool
	Flip bool // a predicate that is negated
	Data bool // FlowLinear, TagsCopy
	Mask uint64
	Sym  *FlowSym // it is the address of a variable
}

// FlowSym is a variable.
type FlowSym struct {
	Space    machine.Space // Global, Const, Shared, Local
	Name     string
	From, To uint64 // Local: offsets in the depot
}

// FlowMem is what a load, store or atomic operation accesses: elements of Elem bytes at consecutive addresses.
type FlowMem struct {
	Space   machine.Space
	Kind    machine.AccessKind
	Elem    uint32
	Signed  bool
	Regs    []regs.Shadowed // of the elements: destinations of a load, sources of a store; none for constants and sinks
	Rows    []FlowArg       // store: where the values are
	Base    regs.Shadowed   // of the address
	Sym     *FlowSym        // the variable that the address names
	Resolve func(w *machine.Warp, addr *[32]uint64)
	One     func(w *machine.Warp) uint64 // the address of all lanes; nil: each has its own, or its own memory
	Kernel  bool                         // of the kernel's parameters
	Swaps   bool                         // atomic: the old value goes out whole, the new one in
}

// Flow is what an instruction does to values. It is shared and never written.
type Flow struct {
	Rule    FlowRule
	Tags    FlowTags
	Elem    uint32 // bits of an element: FlowAll, FlowCarry, FlowUnpack
	Signed  bool   // FlowOrder
	Dst     []regs.Shadowed
	Args    []FlowArg
	Fn      func(x *[4]uint64) uint64 // of a lane
	Word    uop.WordOp                // FlowLogic, comparisons: how it goes together with With
	With    *FlowArg                  // comparisons: a predicate
	Shuffle func(w *machine.Warp, in *machine.Inst, lane int) (from int, ok bool)
	Mem     *FlowMem
	Decides []regs.Shadowed // addresses, masks and counts of what is no calculation
	Guard   regs.Shadowed
	Acts    bool   // what it does shows outside of its registers: a guard decides
	Returns uint32 // FlowRuntime: 1 + offset in the .param area of what it returns
	Bytes   uint32 // of that: 8 are an address

	// Set by Flows: where what the rule depends on has its words, registers and predicates.
	Words, Preds []uint32
	// Plain tells that results follow from registers and addresses of variables, and are written and no pointers where all of
	// those are.
	Plain   bool
	Symbols bool // some source is the address of a variable

	touched, touchedPreds []uint32 // Words and Preds, and those of the results
	resting               bool     // where all of these are 0, so they stay
}

// summarise finds what Flow says in short.
func (f *Flow) summarise() {
	add := func(r regs.Shadowed) {
		switch {
		case r.Words == 0:
		case r.Width == regs.Pred:
			f.Preds = append(f.Preds, r.Words)
		default:
			f.Words = append(f.Words, r.Words)
		}
	}
	f.Plain = f.Mem == nil && f.Returns == 0 && f.Rule != FlowRuntime && f.Tags != TagsAlloca
	for i := range f.Args {
		add(f.Args[i].Shadowed)
		f.Symbols = f.Symbols || f.Args[i].Sym != nil
	}
	if f.With != nil {
		add(f.With.Shadowed)
	}
	for _, r := range f.Decides {
		add(r)
	}
	if f.Mem != nil {
		add(f.Mem.Base)
	}
	add(f.Guard)
	f.rest()
}

// rest finds out where there is nothing to do. What is copied may be a pointer by its value alone.
func (f *Flow) rest() {
	f.touched, f.touchedPreds = slices.Clone(f.Words), slices.Clone(f.Preds)
	f.resting = f.Plain && !f.Symbols
	for _, d := range f.Dst {
		switch {
		case d.Words == 0:
		case d.Width == regs.Pred:
			f.touchedPreds = append(f.touchedPreds, d.Words)
		default:
			f.touched = append(f.touched, d.Words)
			f.resting = f.resting && (f.Tags != TagsCopy || d.Width != regs.Row64)
		}
	}
}

// rests reports whether there is nothing to do.
func (f *Flow) rests(w *machine.Warp) bool {
	return f.resting && w.FrameRested() && w.Registers().Any(f.touched, f.touchedPreds) == 0
}

// Shadows is all words of what the rule depends on, one in another: poison below, tags above.
func (f *Flow) Shadows(w *machine.Warp) (any uint64) {
	return w.Registers().Any(f.Words, f.Preds)
}

// Flows wraps a decoded instruction.
func Flows(in *machine.Inst, f *Flow) {
	f.summarise()
	wrap := func(run machine.Handler) machine.Handler {
		return func(w *machine.Warp, in *machine.Inst) machine.State {
			if f.rests(w) {
				return run(w, in)
			}
			return w.Launch().Values.(Values).Step(w, in, f, run)
		}
	}
	if f.Guard.Words != 0 && f.Acts {
		in.Flags |= machine.TellsSkips | machine.FollowsGuard
	}
	in.Full, in.Part = wrap(in.Full), wrap(in.Part)
}
