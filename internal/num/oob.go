// fma.oob where only the factors can make the result zero: the other position of the assumption
// oob-addend (9.7.4.4).

package num

func FmaOobFactorsF16(a, b, c uint32) uint32 {
	if isOOB(a) || isOOB(b) {
		return 0
	}
	return FmaF16(a, b, c)
}

func FmaOobFactorsBF16(a, b, c uint32) uint32 {
	if isOOB(a) || isOOB(b) {
		return 0
	}
	return FmaBF16(a, b, c)
}

func FmaOobFactorsSatF16(a, b, c uint32) uint32   { return SatF16(FmaOobFactorsF16(a, b, c)) }
func FmaOobFactorsReluF16(a, b, c uint32) uint32  { return ReluF16(FmaOobFactorsF16(a, b, c)) }
func FmaOobFactorsReluBF16(a, b, c uint32) uint32 { return ReluBF16(FmaOobFactorsBF16(a, b, c)) }

// The packed forms.
func FmaOobFactorsF16x2(a, b, c uint32) uint32 {
	return FmaOobFactorsF16(a&0xffff, b&0xffff, c&0xffff) | FmaOobFactorsF16(a>>16, b>>16, c>>16)<<16
}
func FmaOobFactorsSatF16x2(a, b, c uint32) uint32 {
	return FmaOobFactorsSatF16(a&0xffff, b&0xffff, c&0xffff) | FmaOobFactorsSatF16(a>>16, b>>16, c>>16)<<16
}
func FmaOobFactorsReluF16x2(a, b, c uint32) uint32 {
	return FmaOobFactorsReluF16(a&0xffff, b&0xffff, c&0xffff) | FmaOobFactorsReluF16(a>>16, b>>16, c>>16)<<16
}
func FmaOobFactorsBF16x2(a, b, c uint32) uint32 {
	return FmaOobFactorsBF16(a&0xffff, b&0xffff, c&0xffff) | FmaOobFactorsBF16(a>>16, b>>16, c>>16)<<16
}
func FmaOobFactorsReluBF16x2(a, b, c uint32) uint32 {
	return FmaOobFactorsReluBF16(a&0xffff, b&0xffff, c&0xffff) | FmaOobFactorsReluBF16(a>>16, b>>16, c>>16)<<16
}
