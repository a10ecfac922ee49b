package isa

import (
	"slices"
	"testing"
)

// TestStatementWords: each line about operands has its words, and what may be added makes a statement of the same entry.
func TestStatementWords(t *testing.T) {
	for _, e := range Table().Entries() {
		if have, want := len(e.Words().Operands), len(e.lines); have != want {
			t.Errorf("%s: words of %d lines about operands, of %d", e.Name, have, want)
		}
	}
	f := Table().Forms([]string{"cvt", ".rn", ".f16", ".f32"}, "")
	w, more := f.Words()
	if len(w.Operands) != 2 || !slices.Contains(w.Modifiers, Described{".frnd", ".rn"}) || len(w.Gates) != 1 || !slices.Contains(more, ".sat") || slices.Contains(more, ".rz") {
		t.Errorf("cvt.rn.f16.f32: %+v, %v", w, more)
	}
	if _, more := Table().Forms([]string{"setp", ".lt", ".s32"}, "").Words(); slices.Contains(more, ".ftz") {
		t.Errorf("setp.lt.s32 takes %v", more)
	}
}
