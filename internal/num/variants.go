// The remaining modifier combinations of the float families, one line each, so
// that every PTX form names one plain function. Modifier order is that of PTX:
// rounding mode, Ftz, Sat or Relu, type.

package num

// add.f32: rounding modes, .ftz, .sat.
func AddSatF32(a, b uint32) uint32      { return SatF32(AddF32(a, b)) }
func AddFtzSatF32(a, b uint32) uint32   { return SatF32(AddFtzF32(a, b)) }
func AddRZF32(a, b uint32) uint32       { return AddModeF32(a, b, RZ, false) }
func AddRZSatF32(a, b uint32) uint32    { return SatF32(AddRZF32(a, b)) }
func AddRZFtzF32(a, b uint32) uint32    { return AddModeF32(a, b, RZ, true) }
func AddRZFtzSatF32(a, b uint32) uint32 { return SatF32(AddRZFtzF32(a, b)) }
func AddRMF32(a, b uint32) uint32       { return AddModeF32(a, b, RM, false) }
func AddRMSatF32(a, b uint32) uint32    { return SatF32(AddRMF32(a, b)) }
func AddRMFtzF32(a, b uint32) uint32    { return AddModeF32(a, b, RM, true) }
func AddRMFtzSatF32(a, b uint32) uint32 { return SatF32(AddRMFtzF32(a, b)) }
func AddRPF32(a, b uint32) uint32       { return AddModeF32(a, b, RP, false) }
func AddRPSatF32(a, b uint32) uint32    { return SatF32(AddRPF32(a, b)) }
func AddRPFtzF32(a, b uint32) uint32    { return AddModeF32(a, b, RP, true) }
func AddRPFtzSatF32(a, b uint32) uint32 { return SatF32(AddRPFtzF32(a, b)) }

// sub.f32: rounding modes, .ftz, .sat.
func SubSatF32(a, b uint32) uint32      { return SatF32(SubF32(a, b)) }
func SubFtzSatF32(a, b uint32) uint32   { return SatF32(SubFtzF32(a, b)) }
func SubRZF32(a, b uint32) uint32       { return SubModeF32(a, b, RZ, false) }
func SubRZSatF32(a, b uint32) uint32    { return SatF32(SubRZF32(a, b)) }
func SubRZFtzF32(a, b uint32) uint32    { return SubModeF32(a, b, RZ, true) }
func SubRZFtzSatF32(a, b uint32) uint32 { return SatF32(SubRZFtzF32(a, b)) }
func SubRMF32(a, b uint32) uint32       { return SubModeF32(a, b, RM, false) }
func SubRMSatF32(a, b uint32) uint32    { return SatF32(SubRMF32(a, b)) }
func SubRMFtzF32(a, b uint32) uint32    { return SubModeF32(a, b, RM, true) }
func SubRMFtzSatF32(a, b uint32) uint32 { return SatF32(SubRMFtzF32(a, b)) }
func SubRPF32(a, b uint32) uint32       { return SubModeF32(a, b, RP, false) }
func SubRPSatF32(a, b uint32) uint32    { return SatF32(SubRPF32(a, b)) }
func SubRPFtzF32(a, b uint32) uint32    { return SubModeF32(a, b, RP, true) }
func SubRPFtzSatF32(a, b uint32) uint32 { return SatF32(SubRPFtzF32(a, b)) }

// mul.f32: rounding modes, .ftz, .sat.
func MulSatF32(a, b uint32) uint32      { return SatF32(MulF32(a, b)) }
func MulFtzSatF32(a, b uint32) uint32   { return SatF32(MulFtzF32(a, b)) }
func MulRZF32(a, b uint32) uint32       { return MulModeF32(a, b, RZ, false) }
func MulRZSatF32(a, b uint32) uint32    { return SatF32(MulRZF32(a, b)) }
func MulRZFtzF32(a, b uint32) uint32    { return MulModeF32(a, b, RZ, true) }
func MulRZFtzSatF32(a, b uint32) uint32 { return SatF32(MulRZFtzF32(a, b)) }
func MulRMF32(a, b uint32) uint32       { return MulModeF32(a, b, RM, false) }
func MulRMSatF32(a, b uint32) uint32    { return SatF32(MulRMF32(a, b)) }
func MulRMFtzF32(a, b uint32) uint32    { return MulModeF32(a, b, RM, true) }
func MulRMFtzSatF32(a, b uint32) uint32 { return SatF32(MulRMFtzF32(a, b)) }
func MulRPF32(a, b uint32) uint32       { return MulModeF32(a, b, RP, false) }
func MulRPSatF32(a, b uint32) uint32    { return SatF32(MulRPF32(a, b)) }
func MulRPFtzF32(a, b uint32) uint32    { return MulModeF32(a, b, RP, true) }
func MulRPFtzSatF32(a, b uint32) uint32 { return SatF32(MulRPFtzF32(a, b)) }

