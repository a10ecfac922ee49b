package check

import (
	"errors"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/syntax"
)

// sameWhenSlow holds a check that remembers what it accepted to one that matches every statement anew.
func sameWhenSlow(t *testing.T, file *syntax.File) {
	t.Helper()
	fast, have := Check(file, Options{WholeProgram: true})
	slow, want := Check(file, Options{WholeProgram: true, slow: true})
	if h, w := written(have), written(want); h != w {
		t.Fatalf("remembered:\n%s\nanew:\n%s\n%s", h, w, file.Source.Text)
	}
	if have.HasErrors() {
		return
	}
	eachInstruction(file.Stmts, func(s *syntax.Instruction) {
		if f, w := fast.Sel(s), slow.Sel(s); f != w {
			t.Fatalf("%s: remembered %v, anew %v", file.RangeText(s.Range), f, w)
		}
	})
	var f, w strings.Builder
	if err := errors.Join(fast.Write(&f), slow.Write(&w)); err != nil || f.String() != w.String() {
		t.Fatalf("%v; remembered:\n%s\nanew:\n%s", err, &f, &w)
	}
}

// TestOutline: behind any statement, each other of the same opcode is judged as if it stood alone. They differ in one
// thing each, right and wrong.
func TestOutline(t *testing.T) {
	for _, same := range [][]string{
		{"mov.b32 %r1, %r2", "mov.b32 %r1, %f2", "mov.b32 %r1, %d2", "mov.b32 %r1, 5", "mov.b32 %r1, -5", "mov.b32 %r1, 1.5", "mov.b32 %r1, 0f00000000", "mov.b32 %r1, _",
			"mov.b32 %r1, {%h1, %h2}", "mov.b32 %r1, {%h1, %h2, %h3}", "mov.b32 {%h1, _}, %r1", "mov.b32 %r1, {%h1, 5}", "mov.b32 {%h1, %h2}, {%h1, %h2}", "mov.b32 %r1, %v2", "mov.b32 %r1, %v4", "mov.b32 %r1, %v2.x",
			"mov.b32 %r1, %v2.z", "mov.b32 %r1, %tid.x", "mov.b32 %r1, %clock64", "mov.b32 %r1, gone", "mov.b32 %r1, WARP_SZ", "mov.b32 %r1, mem", "mov.b32 %r1, !5", "mov.b32 %r1, -%r2",
			"mov.b32 %r1, %r2+4", "mov.b32 %r1, 5, 6", "mov.b32 %r1", "@%p1 mov.b32 %r1, %r2", "@%r1 mov.b32 %r1, %r2", "mov.b32 %r1, 99999999999", "mov.b32 %r1, (5)", "mov.b32 %r1, 2+3"},
		{"ld.global.b32 %r1, [%d1]", "ld.global.b32 %r1, [%r1]", "ld.global.b32 %r1, [%h1]", "ld.global.b32 %r1, [%d1+4]", "ld.global.b32 %r1, [%d1+-4]", "ld.global.b32 %r1, [%d1+1.5]",
			"ld.global.b32 %r1, [5]", "ld.global.b32 %r1, [!%d1]", "ld.global.b32 %r1, [mem]", "ld.global.b32 %r1, %d1", "ld.global.b32 %r1, [%d1, %d2]", "ld.global.b32 {%r1, %r2}, [%d1]",
			"ld.global.b32 %f1, [%d1]", "ld.global.b32 5, [%d1]", "ld.global.b32 %d1, [%d1]"},
		{"ld.global.v2.b32 {%r1, %r2}, [%d1]", "ld.global.v2.b32 {%r1, %f2}, [%d1]", "ld.global.v2.b32 {%r1, %d2}, [%d1]", "ld.global.v2.b32 {%r1, _}, [%d1]", "ld.global.v2.b32 {_, _}, [%d1]",
			"ld.global.v2.b32 %v2, [%d1]", "ld.global.v2.b32 %v4, [%d1]", "ld.global.v2.b32 {%r1, %r2, %r1, %r2}, [%d1]", "ld.global.v2.b32 {{%r1, %r2}}, [%d1]"},
		{"setp.lt.s32 %p1, %r1, %r2", "setp.lt.s32 %p1|%p2, %r1, %r2", "setp.lt.s32 %p1|_, %r1, 2", "setp.lt.s32 !%p1, %r1, %r2", "setp.lt.s32 %r1, %r1, %r2", "setp.lt.s32 {%p1, %p2}, %r1, %r2"},
		{"setp.lt.and.s32 %p1, %r1, %r2, %p2", "setp.lt.and.s32 %p1, %r1, %r2, !%p2", "setp.lt.and.s32 %p1, %r1, %r2, %r1", "setp.lt.and.s32 %p1, %r1, %r2, 1"},
		{"bar.sync 0", "bar.sync 17", "bar.sync %r1", "bar.sync 0, 64", "bar.sync 0, 65"},
		{"shf.l.wrap.b32 %r1, %r1, %r2, 3", "shf.l.wrap.b32 %r1, %r1, %r2, 99", "shf.l.wrap.b32 %r1, %r1, %r2, %r1"},
		{"st.shared.b32 [%r1], 5", "st.shared.b32 [%r1], %r2", "st.shared.b32 [%r1], 1.5", "st.shared.b32 [%r1+4], %r2"},
		{"ld.param.b32 %r1, [in]", "ld.param.b32 %r1, [%d1]", "ld.param.b32 %r1, [%r1]", "ld.param.b32 %r1, [mem]"},
	} {
		for _, a := range same {
			for _, b := range same {
				sameWhenSlow(t, syntax.Parse("pair.ptx", []byte(statements(a, b))))
			}
		}
	}
}

func statements(list ...string) string {
	return head + ".global .b32 mem;\n.entry k(.param .b32 in) { .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %d<9>; .reg .b16 %h<9>; .reg .pred %p<9>;\n" +
		".reg .v2 .b32 %v2; .reg .v4 .b32 %v4;\n" + strings.Join(list, ";\n") + ";\nret; }"
}

// TestOutlineRemembers: what is remembered of a statement, by the number of its outlines.
func TestOutlineRemembers(t *testing.T) {
	for statement, want := range map[string]int{
		"add.s32 %r1, %r1, %r2":                                      1,
		"add.s32 %r1, %r1, %r2; add.s32 %r3, %r4, %r5":               1,
		"add.s32 %r1, %r1, %r2; add.s32 %r3, %r4, -5":                2,
		"add.s32 %r1, %r1, %r2; @%p1 add.s32 %r1, %r1, %r2":          2,
		"ld.global.v2.b32 {%r1, _}, [%d1+4]":                         1,
		"setp.lt.s32 %p1|%p2, %r1, %r2":                              1,
		"add.s32 %r1, %r1, %p2":                                      0, // it is wrong
		"bar.sync 0":                                                 0, // the number has a range
		"mov.b32 %r1, mem":                                           0, // variables are no part of an outline
		"ld.param.b32 %r1, [%r2]":                                    0, // declarations decide, too
		"mov.b64 {%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1}, %d1": 0, // too many parts
	} {
		file := syntax.Parse("one.ptx", []byte(strings.Replace(statements(statement), "ret;", "", 1)))
		c := newChecker(file, Options{})
		c.module()
		n := 0
		for _, forms := range c.forms.known {
			for _, sel := range forms.accepted.sels {
				if sel != nil {
					n++
				}
			}
		}
		if n != want {
			t.Errorf("%s: %d outlines, want %d", statement, n, want)
		}
	}
}
