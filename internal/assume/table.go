package assume

// Assumption is a row of Table, by index.
type Assumption uint8

// The assumptions. A new one goes to the end, here and in Table, with the next free number.
const (
	ShiftDirection   Assumption = iota // U1
	ShiftLanes                         // U2
	Container4                         // U3
	RandomE2M1                         // U4
	RandomNarrow                       // U5
	RandomSubnormal                    // U6
	Unpack16                           // U8
	SFUTables                          // U14
	SFUSqrt                            // U15
	SFUTanh                            // U16
	SFUHalf                            // U17
	SFUF64                             // U18
	NaNOrderF64                        // U19
	OOBAddend                          // U20
	CvtFtzHalf                         // U21
	AbsNegF64                          // U22
	SurfaceAlignment                   // U23
	SurfaceLayer                       // U24
	SampleInteger                      // U25
	SurfaceExtent                      // U26
	MixedFtz                           // U27
	MixedHalves                        // U28
	DirectedBF16                       // U29
	CvtF16NaN                          // U30
	CvtHalfNaN                         // U31
	CvtTF32NaN                         // U32
	CvtS2F6Min                         // U33
	CvtUE5M3Sign                       // U34
	CvtUE5M3Half                       // U35
	CvtFlushSign                       // U36
	TuringSteps                        // U37
	CarryOfSub                         // U38
	ZeroTerms                          // U39
	TextureFraction                    // U40
	TextureSum                         // U41
	TextureNaN                         // U42
	TextureAlpha                       // U43
	TextureBorder                      // U44
	TextureOffset                      // U45
	TextureTies                        // U46
	TextureLevel                       // U47
	TextureHalf                        // U48
	TextureLayers                      // U49
	ShiftEdge                          // U7
	ProductCopies                      // U12
	ScaleHalves                        // U50
	ScaleInputD                        // U51
	HalfD                              // U52
	Halo                               // U53
	ValiditySample                     // U54
	IgnoredBytes                       // U55
	SparseTies                         // U56
	SparseOrder                        // U57
	SmallSum                           // U58
	PaddedBytes                        // U59
	SliceStrides                       // U60
	RegisterPool                       // U61
	AnisotropyAxes                     // U62
	AnisotropyCount                    // U63
	AnisotropyPlaces                   // U64
	AnisotropyPoint                    // U65
	CubeCorner                         // U66
	CubeAddress                        // U67
	Clocks                             // U68
	IntegerFilter                      // U69
	TensorFlush                        // U70
)

// Positions of Clocks, which launches ask for.
const (
	ClocksReal = iota
	ClocksCount
)