// fma.f32: rounding modes, .ftz, .sat.
func FmaSatF32(a, b, c uint32) uint32      { return SatF32(FmaF32(a, b, c)) }
func FmaFtzSatF32(a, b, c uint32) uint32   { return SatF32(FmaFtzF32(a, b, c)) }
func FmaRZF32(a, b, c uint32) uint32       { return FmaModeF32(a, b, c, RZ, false) }
func FmaRZSatF32(a, b, c uint32) uint32    { return SatF32(FmaRZF32(a, b, c)) }
func FmaRZFtzF32(a, b, c uint32) uint32    { return FmaModeF32(a, b, c, RZ, true) }
func FmaRZFtzSatF32(a, b, c uint32) uint32 { return SatF32(FmaRZFtzF32(a, b, c)) }
func FmaRMF32(a, b, c uint32) uint32       { return FmaModeF32(a, b, c, RM, false) }
func FmaRMSatF32(a, b, c uint32) uint32    { return SatF32(FmaRMF32(a, b, c)) }
func FmaRMFtzF32(a, b, c uint32) uint32    { return FmaModeF32(a, b, c, RM, true) }
func FmaRMFtzSatF32(a, b, c uint32) uint32 { return SatF32(FmaRMFtzF32(a, b, c)) }
func FmaRPF32(a, b, c uint32) uint32       { return FmaModeF32(a, b, c, RP, false) }
func FmaRPSatF32(a, b, c uint32) uint32    { return SatF32(FmaRPF32(a, b, c)) }
func FmaRPFtzF32(a, b, c uint32) uint32    { return FmaModeF32(a, b, c, RP, true) }
func FmaRPFtzSatF32(a, b, c uint32) uint32 { return SatF32(FmaRPFtzF32(a, b, c)) }

// div.rnd.f32: rounding modes, .ftz.
func DivFtzF32(a, b uint32) uint32   { return DivModeF32(a, b, RN, true) }
func DivRZF32(a, b uint32) uint32    { return DivModeF32(a, b, RZ, false) }
func DivRZFtzF32(a, b uint32) uint32 { return DivModeF32(a, b, RZ, true) }
func DivRMF32(a, b uint32) uint32    { return DivModeF32(a, b, RM, false) }
func DivRMFtzF32(a, b uint32) uint32 { return DivModeF32(a, b, RM, true) }
func DivRPF32(a, b uint32) uint32    { return DivModeF32(a, b, RP, false) }
func DivRPFtzF32(a, b uint32) uint32 { return DivModeF32(a, b, RP, true) }

// rcp.rnd.f32: rounding modes, .ftz.
func RcpFtzF32(a uint32) uint32   { return RcpModeF32(a, RN, true) }
func RcpRZF32(a uint32) uint32    { return RcpModeF32(a, RZ, false) }
func RcpRZFtzF32(a uint32) uint32 { return RcpModeF32(a, RZ, true) }
func RcpRMF32(a uint32) uint32    { return RcpModeF32(a, RM, false) }
func RcpRMFtzF32(a uint32) uint32 { return RcpModeF32(a, RM, true) }
func RcpRPF32(a uint32) uint32    { return RcpModeF32(a, RP, false) }
func RcpRPFtzF32(a uint32) uint32 { return RcpModeF32(a, RP, true) }

// sqrt.rnd.f32: rounding modes, .ftz.
func SqrtFtzF32(a uint32) uint32   { return SqrtModeF32(a, RN, true) }
func SqrtRZF32(a uint32) uint32    { return SqrtModeF32(a, RZ, false) }
func SqrtRZFtzF32(a uint32) uint32 { return SqrtModeF32(a, RZ, true) }
func SqrtRMF32(a uint32) uint32    { return SqrtModeF32(a, RM, false) }
func SqrtRMFtzF32(a uint32) uint32 { return SqrtModeF32(a, RM, true) }
func SqrtRPF32(a uint32) uint32    { return SqrtModeF32(a, RP, false) }
func SqrtRPFtzF32(a uint32) uint32 { return SqrtModeF32(a, RP, true) }

