package jit

import (
	"regexp"
	"testing"

	"ptxvm.invalid/ptxvm/internal/sem"
)

// without are the lane functions that have no twin, with the reason. They are left to the interpreter.
var without = []struct {
	why   string
	names *regexp.Regexp
}{
	{"the other position of what is out of bounds", regexp.MustCompile(`^FmaOobFactors`)},
	{"single precision of sm_1x", regexp.MustCompile(`^MadCut`)},
	{"classes of f64", regexp.MustCompile(`^(Normal|Subnormal)F64$`)},
	{"approximations are read from tables", regexp.MustCompile(`(Approx|Nearest|Full|Coarse|Ex2Unit)`)},
	{"rare integer operations", regexp.MustCompile(`^(Fns32|Clmad..64|Prmt(B4e|Ecl|Ecr)|(AddSat|SubSat|MaxRelu|MinRelu|Max|Min)[SU]8x4|SubSat[SU]8x4)$`)},
	{"cache policies of fractions that are no constants", regexp.MustCompile(`^PolicyShare$`)},
	{"known to the machine alone", regexp.MustCompile(`^(Mapa..|PendingCount)$`)},
}

// TestWithoutTwin: every lane function has a twin or a reason.
func TestWithoutTwin(t *testing.T) {
	for _, fn := range sem.LaneFunctions() {
		name, why := fn.String(), ""
		for _, w := range without {
			if w.names.MatchString(name) {
				why = w.why
			}
		}
		if laneOf(fn).twin == nil && why == "" {
			t.Errorf("%s has neither a twin nor a reason", name)
		}
	}
}
