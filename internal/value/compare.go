package value

// This file compares results with what was expected of them.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Tolerance says how far a value may be from the one expected. The zero value wants equal bits.
type Tolerance struct {
	given    bool
	rel, abs float64 // |have-want| ≤ abs + rel·|want|
	ulp      uint64  // values of the type between have and want
	byULP    bool
}

// ParseTolerance reads rtol=R,atol=A (either may be left out; it is 0 then), or ulp=U.
func ParseTolerance(text string) (t Tolerance, err error) {
	t.given = true
	for part := range strings.SplitSeq(text, ",") {
		key, value, _ := strings.Cut(part, "=")
		switch key {
		case "rtol":
			t.rel, err = parseBound(value)
		case "atol":
			t.abs, err = parseBound(value)
		case "ulp":
			t.byULP = true
			t.ulp, err = strconv.ParseUint(value, 0, 64)
		default:
			err = fmt.Errorf("want rtol=R,atol=A or ulp=U")
		}
		if err != nil {
			return t, fmt.Errorf("tolerance %q: %w", text, err)
		}
	}
	if t.byULP && (t.rel != 0 || t.abs != 0) {
		return t, fmt.Errorf("tolerance %q: ulp stands alone", text)
	}
	return t, nil
}

func parseBound(text string) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f < 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("%q is no bound: want a number of at least 0", text)
	}
	return f, nil
}

// Difference is a value that is not what was expected.
type Difference struct {
	Index      int
	Want, Have string
	ULP        uint64 // values of the type from one to the other; 0 if Apart is false
	Apart      bool   // a distance exists: neither is a NaN
}

// Compare returns the first most differences between values of the type, and how many there are.
// With a tolerance, NaNs equal each other and infinities themselves; without, bits count.
func (t Type) Compare(have, want []byte, within Tolerance, most int) (list []Difference, count int) {
	size := t.Size()
	for i := 0; (i+1)*size <= min(len(have), len(want)); i++ {
		h, w := have[i*size:(i+1)*size], want[i*size:(i+1)*size]
		if bytes.Equal(h, w) || t.within(h, w, within) {
			continue
		}
		if count++; len(list) < most {
			d := Difference{Index: i, Want: t.formatRaw(w), Have: t.formatRaw(h)}
			d.ULP, d.Apart = t.distance(h, w)
			list = append(list, d)
		}
	}
	return list, count
}

// formatRaw is Format that also knows values without a type.
func (t Type) formatRaw(data []byte) string {
	if t.row == nil {
		return fmt.Sprintf("0x%02x", data[0])
	}
	return t.Format(data)
}

// within reports whether a tolerance lets have pass for want.
func (t Type) within(have, want []byte, by Tolerance) bool {
	if !by.given || t.row == nil || t.row.bits == 128 {
		return false
	}
	if by.byULP {
		n, apart := t.distance(have, want)
		return apart && n <= by.ulp || !apart && t.isNaN(have) && t.isNaN(want)
	}
	h, w := t.Number(have), t.Number(want)
	switch {
	case math.IsNaN(h) || math.IsNaN(w):
		return math.IsNaN(h) && math.IsNaN(w)
	case math.IsInf(h, 0) || math.IsInf(w, 0):
		return h == w
	}
	return math.Abs(h-w) <= by.abs+by.rel*math.Abs(w)
}

// word is the value's bits; those beyond 64 do not count.
func (t Type) word(data []byte) uint64 {
	return binary.LittleEndian.Uint64(append(append(make([]byte, 0, 16), data...), make([]byte, 8)...))
}

// Number is the value of the bytes of one, rounded if it is an integer beyond 53 bits.
func (t Type) Number(data []byte) float64 {
	bits := t.word(data)
	switch {
	case t.Float():
		return t.toFloat(bits)
	case t.row.power && bits == 0xff:
		return math.NaN()
	case t.row.power:
		return math.Ldexp(1, int(bits)-127)
	case t.row.signed:
		return float64(t.signed(bits))
	}
	return float64(bits)
}

func (t Type) signed(bits uint64) int64 {
	return int64(bits<<(64-t.row.bits)) >> (64 - t.row.bits)
}

func (t Type) isNaN(data []byte) bool { return math.IsNaN(t.Number(data)) }

// distance counts the values of the type from one to the other; none from or to a NaN.
func (t Type) distance(a, b []byte) (uint64, bool) {
	if t.row == nil || t.row.bits == 128 || t.isNaN(a) || t.isNaN(b) {
		return 0, false
	}
	x, y := t.rank(t.word(a)), t.rank(t.word(b))
	return max(x, y) - min(x, y), true
}

// rank numbers the values of the type in ascending order; both zeros have one number.
func (t Type) rank(bits uint64) uint64 {
	const middle = 1 << 63
	switch {
	case t.Float():
		code, sign := bits>>t.row.shift, uint64(1)<<(t.row.format.Exp+t.row.format.Man)
		if code&sign != 0 {
			return middle - code&(sign-1)
		}
		return middle + code&(sign-1)
	case t.row.signed:
		return uint64(t.signed(bits)) ^ middle
	}
	return bits
}