// add.f64: directed rounding modes.
func AddRZF64(a, b uint64) uint64 { return AddModeF64(a, b, RZ) }
func AddRMF64(a, b uint64) uint64 { return AddModeF64(a, b, RM) }
func AddRPF64(a, b uint64) uint64 { return AddModeF64(a, b, RP) }

// sub.f64: directed rounding modes.
func SubRZF64(a, b uint64) uint64 { return SubModeF64(a, b, RZ) }
func SubRMF64(a, b uint64) uint64 { return SubModeF64(a, b, RM) }
func SubRPF64(a, b uint64) uint64 { return SubModeF64(a, b, RP) }

// mul.f64: directed rounding modes.
func MulRZF64(a, b uint64) uint64 { return MulModeF64(a, b, RZ) }
func MulRMF64(a, b uint64) uint64 { return MulModeF64(a, b, RM) }
func MulRPF64(a, b uint64) uint64 { return MulModeF64(a, b, RP) }

// fma.f64: directed rounding modes.
func FmaRZF64(a, b, c uint64) uint64 { return FmaModeF64(a, b, c, RZ) }
func FmaRMF64(a, b, c uint64) uint64 { return FmaModeF64(a, b, c, RM) }
func FmaRPF64(a, b, c uint64) uint64 { return FmaModeF64(a, b, c, RP) }

// div.f64: directed rounding modes.
func DivRZF64(a, b uint64) uint64 { return DivModeF64(a, b, RZ) }
func DivRMF64(a, b uint64) uint64 { return DivModeF64(a, b, RM) }
func DivRPF64(a, b uint64) uint64 { return DivModeF64(a, b, RP) }

// rcp.f64: directed rounding modes.
func RcpRZF64(a uint64) uint64 { return RcpModeF64(a, RZ) }
func RcpRMF64(a uint64) uint64 { return RcpModeF64(a, RM) }
func RcpRPF64(a uint64) uint64 { return RcpModeF64(a, RP) }

// sqrt.f64: directed rounding modes.
func SqrtRZF64(a uint64) uint64 { return SqrtModeF64(a, RZ) }
func SqrtRMF64(a uint64) uint64 { return SqrtModeF64(a, RM) }
func SqrtRPF64(a uint64) uint64 { return SqrtModeF64(a, RP) }

// f16: .ftz, .sat, .relu.
func AddFtzF16(a, b uint32) uint32        { return addF16(a, b, true) }
func AddSatF16(a, b uint32) uint32        { return SatF16(addF16(a, b, false)) }
func AddFtzSatF16(a, b uint32) uint32     { return SatF16(addF16(a, b, true)) }
func SubFtzF16(a, b uint32) uint32        { return subF16(a, b, true) }
func SubSatF16(a, b uint32) uint32        { return SatF16(subF16(a, b, false)) }
func SubFtzSatF16(a, b uint32) uint32     { return SatF16(subF16(a, b, true)) }
func MulFtzF16(a, b uint32) uint32        { return mulF16(a, b, true) }
func MulSatF16(a, b uint32) uint32        { return SatF16(mulF16(a, b, false)) }
func MulFtzSatF16(a, b uint32) uint32     { return SatF16(mulF16(a, b, true)) }
func FmaFtzF16(a, b, c uint32) uint32     { return fmaF16(a, b, c, true) }
func FmaSatF16(a, b, c uint32) uint32     { return SatF16(fmaF16(a, b, c, false)) }
func FmaFtzSatF16(a, b, c uint32) uint32  { return SatF16(fmaF16(a, b, c, true)) }
func FmaReluF16(a, b, c uint32) uint32    { return ReluF16(FmaF16(a, b, c)) }
func FmaFtzReluF16(a, b, c uint32) uint32 { return ReluF16(FmaFtzF16(a, b, c)) }
func FmaOobSatF16(a, b, c uint32) uint32  { return SatF16(FmaOobF16(a, b, c)) }
func FmaOobReluF16(a, b, c uint32) uint32 { return ReluF16(FmaOobF16(a, b, c)) }

