// Packed floats: each element as the scalar function does it, element 0 in the
// low bits (5.2.5.1).

package num

// f16x2.
func AddF16x2(a, b uint32) uint32 { return AddF16(a&0xffff, b&0xffff) | AddF16(a>>16, b>>16)<<16 }
func AddFtzF16x2(a, b uint32) uint32 {
	return AddFtzF16(a&0xffff, b&0xffff) | AddFtzF16(a>>16, b>>16)<<16
}
func AddSatF16x2(a, b uint32) uint32 {
	return AddSatF16(a&0xffff, b&0xffff) | AddSatF16(a>>16, b>>16)<<16
}
func AddFtzSatF16x2(a, b uint32) uint32 {
	return AddFtzSatF16(a&0xffff, b&0xffff) | AddFtzSatF16(a>>16, b>>16)<<16
}
func SubF16x2(a, b uint32) uint32 { return SubF16(a&0xffff, b&0xffff) | SubF16(a>>16, b>>16)<<16 }
func SubFtzF16x2(a, b uint32) uint32 {
	return SubFtzF16(a&0xffff, b&0xffff) | SubFtzF16(a>>16, b>>16)<<16
}
func SubSatF16x2(a, b uint32) uint32 {
	return SubSatF16(a&0xffff, b&0xffff) | SubSatF16(a>>16, b>>16)<<16
}
func SubFtzSatF16x2(a, b uint32) uint32 {
	return SubFtzSatF16(a&0xffff, b&0xffff) | SubFtzSatF16(a>>16, b>>16)<<16
}
func MulF16x2(a, b uint32) uint32 { return MulF16(a&0xffff, b&0xffff) | MulF16(a>>16, b>>16)<<16 }
func MulFtzF16x2(a, b uint32) uint32 {
	return MulFtzF16(a&0xffff, b&0xffff) | MulFtzF16(a>>16, b>>16)<<16
}
func MulSatF16x2(a, b uint32) uint32 {
	return MulSatF16(a&0xffff, b&0xffff) | MulSatF16(a>>16, b>>16)<<16
}
func MulFtzSatF16x2(a, b uint32) uint32 {
	return MulFtzSatF16(a&0xffff, b&0xffff) | MulFtzSatF16(a>>16, b>>16)<<16
}
func FmaF16x2(a, b, c uint32) uint32 {
	return FmaF16(a&0xffff, b&0xffff, c&0xffff) | FmaF16(a>>16, b>>16, c>>16)<<16
}
func FmaFtzF16x2(a, b, c uint32) uint32 {
	return FmaFtzF16(a&0xffff, b&0xffff, c&0xffff) | FmaFtzF16(a>>16, b>>16, c>>16)<<16
}
func FmaSatF16x2(a, b, c uint32) uint32 {
	return FmaSatF16(a&0xffff, b&0xffff, c&0xffff) | FmaSatF16(a>>16, b>>16, c>>16)<<16
}
func FmaFtzSatF16x2(a, b, c uint32) uint32 {
	return FmaFtzSatF16(a&0xffff, b&0xffff, c&0xffff) | FmaFtzSatF16(a>>16, b>>16, c>>16)<<16
}
func FmaReluF16x2(a, b, c uint32) uint32 {
	return FmaReluF16(a&0xffff, b&0xffff, c&0xffff) | FmaReluF16(a>>16, b>>16, c>>16)<<16
}
func FmaFtzReluF16x2(a, b, c uint32) uint32 {
	return FmaFtzReluF16(a&0xffff, b&0xffff, c&0xffff) | FmaFtzReluF16(a>>16, b>>16, c>>16)<<16
}
func FmaOobF16x2(a, b, c uint32) uint32 {
	return FmaOobF16(a&0xffff, b&0xffff, c&0xffff) | FmaOobF16(a>>16, b>>16, c>>16)<<16
}
func FmaOobSatF16x2(a, b, c uint32) uint32 {
	return FmaOobSatF16(a&0xffff, b&0xffff, c&0xffff) | FmaOobSatF16(a>>16, b>>16, c>>16)<<16
}
func FmaOobReluF16x2(a, b, c uint32) uint32 {
	return FmaOobReluF16(a&0xffff, b&0xffff, c&0xffff) | FmaOobReluF16(a>>16, b>>16, c>>16)<<16
}
func MinF16x2(a, b uint32) uint32 { return MinF16(a&0xffff, b&0xffff) | MinF16(a>>16, b>>16)<<16 }
func MinNaNF16x2(a, b uint32) uint32 {
	return MinNaNF16(a&0xffff, b&0xffff) | MinNaNF16(a>>16, b>>16)<<16
}
func MinXorsignAbsF16x2(a, b uint32) uint32 {
	return MinXorsignAbsF16(a&0xffff, b&0xffff) | MinXorsignAbsF16(a>>16, b>>16)<<16
}
func MinNaNXorsignAbsF16x2(a, b uint32) uint32 {
	return MinNaNXorsignAbsF16(a&0xffff, b&0xffff) | MinNaNXorsignAbsF16(a>>16, b>>16)<<16
}
func MinFtzF16x2(a, b uint32) uint32 {
	return MinFtzF16(a&0xffff, b&0xffff) | MinFtzF16(a>>16, b>>16)<<16
}
func MinFtzNaNF16x2(a, b uint32) uint32 {
	return MinFtzNaNF16(a&0xffff, b&0xffff) | MinFtzNaNF16(a>>16, b>>16)<<16
}
func MinFtzXorsignAbsF16x2(a, b uint32) uint32 {
	return MinFtzXorsignAbsF16(a&0xffff, b&0xffff) | MinFtzXorsignAbsF16(a>>16, b>>16)<<16
}
func MinFtzNaNXorsignAbsF16x2(a, b uint32) uint32 {
	return MinFtzNaNXorsignAbsF16(a&0xffff, b&0xffff) | MinFtzNaNXorsignAbsF16(a>>16, b>>16)<<16
}
func MaxF16x2(a, b uint32) uint32 { return MaxF16(a&0xffff, b&0xffff) | MaxF16(a>>16, b>>16)<<16 }
func MaxNaNF16x2(a, b uint32) uint32 {
	return MaxNaNF16(a&0xffff, b&0xffff) | MaxNaNF16(a>>16, b>>16)<<16
}
func MaxXorsignAbsF16x2(a, b uint32) uint32 {
	return MaxXorsignAbsF16(a&0xffff, b&0xffff) | MaxXorsignAbsF16(a>>16, b>>16)<<16
}
func MaxNaNXorsignAbsF16x2(a, b uint32) uint32 {
	return MaxNaNXorsignAbsF16(a&0xffff, b&0xffff) | MaxNaNXorsignAbsF16(a>>16, b>>16)<<16
}
func MaxFtzF16x2(a, b uint32) uint32 {
	return MaxFtzF16(a&0xffff, b&0xffff) | MaxFtzF16(a>>16, b>>16)<<16
}
func MaxFtzNaNF16x2(a, b uint32) uint32 {
	return MaxFtzNaNF16(a&0xffff, b&0xffff) | MaxFtzNaNF16(a>>16, b>>16)<<16
}
func MaxFtzXorsignAbsF16x2(a, b uint32) uint32 {
	return MaxFtzXorsignAbsF16(a&0xffff, b&0xffff) | MaxFtzXorsignAbsF16(a>>16, b>>16)<<16
}
func MaxFtzNaNXorsignAbsF16x2(a, b uint32) uint32 {
	return MaxFtzNaNXorsignAbsF16(a&0xffff, b&0xffff) | MaxFtzNaNXorsignAbsF16(a>>16, b>>16)<<16
}
func FtzF16x2(a uint32) uint32 { return FtzF16(a&0xffff) | FtzF16(a>>16)<<16 }

