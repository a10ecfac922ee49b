package machine

// This file holds the local memory of a warp: one address space of words [word][lane], so that
// the same address in every lane is one row.

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/machine/passing"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
)

// localMemory is in chunks, made when they are touched. All words of an aligned access of up
// to 32 bytes lie in one chunk.
type localMemory struct {
	chunks []rowBase // the first of them are the room of Code.LocalRoom
}

// localChunk is the bytes per lane of a chunk; 32 times as many are allocated.
const localChunk = 1024

// MaxLocalRoom is the most that Code.LocalRoom may be, since warps that begin have it cleared.
const MaxLocalRoom = 16 * localChunk

// LocalRoomFor is Code.LocalRoom of variables that end at an offset; 0 if they are too many.
func LocalRoomFor(end uint32) uint32 {
	if end > MaxLocalRoom {
		return 0
	}
	return (end + localChunk - 1) / localChunk * localChunk
}

// noCTA is Warp.localOf where no CTA owns what is in the warp's local memory.
const noCTA = ^uint64(0)

// wordStride is the distance of consecutive words of one lane.
const wordStride = 128

// localWord returns the address of lane 0's word at a byte offset of local memory.
func (w *Warp) localWord(off uint32) rowBase {
	c := off / localChunk
	if int(c) >= len(w.local.chunks) || w.local.chunks[c] == nil {
		w.touchLocal(c)
	}
	return unsafe.Add(w.local.chunks[c], off%localChunk/4*wordStride)
}

// touchLocal makes a chunk of zeros.
func (w *Warp) touchLocal(c uint32) {
	for len(w.local.chunks) <= int(c) {
		w.local.chunks = append(w.local.chunks, nil)
	}
	w.local.chunks[c] = w.core.memory.Chunk(32 * localChunk)
}

// takeRoom makes the room behind the kernel's register block the warp's local memory.
func (w *Warp) takeRoom() {
	c := w.root.code
	if c.Insts == nil {
		return
	}
	w.localOf = noCTA
	for at := uint32(0); at < c.LocalRoom; at += localChunk {
		w.local.chunks = append(w.local.chunks, unsafe.Add(w.root.regs.P, c.FrameBytes+32*at))
	}
}

// clearLocal ends the local memory of a warp. Its room stays, and is cleared when it is owned again.
func (w *Warp) clearLocal() {
	w.localOf = noCTA
	if len(w.local.chunks) == 0 { // as of most kernels: nothing else is looked at
		return
	}
	kept := w.local.chunks[:w.root.code.LocalRoom/localChunk]
	for i, p := range w.local.chunks[len(kept):] {
		if p != nil {
			w.core.memory.GiveChunk(p)
		}
		w.local.chunks[len(kept)+i] = nil
	}
	w.local.chunks = kept
}

// ownLocal ends what the warp's local memory holds of another CTA.
func (w *Warp) ownLocal() {
	if w.localOf == w.cta.rank {
		return
	}
	w.clearLocal()
	if len(w.local.chunks) != 0 {
		regs.Block{P: w.local.chunks[0]}.Clear(32 * w.root.code.RoomUsed)
	}
	w.localOf = w.cta.rank
}

// LocalRow returns the row of 32-bit words at a byte offset of the warp's local memory. The
// words of wider elements follow in the next rows.
func (w *Warp) LocalRow(off uint32) *[32]uint32 { return (*[32]uint32)(w.localWord(off &^ 3)) }

// ParamRow returns the row of words at a byte offset of the running frame's .param area.
func (w *Warp) ParamRow(off uint32) *[32]uint32 { return w.LocalRow(w.frag.frame.local + off) }

// LocalBase returns the offset in local memory at which the running frame's local depot starts.
// The generic address is mem.LocalWindow + offset.
func (w *Warp) LocalBase() uint32 { return w.frag.frame.local + w.frag.frame.code.ParamBytes }

// ParamBase returns the offset in local memory at which the running frame's .param area starts.
func (w *Warp) ParamBase() uint32 { return w.frag.frame.local }

// Stack returns the stack pointers of the running frame's lanes, as offsets in local memory
// (9.7.17 stacksave, stackrestore, alloca).
func (w *Warp) Stack() *[32]uint32 {
	f := w.frag.frame
	if !f.moved {
		f.moved = true
		for i := range f.sp {
			f.sp[i] = f.end
		}
	}
	return &f.sp
}

// StackLimit returns the bytes of local memory that a thread may have.
func (w *Warp) StackLimit() uint32 { return w.cta.grid.stackLimit }

