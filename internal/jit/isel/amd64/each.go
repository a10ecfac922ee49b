package amd64

import (
	"math"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has accesses lane by lane, in ascending order: addresses and values are in the frame, and all are tested
// before the first is made.

// storeTested makes a store that tests itself.
func (s *selector) storeTested(e *ssa.Effect) { s.storeLanes(e, true) }

func (s *selector) storeLanes(e *ssa.Effect, test bool) {
	at := s.addresses(e)
	areas := []touch{at.reads()}
	for k, v := range e.Args {
		n := s.vectorsOf(s.lanesIn(), s.f.TypeOf(v))
		values := s.area(fValues+256*k, s.isa.bytes()*n)
		for i := range n {
			s.storeArea(values, s.isa.bytes()*i, s.part(v, i))
		}
		areas = append(areas, values.reads())
	}
	s.each(e, test, areas)
}

// addresses puts the device addresses of all lanes into the frame.
func (s *selector) addresses(e *ssa.Effect) *area {
	lanes := s.area(fLanes, 8*s.lanesIn())
	of := s.addressesOf(e)
	for i := range s.vectorsOf(s.lanesIn(), ssa.X) {
		s.storeArea(lanes, s.isa.bytes()*i, of(i))
	}
	return lanes
}

// addressesOf makes the device addresses of the lanes of each vector.
func (s *selector) addressesOf(e *ssa.Effect) func(i int) isel.VReg {
	all := s.spread(s.firstAddress(e), ssa.X)
	return func(i int) isel.VReg {
		if e.Access.Index != 0 {
			return s.vector(x86.VPADDQ, all, s.part(e.Access.Index, i))
		}
		return s.vector(x86.VPADDQ, all, s.steps64(i, e.Access.Step))
	}
}

// plus is an address and a constant.
func (s *selector) plus(r isel.VReg, k int64) isel.VReg {
	if k >= math.MinInt32 && k <= math.MaxInt32 {
		return s.emitALU(x86.ADD, x86.S64, k, r)
	}
	return s.emitALU(x86.ADD, x86.S64, 0, r, s.number(uint64(k)))
}

// each makes a store for the lanes that are on.
func (s *selector) each(e *ssa.Effect, test bool, areas []touch) {
	a := e.Access
	types := make([]ssa.Type, a.Count)
	for k := range types {
		types[k] = s.f.TypeOf(e.Args[k])
	}
	var t tested
	if test {
		t = s.tested(a.Bounds, a.Bytes(), true, max(a.Align, 1))
	}
	run := func(c *code) {
		if test {
			c.testLanes(&t)
		}
		c.eachLane(e, types)
	}
	i := s.perform("lanes", run, s.temps(4, 0), s.lanesOn(e.Mask))
	i.Op.(*op).areas = areas
	if test {
		s.exit(i, e.State, e.PC+1)
	}
}

// testLanes leaves if the address of a lane of use 0 is outside.
func (c *code) testLanes(t *tested) {
	c.eachBit(c.u(0), c.t(0), c.t(1), func() {
		c.RM(x86.MOV, x86.S64, c.t(2), x86.AtIndex(x86.RSP, c.t(1), 8, fLanes))
		c.testAny(t, c.t(2), c.t(3), c.exit())
	})
}

// eachBit goes through the bits of a mask: left is changed, and lane has the number of each.
func (c *code) eachBit(mask, left, lane x86.Reg, do func()) {
	again, end := c.NewLabel(), c.NewLabel()
	c.RR(x86.MOV, x86.S32, left, mask)
	c.RR(x86.TEST, x86.S32, left, left)
	c.Jcc(x86.E, end)
	c.Bind(again)
	c.RR(x86.BSF, x86.S32, lane, left)
	do()
	c.RR(x86.BLSR, x86.S32, left, left)
	c.Jcc(x86.NE, again)
	c.Bind(end)
}

// eachLane stores for the lanes of use 0.
func (c *code) eachLane(e *ssa.Effect, types []ssa.Type) {
	a := e.Access
	c.eachBit(c.u(0), c.t(0), c.t(1), func() {
		c.RM(x86.MOV, x86.S64, c.t(2), x86.AtIndex(x86.RSP, c.t(1), 8, fLanes))
		for k, t := range types {
			at := x86.AtIndex(rGlobal, c.t(2), 1, int32(k)*int32(a.Elem)).By(ofTested)
			value, size := x86.AtIndex(x86.RSP, c.t(1), 4, int32(fValues+256*k)), x86.S32
			if t == ssa.X {
				value, size = x86.AtIndex(x86.RSP, c.t(1), 8, int32(fValues+256*k)), x86.S64
			}
			c.RM(x86.MOV, size, c.t(3), value)
			c.MR(x86.MOV, [9]x86.Size{1: x86.S8, 2: x86.S16, 4: x86.S32, 8: x86.S64}[a.Elem], at, c.t(3))
		}
	})
}

// loadOne loads from one address, if the mask has a lane.
func (s *selector) loadOne(e *ssa.Effect) {
	a := e.Access
	t := s.tested(a.Bounds, a.Bytes(), false, max(a.Align, 1))
	at := s.num(a.Base)
	if a.Disp != 0 {
		at = s.plus(at, a.Disp)
	}
	i := &isel.Inst{Uses: []isel.VReg{at}, Temps: s.temps(1, 0), Early: true}
	if _, known := s.f.Known(e.Mask); !known {
		i.Uses = append(i.Uses, s.any(e.Mask))
	}
	var loads []func(c *code)
	for k, v := range e.Results {
		if a.Bits[k] == 0 {
			continue
		}
		n := len(i.Defs)
		i.Defs = append(i.Defs, s.out.NewReg(isel.General))
		op, size := loadOp(a, s.f.TypeOf(v))
		loads = append(loads, func(c *code) {
			c.RM(op, size, c.g(n), x86.AtIndex(rGlobal, c.u(0), 1, int32(k)*int32(a.Elem)).By(ofTested))
		})
	}
	i.Op = &op{name: "load one", run: func(c *code) {
		end := c.NewLabel()
		for n := range i.Defs {
			c.MovImm(c.g(n), 0)
		}
		if len(i.Uses) > 1 {
			c.RR(x86.TEST, x86.S32, c.u(1), c.u(1))
			c.Jcc(x86.E, end)
		}
		c.testAny(&t, c.u(0), c.t(0), c.exit())
		for _, load := range loads {
			load(c)
		}
		c.Bind(end)
	}}
	s.emit(i)
	s.exit(i, e.State, e.PC+1)
	n := 0
	for k, v := range e.Results {
		if a.Bits[k] != 0 {
			s.note(key{v: v, kind: asNum}, i.Defs[n], s.block)
			n++
		}
	}
}
