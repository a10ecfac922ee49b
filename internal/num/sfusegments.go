package num

// Unit is a function of the special function unit: a quadratic c0 + c1·r + c2·r² for each value
// of the leading fraction bits (sfu.go). Compiled code evaluates it with the same integers.
type Unit uint8

// The functions of the special function unit.
const (
	UnitRcp Unit = iota
	UnitRsqrt
	UnitEx2
	UnitLg2
	UnitSin
	UnitSqrt
	NumUnits
)

// Segment has the coefficients of one quadratic.
type Segment struct{ C0, C1, C2 int64 }

// Segments returns the quadratics of a unit, by the leading fraction bits of its operand.
func (u Unit) Segments() []Segment {
	t := [...][]coeff{UnitRcp: sfuRcp[:], UnitRsqrt: sfuRsqrt[:], UnitEx2: sfuEx2[:], UnitLg2: sfuLg2[:], UnitSin: sfuSin[:], UnitSqrt: sfuSqrt[:]}[u]
	return segments(t)
}

func segments(t []coeff) []Segment {
	list := make([]Segment, len(t))
	for i, c := range t {
		list[i] = Segment{c.c0, c.c1, c.c2}
	}
	return list
}

// TanhSegments returns the quadratics of tanh, and its octaves, whose segments they are.
func TanhSegments() ([]Segment, []Octave) { return segments(sfuTanh[:]), tanhOctaves[:] }
