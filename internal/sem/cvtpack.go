package sem

// Conversions to and from packed pairs, 9.7.9.21: element 0 is the low one, and of two
// sources the first becomes the high element.

import (
	"math/bits"

	"ptxvm/internal/isa"
	"ptxvm/internal/machine"
	"ptxvm/internal/num"
)

type cvtPackDo struct{}

func (cvtPackDo) Reads(sel *isa.Sel, m isa.Mod) bool { return cvtDo{}.Reads(sel, m) }
func (cvtPackDo) Scalar() bool                       { return true }

// pairConversion converts two elements.
type pairConversion struct {
	conversion
	place   uint // distance of the elements in the destination, in bits
	from    uint // the same in a packed source
	unpacks bool // one packed source, not two
}

func (cvtPackDo) Plan(b *Build) {
	c := cvtOf(b.Sel)
	p := &pairConversion{conversion: conversion{Cvt: c}, place: container(int(c.Dst.Width())), from: container(int(c.Src.Width()))}
	p.unpacks = len(b.In.Ops) == 2
	b.Out.D, b.Out.A = b.dst(&b.In.Ops[0], 32), b.src(&b.In.Ops[1], 32)
	b.Out.B = b.Out.A
	if !p.unpacks {
		b.Out.B = b.src(&b.In.Ops[2], 32)
	}
	b.Ext().Data = p
	b.handler(convertPair)
	if b.Scalar {
		b.handler(convertPairScalar)
	}
}

// container is the space that one element takes: six-bit formats lie in bytes.
func container(bits int) uint {
	if bits == 6 {
		return 8
	}
	return uint(bits)
}

func (p *pairConversion) pair(a, b uint32) uint32 {
	hi, lo := uint64(a), uint64(b)
	if p.unpacks {
		hi, lo = uint64(a)>>p.from, uint64(a)
	}
	return uint32(p.Apply(hi)<<p.place | p.Apply(lo))
}

func convertPair(w *machine.Warp, in *machine.Inst) machine.State {
	p := in.Ext.Data.(*pairConversion)
	d, a, b := w.R32(in.D), w.R32(in.A), w.R32(in.B)
	for m := w.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = p.pair(a[i], b[i])
	}
	return machine.Next
}

func convertPairScalar(w *machine.Warp, in *machine.Inst) machine.State {
	p := in.Ext.Data.(*pairConversion)
	*w.S32(in.D) = p.pair(*w.S32(in.A), *w.S32(in.B))
	return machine.Next
}

// 9.7.9.22: two integers clamped to a width, over the low bits of c.

func packSatU16(a, b uint32) uint32   { return num.CvtPackU(a, b, 0, 16) }
func packSatS16(a, b uint32) uint32   { return num.CvtPackS(a, b, 0, 16) }
func packSatU8(a, b, c uint32) uint32 { return num.CvtPackU(a, b, c, 8) }
func packSatS8(a, b, c uint32) uint32 { return num.CvtPackS(a, b, c, 8) }
func packSatU4(a, b, c uint32) uint32 { return num.CvtPackU(a, b, c, 4) }
func packSatS4(a, b, c uint32) uint32 { return num.CvtPackS(a, b, c, 4) }
func packSatU2(a, b, c uint32) uint32 { return num.CvtPackU(a, b, c, 2) }
func packSatS2(a, b, c uint32) uint32 { return num.CvtPackS(a, b, c, 2) }
