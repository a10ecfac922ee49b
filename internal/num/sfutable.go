// The coefficient tables of the special function unit, read from data files: those of the G80
// (which carry their MIT licence), and those found in the results of an H100.

package num

import (
	_ "embed"
	"strconv"
	"strings"
)

//go:embed data/sfu_g80.csv
var sfuG80 string

//go:embed data/sfu_sm90.csv
var sfuSM90 string

// coeff is one segment c0 + c1*r + c2*r² of a piecewise quadratic.
type coeff struct{ c0, c1, c2 int64 }

// The segments, indexed by the leading fraction bits. rsqrt and sqrt have those of
// [1, 2) first, then those of [2, 4). Octaves of tanh have 1 to 16 (tanhOctaves).
var (
	sfuRcp, sfuRsqrt, sfuSqrt [128]coeff
	sfuSin, sfuEx2, sfuLg2    [64]coeff
	sfuTanh                   [51]coeff
)

// A process that only checks reads the file, too, so lines are cut without memory.
func init() {
	readSegments(sfuG80)
	readSegments(sfuSM90)
}

func readSegments(csv string) {
	for line := range strings.Lines(csv) {
		name, row, _ := strings.Cut(strings.TrimSpace(line), ",")
		t := sfuTable(name)
		if t == nil {
			continue
		}
		var n [4]int64 // segment, c0, c1, c2
		for i := range n {
			var number string
			number, row, _ = strings.Cut(row, ",")
			n[i] = sfuInt(number)
		}
		t[n[0]] = coeff{n[1], n[2], n[3]}
	}
}

// sfuTable is the table of a function, nil for what is no name of one.
func sfuTable(name string) []coeff {
	switch name {
	case "rcp":
		return sfuRcp[:]
	case "rsqrt":
		return sfuRsqrt[:]
	case "sin":
		return sfuSin[:]
	case "ex2":
		return sfuEx2[:]
	case "lg2":
		return sfuLg2[:]
	case "sqrt":
		return sfuSqrt[:]
	case "tanh":
		return sfuTanh[:]
	}
	return nil
}

// sfuInt parses a number of an embedded file, which a test reads whole.
func sfuInt(s string) int64 {
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic("BUG: sfu table: " + err.Error())
	}
	return v
}
