package jit

import (
	"strings"
	"testing"

	"ptxvm/internal/jit/native"

	"golang.org/x/sys/cpu"
)

func TestTraits(t *testing.T) {
	for _, c := range []struct {
		maker  string
		family int
		want   bool
	}{{"AuthenticAMD", 25, true}, {"AuthenticAMD", 26, true}, {"AuthenticAMD", 21, false}, {"GenuineIntel", 6, false}, {"HygonGenuine", 24, true}, {"", 0, false}} {
		if got := findTraits(c.maker, c.family)&GathersSlow != 0; got != c.want {
			t.Errorf("%s, family %d: gathers are slow: %v", c.maker, c.family, got)
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

// TestAgainst has code made for a processor with a trait and for one without, wherever it runs.
func TestAgainst(t *testing.T) {
	for k := Traits(1); k&AllTraits != 0; k <<= 1 {
		with, without := Options{Against: k &^ traitsHere()}, Options{Against: k & traitsHere()}
		if with.traits()&k == 0 || without.traits()&k != 0 {
			t.Errorf("trait %b: %b and %b", k, with.traits(), without.traits())
		}
	}
}