// bf16x2.
func AddBF16x2(a, b uint32) uint32 { return AddBF16(a&0xffff, b&0xffff) | AddBF16(a>>16, b>>16)<<16 }
func SubBF16x2(a, b uint32) uint32 { return SubBF16(a&0xffff, b&0xffff) | SubBF16(a>>16, b>>16)<<16 }
func MulBF16x2(a, b uint32) uint32 { return MulBF16(a&0xffff, b&0xffff) | MulBF16(a>>16, b>>16)<<16 }
func FmaBF16x2(a, b, c uint32) uint32 {
	return FmaBF16(a&0xffff, b&0xffff, c&0xffff) | FmaBF16(a>>16, b>>16, c>>16)<<16
}
func FmaReluBF16x2(a, b, c uint32) uint32 {
	return FmaReluBF16(a&0xffff, b&0xffff, c&0xffff) | FmaReluBF16(a>>16, b>>16, c>>16)<<16
}
func FmaOobBF16x2(a, b, c uint32) uint32 {
	return FmaOobBF16(a&0xffff, b&0xffff, c&0xffff) | FmaOobBF16(a>>16, b>>16, c>>16)<<16
}
func FmaOobReluBF16x2(a, b, c uint32) uint32 {
	return FmaOobReluBF16(a&0xffff, b&0xffff, c&0xffff) | FmaOobReluBF16(a>>16, b>>16, c>>16)<<16
}
func MinBF16x2(a, b uint32) uint32 { return MinBF16(a&0xffff, b&0xffff) | MinBF16(a>>16, b>>16)<<16 }
func MinNaNBF16x2(a, b uint32) uint32 {
	return MinNaNBF16(a&0xffff, b&0xffff) | MinNaNBF16(a>>16, b>>16)<<16
}
func MinXorsignAbsBF16x2(a, b uint32) uint32 {
	return MinXorsignAbsBF16(a&0xffff, b&0xffff) | MinXorsignAbsBF16(a>>16, b>>16)<<16
}
func MinNaNXorsignAbsBF16x2(a, b uint32) uint32 {
	return MinNaNXorsignAbsBF16(a&0xffff, b&0xffff) | MinNaNXorsignAbsBF16(a>>16, b>>16)<<16
}
func MaxBF16x2(a, b uint32) uint32 { return MaxBF16(a&0xffff, b&0xffff) | MaxBF16(a>>16, b>>16)<<16 }
func MaxNaNBF16x2(a, b uint32) uint32 {
	return MaxNaNBF16(a&0xffff, b&0xffff) | MaxNaNBF16(a>>16, b>>16)<<16
}
func MaxXorsignAbsBF16x2(a, b uint32) uint32 {
	return MaxXorsignAbsBF16(a&0xffff, b&0xffff) | MaxXorsignAbsBF16(a>>16, b>>16)<<16
}
func MaxNaNXorsignAbsBF16x2(a, b uint32) uint32 {
	return MaxNaNXorsignAbsBF16(a&0xffff, b&0xffff) | MaxNaNXorsignAbsBF16(a>>16, b>>16)<<16
}

