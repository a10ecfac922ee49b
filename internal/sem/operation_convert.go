package sem

import (
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/num"
)

// ConvertUse describes a conversion: row or slot D, of To bits, gets Cvt of From's, which have FromBits
// bits each; of several, the first becomes the upper element.
type ConvertUse struct {
	num.Cvt
	From         []uint32
	FromBits, To int
}

// convert recognises conversions of single values, and of two values to a pair.
func (op *Operation) convert(in *machine.Inst) {
	switch p := in.Ext.Data.(type) {
	case *conversion:
		op.Convert = ConvertUse{p.Cvt, []uint32{in.A}, p.srcBits, p.dstBits}
	case *packing:
		if p.N != 2 || p.Packed || p.Scaled || p.Random != 0 || p.wide != [4]bool{} {
			op.Kind = OpOther
			return
		}
		op.Convert = ConvertUse{p.Cvt, p.from[:2], 32, p.bits}
	}
}
