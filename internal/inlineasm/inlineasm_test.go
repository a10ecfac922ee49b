package inlineasm_test

import (
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/inlineasm"
)

// judged judges a source, and returns a line for each diagnostic: place, code, and the text that it points at.
func judged(t *testing.T, language inlineasm.Language, source, arch string) (lines []string, r inlineasm.Result) {
	t.Helper()
	r, err := inlineasm.Judge("k", []byte(source), language, inlineasm.Options{Arch: arch})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Diagnostics {
		line, column := d.Source.Position(d.Span.Start)
		lines = append(lines, fmt.Sprintf("%d:%d %v %s", line, column, d.Code, source[d.Span.Start:d.Span.End]))
	}
	return lines, r
}

// TestJudge: what is wrong is said of the right characters; what the source does not show is not judged.
func TestJudge(t *testing.T) {
	for name, test := range map[string]struct {
		language inlineasm.Language
		arch     string
		source   string
		want     []string // diagnostics
		judged   int
		skipped  string // why, of all that are, by commas
		foreign  int
	}{
		"right": {source: `asm volatile("mov.u32 %0, %%laneid;" : "=r"(x));`, judged: 1},
		"wrong modifier": {source: "int x;\n  asm(\"add.sat.u64 %0, %1, %2;\" : \"=l\"(a) : \"l\"(b), \"l\"(c));",
			want: []string{"2:11 P3004 .sat"}, judged: 1},
		"wrong register": {source: `asm("add.u32 %0, %1, %1;" : "=f"(a) : "r"(b));`, want: []string{"1:14 P3010 %0"}, judged: 1},
		"two literals": {source: "asm(\"{\\n\\t\"\n    \".reg .pred p;\\n\\t\" /* a \"comment\" */\n    \"setp.eq.u33 p, %0, 1;\\n\\t\"\n    \"}\" :: \"r\"(b));",
			want: []string{"3:13 P3002 .u33"}, judged: 1},
		"a raw string":      {source: "asm(R\"x(\n mov.u32 %0, 1\n ;)x\" : \"=r\"(a));", judged: 1},
		"names":             {source: `asm("mov.b64 %[to], %[from];" : [to] "=l"(a) : [from] "r"(b));`, want: []string{"1:21 P3011 %[from]"}, judged: 1},
		"ties":              {source: `asm("add.f64 %0, %1, %1;" : "+d"(a) : "0"(b));`, judged: 1},
		"a constant":        {source: `asm("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(a), "l"(b), "n"(5));`, want: []string{"1:44 P3012 %2"}, judged: 1},
		"an unknown number": {source: `asm("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(a), "l"(b), "n"(N));`, judged: 1},
		"too few":           {source: `asm("mov.u32 %0, %1;" : "=r"(x));`, want: []string{"1:18 P2001 %1"}, judged: 1},
		"names of others":   {source: `asm("mov.u32 %0, table;" : "=r"(x));`, judged: 1},
		"bare":              {source: `asm("membar.gl;"); __asm__ __volatile__ ("bar.sync 0;");`, judged: 2},
		"a macro":           {source: `asm("mov." TYPE " %0, %1;" : "=r"(x) : "r"(y)); asm("mov.u32 %0, 1;" : OUT(x));`, skipped: "a macro stands in its text,a macro stands among its operands"},
		"a host's":          {source: `asm volatile("rdtsc" : "=a"(lo), "=d"(hi)); asm("pause"); asm("lock; xaddl %0, %1" : "+r"(x));`, foreign: 3},
		"no assembly":       {source: `register int x asm("r0x"); /* asm("x.y;") */ "asm(\"x.y;\")"; // asm("x.y;")` + "\nint asm_x; 'a';", foreign: 1},
		"being written":     {source: "asm(\"add.s33 %0, %1\n asm(\"mov.u32 %0, (1; \nasm(\"ad.s32 %0, %1, 1;\" : \"=r\"(x) : \"r\"(f(y);\n asm(\"trap;\");", want: []string{"1:14 P2001 %0", "1:18 P2001 %1", "1:20 P1011 ", "2:21 P1010 ;", "3:6 P3001 ad"}, judged: 4},
		"no end":            {source: `asm("cp.async.wait_all\n" ::);`, want: []string{"1:23 P1011 "}, judged: 1},
		"nothing":           {source: `asm volatile("" ::: "memory");`},
		"its target":        {source: `asm("wgmma.fence.sync.aligned;");`, arch: "sm_80", want: []string{"1:6 P4002 wgmma.fence"}, judged: 1},
		"any target":        {source: `asm("wgmma.fence.sync.aligned;"); asm("tcgen05.fence::before_thread_sync;");`, judged: 2},
		"of Python": {language: inlineasm.Python, source: "# tl.inline_asm_elementwise('add.u33')\ny = tl.inline_asm_elementwise(\n    \"\"\"\n    add.u33 $0, $1, $2;\n\"\"\",\n    '=r,r,r', [x], dtype=tl.int32)",
			want: []string{"4:8 P3002 .u33"}, judged: 1},
		"keywords of Python": {language: inlineasm.Python, source: `inline_asm_elementwise(args=[x, "r"], constraints=("=r,"
 "r"), asm=r"mov.b32 $0, $1;", pack=1)`, judged: 1},
		"unknown of Python": {language: inlineasm.Python, source: "inline_asm(T.i32(), [a], TEXT, '=r,r')\nInlineAsm(ty, f'mov.{t} $0, $1;', '=r,r')",
			skipped: "its constraints are not written there,its text is an f-string"},
		"braces of Python": {language: inlineasm.Python, source: `inline_asm(i32, [a], "mov.b32 ${0}, ${1:c}; // $$", "=f,r,~{memory}")`, judged: 1},
	} {
		lines, r := judged(t, test.language, test.source, test.arch)
		var skipped []string
		for _, s := range r.Skipped {
			skipped = append(skipped, s.Why)
		}
		if strings.Join(lines, "\n") != strings.Join(test.want, "\n") || r.Judged != test.judged || strings.Join(skipped, ",") != test.skipped || r.Foreign != test.foreign {
			t.Errorf("%s: %q, %d judged, skipped %q, %d foreign\n%v", name, lines, r.Judged, skipped, r.Foreign, r.Diagnostics)
		}
	}
}

// FuzzFind: no text makes the scanners fail, or point outside of it, and each piece costs what it is long.
func FuzzFind(f *testing.F) {
	for _, s := range []string{`asm("x" : "=r"(y) : "r"(z))`, `asm(R"(x)")`, `inline_asm("a$0", "=r")`, `asm("`, `asm(R"((`, "asm(\"\\", `asm("%[a" : [a`, `inline_asm('''`, "asm(x(((:"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		for _, language := range []inlineasm.Language{inlineasm.CPP, inlineasm.Python} {
			r, err := inlineasm.Judge("k", source, language, inlineasm.Options{Arch: "sm_100a"})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range r.Diagnostics {
				if n := diag.Pos(len(source)); d.Span.Start < 0 || d.Span.End < d.Span.Start || d.Span.End > n {
					t.Errorf("%v of %d bytes: %v", d.Span, n, d)
				}
			}
		}
	})
}
