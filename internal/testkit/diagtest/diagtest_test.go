package diagtest

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
)

const sample = `one; // ERROR at one P1001 "un.*ed" P1010
two; // WARNING P4003 ERROR P1001
three;
`

func found(line string, code diag.Code, sev diag.Severity, msg string) diag.Diagnostic {
	at := diag.Pos(strings.Index(sample, line))
	return diag.Diagnostic{Code: code, Severity: sev, Span: diag.Span{Start: at, End: at + 3}, Msg: msg}
}

func TestCompare(t *testing.T) {
	good := diag.List{
		found("one", 1001, diag.Error, "unexpected"), found("one", 1010, diag.Error, ""),
		found("two", 4003, diag.Warning, ""), found("two", 1001, diag.Error, ""),
	}
	if p := Compare([]byte(sample), good); len(p) != 0 {
		t.Errorf("problems: %q", p)
	}
	for name, bad := range map[string]diag.List{
		"missing":  good[:3],
		"extra":    append(good[:4:4], found("three", 1001, diag.Error, "")),
		"message":  append(diag.List{found("one", 1001, diag.Error, "other")}, good[1:]...),
		"severity": append(diag.List{found("one", 1001, diag.Warning, "unexpected")}, good[1:]...),
		"place":    append(diag.List{found("; //", 1001, diag.Error, "unexpected")}, good[1:]...),
	} {
		if p := Compare([]byte(sample), bad); len(p) == 0 {
			t.Errorf("%s: no problem found", name)
		}
	}
	if p := Compare([]byte("x // ERROR what\n"), nil); len(p) == 0 {
		t.Error("an unreadable expectation was accepted")
	}
}

func TestSplit(t *testing.T) {
	got := Split([]byte("a\nb\n// ----\nc\n// ---- more\n"))
	if len(got) != 3 || string(got[0].Text) != "a\nb\n" || string(got[1].Text) != "c\n" || got[1].Line != 4 || len(got[2].Text) != 0 {
		t.Errorf("got %+v", got)
	}
}