// laneWord returns the address of a byte of one lane's local memory.
func (w *Warp) laneWord(off uint32, lane int) rowBase {
	return unsafe.Add(w.localWord(off), uint32(lane)*4+off%4)
}

// moveAll passes parameters between a caller and a callee.
func (w *Warp) moveAll(moves []passing.Move, from, to *Frame, lanes uint32) {
	for i := range moves {
		w.moveOne(&moves[i], from, to, lanes)
	}
}

// tellMoved tells those who look at numbers of a parameter that has been copied.
func (w *Warp) tellMoved(n Numbers, m *passing.Move, from, to *Frame, lanes uint32) {
	switch m.Kind {
	case passing.Memory:
		n.Moved(w, Spot{At: from.local + m.From}, Spot{At: to.local + m.To}, m.Size, lanes)
	case passing.Row32, passing.Row64:
		n.Moved(w, Spot{from, m.From}, Spot{to, m.To}, 0, lanes)
	}
}

// handOver copies parameters from where one frame has them to where the other wants them.
func (w *Warp) handOver(have, want []passing.Home, from, to *Frame, lanes uint32) {
	for m := range passing.Moves(have, want) {
		w.moveOne(&m, from, to, lanes)
	}
}

func (w *Warp) moveOne(m *passing.Move, from, to *Frame, lanes uint32) {
	switch m.Kind {
	case passing.Memory:
		for k := uint32(0); k < m.Size; k += 4 {
			blend32(w.LocalRow(to.local+m.To+k), w.LocalRow(from.local+m.From+k), lanes)
		}
		if v := w.cta.grid.Values; v != nil {
			v.Moved(w, from.local+m.From, to.local+m.To, m.Size, lanes)
		}
		if t := w.cta.grid.Trace; t != nil && t.Moved != nil {
			t.Moved(w, from.local+m.From, to.local+m.To, m.Size, lanes)
		}
	case passing.Row32:
		blend32(to.regs.Row32(m.To), from.regs.Row32(m.From), lanes)
	case passing.Row64:
		blend64(to.regs.Row64(m.To), from.regs.Row64(m.From), lanes)
	case passing.Row128:
		blend64(to.regs.Row64(m.To), from.regs.Row64(m.From), lanes)
		blend64(to.regs.Row64(m.To+256), from.regs.Row64(m.From+256), lanes)
	case passing.Pred:
		d := to.regs.Word(m.To)
		*d = *d&^lanes | *from.regs.Word(m.From)&lanes
	}
	if n := w.cta.grid.Numbers; n != nil {
		w.tellMoved(n, m, from, to, lanes)
	}
}

func blend32(d, s *[32]uint32, lanes uint32) {
	if lanes == ^uint32(0) {
		*d = *s
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		d[first(m)] = s[first(m)]
	}
}

func blend64(d, s *[32]uint64, lanes uint32) {
	if lanes == ^uint32(0) {
		*d = *s
		return
	}
	for m := lanes; m != 0; m &= m - 1 {
		d[first(m)] = s[first(m)]
	}
}

// OwnsLocal reports whether the executing lanes have all of some bytes of local memory: in the .param area and
// the depot of one frame on their call chain, or on its stack, up to the stack pointer (9.7.17).
func (w *Warp) OwnsLocal(off uint64, size uint32) bool { return w.lanesOwn(off, size, w.Mask) }

func (w *Warp) lanesOwn(off uint64, size uint32, lanes uint32) bool {
	f := w.frag.frame
	for f != nil && off < uint64(f.local) {
		f = f.caller
	}
	return f != nil && f.holds(off, off+uint64(size), lanes)
}

// holds reports whether bytes at or above the frame's start lie in its variables, or on its stack in each of some lanes.
func (f *Frame) holds(from, to uint64, lanes uint32) bool {
	if to <= f.variablesEnd() && to > from {
		return true
	}
	if !f.moved || from < uint64(f.end) || to <= from {
		return false
	}
	for m := lanes; m != 0; m &= m - 1 {
		if to > uint64(f.sp[first(m)]) {
			return false
		}
	}
	return true
}

// variablesEnd is the end of the frame's depot.
func (f *Frame) variablesEnd() uint64 {
	return uint64(f.local) + uint64(f.code.ParamBytes) + uint64(f.code.LocalBytes)
}

// localExtent is what a fault says of local memory: where the depot of the running frame starts and ends, or
// its stack where the lane has one.
func (w *Warp) localExtent(lane int) (start, end uint64) {
	f := w.frag.frame
	start, end = uint64(w.LocalBase()), f.variablesEnd()
	if f.moved {
		end = max(end, uint64(f.sp[lane]))
	}
	return start, end
}
