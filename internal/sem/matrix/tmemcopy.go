package matrix

// tcgen05.cp and tcgen05.shift, 9.7.16.9: single threads start them; they are ordered among
// themselves in the pipe of the CTA.

import (
	"encoding/binary"
	"fmt"
	"iter"
	"sync"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/machine/tmem"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/tensor"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// tensorCopyOp is the decode-time constant of tcgen05.cp [taddr], s-desc.
type tensorCopyOp struct {
	uop.Private
	tensor.Copy
	lanes  []uint8 // row after row, Copy.Times each: relative to that of the address
	last   int     // the highest of them
	format tensor.Format
	shift4 uint
	group  int
	desc   uint32 // row of descriptors
	kind   queue.TensorKind
}

// copyShapes by shape and multicast.
var copyShapes = map[[2]isa.Mod]*tensor.Copy{
	{isa.M_128x256b}:                    &tensor.Copy128x256b,
	{isa.M_128x128b}:                    &tensor.Copy128x128b,
	{isa.M_4x256b}:                      &tensor.Copy4x256b,
	{isa.M_64x128b, isa.M_warpx2_02_13}: &tensor.Copy64x128b02_13,
	{isa.M_64x128b, isa.M_warpx2_01_23}: &tensor.Copy64x128b01_23,
	{isa.M_32x128b, isa.M_warpx4}:       &tensor.Copy32x128b,
}

var copyFormats = map[isa.Mod]tensor.Format{isa.M_b6x16_p32: tensor.B6x16P32, isa.M_b4x16_p64: tensor.B4x16P64}

func planTensorCopy(b *sem.Build) {
	o := &tensorCopyOp{group: groupOf(b), format: copyFormats[b.Sel.Get(isa.C_src_fmt)], shift4: 2}
	o.Copy = *copyShapes[[2]isa.Mod{b.Sel.Get(isa.C_shape), b.Sel.Get(isa.C_multicast)}]
	if b.Assume(assume.Container4) == 1 {
		o.shift4 = 0
	}
	for row := range o.Rows {
		for time := range o.Times {
			o.lanes = append(o.lanes, uint8(o.Lane(row, time)))
		}
	}
	if o.kind = queue.TensorCopy; b.Sel.Has(isa.M_4x256b) {
		o.kind = queue.TensorCopyLanes
	}
	o.last = o.LastLane()
	o.desc = b.Src(&b.In.Ops[1], 64)
	tensorAddress(b)
	b.Ext().Data = o
	b.Does(uop.TensorCopy)
}

// memories returns the tensor memories that a statement works on, as many as its group has CTAs:
// the CTA's own, and that of its peer for cta_group::2.
func memories(w *machine.Warp, in *machine.Inst, group int) (mems [2]*tmem.Memory, st machine.State) {
	mems[0] = w.Tensor()
	if group == 2 {
		if mems[1] = w.PeerTensor(); mems[1] == nil {
			return mems, tensorFault(w, in, "cta_group::2: there is no peer CTA, or its threads have exited")
		}
	}
	return mems, machine.Next
}

func copyToTensor(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*tensorCopyOp)
	mems, st := memories(w, in, o.group)
	if st != machine.Next {
		return st
	}
	return sem.OneByOne(w, func(i int) machine.State {
		at, d := tensor.Addr(w.R32(in.A)[i]+uint32(in.Imm)), w.R64(o.desc)[i]
		if w.AsyncMode() == queue.Eager {
			return copyAtOnce(w, in, at, d, &mems)
		}
		return beginCopy(w, in, at, d, &mems)
	})
}

// beginCopy issues a copy.
func beginCopy(w *machine.Warp, in *machine.Inst, at tensor.Addr, d uint64, mems *[2]*tmem.Memory) machine.State {
	c := new(tensorCopy)
	if st := c.locate(w, in, at, d, mems); st != machine.Next {
		return st
	}
	return w.Issue(in, &machine.Op{
		Entry: queue.Entry{Pipe: queue.Tensor, Tensor: queue.TensorStep{Kind: c.kind}}, Proxy: model.AsyncProxy, Read: c.read, Write: c.write, Touches: c.touches,
	})
}

// spareCopies are records of copies that are done at once.
var spareCopies = sync.Pool{New: func() any { return new(tensorCopy) }}

// copyAtOnce is beginCopy in mode Eager, its fast path: nothing of the copy stays.
func copyAtOnce(w *machine.Warp, in *machine.Inst, at tensor.Addr, d uint64, mems *[2]*tmem.Memory) machine.State {
	c := spareCopies.Get().(*tensorCopy)
	st := c.locate(w, in, at, d, mems)
	if st == machine.Next {
		for p := range c.parts[:c.group] {
			c.parts[p].move(c)
		}
	}
	c.tensorCopyOp, c.parts = nil, [2]copyPart{} // a spare keeps nothing alive
	spareCopies.Put(c)
	return st
}

