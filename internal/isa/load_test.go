package isa

import (
	"slices"
	"testing"
)

// TestDataLoads reads every entry; errors name file and line.
func TestDataLoads(t *testing.T) {
	isa, err := Load(Ptxas)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d entries, %d modifiers, %d classes", len(isa.Entries()), isa.mods.len(), isa.classes.len())
}

// TestJudges: both judges read every entry, with the same numbers for all names, and each has
// statements that the other one rejects.
func TestJudges(t *testing.T) {
	manual, err := Load(Manual)
	if err != nil {
		t.Fatal(err)
	}
	ptxas := Table()
	if !slices.Equal(manual.mods.all, ptxas.mods.all) || !slices.Equal(manual.classes.all, ptxas.classes.all) ||
		!slices.Equal(manual.roles.all, ptxas.roles.all) || !slices.Equal(manual.ids.all, ptxas.ids.all) {
		t.Error("the judges number names differently; run go generate")
	}
	for _, c := range []struct {
		statement     string
		ptxas, manual bool
		why           string // in the rejection
	}{
		{"fma.rz.sat.f32.f16.sat .f32, .b16, .b16, .f32", true, true, ""},
		{"add.rz.f32.bf16.sat .f32, .b16, .f32", true, true, ""},
		{"add.rz.sat.sat.f32.bf16 .f32, .b16, .f32", true, false, ""},
		{"add.f32.rz .f32, .f32, .f32", true, false, ""},
		{"add.rz.f32 .f32, .f32, .f32", true, true, ""},
		{"add.sat.s8x4 .b32, .b32, .b32", true, false, "ptxas takes .sat with the four-byte types, too"},
		{"ld.f16 .b16, [.u64]", false, true, "a row of tables 27 and 28 (9.4.1)"},
		{"ld.f16 .b32, [.u64]", false, true, "a row of tables 27 and 28 (9.4.1)"},
		{"ld.f16 .f32, [.u64]", false, false, ""},
		{"st.global.f16 [.u64], .f16", false, true, "a row of tables 27 and 28 (9.4.1)"},
		{"suld.b.1d.b32.trap .b32, [.u64, {.s32}]", true, true, ""},
		{"suld.b.1d.b32 .b32, [.u64, {.s32}]", false, true, "two examples of 9.7.11.1 have no clamp mode"},
		{"cvt.s32.b32 .b32, .b32", false, false, ""},
		{"cvt.rz.rn.f16.f32 .b16, .f32", false, false, ""},
		{"fma.rz.bf16 .b16, .b16, .b16, .b16", true, false, "ptxas takes every rounding with bf16"},
	} {
		q := Query{Version: V(9, 4), Target: MustTarget("sm_107a"), Entry: true}
		parseStatement(&q, c.statement)
		checkJudge(t, ptxas, manual, &q, c.ptxas, c.why)
		checkJudge(t, manual, ptxas, &q, c.manual, c.why)
	}
}

// checkJudge compares one judge's verdict with the wanted one; where only the other judge
// accepts, it compares the reason.
func checkJudge(t *testing.T, judge, other *ISA, q *Query, want bool, why string) {
	t.Helper()
	_, fails := judge.Match(q)
	if (fails == nil) != want {
		t.Errorf("%v: %v accepts: %v, want %v (%v)", q.Tokens, judge.judge, fails == nil, want, fails)
		return
	}
	if sel, rejected := other.Match(q); fails != nil && rejected == nil && sel.Why(&fails[0]) != why {
		t.Errorf("%v: %v differs because %q, want %q", q.Tokens, judge.judge, sel.Why(&fails[0]), why)
	}
}
