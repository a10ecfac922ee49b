package machine

// This file shows the parts of a launch that waits at a moment: CTAs, warps, fragments, frames, barriers, open operations.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/machine/barriers"
	"ptxvm.invalid/ptxvm/internal/machine/mbarriers"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
	"ptxvm.invalid/ptxvm/internal/machine/tmem"
	"ptxvm.invalid/ptxvm/internal/machine/waits"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// CTAs lists those that have begun and have not ended, in the order of their linear indices. Of a cluster that waits for its turn
// before its first instruction nothing is known yet.
func (p *Pause) CTAs() (list []*CTA) {
	for _, cl := range p.moments.clusters {
		list = append(list, cl.ctas...)
	}
	slices.SortFunc(list, func(a, b *CTA) int { return cmp.Compare(a.rank, b.rank) })
	return list
}

// Frame is the frame that the instruction runs in.
func (p *Pause) Frame() *Frame { return p.Warp.frag.frame }

// CTA returns the CTA of a warp.
func (w *Warp) CTA() *CTA { return w.cta }

// ID is the CTA's %ctaid, Rank its linear index in the grid, ClusterRank that in its cluster.
func (c *CTA) ID() [3]uint32 { return c.id }

// Rank is the CTA's linear index in the grid.
func (c *CTA) Rank() uint64 { return c.rank }

// Tensor is the CTA's tensor memory.
func (c *CTA) Tensor() *tmem.Memory { return &c.tensor }

// ClusterIndex is the linear index of the CTA's cluster, as events name it.
func (c *CTA) ClusterIndex() uint64 { return c.cluster.rank }

// ClusterRank is the CTA's place in its cluster.
func (c *CTA) ClusterRank() uint32 { return c.crank }

// Warps are those of the CTA; of one that has ended Live is 0.
func (c *CTA) Warps() []*Warp { return c.warps }

// Memory is the shared memory of the CTA, and the address of its first byte in the shared window.
func (c *CTA) Memory() (bytes []byte, start uint32) { return c.sharedMemory(c.crank) }

// Peers are the CTAs of its cluster, itself among them, by rank.
func (c *CTA) Peers() []*CTA { return c.cluster.ctas }

// Thread is the %tid of a lane.
func (w *Warp) Thread(lane int) [3]uint32 { return w.cta.grid.Thread(w.index, lane) }

// Lanes are those that the warp has threads for.
func (w *Warp) Lanes() uint32 {
	if n := w.cta.grid.threads - 32*uint32(w.index); n < 32 {
		return 1<<n - 1
	}
	return ^uint32(0)
}

// FragmentState is where lanes of a warp stand.
type FragmentState struct {
	Lanes   uint32
	Frame   *Frame
	PC      int32
	Running bool            // the launch waits before this instruction
	Reason  string          // why they wait; empty: they can run
	Object  *mbarriers.Wait // that they wait for; nil: none
	Meets   *MeetingPoint   // the innermost place where they are to meet others; nil: there is none
}

// MeetingPoint is where the lanes that a branch or a call has parted meet again.
type MeetingPoint struct {
	Frame *Frame
	PC    int32  // before which they meet; -1: only if their pcs happen to agree
	Lanes uint32 // that are to meet
	There uint32 // of these, those that have come
}

// Fragments lists those of a warp by their first lanes.
func (p *Pause) Fragments(w *Warp) (list []FragmentState) {
	w.prepare()
	for m := w.used; m != 0; m &= m - 1 {
		list = append(list, p.fragment(w, &w.frags[first(m)]))
	}
	slices.SortFunc(list, func(a, b FragmentState) int { return first(a.Lanes) - first(b.Lanes) })
	return list
}

func (p *Pause) fragment(w *Warp, f *Fragment) FragmentState {
	s := FragmentState{Lanes: f.mask, Frame: f.frame, PC: f.pc}
	if w == p.Warp && f == w.frag {
		s.PC, s.Running = p.PC, true
	}
	if r := f.region; r != nil {
		s.Meets = &MeetingPoint{Frame: r.frame, PC: r.pc, Lanes: r.mask, There: r.joined}
	}
	switch {
	case s.Running, f.wait == waits.Nothing, f.woken:
	case f.wait == waits.Sibling:
		s.Reason = fmt.Sprintf("wait for lanes %08x at the point where they meet", f.region.mask&^f.region.joined)
	default:
		v := w.waiter(f)
		s.Reason, s.Object = v.Reason(), v.Object
	}
	return s
}

// Func is the function that the frame is a call of.
func (f *Frame) Func() *FuncInfo { return f.code.Func }

// Code is its decoded code.
func (f *Frame) Code() *Code { return f.code }

// Caller is the frame that has made the call, nil of a kernel, and CallPC the pc of the call in that.
func (f *Frame) Caller() *Frame { return f.caller }

// CallPC is the pc of the call in the caller's code.
func (f *Frame) CallPC() int32 { return f.join.pc - 1 }

// Depth is how many calls led to the frame.
func (f *Frame) Depth() int { return int(f.depth) }

// Locals are the offsets in local memory at which the frame's .param area and its local variables start.
func (f *Frame) Locals() (params, variables uint32) { return f.local, f.local + f.code.ParamBytes }

