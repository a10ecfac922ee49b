package amd64

import (
	"encoding/binary"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has what rules ask for: registers of values, and instructions.

// words is a constant of words, wides one of numbers of 64 bits, again and again.
func words(k ...uint32) (c isel.Const) {
	for i := range len(c) / 4 {
		binary.LittleEndian.PutUint32(c[4*i:], k[i%len(k)])
	}
	return c
}

func wides(k ...uint64) (c isel.Const) {
	for i := range len(c) / 8 {
		binary.LittleEndian.PutUint64(c[8*i:], k[i%len(k)])
	}
	return c
}

// splat and splatX are constants in every lane.
func (s *selector) splat(k uint32) isel.VReg  { return s.out.Constant(isel.Vector, words(k)) }
func (s *selector) splatX(k uint64) isel.VReg { return s.out.Constant(isel.Vector, wides(k)) }

// number is a constant in a general register.
func (s *selector) number(k uint64) isel.VReg {
	var c isel.Const
	binary.LittleEndian.PutUint64(c[:], k)
	return s.out.Constant(isel.General, c)
}

// constant is a constant of a type in every lane.
func (s *selector) constant(t ssa.Type, k uint64) isel.VReg {
	switch t {
	case ssa.X:
		return s.splatX(k)
	case ssa.M:
		if s.isa.Has(Masks) {
			return s.out.Constant(isel.Mask, words(uint32(-int32(k))))
		}
		return s.splat(uint32(-int32(k)))
	}
	return s.splat(uint32(k))
}

// num is a number.
func (s *selector) num(v ssa.Value) isel.VReg {
	if k, ok := s.f.Known(v); ok {
		return s.number(k)
	}
	if !s.f.IsNum(v) {
		panic("BUG: lanes where a number is wanted")
	}
	if s.f.Ops[v].Code == ssa.Result {
		return s.loaded(v, 0)
	}
	return s.find(key{v: v, kind: asNum}, s.computeNumber)
}

// part is part i of a value in lanes.
func (s *selector) part(v ssa.Value, i int) isel.VReg {
	if k, ok := s.f.Known(v); ok {
		return s.constant(s.f.TypeOf(v), k)
	}
	if s.f.IsNum(v) {
		return s.find(key{v: v, kind: asPart}, s.broadcast)
	}
	if s.f.Info[v].Uni {
		i = 0
	}
	k := key{v, asPart, int16(i)}
	switch o := &s.f.Ops[v]; o.Code {
	case ssa.Result:
		return s.loaded(v, i)
	case ssa.Each:
		return s.table(o, i)
	case ssa.Strided:
		return s.strided(k, o)
	case ssa.Bcast:
		k.part = 0
	}
	return s.find(k, s.computeLanes)
}

// wide is part i of a mask for lanes of 64 bits.
func (s *selector) wide(v ssa.Value, i int) isel.VReg {
	if k, ok := s.f.Known(v); ok {
		return s.constant(ssa.M, k)
	}
	if s.f.Info[v].Uni {
		return s.part(v, 0)
	}
	if s.isa.Has(Masks) && i%2 == 0 { // the lowest bits
		return s.part(v, i/2)
	}
	return s.find(key{v, asWide, int16(i)}, func(k key) {
		if s.isa.Has(Masks) {
			s.note(k, s.highMask(s.part(v, i/2)), s.block)
			return
		}
		s.note(k, s.half(x86.VPMOVSXDQ, s.part(v, i/2), i%2), s.block)
	})
}

// half widens the low or the high half of a vector.
func (s *selector) half(code x86.Op, from isel.VReg, high int) isel.VReg {
	if high == 1 {
		if s.isa.Has(Masks) {
			return s.vector(code, s.imm(x86.VEXTRACTI64X4, 1, from))
		}
		from = s.imm(x86.VEXTRACTI128, 1, from)
	}
	return s.vector(code, from)
}

// broadcast puts a number into every lane. One that was not loaded so far is loaded there.
func (s *selector) broadcast(k key) {
	t := s.f.TypeOf(k.v)
	if e := s.loads[k.v]; e != nil && t == ssa.W && s.waits(e, k.v) && s.uses[k.v] == 1 && e.Access.Elem == 4 {
		s.note(k, s.load(x86.VBROADCASTSS, e, s.displacement(e, k.v, 0)), s.block)
		return
	}
	r := s.num(k.v)
	if t == ssa.M {
		r = s.negated(r)
		if t = ssa.W; s.isa.Has(Masks) {
			s.note(k, s.maskFrom(r), s.block)
			return
		}
	}
	s.note(k, s.spread(r, t), s.block)
}

// negated is a number less than nothing: of a truth value, all ones where it holds.
func (s *selector) negated(r isel.VReg) isel.VReg {
	return s.plain("neg", func(c *code) {
		c.move(c.g(0), c.u(0))
		c.R(x86.NEG, x86.S32, c.g(0))
	}, r)
}

// spread puts a number of a general register into every lane.
func (s *selector) spread(r isel.VReg, t ssa.Type) isel.VReg {
	if t == ssa.X {
		return s.run1("broadcastq", isel.Vector, func(c *code) {
			if c.inMemory(0) {
				c.VM(x86.VPBROADCASTQ, c.width(), c.v(0), c.at(0))
				return
			}
			if c.e.isa.Has(Masks) {
				c.VR(x86.VPBROADCASTQ, c.width(), c.v(0), c.u(0))
				return
			}
			c.VR(x86.VMOVQ, x86.W128, c.v(0), c.u(0))
			c.VV(x86.VPBROADCASTQ, x86.W256, c.v(0), c.v(0))
		}, r)
	}
	return s.run1("broadcastd", isel.Vector, func(c *code) {
		if c.inMemory(0) {
			c.VM(x86.VPBROADCASTD, c.width(), c.v(0), c.at(0))
			return
		}
		if c.e.isa.Has(Masks) {
			c.VR(x86.VPBROADCASTD, c.width(), c.v(0), c.u(0))
			return
		}
		c.VR(x86.VMOVD, x86.W128, c.v(0), c.u(0))
		c.VV(x86.VPBROADCASTD, x86.W256, c.v(0), c.v(0))
	}, r)
}

// strided is part of a number plus a constant for each lane: made where it is wanted, since it takes one instruction.
func (s *selector) strided(k key, o *ssa.Op) isel.VReg {
	if r, ok := s.look(k); ok {
		return r
	}
	base := s.f.Ops[k.v].A
	add, c := x86.VPADDD, isel.VReg(0)
	if o.Type == ssa.X {
		add, c = x86.VPADDQ, s.steps64(int(k.part), int64(o.Imm))
	} else {
		c = s.steps32(int(k.part), int64(o.Imm))
	}
	r := c
	if n, known := s.f.Known(base); !known || n != 0 {
		number, before := s.part(base, 0), s.because(cause{value: k.v, part: k.part})
		r = s.vector(add, number, c)
		s.because(before)
	}
	s.note(k, r, s.block)
	return r
}

// table is part i of a table of lanes.
func (s *selector) table(o *ssa.Op, i int) isel.VReg {
	n := s.isa.lanes(o.Type)
	part := s.f.Tables[o.Imm][n*i : n*i+n]
	if o.Type == ssa.X {
		return s.out.Constant(isel.Vector, wides(part...))
	}
	list, bits := make([]uint32, n), uint32(0)
	for lane, k := range part {
		if list[lane] = uint32(k); o.Type == ssa.M {
			list[lane], bits = -uint32(k), bits|uint32(k)<<lane
		}
	}
	if o.Type == ssa.M && s.isa.Has(Masks) {
		return s.out.Constant(isel.Mask, words(bits))
	}
	return s.out.Constant(isel.Vector, words(list...))
}

// steps32 is lane·step of vector i of words, steps64 of lanes of 64 bits.
func (s *selector) steps32(i int, step int64) isel.VReg {
	n := s.isa.lanes(ssa.W)
	list := make([]uint32, n)
	for lane := range list {
		list[lane] = uint32(step * int64(n*i+lane))
	}
	return s.out.Constant(isel.Vector, words(list...))
}

func (s *selector) steps64(i int, step int64) isel.VReg {
	n := s.isa.lanes(ssa.X)
	list := make([]uint64, n)
	for lane := range list {
		list[lane] = uint64(step * int64(n*i+lane))
	}
	return s.out.Constant(isel.Vector, wides(list...))
}

// vector is an instruction on vectors; the last use may be in memory.
func (s *selector) vector(code x86.Op, uses ...isel.VReg) isel.VReg {
	d := s.out.NewReg(isel.Vector)
	o := s.shared(s.isa.form(code), formV, 0)
	i := s.emit(s.out.NewInst(o, d, uses...))
	if i.Fold = int8(min(len(uses), 2)); code == x86.VPMOVDW { // what it has in memory is its result
		i.Fold = 0
	}
	return d
}

// imm is one with an immediate.
func (s *selector) imm(code x86.Op, imm int64, uses ...isel.VReg) isel.VReg {
	d := s.out.NewReg(isel.Vector)
	fold := len(uses)
	if code == x86.VEXTRACTI128 || code == x86.VEXTRACTI64X4 || code == x86.VCVTPS2PH || shiftByImmediate(code) {
		fold = 0
	}
	o := s.shared(code, formVI, imm)
	s.emit(s.out.NewInst(o, d, uses...)).Fold = int8(fold)
	return d
}

// shiftByImmediate reports whether an operation is a shift, which AVX2 does not have from memory.
func shiftByImmediate(code x86.Op) bool {
	switch code {
	case x86.VPSLLD, x86.VPSRLD, x86.VPSRAD, x86.VPSLLQ, x86.VPSRLQ:
		return true
	}
	return false
}

// run1 is an instruction that a function writes, with one result. Its last use may be in memory.
func (s *selector) run1(name string, c isel.Class, run func(c *code), uses ...isel.VReg) isel.VReg {
	d := s.out.NewReg(c)
	s.emit(s.out.NewInst(s.op(op{name: name, run: run}), d, uses...)).Fold = int8(len(uses))
	return d
}

// temps makes registers that an instruction changes.
func (s *selector) temps(general, vector int) []isel.VReg {
	var list [9]isel.VReg
	for i := range general + vector {
		c := isel.General
		if i >= general {
			c = isel.Vector
		}
		list[i] = s.out.NewReg(c)
	}
	return s.out.List(list[:general+vector]...)
}

// shared is an operation of vectors alone. Many instructions do the same: they have it together where one of the last
// ones did it.
func (s *selector) shared(code x86.Op, f form, imm int64) *op {
	last := &s.last[(uint(code)+uint(imm))%uint(len(s.last))]
	if o := *last; o == nil || o.code != code || o.form != f || o.imm != imm {
		*last = s.op(op{code: code, form: f, size: uint8(s.isa.width), has: f == formVI, imm: imm})
	}
	return *last
}

// op keeps what an instruction does.
func (s *selector) op(o op) *op {
	kept := &s.ops.Take(1)[0]
	*kept = o
	return kept
}
