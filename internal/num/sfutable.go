// The coefficient tables of the special function unit, read from the data file
// (which carries its MIT licence).

package num

import (
	_ "embed"
	"strconv"
	"strings"
)

//go:embed data/sfu_g80.csv
var sfuCSV string

// coeff is one segment c0 + c1*r + c2*r² of a piecewise quadratic.
type coeff struct{ c0, c1, c2 int64 }

// The segments, indexed by the leading fraction bits. rsqrt has those of
// [1, 2) first, then those of [2, 4).
var (
	sfuRcp, sfuRsqrt       [128]coeff
	sfuSin, sfuEx2, sfuLg2 [64]coeff
)

func init() {
	tables := map[string][]coeff{
		"rcp": sfuRcp[:], "rsqrt": sfuRsqrt[:], "sin": sfuSin[:], "ex2": sfuEx2[:], "lg2": sfuLg2[:],
	}
	for line := range strings.Lines(sfuCSV) {
		f := strings.Split(strings.TrimSpace(line), ",")
		if t := tables[f[0]]; t != nil && len(f) == 5 {
			t[sfuInt(f[1])] = coeff{sfuInt(f[2]), sfuInt(f[3]), sfuInt(f[4])}
		}
	}
}

// sfuInt parses a number of the embedded file, which a test reads whole.
func sfuInt(s string) int64 {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic("BUG: sfu table: " + err.Error())
	}
	return v
}
