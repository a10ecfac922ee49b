package jit

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit/native"

	"golang.org/x/sys/cpu"
)

func TestGatherCosts(t *testing.T) {
	intel, _ := findGathers("GenuineIntel", 6)
	for _, c := range []struct {
		maker  string
		family int
		slow   bool
	}{{"AuthenticAMD", 25, true}, {"AuthenticAMD", 26, true}, {"AuthenticAMD", 21, false}, {"GenuineIntel", 6, false}, {"HygonGenuine", 24, true}, {"", 0, false}} {
		if cost, avx := findGathers(c.maker, c.family); cost == 0 || avx < cost || (cost > intel) != c.slow {
			t.Errorf("%s, family %d: gathers cost %d and %d", c.maker, c.family, cost, avx)
		}
	}
}

// TestMaker asks the processor: every maker's name is twelve characters, and what has AVX2 is of a family from 6 on.
func TestMaker(t *testing.T) {
	maker, family := native.Maker()
	if !cpu.X86.HasAVX2 {
		t.Skip("no AVX2")
	}
	if len(maker) != 12 || strings.TrimSpace(maker) == "" || family < 6 {
		t.Errorf("maker %q, family %d", maker, family)
	}
}
