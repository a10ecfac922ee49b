package machine

// This file is what followers of values and of floating-point numbers (internal/dataflow) ask of a warp.

import (
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// Values follows the values of a launch (dataflow.Values); several workers call it at a time.
type Values interface {
	// Skip is called where the guard of an instruction holds in no lane; words is where the poison of the guard is.
	Skip(w *Warp, in *Inst, words uint32)
	// Moved tells that .param memory has been copied between frames: offsets in the warp's local memory.
	Moved(w *Warp, from, to, size, lanes uint32)
}

// Registers is the register block of the running frame.
func (w *Warp) Registers() regs.Block { return regs.Block{P: w.regs} }

// Active is the lanes that stand at the instruction, also those whose guard does not hold.
func (w *Warp) Active() uint32 { return w.frag.mask }

// FlowState is what Values, or Numbers, keeps beside a frame or a warp. The machine only drops it with them.
type FlowState interface{ FollowsValues() }

// FrameFlow is where Values keeps its state of the running frame; nil when the frame is new.
func (w *Warp) FrameFlow() *FlowState { return &w.frag.frame.flow }

// FrameRests tells that what leaves the shadows of the running frame empty need not be seen, from now on.
func (w *Warp) FrameRests() { w.frag.frame.rests = true }

// FrameRested reports whether it has been called.
func (w *Warp) FrameRested() bool { return w.frag.frame.rests }

// Flow is where Values keeps its state of the warp, from CTA to CTA of a launch.
func (w *Warp) Flow() *FlowState { return &w.flow }

// FrameEnd is the end of the running frame in local memory.
func (w *Warp) FrameEnd() uint32 { return w.frag.frame.end }

// Entry tells which registers of the running frame hold nothing when it begins.
func (w *Warp) Entry() []regs.Shadowed { return w.frag.frame.code.Unwritten }

// CTARank is the rank of the warp's CTA in its cluster.
func (w *Warp) CTARank() uint32 { return w.cta.crank }

// PlaceOf returns where lanes of the warp are.
func (w *Warp) PlaceOf(in *Inst, lanes uint32) Place {
	p := w.Place(in)
	p.Lanes, p.Thread = lanes, w.cta.grid.Thread(w.index, first(lanes))
	return p
}

// ExtentAt classifies the bytes at an address; local memory is an offset in it.
func (w *Warp) ExtentAt(space Space, addr, size uint64) Extent {
	if x, ok := w.extentOf(space, addr, size); ok {
		return x
	}
	if space == Generic {
		addr -= mem.LocalWindow
	}
	return Extent{Space: Local, Lane: -1, From: addr, To: addr + size}
}

// Looked is where Numbers keeps its state of the warp, from CTA to CTA of a launch.
func (w *Warp) Looked() *FlowState { return &w.looked }

// FrameKey tells the frames of a warp apart that are there at the same time.
func (w *Warp) FrameKey() any { return w.frag.frame }
