package jit

import (
	"regexp"
	"testing"

	"ptxvm.invalid/ptxvm/internal/sem"
)

// only512 are the twins that need a machine which rounds as it is told, or more registers than a trial
// without AVX-512 leaves.
var only512 = regexp.MustCompile(`^$`)

// without are the lane functions that have no twin, with the reason. They are left to the interpreter.
var without = []struct {
	why   string
	names *regexp.Regexp
}{
	{"the other position of what is out of bounds", regexp.MustCompile(`^FmaOobFactors`)},
	{"64-bit integers from f64", regexp.MustCompile(`^CvtRzi[SU]64F64$`)},
	{"classes of f64", regexp.MustCompile(`^(Normal|Subnormal)F64$`)},
	{"approximations are read from tables", regexp.MustCompile(`(Approx|Nearest|Full|Coarse|Ex2Unit)`)},
	{"64-bit integers from f32", regexp.MustCompile(`^CvtF32[SU]64$|^CvtRzi(Ftz)?[SU]64F32$`)},
	{"rare integer operations", regexp.MustCompile(`^(Fns32|Clmad..64|Prmt(B4e|Ecl|Ecr)|(AddSat|SubSat|MaxRelu|MinRelu|Max|Min)[SU]8x4|PackSat[SU].*|SubSat[SU]8x4)$`)},
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
