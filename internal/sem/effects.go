package sem

// Modifiers that change no result: the reviewed list that `isa` prints. Everything else that a
// statement has must be looked at by its line, or the statement is refused.

import (
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Harmless is a group of modifiers that change no result, with the reason.
type Harmless struct {
	Reason string
	Mods   []isa.Mod
}

var noEffect = []Harmless{
	{"the default rounding", []isa.Mod{isa.M_rn}},
	{"the default strength", []isa.Mod{isa.M_weak}},
	{"a promise to the compiler", []isa.Mod{isa.M_uni}},
	{"cache operators", []isa.Mod{isa.M_ca, isa.M_cg, isa.M_cs, isa.M_lu, isa.M_cv, isa.M_wb, isa.M_wt}},
	{"eviction priorities", []isa.Mod{
		isa.M_L1_evict_normal, isa.M_L1_evict_unchanged, isa.M_L1_evict_first, isa.M_L1_evict_last, isa.M_L1_no_allocate,
		isa.M_L2_evict_normal, isa.M_L2_evict_first, isa.M_L2_evict_last, isa.M_L2_cache_hint}},
	{"prefetch sizes", []isa.Mod{isa.M_L2_64B, isa.M_L2_128B, isa.M_L2_256B}},
	{"collector buffers hold what memory holds", collectors()},
	{"memory is one for all devices", []isa.Mod{isa.M_unified}},
}

// collectors are the uses of buffers for A or B: the memory behind them must not change (9.7.16.10).
func collectors() (list []isa.Mod) {
	list = []isa.Mod{
		isa.M_collector_a_fill, isa.M_collector_a_use, isa.M_collector_a_lastuse, isa.M_collector_a_discard,
		isa.M_collector_b_fill, isa.M_collector_b_use, isa.M_collector_b_lastuse, isa.M_collector_b_discard,
	}
	ofB := list[4:] // those of .ws name a buffer
	for _, buffer := range []string{"b0", "b1", "b2", "b3"} {
		for _, m := range ofB[:4] {
			list = append(list, isa.LookupMod(strings.Replace(m.String(), "::b::", "::"+buffer+"::", 1)))
		}
	}
	return list
}

// HasNoEffect reports whether a modifier is on the list.
func HasNoEffect(m isa.Mod) bool {
	return slices.ContainsFunc(noEffect, func(h Harmless) bool { return slices.Contains(h.Mods, m) })
}