// tensorCopy is one copy: what it keeps while it is open. Source addresses are offsets in the
// shared memory of each CTA, the same in both.
type tensorCopy struct {
	*tensorCopyOp
	at    tensor.Addr
	from  []uint32    // of each unit
	start uint32      // offset in the window of the shared memory's first byte
	parts [2]copyPart // as many as the group has CTAs
	units [tensor.MaxUnits]uint32
}

// copyPart is the work in one CTA.
type copyPart struct {
	t      *tmem.Memory
	shared []byte
	data   [][16]byte
}

// locate makes c a copy of the statement, and checks address and descriptor in all CTAs before
// anything is copied.
func (c *tensorCopy) locate(w *machine.Warp, in *machine.Inst, at tensor.Addr, d uint64, mems *[2]*tmem.Memory) machine.State {
	c.tensorCopyOp, c.at = in.Ext.Data.(*tensorCopyOp), at
	m, err := tensor.Decode(d)
	switch {
	case err != nil:
		return descriptorFault(w, in, "%v", err)
	case m.Absolute && w.Launch().Target.Arch != 103:
		return descriptorFault(w, in, "matrix descriptor %#016x: bit 52 (the leading dimension is an address) is for sm_103a", d)
	case m.Absolute:
		return descriptorFault(w, in, "matrix descriptor %#016x: bit 52 (the leading dimension is an address) is for tcgen05.mma with K = 96; tcgen05.cp has no such reading", d)
	}
	c.from = c.Sources(&m, &c.units)
	for k, t := range mems[:c.group] {
		shared, start := w.SharedMemory(t.Rank())
		if unit, bad := outside(c.from, start, uint32(len(shared))); bad {
			return descriptorFault(w, in, "matrix descriptor %#016x (%v): row %d is read at offset %#x of shared memory, which has %#x to %#x",
				d, m, unit/c.Units, c.from[unit], start, start+uint32(len(shared))-1)
		}
		if err := c.check(t); err != nil {
			return tensorFault(w, in, "address %v: %v", c.at, err)
		}
		c.start = start
		c.parts[k] = copyPart{t: t, shared: shared}
	}
	return machine.Next
}

// outside finds a unit that does not lie in shared memory.
func outside(units []uint32, start, size uint32) (unit int, bad bool) {
	for i, x := range units {
		if x < start || x-start > size-16 || size < 16 {
			return i, true
		}
	}
	return 0, false
}

func descriptorFault(w *machine.Warp, in *machine.Inst, format string, args ...any) machine.State {
	return w.Fault(in, &machine.Fault{Kind: faults.BadDescriptor, Lanes: w.Mask, Text: fmt.Sprintf(format, args...)})
}

// check looks whether the destination is there. The lanes of a copy are counted from that of the
// address.
func (c *tensorCopy) check(t *tmem.Memory) error {
	return t.Check(c.at.Lane(), c.last+1, c.at.Column(), c.Columns())
}

// move copies at once: 16 bytes of shared memory, expanded or not, are 4 words in each of the
// lanes of a row. It is the fast path of read and write.
func (p *copyPart) move(c *tensorCopy) {
	words := p.t.From(c.at.Lane(), c.at.Column())
	lanes := c.lanes
	for i := 0; i < len(c.from); i += c.Units {
		for u, at := range c.from[i : i+c.Units] {
			src := (*[16]byte)(p.shared[at-c.start:])
			if c.format != tensor.Plain {
				expanded := c.format.Expand(src, c.shift4)
				src = &expanded
			}
			low, high := binary.LittleEndian.Uint64(src[:8]), binary.LittleEndian.Uint64(src[8:])
			for _, lane := range lanes[:c.Times] {
				dst := (*[4]uint32)(words[int(lane)*tensor.MaxColumns+4*u:])
				dst[0], dst[1], dst[2], dst[3] = uint32(low), uint32(low>>32), uint32(high), uint32(high>>32)
			}
		}
		lanes = lanes[c.Times:]
	}
}

// read fetches and decompresses the units.
func (p *copyPart) read(c *tensorCopy) {
	p.data = make([][16]byte, len(c.from))
	for i, at := range c.from {
		p.data[i] = c.format.Expand((*[16]byte)(p.shared[at-c.start:]), c.shift4)
	}
}

// write puts the units where they belong.
func (p *copyPart) write(c *tensorCopy) {
	for i := range p.data {
		row, u := i/c.Units, i%c.Units
		for _, lane := range c.lanes[row*c.Times : (row+1)*c.Times] {
			words := p.t.Row(c.at.Lane()+int(lane), c.at.Column()+4*u, 4)
			for k := range words {
				words[k] = binary.LittleEndian.Uint32(p.data[i][4*k:])
			}
		}
	}
}

func (c *tensorCopy) read(*machine.Op) *machine.Fault {
	for i := range c.parts[:c.group] {
		c.parts[i].read(c)
	}
	return nil
}

