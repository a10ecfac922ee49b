package amd64

import (
	"encoding/binary"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/unit"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file looks words up in tables: by AVX-512 a table is a permutation of pairs of registers, by AVX2 it is gathered from behind the code.

// lookup is vector i of words of a table.
func (s *selector) lookup(o *ssa.Op, i int) isel.VReg {
	list := unit.Table(o.Imm).Words()
	if s.isa.Has(Masks) {
		return s.lookup512(list, s.wholeIndex(o.A, len(list)), i)
	}
	index := s.part(o.A, i)
	if s.f.Limit(o.A) >= uint64(len(list)) {
		index = s.vector(x86.VPAND, index, s.splat(uint32(len(list)-1)))
	}
	return s.fromTable(list, index)
}

// fromTable gathers words of a table by indices below its length.
func (s *selector) fromTable(list []uint32, index isel.VReg) isel.VReg {
	var row []byte
	for _, v := range list {
		row = binary.LittleEndian.AppendUint32(row, v)
	}
	d := s.out.NewReg(isel.Vector)
	run := func(c *code) {
		w := c.width()
		c.RM(x86.LEA, x86.S64, c.t(0), c.ConstRow(row, 64))
		c.VVV(x86.VPCMPEQD, w, c.tv(1), c.tv(1), c.tv(1))
		c.VVV(x86.VPXOR, w, c.v(0), c.v(0), c.v(0)) // no lane of the result waits for what was there
		c.VMV(x86.VPGATHERDD, w, c.v(0), x86.AtVec(c.t(0), c.uv(0), 4, 0).By(ofTable), c.tv(1))
	}
	s.emit(&isel.Inst{Op: s.op(op{name: "lookup", run: run}), Defs: []isel.VReg{d}, Uses: []isel.VReg{index},
		Temps: s.temps(1, 1), Early: true})
	return d
}

// wholeIndex is an index without a mask that keeps the bits by which tables of a length are read.
func (s *selector) wholeIndex(v ssa.Value, length int) ssa.Value {
	if o := &s.f.Ops[v]; o.Code == ssa.And {
		if k, ok := s.f.Known(o.B); ok && int(k)&(length-1) == length-1 {
			return o.A
		}
	}
	return v
}

// lookup512 permutes pairs of registers by the low 5 bits of the index, and chooses one by each bit above them. Tables are read each time: in
// registers they would have to be copied, since the result takes their place.
func (s *selector) lookup512(list []uint32, v ssa.Value, i int) isel.VReg {
	index := s.part(v, i)
	var found []isel.VReg
	for ; len(list) > 0; list = list[32:] {
		low, high := words(list[:16]...), words(list[16:32]...)
		d := s.out.NewReg(isel.Vector)
		run := func(c *code) {
			c.VM(x86.VMOVAPS, c.width(), c.v(0), c.ConstRow(low[:], 64))
			c.VVM(x86.VPERMT2D, c.width(), c.v(0), c.uv(0), c.ConstRow(high[:], 64))
		}
		s.emit(&isel.Inst{Op: s.op(op{name: "lookup", run: run}), Defs: []isel.VReg{d}, Uses: []isel.VReg{index}, Early: true})
		found = append(found, d)
	}
	for bit := 5; len(found) > 1; bit++ {
		m := s.indexBit(v, i, bit)
		for k := range len(found) / 2 {
			found[k] = s.under(x86.VPBLENDMD, m, found[2*k], found[2*k+1])
		}
		found = found[:len(found)/2]
	}
	return found[0]
}

// indexBit is whether an index has a bit, which is found once for all tables.
func (s *selector) indexBit(v ssa.Value, i, bit int) isel.VReg {
	return s.find(key{v, asMiddle, int16(bit<<8 | i)}, func(k key) {
		d := s.masks(1)
		s.emit(&isel.Inst{Op: s.shared(x86.VPTESTMD, formKV, 0), Defs: d, Uses: []isel.VReg{s.part(v, i),
			s.splat(1 << bit)}, Fold: 2})
		s.note(k, d[0], s.block)
	})
}