// bf16: .relu.
func FmaReluBF16(a, b, c uint32) uint32    { return ReluBF16(FmaBF16(a, b, c)) }
func FmaOobReluBF16(a, b, c uint32) uint32 { return ReluBF16(FmaOobBF16(a, b, c)) }

// min and max with .ftz flush their operands first.
func MinFtzF32(a, b uint32) uint32              { return MinF32(FtzF32(a), FtzF32(b)) }
func MinFtzNaNF32(a, b uint32) uint32           { return MinNaNF32(FtzF32(a), FtzF32(b)) }
func MinFtzXorsignAbsF32(a, b uint32) uint32    { return MinXorsignAbsF32(FtzF32(a), FtzF32(b)) }
func MinFtzNaNXorsignAbsF32(a, b uint32) uint32 { return MinNaNXorsignAbsF32(FtzF32(a), FtzF32(b)) }
func MaxFtzF32(a, b uint32) uint32              { return MaxF32(FtzF32(a), FtzF32(b)) }
func MaxFtzNaNF32(a, b uint32) uint32           { return MaxNaNF32(FtzF32(a), FtzF32(b)) }
func MaxFtzXorsignAbsF32(a, b uint32) uint32    { return MaxXorsignAbsF32(FtzF32(a), FtzF32(b)) }
func MaxFtzNaNXorsignAbsF32(a, b uint32) uint32 { return MaxNaNXorsignAbsF32(FtzF32(a), FtzF32(b)) }
func MinFtzF16(a, b uint32) uint32              { return MinF16(FtzF16(a), FtzF16(b)) }
func MinFtzNaNF16(a, b uint32) uint32           { return MinNaNF16(FtzF16(a), FtzF16(b)) }
func MinFtzXorsignAbsF16(a, b uint32) uint32    { return MinXorsignAbsF16(FtzF16(a), FtzF16(b)) }
func MinFtzNaNXorsignAbsF16(a, b uint32) uint32 { return MinNaNXorsignAbsF16(FtzF16(a), FtzF16(b)) }
func MaxFtzF16(a, b uint32) uint32              { return MaxF16(FtzF16(a), FtzF16(b)) }
func MaxFtzNaNF16(a, b uint32) uint32           { return MaxNaNF16(FtzF16(a), FtzF16(b)) }
func MaxFtzXorsignAbsF16(a, b uint32) uint32    { return MaxXorsignAbsF16(FtzF16(a), FtzF16(b)) }
func MaxFtzNaNXorsignAbsF16(a, b uint32) uint32 { return MaxNaNXorsignAbsF16(FtzF16(a), FtzF16(b)) }
func Min3FtzF32(a, b, c uint32) uint32          { return Min3F32(FtzF32(a), FtzF32(b), FtzF32(c)) }
func Min3FtzNaNF32(a, b, c uint32) uint32       { return Min3NaNF32(FtzF32(a), FtzF32(b), FtzF32(c)) }
func Min3FtzAbsF32(a, b, c uint32) uint32       { return Min3AbsF32(FtzF32(a), FtzF32(b), FtzF32(c)) }
func Min3FtzNaNAbsF32(a, b, c uint32) uint32    { return Min3NaNAbsF32(FtzF32(a), FtzF32(b), FtzF32(c)) }
func Max3FtzF32(a, b, c uint32) uint32          { return Max3F32(FtzF32(a), FtzF32(b), FtzF32(c)) }
func Max3FtzNaNF32(a, b, c uint32) uint32       { return Max3NaNF32(FtzF32(a), FtzF32(b), FtzF32(c)) }
func Max3FtzAbsF32(a, b, c uint32) uint32       { return Max3AbsF32(FtzF32(a), FtzF32(b), FtzF32(c)) }
func Max3FtzNaNAbsF32(a, b, c uint32) uint32    { return Max3NaNAbsF32(FtzF32(a), FtzF32(b), FtzF32(c)) }

// abs and neg with .ftz.
func AbsFtzF32(a uint32) uint32   { return AbsF32(FtzF32(a)) }
func NegFtzF32(a uint32) uint32   { return NegF32(FtzF32(a)) }
func AbsFtzF16(a uint32) uint32   { return AbsF16(FtzF16(a)) }
func NegFtzF16(a uint32) uint32   { return NegF16(FtzF16(a)) }
func AbsFtzF16x2(a uint32) uint32 { return AbsF16x2(FtzF16x2(a)) }
func NegFtzF16x2(a uint32) uint32 { return NegF16x2(FtzF16x2(a)) }