func (c *tensorCopy) write(*machine.Op) *machine.Fault {
	for i := range c.parts[:c.group] {
		if err := c.check(c.parts[i].t); err != nil {
			return stepFault(err)
		}
		c.parts[i].write(c)
	}
	return nil
}

// touches lists the units, neighbours together, and the lanes.
func (c *tensorCopy) touches(*machine.Op) iter.Seq2[machine.Extent, machine.AccessKind] {
	return func(yield func(machine.Extent, machine.AccessKind) bool) {
		for _, p := range c.parts[:c.group] {
			for i := 0; i < len(c.from); {
				n := 1
				for i+n < len(c.from) && c.from[i+n] == c.from[i]+uint32(16*n) {
					n++
				}
				from := uint64(c.from[i])
				if !yield(machine.Extent{Space: machine.Shared, CTA: p.t.Rank(), Lane: -1, From: from, To: from + uint64(16*n)}, machine.Load) {
					return
				}
				i += n
			}
			for _, lane := range c.lanes {
				if !yield(machine.TensorExtent(p.t, c.at.Lane()+int(lane), 1, c.at.Column(), c.Columns()), machine.Store) {
					return
				}
			}
		}
	}
}

// tensorShiftOp is the decode-time constant of tcgen05.shift.down [taddr].
type tensorShiftOp struct {
	uop.Private
	group int
	down  bool // rows go to higher lanes (U1)
	all   bool // in each group of 32 lanes (U2)
}

func planTensorShift(b *sem.Build) {
	o := &tensorShiftOp{group: groupOf(b)}
	o.down, o.all = b.Assume(assume.ShiftDirection) == 1, b.Assume(assume.ShiftLanes) == 1
	tensorAddress(b)
	b.Ext().Data = o
	b.Does(uop.TensorShift)
}

func shiftTensor(w *machine.Warp, in *machine.Inst) machine.State {
	o := in.Ext.Data.(*tensorShiftOp)
	mems, st := memories(w, in, o.group)
	if st != machine.Next {
		return st
	}
	return sem.OneByOne(w, func(i int) machine.State {
		s := &tensorShift{tensorShiftOp: o, at: tensor.Addr(w.R32(in.A)[i] + uint32(in.Imm)), mems: mems}
		if s.at.Lane()%32 != 0 {
			return tensorFault(w, in, "address %v: the lane of tcgen05.shift must be a multiple of 32", s.at)
		}
		for _, t := range mems[:o.group] {
			if err := s.check(t); err != nil {
				return tensorFault(w, in, "address %v: %v", s.at, err)
			}
		}
		return w.Issue(in, &machine.Op{Entry: queue.Entry{Pipe: queue.Tensor, Tensor: queue.TensorStep{Kind: queue.TensorShift}}, Proxy: model.AsyncProxy, Read: s.read, Write: s.write, Touches: s.touches})
	})
}

// tensorShift is one shift: rows of 8 words move by a lane inside groups of 32.
type tensorShift struct {
	*tensorShiftOp
	at   tensor.Addr
	mems [2]*tmem.Memory
	rows [][tensor.ShiftColumns]uint32
}

// span is the lanes that are touched.
func (s *tensorShift) span() (lane, lanes int) {
	if s.all {
		return 0, tensor.Lanes
	}
	return s.at.Lane(), 32
}

func (s *tensorShift) check(t *tmem.Memory) error {
	lane, lanes := s.span()
	return t.Check(lane, lanes, s.at.Column(), tensor.ShiftColumns)
}

func (s *tensorShift) read(*machine.Op) *machine.Fault {
	lane, lanes := s.span()
	for _, t := range s.mems[:s.group] {
		if err := s.check(t); err != nil {
			return stepFault(err)
		}
		for i := range lanes {
			from := lane + i&^31 + tensor.ShiftSource(i&31, tensor.ShiftGroup, s.down)
			s.rows = append(s.rows, [tensor.ShiftColumns]uint32(t.Row(from, s.at.Column(), tensor.ShiftColumns)))
		}
	}
	return nil
}

func (s *tensorShift) write(*machine.Op) *machine.Fault {
	lane, lanes := s.span()
	for k, t := range s.mems[:s.group] {
		if err := s.check(t); err != nil {
			return stepFault(err)
		}
		for i := range lanes {
			copy(t.Row(lane+i, s.at.Column(), tensor.ShiftColumns), s.rows[k*lanes+i][:])
		}
	}
	return nil
}

func (s *tensorShift) touches(*machine.Op) iter.Seq2[machine.Extent, machine.AccessKind] {
	return func(yield func(machine.Extent, machine.AccessKind) bool) {
		lane, lanes := s.span()
		for _, t := range s.mems[:s.group] {
			x := machine.TensorExtent(t, lane, lanes, s.at.Column(), tensor.ShiftColumns)
			if !yield(x, machine.Load) || !yield(x, machine.Store) {
				return
			}
		}
	}
}
