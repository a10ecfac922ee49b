// f64 arithmetic where the first NaN operand wins: the other position of the assumption
// nan-order-f64.

package num

// first2 and first3 put the first NaN operand, quieted, in the place of a result.
func first2(a, b, r uint64) uint64 {
	switch {
	case isNaNF64(a):
		return a | 1<<51
	case isNaNF64(b):
		return b | 1<<51
	}
	return r
}

func first3(a, b, c, r uint64) uint64 {
	if isNaNF64(a) {
		return a | 1<<51
	}
	return first2(b, c, r)
}

func AddFirstF64(a, b uint64) uint64      { return first2(a, b, AddF64(a, b)) }
func AddRZFirstF64(a, b uint64) uint64    { return first2(a, b, AddRZF64(a, b)) }
func AddRMFirstF64(a, b uint64) uint64    { return first2(a, b, AddRMF64(a, b)) }
func AddRPFirstF64(a, b uint64) uint64    { return first2(a, b, AddRPF64(a, b)) }
func SubFirstF64(a, b uint64) uint64      { return first2(a, b, SubF64(a, b)) }
func SubRZFirstF64(a, b uint64) uint64    { return first2(a, b, SubRZF64(a, b)) }
func SubRMFirstF64(a, b uint64) uint64    { return first2(a, b, SubRMF64(a, b)) }
func SubRPFirstF64(a, b uint64) uint64    { return first2(a, b, SubRPF64(a, b)) }
func MulFirstF64(a, b uint64) uint64      { return first2(a, b, MulF64(a, b)) }
func MulRZFirstF64(a, b uint64) uint64    { return first2(a, b, MulRZF64(a, b)) }
func MulRMFirstF64(a, b uint64) uint64    { return first2(a, b, MulRMF64(a, b)) }
func MulRPFirstF64(a, b uint64) uint64    { return first2(a, b, MulRPF64(a, b)) }
func DivFirstF64(a, b uint64) uint64      { return first2(a, b, DivF64(a, b)) }
func DivRZFirstF64(a, b uint64) uint64    { return first2(a, b, DivRZF64(a, b)) }
func DivRMFirstF64(a, b uint64) uint64    { return first2(a, b, DivRMF64(a, b)) }
func DivRPFirstF64(a, b uint64) uint64    { return first2(a, b, DivRPF64(a, b)) }
func FmaFirstF64(a, b, c uint64) uint64   { return first3(a, b, c, FmaF64(a, b, c)) }
func FmaRZFirstF64(a, b, c uint64) uint64 { return first3(a, b, c, FmaRZF64(a, b, c)) }
func FmaRMFirstF64(a, b, c uint64) uint64 { return first3(a, b, c, FmaRMF64(a, b, c)) }
func FmaRPFirstF64(a, b, c uint64) uint64 { return first3(a, b, c, FmaRPF64(a, b, c)) }