// Table has one row for each assumption, in the order of the constants. The numbers up to U13 are
// those of the layout fact sheet.
var Table = []Row{
	ShiftDirection: {"U1", "shift-direction", "9.7.16.9.3", "tcgen05.shift.down: where the row of lane i comes from", []Position{
		{"next", "lane i takes lane i+1, lane 31 keeps its row"},
		{"previous", "lane i takes lane i-1, lane 0 keeps its row"},
	}, 65},
	ShiftLanes: {"U2", "shift-lanes", "9.7.16.9.3", "tcgen05.shift.down: which lanes are shifted", []Position{
		{"group", "the 32 lanes that begin at the lane of the address"},
		{"all", "the 32 lanes of each of the four groups"},
	}, 75},
	Container4: {"U3", "b4x16-container", "9.7.16.9.2", "tcgen05.cp .b8x16.b4x16_p64: where the 4 bits go in the byte", []Position{
		{"mid", "bits 5 to 2"},
		{"low", "bits 3 to 0, as ldmatrix puts them"},
	}, 75},
	RandomE2M1: {"U4", "cvt-rs-e2m1x4", "9.7.9.21", "cvt.rs to e2m1x4: which random bits an element gets", []Position{
		{"pairs", "16 bits shared by a pair, reversed for its first element"},
		{"bytes", "one byte for each element, straight"},
	}, 85},
	RandomNarrow: {"U5", "cvt-rs-narrow", "9.7.9.21", "cvt.rs to e5m2x4, e2m3x4 and e3m2x4: the order of the random bits of a pair", []Position{
		{"reversed", "reversed for the first element, as measured for e4m3x4"},
		{"straight", "the same for both elements"},
	}, 90},
	RandomSubnormal: {"U6", "cvt-rs-subnormal", "9.7.9.21", "cvt.rs to f16 and bf16 with a subnormal result: what the random bits are added to", []Position{
		{"discarded", "the highest of the bits that are discarded"},
		{"normal", "the bits that a normal result would discard"},
	}, 60},
	Unpack16: {"U8", "unpack-16b", "9.7.16.8.4", "tcgen05.st .unpack::16b: bits 31 to 16 of the words written", []Position{
		{"zero", "zero"},
		{"keep", "what they were"},
	}, 60},
	SFUTables: {"U14", "sfu-tables", "9.7.3", "rcp, rsqrt, ex2, lg2, sin, cos .approx.f32, and div built on them: the tables of the special function unit", []Position{
		{"g80", "the tables of the G80: every bit of an H100 (sm_90)"},
		{"nearest", "correctly rounded functions in the place of the unit"},
	}, 100},
	SFUSqrt: {"U15", "sfu-sqrt", "9.7.3.15", "sqrt.approx.f32: the last place", []Position{
		{"unit", "the table of the special function unit: every bit of an H100 (sm_90)"},
		{"nearest", "correctly rounded"},
	}, 100},
	SFUTanh: {"U16", "sfu-tanh", "9.7.3.24", "tanh.approx: the error", []Position{
		{"unit", "the table of the special function unit, cut for f16 and bf16: every bit of an H100 (sm_90)"},
		{"nearest", "correctly rounded"},
	}, 100},
	SFUHalf: {"U17", "sfu-half", "9.7.4.9", "ex2.approx.f16 and .bf16: how the result comes about", []Position{
		{"cut", "the unit's f32 result, cut: every bit of an H100 (sm_90)"},
		{"nearest", "correctly rounded"},
	}, 100},
	SFUF64: {"U18", "sfu-f64", "9.7.3.14", "rcp and rsqrt .approx.ftz.f64: the last of the 20 fraction bits", []Position{
		{"unit", "the table of f32, cut: every bit of an H100 (sm_90)"},
		{"nearest", "rounded to nearest"},
	}, 100},
	NaNOrderF64: {"U19", "nan-order-f64", "9.7.3", "add, sub, mul, fma, div .f64: which of several NaN operands the result is", []Position{
		{"last", "the last one, quieted"},
		{"first", "the first one, quieted"},
	}, 0},
	OOBAddend: {"U20", "oob-addend", "9.7.4.4", "fma.oob: where the out-of-bounds NaN makes the result zero", []Position{
		{"every", "in each of the three operands"},
		{"factors", "in the two factors alone"},
	}, 0},
	CvtFtzHalf: {"U21", "cvt-ftz-half", "9.7.9.21", "cvt.rm.ftz and cvt.rp.ftz to f16 from f32: a subnormal operand", []Position{
		{"keep", "counts as it is (measured on sm_90)"},
		{"flush", "counts as zero, as the manual says"},
	}, 100},
	AbsNegF64: {"U22", "absneg-f64", "9.7.3.9", "abs.f64 and neg.f64 of a NaN", []Position{
		{"quiet", "the NaN with its sign, quieted (measured on sm_90)"},
		{"bits", "an edit of the sign bit, as the manual says"},
	}, 100},
	SurfaceAlignment: {"U23", "surf-misaligned", "9.7.11.1", "suld, sust and sured with an x that is no multiple of the access", []Position{
		{"fault", "a fault (measured on sm_90)"},
		{"mask", "the low bits of x do not count"},
	}, 100},
	SurfaceLayer: {"U24", "surf-layer", "9.7.11.1", "suld, sust .a1d and .a2d: a layer that does not exist", []Position{
		{"mode", "as .trap, .clamp or .zero says, as for other coordinates (measured on sm_90)"},
		{"last", "the last layer in every mode, as for textures"},
	}, 100},
	SampleInteger: {"U25", "sust-integer", "9.7.11.2", "sust.p of an integer that does not fit its channel", []Position{
		{"saturate", "the nearest that fits (measured on sm_90)"},
		{"cut", "its low bits"},
	}, 100},
	SurfaceExtent: {"U26", "suq-absent", "9.7.11.4", "suq.height and .depth of a surface without that dimension", []Position{
		{"zero", "0 (measured on sm_90)"},
		{"one", "1"},
	}, 100},
	MixedFtz: {"U27", "mixed-ftz-f16x2", "9.4: 9.7.5.1", "add, sub and mul .ftz.f16x2.f32x2: what is flushed", []Position{
		{"results", "subnormal f32 operands and results below the smallest normal f16"},
		{"operands", "subnormal f32 operands alone"},
	}, 60},
	MixedHalves: {"U28", "mixed-mul-halves", "9.4: 9.7.5.4", "mul.bf16x2.bf16x2.f16x2 and mul.f16x2.f16x2.bf16x2: the conversion of c", []Position{
		{"exact", "none: the exact product is rounded once"},
		{"converted", "c is rounded to the format of the result first"},
	}, 70},
	DirectedBF16: {"U29", "fma-bf16-directed", "9.7.4.4", "fma.rz, .rm and .rp .bf16 and .bf16x2, which ptxas takes and the manual does not have", []Position{
		{"directed", "rounded as the modifier says"},
		{"nearest", "rounded to nearest, as by the machine code of the packed forms"},
	}, 40},
	CvtF16NaN: {"U30", "cvt-f16-nan", "9.7.9.21", "cvt.f32.f16 of a NaN, without .ftz", []Position{
		{"canonical", "7fffffff, as the one arithmetic instruction in the machine code makes it"},
		{"payload", "its sign and payload, quieted"},
	}, 80},
	CvtHalfNaN: {"U31", "cvt-half-nan", "9.7.9.21", "cvt among f16 and bf16 of a NaN", []Position{
		{"canonical", "7fff, as the arithmetic instruction in the machine code makes it"},
		{"payload", "its sign and payload, quieted; its bits where the type stays"},
	}, 70},
	CvtTF32NaN: {"U32", "cvt-tf32-nan", "9.7.9.21", "cvt.rna.tf32.f32 of a NaN", []Position{
		{"cut", "the low 13 bits are cleared, so a NaN may become an infinity, and a finite value with .satfinite"},
		{"canonical", "7fffe000, as in the other modes"},
	}, 80},
	CvtS2F6Min: {"U33", "cvt-s2f6-min", "9.7.9.21", "cvt to s2f6x2: the result of a negative overflow", []Position{
		{"full", "-2, the smallest value of the format"},
		{"symmetric", "-127/64, the largest value with the other sign"},
	}, 80},
	CvtUE5M3Sign: {"U34", "cvt-ue5m3-sign", "9.4: 9.7.10.24", "cvt to ue5m3x2 of a negative value", []Position{
		{"magnitude", "its magnitude is converted"},
		{"zero", "the result is 0"},
	}, 70},
	CvtUE5M3Half: {"U35", "cvt-ue5m3-half", "9.4: 9.7.10.24", "cvt.rn.f16x2.ue5m3x2: values above 65504", []Position{
		{"infinity", "infinity, as in IEEE 754"},
		{"largest", "65504"},
	}, 75},
	CvtFlushSign: {"U36", "cvt-flush-sign", "9.4: 9.7.10.24", "cvt.scaled::n1::ue8m0: the zero that a subnormal operand becomes", []Position{
		{"positive", "+0"},
		{"signed", "a zero of its sign"},
	}, 70},
	TuringSteps: {"U37", "mma-turing", "9.7.14.5", "mma of f16 on sm_75 (no other target asks): how many products are added at once", []Position{
		{"eight", "all eight of m16n8k8"},
		{"four", "four, then four to their sum, as on sm_70"},
	}, 50},
	CarryOfSub: {"U38", "carry-of-sub", "9.7.2.3", "sub.cc and subc: what CC is to addc and madc behind them, and what subc takes from add.cc and mad.cc", []Position{
		{"carry", "the carry of a + ~b + 1, set where nothing is borrowed, as in machine code"},
		{"borrow", "the borrow of a - b"},
	}, 95},
	ZeroTerms: {"U39", "mma-zero-terms", "9.7.14.3", "mma of kinds mxf4 and mxf4nvf4: whether blocks whose products add up to zero count for the largest exponent", []Position{
		{"dropped", "as zero products of other kinds"},
		{"counted", "by the exponents of their scales"},
	}, 60},
	TextureFraction: {"U40", "tex-fraction", "9.7.10.3", "tex with a linear filter: how the fraction of a coordinate becomes a weight of 8 bits", []Position{
		{"nearest", "rounded to the nearest"},
		{"cut", "its first 8 bits"},
	}, 60},
	TextureSum: {"U41", "tex-sum", "9.7.10.3", "tex with a linear filter: how texels times weights are added", []Position{
		{"single", "products and sums are rounded to f32, x first, then y, then z"},
		{"double", "the sum is rounded once"},
	}, 50},
	TextureNaN: {"U42", "tex-nan", "9.7.10.3", "tex and tld4 at a coordinate that is NaN", []Position{
		{"zero", "as at 0"},
		{"outside", "as at minus infinity"},
	}, 55},
	TextureAlpha: {"U43", "tex-alpha", "9.7.10.3", "tex and tld4: the alpha of samples that have none", []Position{
		{"one", "1, as in graphics"},
		{"zero", "0, as green and blue that a sample lacks"},
	}, 70},
	TextureBorder: {"U44", "tex-border", "9.7.10.3", "tex and tld4: the border of a texture of integers", []Position{
		{"converted", "the colour's numbers as integers, cut and saturated to 32 bits"},
		{"bits", "the bits of the colour's f32"},
	}, 50},
	TextureOffset: {"U45", "tex-offset", "9.7.10.3", "tex and tld4: an offset outside of -8 to 7", []Position{
		{"four", "its low four bits"},
		{"whole", "all of it"},
	}, 75},
	TextureTies: {"U46", "tex-cube-tie", "9.7.10.3", "tex and tld4 .cube and .acube: the major axis of coordinates of equal magnitude", []Position{
		{"first", "the first of x, y, z"},
		{"last", "the last of them"},
	}, 70},
	TextureLevel: {"U47", "tex-level", "9.7.10.2", "tex.level and tex.grad: how the fraction of a level becomes a weight of 8 bits", []Position{
		{"nearest", "rounded to the nearest"},
		{"cut", "its first 8 bits"},
	}, 60},
	TextureHalf: {"U48", "tex-half", "9.7.10.3", "tex to .f16 and .f16x2: the conversion of what is no f16", []Position{
		{"nearest", "rounded to the nearest, ties to even"},
		{"cut", "towards zero"},
	}, 65},
	TextureLayers: {"U49", "tex-a2dms", "9.7.10.3", "tex.a2dms, of which the manual says both: what the first coordinate is", []Position{
		{"layer", "the layer; the second is the sample"},
		{"sample", "the sample; the second is the layer"},
	}, 75},
	ShiftEdge: {"U7", "ashift-edge", "9.7.16.10.9", "tcgen05.mma.ashift: the row of A that is not shifted", []Position{
		{"last", "the last of the 128 rows of a CTA"},
		{"groups", "the last of each 32 rows"},
	}, 55},
	ProductCopies: {"U12", "mma-copies", "9.7.16.10.5", "tcgen05.mma with rows of D in several groups of lanes: which copy of A in tensor memory, and of metadata, is read", []Position{
		{"own", "each group of lanes reads its own"},
		{"first", "all read that of the first group"},
	}, 80},
	ScaleHalves: {"U50", "scale-b-halves", "9.7.16.10.7", "tcgen05.mma of block scale with cta_group::2 and M = 128: the scale factors of B in each half of the lanes", []Position{
		{"own", "those of the half of the columns that the lanes multiply"},
		{"all", "those of all columns"},
	}, 80},
	ScaleInputD: {"U51", "scale-input-d", "9.7.16.10.9", "tcgen05.mma with scale-input-d: bits of D below its least exponent", []Position{
		{"exact", "they count in the sum"},
		{"cut", "they are cut before it"},
	}, 60},
	HalfD: {"U52", "mma-f16-high", "9.7.16.10.4", "tcgen05.mma with a D of f16: bits 31 to 16 of its words", []Position{
		{"zero", "they become zero"},
		{"keep", "they stay"},
	}, 60},
	Halo: {"U53", "im2col-halo", "5.5.5.3", "cp.async.bulk.tensor .im2col::w and ::w::128: the pixels of the halo", []Position{
		{"beyond", "those behind the last pixel along W, also where the bounding box or the image ends"},
		{"box", "those that follow in the bounding box"},
	}, 65},
	ValiditySample: {"U54", "validity-sample", "9.4: 9.7.10.28.1.3", "copies with mbarrier::report::validity::per_16bytes: the element of the 16 bytes that is compared", []Position{
		{"first", "the first, of lowest address; not looked at where a copy begins behind it"},
		{"last", "the last"},
		{"any", "each of them"},
	}, 50},
	IgnoredBytes: {"U55", "ignored-bytes", "9.4: 9.7.10.28.4.1", "cp.async.bulk.ignore_oob, which leaves the bytes that it gives up indeterminate: what they are in shared memory", []Position{
		{"zero", "zero"},
		{"keep", "what they were"},
	}, 0},
	SparseTies: {"U56", "sparse-ties", "9.4: 9.7.10.30", "spcompress and tcgen05.ld.spcompress, whose choice among equal elements, and among three NaNs, is implementation-specific: which go first", []Position{
		{"first", "those at lower places"},
		{"last", "those at higher places"},
	}, 70},
	SparseOrder: {"U57", "sparse-order", "9.4: 9.7.10.30", "spcompress and tcgen05.ld.spcompress: the order of the two elements that are kept", []Position{
		{"place", "that of their places, as the metadata of sparse products is"},
		{"rank", "that in which they were chosen"},
	}, 90},
	SmallSum: {"U58", "multimem-small-sum", "9.7.9.14", "multimem.ld_reduce.add and fabric.try_pullred of e4m3 and e5m2: a sum beyond their finite numbers", []Position{
		{"saturate", "the largest finite number, as by cvt, whose .satfinite must be there"},
		{"overflow", "NaN or infinity, as IEEE 754 has it"},
	}, 60},
	PaddedBytes: {"U59", "padded-bytes", "5.5.1.1", "loads of boxes of b4x16_p64 and b6x16_p32: the bytes that the mbarrier hears of", []Position{
		{"shared", "those of shared memory, padding included"},
		{"global", "those of global memory"},
	}, 80},
	SliceStrides: {"U60", "slice-strides", "5.5.6", "tensor maps of interleaved tensors: what the strides are, and how far slices are apart", []Position{
		{"planes", "those of dimensions 1 and up; slices follow each other behind the extent of the last dimension but one"},
		{"slices", "the first is that of slices; along dimension 1 pixels are neighbours"},
	}, 50},
	RegisterPool: {"U61", "register-pool", "9.7.19.5", "setmaxnreg.inc: the registers in the pool of a CTA when it begins", []Position{
		{"none", "what its warps give back by setmaxnreg.dec is all"},
		{"enough", "as many as are asked for: it never waits"},
	}, 85},
	AnisotropyAxes: {"U62", "tex-aniso-axes", "9.7.10.2", "tex.grad with an anisotropic sampler: the axes of what a pixel covers", []Position{
		{"lengths", "the two gradients, as EXT_texture_filter_anisotropic and Vulkan have it"},
		{"ellipse", "those of the ellipse that the gradients span, as Direct3D has it"},
	}, 50},
	AnisotropyCount: {"U63", "tex-aniso-count", "9.7.10.2", "tex.grad with an anisotropic sampler: what the level is, and how many samples there are; R is the ratio of the axes, but not more than allowed", []Position{
		{"whole", "log2 of the longer axis over the samples, which are R rounded up (EXT_texture_filter_anisotropic)"},
		{"ratio", "log2 of the longer axis over R; samples as above (Vulkan)"},
		{"texels", "as ratio, but no more samples than the longer axis has texels (Direct3D)"},
	}, 40},
	AnisotropyPlaces: {"U64", "tex-aniso-places", "9.7.10.2", "tex.grad with an anisotropic sampler: where N samples lie on the longer axis", []Position{
		{"inside", "at i/(N+1) of it, i from 1 on, as EXT_texture_filter_anisotropic and Vulkan have it"},
		{"even", "in the middles of its N parts"},
	}, 50},
	AnisotropyPoint: {"U65", "tex-aniso-point", "9.7.10.2", "tex.grad with an anisotropic sampler and the point filter, which Vulkan leaves open", []Position{
		{"one", "one sample, as without anisotropy"},
		{"several", "as many as with the linear filter"},
	}, 70},
	CubeCorner: {"U66", "tex-cube-corner", "9.7.10.3", "tex and tld4 .cube and .acube across edges: the fourth texel in a corner, where three faces meet", []Position{
		{"three", "the average of the other three, as OpenGL and Vulkan have it"},
		{"face", "the corner of the face that the coordinates point to"},
	}, 75},
	CubeAddress: {"U67", "tex-cube-address", "9.7.10.3", "tex and tld4 .cube and .acube, not across edges: texels of a linear filter behind an edge", []Position{
		{"modes", "by the address modes, of which the CUDA headers say that they are ignored only where filters go across edges"},
		{"clamp", "those at the edge"},
	}, 60},
	Clocks: {"U68", "clocks", "10.23", "%clock, %clock64 and %globaltimer: what they count, at the clock rate of 1 GHz that devices report", []Position{
		{"time", "nanoseconds of real time, as events and the host measure it"},
		{"steps", "one nanosecond for each instruction that a warp of the CTA executes, and nanosleep: the same in every run (--deterministic)"},
	}, 90},
	IntegerFilter: {"U69", "tex-integer-linear", "9.7.10.2", "tex with a linear filter, of texels or of levels, of samples that are read as integers, which the CUDA headers allow for floats alone", []Position{
		{"nearest", "the nearest texel of the nearest level, as Vulkan and Direct3D have it for integers"},
		{"sum", "the weighted sum, rounded down"},
	}, 80},
	TensorFlush: {"U70", "tensor-flush", "5.5.3", "cp.async.bulk.tensor and cp.reduce.async.bulk.tensor by maps of f32.ftz and tf32.ftz: where subnormal elements become zeros of their sign, of which the CUDA headers have the names alone", []Position{
		{"both", "in boxes that are loaded, stored and combined"},
		{"loads", "in boxes that are loaded"},
		{"none", "nowhere"},
	}, 60},
}
