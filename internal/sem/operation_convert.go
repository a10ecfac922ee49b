package sem

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
)

// ConvertUse describes a conversion: row or slot D, of To bits, gets the elements of From, which have as many bits as FromBits
// says; of several, the first becomes the upper element. N is 1 for a single value. Behind the sources is the operand of scale
// factors or random bits, if there is one.
type ConvertUse struct {
	num.Packing
	From     []uint32
	FromBits []int
	To       int
}

// convert recognises conversions.
func (op *Operation) convert(in *machine.Inst) {
	switch p := in.Ext.Data.(type) {
	case *conversion:
		op.Convert = ConvertUse{num.Packing{Cvt: p.Cvt, N: 1}, []uint32{in.A}, []int{p.srcBits}, p.dstBits}
	case *packing:
		op.Convert = p.use()
	}
}

// use describes a packed conversion.
func (p *packing) use() ConvertUse {
	u, n := ConvertUse{Packing: p.Packing, To: p.bits}, p.N
	if p.Packed {
		n = 1
	}
	for i, off := range p.from[:n] {
		u.From, u.FromBits = append(u.From, off), append(u.FromBits, 32+32*int(Bit(p.wide[i])))
	}
	switch {
	case p.Scaled:
		u.From, u.FromBits = append(u.From, p.scale), append(u.FromBits, 32)
	case p.Random != 0:
		u.From, u.FromBits = append(u.From, p.random), append(u.FromBits, 32)
	}
	return u
}

// Plain reports whether it is of one value, or of two registers of 32 bits to a pair.
func (u *ConvertUse) Plain() bool {
	return u.N == 1 || u.N == 2 && len(u.From) == 2 && !u.Packed && u.FromBits[0]+u.FromBits[1] == 64
}
