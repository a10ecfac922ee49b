package ptxfmt_test

import (
	"bytes"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/ptxfmt"
)

// fixHead is a kernel up to its statements.
const fixHead = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
	.reg .b16 %h<3>; .reg .b32 %r<5>; .reg .f32 %f<5>; .reg .f64 %fd<3>; .reg .b64 %rd<4>; .reg .pred %p<3>;
`

// fixCases are statements before and after; "" stays as it is.
var fixCases = []struct{ name, before, after string }{
	{"a modifier nearly right", "ld.gloabl.u32 %r1, [%rd1];", "ld.global.u32 %r1, [%rd1];"},
	{"an opcode nearly right", "poppc.b32 %r1, %r2;", "popc.b32 %r1, %r2;"},
	{"a missing rounding", "fma.f32 %f1, %f2, %f3, %f4;", "fma.rn.f32 %f1, %f2, %f3, %f4;"},
	{"a missing rounding of a conversion", "cvt.f16.f32 /* narrow */ %h1, %f1;", "cvt.rn.f16.f32 /* narrow */ %h1, %f1;"},
	{".f16 of a load", "ld.global.f16 %h1, [%rd1];", "ld.global.b16 %h1, [%rd1];"},
	{".f16 of a store", "st.global.f16 [%rd1], %h1;", "st.global.b16 [%rd1], %h1;"},
	{"a missing clamp mode", "suld.b.2d.b32 %r1, [%rd1, {%r2, %r3}];", "suld.b.2d.b32.trap %r1, [%rd1, {%r2, %r3}];"},
	{"types in the wrong order: which way?", "cvt.rn.f64.f32 %f1, %fd1;", ""},
	{"a type of fewer bits than it is kept in", "ld.global.v2.u4 {%rd1, %rd2}, [%rd3];", ""},
	{"a type nearly right", "ld.global.bf16x %h1, [%rd1];", ""},
	{"a modifier twice", "add.rn.rn.f32 %f1, %f2, %f3;", "add.rn.f32 %f1, %f2, %f3;"},
	{"a type where bits are meant", "shl.u32 %r1, %r2, 3;", "shl.b32 %r1, %r2, 3;"},
	{"no semicolon", "add.u32 %r1, %r2, %r3", "add.u32 %r1, %r2, %r3;"},
	{"a subtracted offset", "ld.global.u32 %r1, [%rd1-4];", "ld.global.u32 %r1, [%rd1+-4];"},
	{"two errors of one statement", "ld.gloabl.b16 %h1, [%rd1-2];", "ld.global.b16 %h1, [%rd1+-2];"},
	{"no default: which half?", "mul.u32 %r1, %r2, %r3;", ""},
	{"no default: which rounding to an integer?", "cvt.s32.f32 %r1, %f1;", ""},
	{"a modifier that says something else", "add.sat.u32 %r1, %r2, %r3;", ""},
	{"another operation, not a slip", "setp.eq.nand.s32 %p1, %r1, %r2, %p2;", ""},
	{"one of two levels", "prefetch.global.L3 [%rd1];", ""},
	{"a name nearly right", "mov.u32 %r1, %r33;", ""},
	{"legal", "add.f32.rn %f1 ,%f2,%f3 ; // as it is", ""},
}

func TestFix(t *testing.T) {
	for _, c := range fixCases {
		t.Run(c.name, func(t *testing.T) {
			want, n := c.after, 1
			if want == "" {
				want, n = c.before, 0
			}
			checkFix(t, fixModule(c.before), fixModule(want), n)
		})
	}
}

func fixModule(statement string) string { return fixHead + "\t" + statement + "\n\tret;\n}\n" }

// checkFix fixes a module and, as nothing is left to do, fixes the result.
func checkFix(t *testing.T, before, want string, least int) {
	t.Helper()
	got, n, err := ptxfmt.Fix("x.ptx", []byte(before), nil)
	if err != nil || string(got) != want || n < least || least == 0 && n > 0 {
		t.Fatalf("%d fixes, %v:\n%s\nwant\n%s", n, err, got, want)
	}
	again, n, err := ptxfmt.Fix("x.ptx", got, nil)
	if err != nil || n != 0 || !bytes.Equal(again, got) {
		t.Errorf("fixing twice: %d more fixes, %v:\n%s", n, err, again)
	}
}

// TestFixAll makes all fixes in one file, with more statements than one search for repairs
// looks at, and keeps every other byte.
func TestFixAll(t *testing.T) {
	var before, after strings.Builder
	for range 5 {
		for _, c := range fixCases {
			want := c.after
			if want == "" {
				want = c.before
			}
			before.WriteString("  " + c.before + "\t\n")
			after.WriteString("  " + want + "\t\n")
		}
	}
	checkFix(t, fixHead+before.String()+"}", fixHead+after.String()+"}", 60)
}

// TestFixManual writes modifiers in the manual's order for the judge that wants it.
func TestFixManual(t *testing.T) {
	cfg := &ptxvm.CompileConfig{Judge: ptxvm.JudgeManual}
	got, n, err := ptxfmt.Fix("x.ptx", []byte(fixModule("add.f32.rz.ftz %f1, %f2, %f3;")), cfg)
	if err != nil || n != 1 || string(got) != fixModule("add.rz.ftz.f32 %f1, %f2, %f3;") {
		t.Errorf("%d fixes, %v:\n%s", n, err, got)
	}
}

// TestFixRaisesNothing leaves alone what is no PTX or judged for no architecture.
func TestFixRaisesNothing(t *testing.T) {
	for _, src := range []string{"", "__global__ void k() {}", "\x7fELF\x02", strings.Repeat("{", 500)} {
		if got, n, err := ptxfmt.Fix("x", []byte(src), nil); err != nil || n != 0 || string(got) != src {
			t.Errorf("%q: %d fixes, %v: %q", src, n, err, got)
		}
	}
	if _, _, err := ptxfmt.Fix("x", nil, &ptxvm.CompileConfig{Arch: "sm_1234"}); err == nil {
		t.Error("fixed for sm_1234")
	}
}
