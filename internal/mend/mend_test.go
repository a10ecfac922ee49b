package mend

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
)

// A judge of these tests knows two mistakes: "!" is an error of the syntax whose fix takes it away, "x" an error whose fix makes it
// "o". An error of the syntax hides the others. "?" is an error whose fix makes "!!" of it: it helps nothing. "-" has a fix that is
// advice, "w" is a warning with a mechanical one.
func judge(text []byte) (list diag.List, err error) {
	broken := bytes.Contains(text, []byte("!"))
	for i, c := range text {
		d := diag.Diagnostic{Severity: diag.Error, Code: diag.Undeclared, Span: diag.Span{Start: diag.Pos(i), End: diag.Pos(i + 1)}}
		fix := diag.Fix{Label: fmt.Sprintf("fix %c", c), Mechanical: true, Edits: []diag.Edit{{Span: d.Span}}}
		switch c {
		case '!':
			d.Code = 1000
		case 'x':
			fix.Edits[0].New = "o"
		case '?':
			fix.Edits[0].New = "!!"
		case '-':
			fix.Mechanical = false
		case 'w':
			d.Severity = diag.Warning
		default:
			continue
		}
		if c != '!' && broken {
			continue
		}
		d.Fixes = []diag.Fix{fix}
		list = append(list, d)
	}
	return list, nil
}

// TestMend: all fixes that make errors fewer are made, those of the syntax first, and no other.
func TestMend(t *testing.T) {
	for _, c := range []struct{ text, want, labels string }{
		{"", "", ""},
		{"abc", "abc", ""},
		{"axc", "aoc", "1 fix x"},
		{"x\nx\n!x", "o\no\no", "1 fix x, 2 fix x, 3 fix !, 3 fix x"},
		{"x?x", "o?o", "1 fix x, 1 fix x"},
		{"?", "?", ""},
		{"-w", "-w", ""},
		{strings.Repeat("x.", 100) + "?", strings.Repeat("o.", 100) + "?", "100"},
	} {
		text := []byte(c.text)
		got, made, err := Mend(text, judge)
		if err != nil || string(got) != c.want || string(text) != c.text {
			t.Errorf("%.20q: %.40q, %v; want %.40q", c.text, got, err, c.want)
		}
		var labels []string
		for _, m := range made {
			labels = append(labels, fmt.Sprintf("%d %s", m.Line, m.Label))
		}
		if said := strings.Join(labels, ", "); said != c.labels && fmt.Sprint(len(made)) != c.labels {
			t.Errorf("%.20q: %s, want %s", c.text, said, c.labels)
		}
		if again, more, err := Mend(got, judge); err != nil || len(more) > 0 || !bytes.Equal(again, got) {
			t.Errorf("%.20q: mended twice it is %.40q", c.text, again)
		}
	}
}

// TestChoices: the words of which a fix wrote one are named.
func TestChoices(t *testing.T) {
	_, made, err := Mend([]byte("x"), func(text []byte) (diag.List, error) {
		list, err := judge(text)
		for i := range list {
			list[i].Fixes[0].Of = []string{"o", "p"}
		}
		return list, err
	})
	if err != nil || len(made) != 1 || strings.Join(made[0].Of, " ") != "o p" {
		t.Errorf("%+v, %v", made, err)
	}
}

// TestOverlapping: of fixes that overlap one is made.
func TestOverlapping(t *testing.T) {
	got, made, err := Mend([]byte("ab"), func(text []byte) (list diag.List, _ error) {
		if string(text) != "ab" {
			return nil, nil
		}
		for _, span := range []diag.Span{{Start: 0, End: 2}, {Start: 1, End: 2}} {
			list = append(list, diag.Diagnostic{Severity: diag.Error, Code: diag.Undeclared, Span: span,
				Fixes: []diag.Fix{{Label: "cut", Mechanical: true, Edits: []diag.Edit{{Span: span}}}}})
		}
		return list, nil
	})
	if err != nil || string(got) != "" || len(made) != 1 {
		t.Errorf("%q, %v, %v", got, made, err)
	}
}

// TestJudgeFails: what the judge cannot judge stays as it was, at once or behind a fix.
func TestJudgeFails(t *testing.T) {
	gone := errors.New("the judge has gone")
	for after := range 3 {
		calls := 0
		got, made, err := Mend([]byte("x!"), func(text []byte) (diag.List, error) {
			if calls++; calls > after {
				return nil, gone
			}
			return judge(text)
		})
		if !errors.Is(err, gone) || string(got) != "x!" || made != nil {
			t.Errorf("after %d judgements: %q, %v, %v", after, got, made, err)
		}
	}
}

// TestBound: a text whose fixes help nothing costs a bounded number of judgements.
func TestBound(t *testing.T) {
	list := diag.List{}
	for i := range 1100 {
		span := diag.Span{Start: diag.Pos(3 * i), End: diag.Pos(3*i + 1)}
		list = append(list, diag.Diagnostic{Severity: diag.Error, Code: diag.Undeclared, Span: span,
			Fixes: []diag.Fix{{Label: "no help", Mechanical: true, Edits: []diag.Edit{{Span: span, New: "?"}}}}})
	}
	calls := 0
	_, made, err := Mend(bytes.Repeat([]byte("?  "), 1100), func([]byte) (diag.List, error) { calls++; return list, nil })
	if err != nil || made != nil || calls != maxJudgements+1 {
		t.Errorf("%d judgements, %v, %v", calls, made, err)
	}
}
