package diag

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/sarif"
)

func TestPosition(t *testing.T) {
	src := NewSource("a.ptx", []byte("ab\r\n\ncd"))
	for _, c := range []struct {
		pos       Pos
		line, col int
	}{{0, 1, 1}, {3, 1, 4}, {4, 2, 1}, {5, 3, 1}, {6, 3, 2}, {7, 3, 3}, {99, 3, 3}, {-1, 1, 1}} {
		if l, k := src.Position(c.pos); l != c.line || k != c.col {
			t.Errorf("Position(%d) = %d:%d, want %d:%d", c.pos, l, k, c.line, c.col)
		}
	}
	for n, want := range []string{"", "ab", "", "cd", ""} {
		if got := string(src.Line(n)); got != want {
			t.Errorf("Line(%d) = %q, want %q", n, got, want)
		}
	}
	if n := NewSource("", nil).Lines(); n != 1 {
		t.Errorf("empty text has %d lines", n)
	}
}

// sample reports the .sat of one instruction, with everything a diagnostic can carry.
func sample() (*Source, List) {
	src := NewSource("vecadd.ptx", []byte(".version 9.1\n\tadd.sat.u32  %r3, %r1, %r2; // \x1b[31m\n"))
	at := Pos(strings.Index(string(src.Text), ".sat"))
	return src, List{{
		Code: 3004, Source: src, Span: Span{at, at + 4}, Msg: ".sat is not allowed with .u32",
		Form: "add{.sat}.s32 d, a, b", Spec: "9.7.1.1",
		Related: []Note{{src, Span{0, 8}, "version is here"}},
		Fixes:   []Fix{{Label: "remove .sat", Edits: []Edit{{Span{at, at + 4}, ""}}}},
	}}
}