// Comparisons of halves, exact in f32.
func EqF16(a, b uint32) bool   { return EqF32(widenF16(a), widenF16(b)) }
func NeF16(a, b uint32) bool   { return NeF32(widenF16(a), widenF16(b)) }
func LtF16(a, b uint32) bool   { return LtF32(widenF16(a), widenF16(b)) }
func LeF16(a, b uint32) bool   { return LeF32(widenF16(a), widenF16(b)) }
func GtF16(a, b uint32) bool   { return GtF32(widenF16(a), widenF16(b)) }
func GeF16(a, b uint32) bool   { return GeF32(widenF16(a), widenF16(b)) }
func EquF16(a, b uint32) bool  { return EquF32(widenF16(a), widenF16(b)) }
func NeuF16(a, b uint32) bool  { return NeuF32(widenF16(a), widenF16(b)) }
func LtuF16(a, b uint32) bool  { return LtuF32(widenF16(a), widenF16(b)) }
func LeuF16(a, b uint32) bool  { return LeuF32(widenF16(a), widenF16(b)) }
func GtuF16(a, b uint32) bool  { return GtuF32(widenF16(a), widenF16(b)) }
func GeuF16(a, b uint32) bool  { return GeuF32(widenF16(a), widenF16(b)) }
func NumF16(a, b uint32) bool  { return NumF32(widenF16(a), widenF16(b)) }
func NanF16(a, b uint32) bool  { return NanF32(widenF16(a), widenF16(b)) }
func EqBF16(a, b uint32) bool  { return EqF32(widenBF16(a), widenBF16(b)) }
func NeBF16(a, b uint32) bool  { return NeF32(widenBF16(a), widenBF16(b)) }
func LtBF16(a, b uint32) bool  { return LtF32(widenBF16(a), widenBF16(b)) }
func LeBF16(a, b uint32) bool  { return LeF32(widenBF16(a), widenBF16(b)) }
func GtBF16(a, b uint32) bool  { return GtF32(widenBF16(a), widenBF16(b)) }
func GeBF16(a, b uint32) bool  { return GeF32(widenBF16(a), widenBF16(b)) }
func EquBF16(a, b uint32) bool { return EquF32(widenBF16(a), widenBF16(b)) }
func NeuBF16(a, b uint32) bool { return NeuF32(widenBF16(a), widenBF16(b)) }
func LtuBF16(a, b uint32) bool { return LtuF32(widenBF16(a), widenBF16(b)) }
func LeuBF16(a, b uint32) bool { return LeuF32(widenBF16(a), widenBF16(b)) }
func GtuBF16(a, b uint32) bool { return GtuF32(widenBF16(a), widenBF16(b)) }
func GeuBF16(a, b uint32) bool { return GeuF32(widenBF16(a), widenBF16(b)) }
func NumBF16(a, b uint32) bool { return NumF32(widenBF16(a), widenBF16(b)) }
func NanBF16(a, b uint32) bool { return NanF32(widenBF16(a), widenBF16(b)) }

