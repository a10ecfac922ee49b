package num

// Reductions of floats of eight bits, which no arithmetic instruction has: multimem.ld_reduce (9.7.9.14).

// Small reduces 8-bit floats.
type Small struct {
	Type     Type
	Wide     bool // sums are kept in f16, and rounded to the type once
	Saturate bool // a sum beyond the finite numbers of the type is the largest of them, as by cvt with .satfinite
}

// Sum adds in order, each time rounded to the nearest; the list has at least one value.
func (s *Small) Sum(list []uint32) uint32 {
	own := s.Type.Format()
	format := own
	if s.Wide {
		format = fmtF16
	}
	sum := Convert(fmtF64, own, uint64(list[0]), RN, false)
	for _, x := range list[1:] {
		term := Convert(fmtF64, own, uint64(x), RN, false)
		exact := fmtF64.Add(sum, term, RN, false) // two values of at most 11 bits below 2^16 and above 2^-25
		sum = Convert(fmtF64, format, s.round(format, exact), RN, false)
	}
	return uint32(s.round(own, sum))
}

// round rounds an f64 to a format. Only the type itself saturates.
func (s *Small) round(f *Format, v uint64) uint64 {
	u := fmtF64.decode(v)
	x := f.encode(u, RN, false)
	if c := f.decode(x).class; s.Saturate && f == s.Type.Format() && u.class != nan && (c == nan || c == inf) {
		return f.signed(u.neg, f.Max)
	}
	return x
}

// Min is the least value, Max the greatest: of a NaN and a number the number (9.7.4.7).
func (s *Small) Min(list []uint32) uint32 { return s.fold(list, MinF16) }
func (s *Small) Max(list []uint32) uint32 { return s.fold(list, MaxF16) }

// fold compares in f16, which has all values of both types.
func (s *Small) fold(list []uint32, f func(a, b uint32) uint32) uint32 {
	own := s.Type.Format()
	wide := func(x uint32) uint32 { return uint32(Convert(fmtF16, own, uint64(x), RN, false)) }
	v := wide(list[0])
	for _, x := range list[1:] {
		v = f(v, wide(x))
	}
	return uint32(Convert(own, fmtF16, uint64(v), RN, false))
}