func TestWriteText(t *testing.T) {
	_, list := sample()
	var b bytes.Buffer
	if err := WriteText(&b, list, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	want := `vecadd.ptx:2:5: error P3004: .sat is not allowed with .u32
    2 |     add.sat.u32  %r3, %r1, %r2; // \x1b[31m
      |        ^^^^
      = form: add{.sat}.s32 d, a, b  (PTX ISA 9.7.1.1)
vecadd.ptx:1:1: note: version is here
    1 | .version 9.1
      | ^^^^^^^^
      = fix: remove .sat
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestWriteTextColor(t *testing.T) {
	_, list := sample()
	var b bytes.Buffer
	if err := WriteText(&b, list, TextOptions{Color: true}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "\x1b[1;31merror P3004:\x1b[0m") || strings.Contains(b.String(), "\x1b[31m") {
		t.Errorf("wrong colours: %q", b.String())
	}
}

func TestLongLineIsCut(t *testing.T) {
	text := strings.Repeat("x", 5000) + "BAD" + strings.Repeat("y", 5000)
	src := NewSource("l.ptx", []byte(text))
	var b bytes.Buffer
	if err := WriteText(&b, List{{Source: src, Span: Span{5000, 5003}, Msg: "m"}}, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	caret := strings.Index(lines[2], "^^^")
	if len(lines[1]) > 300 || []rune(lines[1])[caret] != 'B' {
		t.Errorf("bad excerpt:\n%s", b.String())
	}
}

func TestWriteJSON(t *testing.T) {
	_, list := sample()
	var b bytes.Buffer
	if err := WriteJSON(&b, "vecadd.ptx", list); err != nil {
		t.Fatal(err)
	}
	want := `{"file":"vecadd.ptx","ok":false,"message":".sat is not allowed with .u32","diagnostics":[{"code":"P3004","severity":"error","line":2,"col":5,"endLine":2,"endCol":9,"message":".sat is not allowed with .u32","section":"9.7.1.1","fixes":[{"label":"remove .sat","edits":[{"line":2,"col":5,"endLine":2,"endCol":9,"text":""}]}]}]}` + "\n"
	if b.String() != want || !json.Valid(b.Bytes()) {
		t.Errorf("got  %s\nwant %s", b.String(), want)
	}
	b.Reset()
	if err := WriteJSON(&b, "ok.ptx", nil); err != nil || b.String() != `{"file":"ok.ptx","ok":true,"message":"","diagnostics":[]}`+"\n" {
		t.Errorf("got %s, %v", b.String(), err)
	}
}

func TestWritePtxas(t *testing.T) {
	src, list := sample()
	list.Add(Diagnostic{Severity: Warning, Source: src, Msg: "w"})
	var b bytes.Buffer
	if err := WritePtxas(&b, list); err != nil {
		t.Fatal(err)
	}
	want := "ptxas vecadd.ptx, line 2; error   : .sat is not allowed with .u32\n" +
		"ptxas vecadd.ptx, line 1; warning : w\n" +
		"ptxas fatal   : Ptx assembly aborted due to errors\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestList(t *testing.T) {
	src, list := sample()
	if list.Err() == nil || (List{{Severity: Warning}}).Err() != nil {
		t.Error("Err is for errors alone")
	}
	list.Add(Diagnostic{Code: 1, Source: src, Msg: "first"})
	list.Sort()
	if got := list.Error(); got != "vecadd.ptx:1:1: error P0001: first (and 1 more)" {
		t.Errorf("Error() = %q", got)
	}
	if got := (List{}).Error(); got != "no errors" {
		t.Errorf("empty: %q", got)
	}
}

func TestApply(t *testing.T) {
	fix := Fix{Edits: []Edit{{Span{0, 1}, "X"}, {Span{2, 2}, "+"}}}
	if got, err := fix.Apply([]byte("abc")); err != nil || string(got) != "Xb+c" {
		t.Errorf("got %q, %v", got, err)
	}
	for _, bad := range [][]Edit{{{Span{2, 9}, ""}}, {{Span{1, 2}, ""}, {Span{0, 1}, ""}}, {{Span{2, 1}, ""}}} {
		if _, err := (Fix{Edits: bad}).Apply([]byte("abc")); err == nil {
			t.Errorf("accepted %v", bad)
		}
	}
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"plain":        "plain",
		"a\tb\n":       `a\x09b\x0a`,
		"\x1b]0;\x07":  `\x1b]0;\x07`,
		"\xff":         `\xff`,
		"é":            "é",
		"\u202e":       `\u{202e}`,
		"\x7f\u200bok": `\x7f\u{200b}ok`,
	} {
		if got := Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestSARIF: the log says what the sample says, its fix applied to the text removes the error, and columns count code points.
func TestSARIF(t *testing.T) {
	src, list := sample()
	accents := NewSource("dir with space/é.ptx", []byte("// é\nadd é é;\n"))
	list = append(list, Diagnostic{Code: 2001, Severity: Warning, Source: accents, Span: Span{13, 15}, Msg: "é"}, Diagnostic{Code: 3004, Msg: "nowhere"})
	var out bytes.Buffer
	if err := WriteSARIF(&out, "1.2.3", list); err != nil {
		t.Fatal(err)
	}
	var log sarif.Log
	if err := json.Unmarshal(out.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || run.Tool.Driver.Version != "1.2.3" || len(run.Tool.Driver.Rules) != 2 || len(run.Results) != 3 {
		t.Fatalf("%s", out.Bytes())
	}
	for i, r := range run.Results {
		rule := run.Tool.Driver.Rules[r.RuleIndex]
		if want := list[i].Code.String(); r.RuleID != want || rule.ID != want || rule.Short.Text == "" || r.Level != list[i].Severity.String() {
			t.Errorf("result %d: %+v by rule %+v", i, r, rule)
		}
	}
	edit := run.Results[0].Fixes[0].Changes[0].Replacements[0]
	line := string(src.Line(edit.Deleted.StartLine))
	if got := line[:edit.Deleted.StartColumn-1] + line[edit.Deleted.EndColumn-1:]; !strings.HasPrefix(got, "\tadd.u32") || edit.Inserted != nil {
		t.Errorf("the fix makes %q", got)
	}
	if related := run.Results[0].Related; len(related) != 1 || related[0].Message.Text != "version is here" {
		t.Errorf("related: %+v", related)
	}
	at := run.Results[1].Locations[0].Physical
	if at.Region != (sarif.Region{StartLine: 2, StartColumn: 7, EndLine: 2, EndColumn: 8}) || at.Artifact.URI != "dir%20with%20space/%C3%A9.ptx" {
		t.Errorf("place: %+v", at)
	}
	if len(run.Results[2].Locations) != 0 {
		t.Error("a place of nowhere")
	}
}

// TestSARIFEmpty: arrays that the standard demands are there without results.
func TestSARIFEmpty(t *testing.T) {
	var out bytes.Buffer
	if err := WriteSARIF(&out, "", nil); err != nil || !strings.Contains(out.String(), `"results": []`) || !strings.Contains(out.String(), `"rules": []`) {
		t.Errorf("%v %s", err, out.String())
	}
}

// TestGitHub: one command a line, whatever stands in names and messages.
func TestGitHub(t *testing.T) {
	_, list := sample()
	src := NewSource("a:b,c.ptx", []byte("x\ny\n"))
	list = append(list, Diagnostic{Code: 4003, Severity: Warning, Source: src, Span: Span{0, 3}, Msg: "100%\n::error::no"}, Diagnostic{Code: 1, Severity: Remark, Msg: "m"})
	var out bytes.Buffer
	if err := WriteGitHub(&out, list); err != nil {
		t.Fatal(err)
	}
	want := "::error file=vecadd.ptx,line=2,endLine=2,col=5,endColumn=9,title=P3004::.sat is not allowed with .u32\n" +
		"::warning file=a%3Ab%2Cc.ptx,line=1,endLine=2,title=P4003::100%25\\x0a::error::no\n::notice title=P0001::m\n"
	if out.String() != want {
		t.Errorf("have %q\nwant %q", out.String(), want)
	}
}