// Register reads a register of the frame, in code that has all of them in rows.
func (f *Frame) Register(r regs.Row) regs.Register { return f.regs.Register(r) }

// SetRegister writes a lane of a register: low, and of 128-bit ones high.
func (f *Frame) SetRegister(r regs.Row, lane int, low, high uint64) {
	f.regs.Put(r.Off, r.Width, lane, low)
	if r.Wide {
		f.regs.Put(r.Off+32*8, regs.Row64, lane, high)
	}
}

// SpecialAt reads a special register as a lane would at the moment; false if the machine does not have it.
func (p *Pause) SpecialAt(w *Warp, s *specials.Ref, lane int) (uint64, bool) {
	if s.Class() == specials.None {
		return 0, false
	}
	if w.frag == nil || len(w.insts) == 0 { // it has not run: its clock is that of the CTA
		w.frag, w.insts = &w.frags[0], w.root.code.Split
	}
	w.now = &w.insts[min(int(w.start), len(w.insts)-1)]
	if w == p.Warp {
		w.now = &w.insts[p.PC]
	}
	return specials.Read((*reader)(w), s.Reg, s.Comp, lane), true
}

// PeekLocal reads a word of a lane's local memory; what was never touched is 0.
func (w *Warp) PeekLocal(off uint32, lane int) uint32 {
	if c := off / localChunk; int(c) >= len(w.local.chunks) || w.local.chunks[c] == nil {
		return 0
	}
	return w.LocalRow(off)[lane]
}

// BarrierState is a barrier of a CTA at which warps or lanes have arrived.
type BarrierState struct {
	ID                uint8  // barriers.OfCluster: the barrier of the cluster
	Arrived, Expected uint32 // threads
	Waiting           uint64 // warps that wait there with all their lanes
	Gathering         []WarpAtBarrier
}

// WarpAtBarrier is a warp of which only some lanes have come.
type WarpAtBarrier struct {
	Warp    int
	Lanes   uint32
	Missing uint32
}

// Barriers lists the barriers of the CTA that are in use.
func (c *CTA) Barriers() (list []BarrierState) {
	for id := range c.bars {
		b := &c.bars[id]
		s := BarrierState{uint8(id), b.Arrived, b.Expects(c.alive), b.Waiting, c.gathering(uint8(id))}
		if s.Arrived != 0 || s.Gathering != nil {
			list = append(list, s)
		}
	}
	s := BarrierState{ID: barriers.OfCluster, Waiting: c.clusterBar.Waiting, Gathering: c.gathering(barriers.OfCluster)}
	if s.Arrived, s.Expected = c.cluster.arrivals(); s.Arrived != 0 || s.Gathering != nil {
		list = append(list, s)
	}
	return list
}

func (c *CTA) gathering(id uint8) (list []WarpAtBarrier) {
	for _, w := range c.warps {
		for i := range w.bars {
			if b := &w.bars[i]; b.ID == id && b.Lanes != 0 {
				list = append(list, WarpAtBarrier{int(w.index), b.Lanes, w.Live &^ b.Lanes})
			}
		}
	}
	return list
}

// MbarrierState is an mbarrier object of a CTA.
type MbarrierState struct {
	Addr              uint32 // in the CTA's shared window
	Phase             uint64 // that has not completed
	Pending, Expected uint32
	Tx                int32
}

// Mbarriers lists the objects that live, by address.
func (c *CTA) Mbarriers() (list []MbarrierState) {
	for addr, o := range c.mbarriers.All() {
		list = append(list, MbarrierState{addr & (mem.MaxShared - 1), o.Phase, o.Word.Pending(), o.Word.Expected(), o.Word.Tx()})
	}
	return list
}

// OpState is an asynchronous operation that is open.
type OpState struct {
	Place
	Pipe    queue.Pipe
	Done    string // the last of its steps that has happened: issued, read, written
	Touches []TouchState
}

// TouchState is memory that an operation reads or writes.
type TouchState struct {
	Extent
	Kind AccessKind
}

// OpenOps lists the open operations of a CTA, in the order in which they were issued; at most so many of the extents of each.
func (c *CTA) OpenOps(extents int) (list []OpState) {
	for _, op := range c.async.Open() {
		if op.cta != c {
			continue
		}
		s := OpState{Place: op.Place, Pipe: op.Pipe, Done: op.Done.String()}
		if op.Touches != nil {
			for x, kind := range op.Touches(op) {
				if len(s.Touches) == extents {
					break
				}
				s.Touches = append(s.Touches, TouchState{x, kind})
			}
		}
		list = append(list, s)
	}
	return list
}

// Codes lists the code of the kernel and of all functions that it may call.
func (p *Pause) Codes() []*Code {
	l := p.Warp.Launch()
	list := []*Code{l.Entry}
	for _, c := range l.Functions {
		list = append(list, c)
	}
	seen := map[*Code]bool{}
	for i := 0; i < len(list); i++ {
		c := list[i]
		if seen[c] {
			continue
		}
		seen[c] = true
		for k := range c.Split {
			if e := c.Split[k].Ext; e != nil && e.Call != nil && e.Call.Callee != nil {
				list = append(list, e.Call.Callee)
			}
		}
	}
	return slices.Collect(maps.Keys(seen))
}
