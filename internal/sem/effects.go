package sem

// Modifiers that change no result: the reviewed list that `isa` prints. Everything else that a
// statement has must be looked at by its line, or the statement is refused.

import "ptxvm/internal/isa"

// noEffect lists them with the reason.
var noEffect = []struct {
	Reason string
	Mods   []isa.Mod
}{
	{"the default rounding", []isa.Mod{isa.M_rn}},
	{"the default strength", []isa.Mod{isa.M_weak}},
	{"a promise to the compiler", []isa.Mod{isa.M_uni}},
	{"cache operators", []isa.Mod{isa.M_ca, isa.M_cg, isa.M_cs, isa.M_lu, isa.M_cv, isa.M_wb, isa.M_wt}},
	{"eviction priorities", []isa.Mod{
		isa.M_L1_evict_normal, isa.M_L1_evict_unchanged, isa.M_L1_evict_first, isa.M_L1_evict_last, isa.M_L1_no_allocate,
		isa.M_L2_evict_normal, isa.M_L2_evict_first, isa.M_L2_evict_last, isa.M_L2_cache_hint}},
	{"prefetch sizes", []isa.Mod{isa.M_L2_64B, isa.M_L2_128B, isa.M_L2_256B}},
	{"memory is one for all devices", []isa.Mod{isa.M_unified}},
}

// HasNoEffect tells whether a modifier changes no result of a form.
func HasNoEffect(id isa.ID, m isa.Mod) bool {
	for _, group := range noEffect {
		for _, n := range group.Mods {
			if n == m {
				return true
			}
		}
	}
	return false
}