// Sign edits of both elements.
func AbsF16x2(a uint32) uint32  { return AbsF16(a&0xffff) | AbsF16(a>>16)<<16 }
func NegF16x2(a uint32) uint32  { return NegF16(a&0xffff) | NegF16(a>>16)<<16 }
func AbsBF16x2(a uint32) uint32 { return AbsBF16(a&0xffff) | AbsBF16(a>>16)<<16 }
func NegBF16x2(a uint32) uint32 { return NegBF16(a&0xffff) | NegBF16(a>>16)<<16 }

// lo32 and hi32 split a 64-bit value; join32 puts it together.
func lo32(a uint64) uint32        { return uint32(a) }
func hi32(a uint64) uint32        { return uint32(a >> 32) }
func join32(lo, hi uint32) uint64 { return uint64(hi)<<32 | uint64(lo) }

// f32x2.
func AddF32x2(a, b uint64) uint64 { return join32(AddF32(lo32(a), lo32(b)), AddF32(hi32(a), hi32(b))) }
func AddFtzF32x2(a, b uint64) uint64 {
	return join32(AddFtzF32(lo32(a), lo32(b)), AddFtzF32(hi32(a), hi32(b)))
}
func AddRZF32x2(a, b uint64) uint64 {
	return join32(AddRZF32(lo32(a), lo32(b)), AddRZF32(hi32(a), hi32(b)))
}
func AddRZFtzF32x2(a, b uint64) uint64 {
	return join32(AddRZFtzF32(lo32(a), lo32(b)), AddRZFtzF32(hi32(a), hi32(b)))
}
func AddRMF32x2(a, b uint64) uint64 {
	return join32(AddRMF32(lo32(a), lo32(b)), AddRMF32(hi32(a), hi32(b)))
}
func AddRMFtzF32x2(a, b uint64) uint64 {
	return join32(AddRMFtzF32(lo32(a), lo32(b)), AddRMFtzF32(hi32(a), hi32(b)))
}
func AddRPF32x2(a, b uint64) uint64 {
	return join32(AddRPF32(lo32(a), lo32(b)), AddRPF32(hi32(a), hi32(b)))
}
func AddRPFtzF32x2(a, b uint64) uint64 {
	return join32(AddRPFtzF32(lo32(a), lo32(b)), AddRPFtzF32(hi32(a), hi32(b)))
}
func SubF32x2(a, b uint64) uint64 { return join32(SubF32(lo32(a), lo32(b)), SubF32(hi32(a), hi32(b))) }
func SubFtzF32x2(a, b uint64) uint64 {
	return join32(SubFtzF32(lo32(a), lo32(b)), SubFtzF32(hi32(a), hi32(b)))
}
func SubRZF32x2(a, b uint64) uint64 {
	return join32(SubRZF32(lo32(a), lo32(b)), SubRZF32(hi32(a), hi32(b)))
}
func SubRZFtzF32x2(a, b uint64) uint64 {
	return join32(SubRZFtzF32(lo32(a), lo32(b)), SubRZFtzF32(hi32(a), hi32(b)))
}
func SubRMF32x2(a, b uint64) uint64 {
	return join32(SubRMF32(lo32(a), lo32(b)), SubRMF32(hi32(a), hi32(b)))
}
func SubRMFtzF32x2(a, b uint64) uint64 {
	return join32(SubRMFtzF32(lo32(a), lo32(b)), SubRMFtzF32(hi32(a), hi32(b)))
}
func SubRPF32x2(a, b uint64) uint64 {
	return join32(SubRPF32(lo32(a), lo32(b)), SubRPF32(hi32(a), hi32(b)))
}
func SubRPFtzF32x2(a, b uint64) uint64 {
	return join32(SubRPFtzF32(lo32(a), lo32(b)), SubRPFtzF32(hi32(a), hi32(b)))
}
func MulF32x2(a, b uint64) uint64 { return join32(MulF32(lo32(a), lo32(b)), MulF32(hi32(a), hi32(b))) }
func MulFtzF32x2(a, b uint64) uint64 {
	return join32(MulFtzF32(lo32(a), lo32(b)), MulFtzF32(hi32(a), hi32(b)))
}
func MulRZF32x2(a, b uint64) uint64 {
	return join32(MulRZF32(lo32(a), lo32(b)), MulRZF32(hi32(a), hi32(b)))
}
func MulRZFtzF32x2(a, b uint64) uint64 {
	return join32(MulRZFtzF32(lo32(a), lo32(b)), MulRZFtzF32(hi32(a), hi32(b)))
}
func MulRMF32x2(a, b uint64) uint64 {
	return join32(MulRMF32(lo32(a), lo32(b)), MulRMF32(hi32(a), hi32(b)))
}
func MulRMFtzF32x2(a, b uint64) uint64 {
	return join32(MulRMFtzF32(lo32(a), lo32(b)), MulRMFtzF32(hi32(a), hi32(b)))
}
func MulRPF32x2(a, b uint64) uint64 {
	return join32(MulRPF32(lo32(a), lo32(b)), MulRPF32(hi32(a), hi32(b)))
}
func MulRPFtzF32x2(a, b uint64) uint64 {
	return join32(MulRPFtzF32(lo32(a), lo32(b)), MulRPFtzF32(hi32(a), hi32(b)))
}
func FmaF32x2(a, b, c uint64) uint64 {
	return join32(FmaF32(lo32(a), lo32(b), lo32(c)), FmaF32(hi32(a), hi32(b), hi32(c)))
}
func FmaFtzF32x2(a, b, c uint64) uint64 {
	return join32(FmaFtzF32(lo32(a), lo32(b), lo32(c)), FmaFtzF32(hi32(a), hi32(b), hi32(c)))
}
func FmaRZF32x2(a, b, c uint64) uint64 {
	return join32(FmaRZF32(lo32(a), lo32(b), lo32(c)), FmaRZF32(hi32(a), hi32(b), hi32(c)))
}
func FmaRZFtzF32x2(a, b, c uint64) uint64 {
	return join32(FmaRZFtzF32(lo32(a), lo32(b), lo32(c)), FmaRZFtzF32(hi32(a), hi32(b), hi32(c)))
}
func FmaRMF32x2(a, b, c uint64) uint64 {
	return join32(FmaRMF32(lo32(a), lo32(b), lo32(c)), FmaRMF32(hi32(a), hi32(b), hi32(c)))
}
func FmaRMFtzF32x2(a, b, c uint64) uint64 {
	return join32(FmaRMFtzF32(lo32(a), lo32(b), lo32(c)), FmaRMFtzF32(hi32(a), hi32(b), hi32(c)))
}
func FmaRPF32x2(a, b, c uint64) uint64 {
	return join32(FmaRPF32(lo32(a), lo32(b), lo32(c)), FmaRPF32(hi32(a), hi32(b), hi32(c)))
}
func FmaRPFtzF32x2(a, b, c uint64) uint64 {
	return join32(FmaRPFtzF32(lo32(a), lo32(b), lo32(c)), FmaRPFtzF32(hi32(a), hi32(b), hi32(c)))
}
