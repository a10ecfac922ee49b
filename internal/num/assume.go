// The guesses about hardware that the arithmetic of this package rests on.

package num

// An Assumption is one question that neither the manual nor a known
// measurement answers, with the answer that this package gives.
type Assumption struct {
	Name  string // identifies it on the command line
	About string // the instructions concerned
	Taken string // what is computed
	Else  string // what hardware might do instead
}

// Assumptions lists them in the order of the fact sheet's section 8.
var Assumptions = []Assumption{
	{"sfu-tables", "rcp, rsqrt, ex2, lg2, sin, cos .approx.f32", "the G80 tables in every generation", "tables of its own per generation"},
	{"sfu-sqrt", "sqrt.approx.f32", "correctly rounded", "any result within 2^-23"},
	{"sfu-tanh", "tanh.approx", "correctly rounded", "any result within the documented error"},
	{"sfu-half", "ex2.approx.f16, ex2.approx.ftz.bf16", "correctly rounded", "any result within the documented error"},
	{"sfu-f64", "rcp and rsqrt .approx.ftz.f64", "nearest 20-bit fraction", "another last place"},
	{"nan-order-f64", "f64 add sub mul fma div", "the last NaN operand wins, quieted, sign kept", "another operand, or the sign flipped by sub"},
	{"oob-addend", "fma.oob", "the out-of-bounds NaN counts in every operand", "only in the factors"},
	{"cvt-ftz-half", "cvt.ftz.f16.f32", "a subnormal operand is flushed in every mode, as the manual says", "not in .rm and .rp, as the machine code"},
	{"absneg-f64", "abs.f64 and neg.f64 of a NaN", "a sign edit, as the manual says", "quieted, as the addition in machine code"},
}
