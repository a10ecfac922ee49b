package eval

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// This file goes from warp to warp and from CTA to CTA (machine/nativebatch.go). In each pass the warps that can run have their turn, in
// ascending order, until they wait or end; where no warps wait the machine begins the next pass.

// beginCTA makes all warps of the CTA ones that are to run.
func (r *run) beginCTA() {
	b := &r.s.Batch
	b.Later, b.Alive, b.Waiting, b.Moved = b.All, b.All, 0, 0
}

// turn chooses the next warp of the pass, or of the next one.
func (r *run) turn() bool {
	b := &r.s.Batch
	r.runs = false
	if b.Later == 0 {
		on := b.Alive &^ b.Waiting
		if !r.f.Waits || on == 0 || b.Passed >= b.PassLimit || b.Moved == 0 {
			return false
		}
		b.Passed++
		b.Later, b.Moved = on, 0
	}
	if r.steps > b.Budget {
		return false
	}
	r.warp = bits.TrailingZeros32(b.Later)
	w := r.warpOf()
	if w.At == abi.ByOut {
		return false
	}
	b.Later &= b.Later - 1
	r.runs, r.looped, r.items = true, false, 0
	r.fuel, r.fuel0, r.steps0, r.ops0 = w.Fuel, w.Fuel, r.steps, r.ops
	r.forget(2)
	return true
}

// next gives an effect that goes on to a warp its results: whether there is one, its number, where there are more ctaid, and its entry.
func (r *run) next(e *ssa.Effect, is bool) {
	list := []uint64{bit(is), 0}
	entry := uint64(0)
	if is {
		list[1] = uint64(r.warp)
		if at := r.warpOf().At; at >= abi.ByBarrier {
			entry = uint64(at - abi.ByBarrier)
		}
	}
	n := len(e.Results)
	if r.f.Waits {
		n--
	}
	list = append(list, r.s.Batch.Place[:n-2]...)
	if r.f.Waits {
		list = append(list, entry)
	}
	r.results(e, list...)
}

func (r *run) begin(e *ssa.Effect) {
	r.runs = false
	r.next(e, r.s.Batch.Later != 0 && r.turn())
}

// endWarp ends the running warp, which is to begin again with the next CTA.
func (r *run) endWarp(e *ssa.Effect) {
	b, w := &r.s.Batch, r.warpOf()
	w.At, w.Fuel, w.Mask = abi.ByStart, b.Turn, w.Lanes
	b.Alive &^= 1 << r.warp
	b.Moved = 1
	if b.Waiting != 0 && b.Waiting == b.Alive {
		r.release()
	}
	r.next(e, r.turn())
}

// release lets the warps go on that wait: those behind the running one in this pass.
func (r *run) release() {
	b := &r.s.Batch
	b.Later |= b.Waiting & (^uint32(1) << r.warp)
	b.Waiting = 0
}

// endCTA begins the next CTA, if all warps of this one have ended and there is one.
func (r *run) endCTA(e *ssa.Effect) {
	b := &r.s.Batch
	if b.Later|b.Alive != 0 || r.steps > b.Rest || b.CTAs == 0 {
		r.runs = false
		r.next(e, false)
		return
	}
	b.CTAs--
	b.Done++
	b.Began, b.Passed, b.PassLimit = r.steps, 1, b.Slice
	clear(r.shared())
	r.nextPlace()
	r.beginCTA()
	r.forget(1)
	r.next(e, r.turn())
}

// nextPlace is the next CTA of the grid, on the next multiprocessor.
func (r *run) nextPlace() {
	b := &r.s.Batch
	if b.Place[3]++; b.Place[3] >= b.SMs {
		b.Place[3] = 0
	}
	for i := range b.Place[:3] {
		if b.Place[i]++; i == 2 || b.Place[i] < b.Grid[i] {
			return
		}
		b.Place[i] = 0
	}
}

// barrier lets the running warp wait, unless it is the last to come. Where others wait at another one it leaves.
func (r *run) barrier(e *ssa.Effect) {
	b, w := &r.s.Batch, r.warpOf()
	if r.forced(e.State) || b.Waiting != 0 && int64(b.Barrier) != e.N {
		r.exit(e.State)
		return
	}
	r.toHomes(e.Homes)
	b.Barrier = int32(e.N)
	if b.Waiting|1<<r.warp == b.Alive {
		r.release()
		r.results(e, 1)
		return
	}
	w.At, w.PC, w.Fuel = abi.ByBarrier+uintptr(e.Entry), e.PC, r.fuel
	b.Waiting |= 1 << r.warp
	b.Moved = 1
	r.results(e, 0)
}

// finish tells the machine what has been counted and which warp runs.
func (r *run) finish() {
	b := &r.s.Batch
	r.s.Steps += r.steps
	r.s.Ops += r.ops
	b.Warp, b.Current = r.warpAt(), uint32(bit(r.runs))<<r.warp
}