// Mixed precision (9.7.5): the halves are widened exactly; one f32 rounding.
func AddF32F16(a, c uint32) uint32          { return AddF32(widenF16(a), c) }
func AddSatF32F16(a, c uint32) uint32       { return AddSatF32(widenF16(a), c) }
func AddRZF32F16(a, c uint32) uint32        { return AddRZF32(widenF16(a), c) }
func AddRZSatF32F16(a, c uint32) uint32     { return AddRZSatF32(widenF16(a), c) }
func AddRMF32F16(a, c uint32) uint32        { return AddRMF32(widenF16(a), c) }
func AddRMSatF32F16(a, c uint32) uint32     { return AddRMSatF32(widenF16(a), c) }
func AddRPF32F16(a, c uint32) uint32        { return AddRPF32(widenF16(a), c) }
func AddRPSatF32F16(a, c uint32) uint32     { return AddRPSatF32(widenF16(a), c) }
func SubF32F16(a, c uint32) uint32          { return SubF32(widenF16(a), c) }
func SubSatF32F16(a, c uint32) uint32       { return SubSatF32(widenF16(a), c) }
func SubRZF32F16(a, c uint32) uint32        { return SubRZF32(widenF16(a), c) }
func SubRZSatF32F16(a, c uint32) uint32     { return SubRZSatF32(widenF16(a), c) }
func SubRMF32F16(a, c uint32) uint32        { return SubRMF32(widenF16(a), c) }
func SubRMSatF32F16(a, c uint32) uint32     { return SubRMSatF32(widenF16(a), c) }
func SubRPF32F16(a, c uint32) uint32        { return SubRPF32(widenF16(a), c) }
func SubRPSatF32F16(a, c uint32) uint32     { return SubRPSatF32(widenF16(a), c) }
func FmaF32F16(a, b, c uint32) uint32       { return FmaF32(widenF16(a), widenF16(b), c) }
func FmaSatF32F16(a, b, c uint32) uint32    { return FmaSatF32(widenF16(a), widenF16(b), c) }
func FmaRZF32F16(a, b, c uint32) uint32     { return FmaRZF32(widenF16(a), widenF16(b), c) }
func FmaRZSatF32F16(a, b, c uint32) uint32  { return FmaRZSatF32(widenF16(a), widenF16(b), c) }
func FmaRMF32F16(a, b, c uint32) uint32     { return FmaRMF32(widenF16(a), widenF16(b), c) }
func FmaRMSatF32F16(a, b, c uint32) uint32  { return FmaRMSatF32(widenF16(a), widenF16(b), c) }
func FmaRPF32F16(a, b, c uint32) uint32     { return FmaRPF32(widenF16(a), widenF16(b), c) }
func FmaRPSatF32F16(a, b, c uint32) uint32  { return FmaRPSatF32(widenF16(a), widenF16(b), c) }
func AddF32BF16(a, c uint32) uint32         { return AddF32(widenBF16(a), c) }
func AddSatF32BF16(a, c uint32) uint32      { return AddSatF32(widenBF16(a), c) }
func AddRZF32BF16(a, c uint32) uint32       { return AddRZF32(widenBF16(a), c) }
func AddRZSatF32BF16(a, c uint32) uint32    { return AddRZSatF32(widenBF16(a), c) }
func AddRMF32BF16(a, c uint32) uint32       { return AddRMF32(widenBF16(a), c) }
func AddRMSatF32BF16(a, c uint32) uint32    { return AddRMSatF32(widenBF16(a), c) }
func AddRPF32BF16(a, c uint32) uint32       { return AddRPF32(widenBF16(a), c) }
func AddRPSatF32BF16(a, c uint32) uint32    { return AddRPSatF32(widenBF16(a), c) }
func SubF32BF16(a, c uint32) uint32         { return SubF32(widenBF16(a), c) }
func SubSatF32BF16(a, c uint32) uint32      { return SubSatF32(widenBF16(a), c) }
func SubRZF32BF16(a, c uint32) uint32       { return SubRZF32(widenBF16(a), c) }
func SubRZSatF32BF16(a, c uint32) uint32    { return SubRZSatF32(widenBF16(a), c) }
func SubRMF32BF16(a, c uint32) uint32       { return SubRMF32(widenBF16(a), c) }
func SubRMSatF32BF16(a, c uint32) uint32    { return SubRMSatF32(widenBF16(a), c) }
func SubRPF32BF16(a, c uint32) uint32       { return SubRPF32(widenBF16(a), c) }
func SubRPSatF32BF16(a, c uint32) uint32    { return SubRPSatF32(widenBF16(a), c) }
func FmaF32BF16(a, b, c uint32) uint32      { return FmaF32(widenBF16(a), widenBF16(b), c) }
func FmaSatF32BF16(a, b, c uint32) uint32   { return FmaSatF32(widenBF16(a), widenBF16(b), c) }
func FmaRZF32BF16(a, b, c uint32) uint32    { return FmaRZF32(widenBF16(a), widenBF16(b), c) }
func FmaRZSatF32BF16(a, b, c uint32) uint32 { return FmaRZSatF32(widenBF16(a), widenBF16(b), c) }
func FmaRMF32BF16(a, b, c uint32) uint32    { return FmaRMF32(widenBF16(a), widenBF16(b), c) }
func FmaRMSatF32BF16(a, b, c uint32) uint32 { return FmaRMSatF32(widenBF16(a), widenBF16(b), c) }
func FmaRPF32BF16(a, b, c uint32) uint32    { return FmaRPF32(widenBF16(a), widenBF16(b), c) }
func FmaRPSatF32BF16(a, b, c uint32) uint32 { return FmaRPSatF32(widenBF16(a), widenBF16(b), c) }
