package isa

// This file says what modules for sm_1x, and those of the first versions, mean without writing it: single precision flushes
// subnormal numbers to zero (Notes of 9.7.3 and 9.7.6).

import "slices"

// Implied returns what a statement means in a module: its form with .ftz where the target is an sm_1x and the form could have
// it. Conversions from or to 64 bits do not flush before PTX 1.5, written or not (9.7.9.21, 13.38).
func (s *Sel) Implied(v Version, t Target) *Sel {
	wide := v.Before(V(1, 5)) && s.ID() == Cvt && s.converts64()
	switch {
	case wide && s.Has(M_ftz):
		return s.spelled(slices.DeleteFunc(slices.Clone(s.mods), func(m Mod) bool { return m == M_ftz }))
	case wide || t.Arch >= 20 || !s.Has(M_f32) || s.Has(M_ftz) || s.ID() == Cvt && s.Type(C_atype).Kind() != Float:
		return s
	}
	for i := range len(s.mods) + 1 { // one judge wants the form's order
		if flushing := s.spelled(slices.Insert(slices.Clone(s.mods), i, M_ftz)); flushing != s {
			return flushing
		}
	}
	return s
}

// converts64 reports whether the source or the destination of a conversion has 64 bits.
func (s *Sel) converts64() bool { return s.Type(C_dtype).Bits() == 64 || s.Type(C_atype).Bits() == 64 }

// spelled returns the same form with other modifiers, s itself if there is no such statement.
func (s *Sel) spelled(mods []Mod) *Sel {
	t := s.Entry.table
	tokens := slices.Clone(s.Entry.Opcode)
	for _, m := range mods {
		tokens = append(tokens, t.mods.name(m))
	}
	for _, p := range t.Forms(tokens, "").plans {
		if p.sel.ID() == s.ID() && slices.Equal(p.sel.Roles, s.Roles) {
			return &p.sel
		}
	}
	return s
}
