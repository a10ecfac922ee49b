package isa

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// widerStatements are the statements of testdata/wider.txt; T is the instruction type, R the
// register's.
var widerStatements = map[string]string{
	"ld": "ld.global.T R, [.u64]", "st": "st.global.T [.u64], R",
	"cvt-d": "cvt.T.u32 R, .u32", "cvt-s": "cvt.u32.T .u32, R",
	"cvt-d f": "cvt.rn.T.s32 R, .s32", "cvt-s f": "cvt.rzi.s32.T .s32, R",
}

// TestWiderRegisters compares tables 27 and 28 cell by cell.
func TestWiderRegisters(t *testing.T) {
	text, err := os.ReadFile("testdata/wider.txt")
	if err != nil {
		t.Fatal(err)
	}
	q := Query{Version: Latest, Target: MustTarget("sm_90"), Entry: true}
	registers := strings.Fields("b8 b16 b32 b64 b128 s8 s16 s32 s64 u8 u16 u32 u64 f16 f32 f64 f16x2")
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if words[0] == "#" {
			continue
		}
		form, ok := widerStatements[words[0]+" "+words[1][:1]]
		if !ok {
			form = widerStatements[words[0]]
		}
		for _, r := range registers {
			statement := strings.NewReplacer("T", words[1], "R", "."+r).Replace(form)
			parseStatement(&q, statement)
			_, fails := Table().Match(&q)
			if want := slices.Contains(words[2:], r); want != (fails == nil) {
				t.Errorf("%s: accepted %v, want %v %v", statement, !want, want, fails)
			}
		}
	}
}

// TestRegisters checks 9.4 for operands that may not be wider.
func TestRegisters(t *testing.T) {
	for _, c := range []struct{ typ, register string }{
		{".u32", ".b32 .u32 .s32 .f16x2"}, {".b32", ".b32 .u32 .s32 .f32 .f16x2"}, {".f32", ".b32 .f32"},
		{".f16", ".b16 .f16"}, {".bf16", ".b16"}, {".bf16x2", ".b32"}, {".f16x2", ".b32 .f16x2"},
		{".tf32", ".b32"}, {".e4m3x2", ".b16"}, {".f32x2", ".b64"}, {".pred", ".pred"}, {".b128", ".b128"},
	} {
		typ, _ := LookupType(c.typ)
		var got []string
		for _, r := range Types() {
			if r.Storage() != typ.Storage() || !slices.Contains(declarableTypes, r.String()) {
				continue
			}
			if typ.AcceptsRegister(r, false) {
				got = append(got, r.String())
			}
		}
		if fmt.Sprint(got) != "["+c.register+"]" {
			t.Errorf("%s takes %v, want %s", c.typ, got, c.register)
		}
	}
}

var declarableTypes = strings.Fields(".pred .b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s16 .s32 .s64 .f16 .f32 .f64 .f16x2")
