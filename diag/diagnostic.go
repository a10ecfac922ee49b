package diag

// This file defines what is reported: a diagnostic, its notes and fixes, and lists of them.

import (
	"fmt"
	"sort"
	"strings"
)

// Code is the stable number of a diagnostic; it prints as P3004. The catalogue
// (codes.txt) explains each, zcodes.go names each.
type Code uint16

// String returns the code as users see it, for example P3004.
func (c Code) String() string { return fmt.Sprintf("P%04d", uint16(c)) }

// Severity says whether a diagnostic rejects the module. The zero value does.
type Severity uint8

// The severities, worst first.
const (
	Error Severity = iota
	Warning
	Remark
)

// String returns the word that the renderers print.
func (s Severity) String() string { return [...]string{"error", "warning", "note"}[s] }

// Diagnostic is one report about one place of one source.
type Diagnostic struct {
	Code     Code
	Severity Severity
	Source   *Source // nil when there is no text to point at
	Span     Span    // the modifier or operand at fault, not the whole line
	Msg      string  // lower case, no period, says want and have
	Form     string  // the nearest instruction form in the manual's notation, if one is near
	Spec     string  // section of the manual: "9.7.1.1", or "9.4: 9.7.11.5" for later ones
	Related  []Note  // declarations, the other end of a conflict
	Fixes    []Fix   // alternatives: at most one may be applied
}

// Note points at a second place that explains a diagnostic.
type Note struct {
	Source *Source
	Span   Span
	Msg    string
}

// Fix is a labelled group of edits that removes the cause.
type Fix struct {
	Label string // imperative: "remove .sat"
	Edits []Edit // not overlapping, in ascending order

	// Mechanical says that no review is needed: the edits leave one sensible meaning, the
	// one that the statement already had in mind, with its widths, signs, rounding and state
	// spaces. `check --fix` applies such fixes alone; all others are advice.
	Mechanical bool

	Of []string // the words of which the edits write one, where several would do: ".rm", ".rn", ".rp", ".rz"
}

// Edit replaces a span by New; an empty span inserts.
type Edit struct {
	Span Span
	New  string
}

// Error formats the diagnostic on one line: file:line:col: severity code: message.
func (d Diagnostic) Error() string {
	return d.place() + d.Severity.String() + " " + d.Code.String() + ": " + Escape(d.Msg)
}

func (d Diagnostic) place() string {
	if d.Source == nil {
		return ""
	}
	line, col := d.Source.Position(d.Span.Start)
	return fmt.Sprintf("%s:%d:%d: ", Escape(d.Source.Name), line, col)
}

// List is a set of diagnostics; it is an error that lists those of severity Error.
type List []Diagnostic

// Add appends d.
func (l *List) Add(d Diagnostic) { *l = append(*l, d) }

// Error returns the first error, and how many more there are.
func (l List) Error() string {
	first, n := "", 0
	for i := range l {
		if l[i].Severity != Error {
			continue
		}
		if n++; n == 1 {
			first = l[i].Error()
		}
	}
	switch n {
	case 0:
		return "no errors"
	case 1:
		return first
	}
	return fmt.Sprintf("%s (and %d more)", first, n-1)
}

// HasErrors reports whether any diagnostic rejects the module.
func (l List) HasErrors() bool {
	for i := range l {
		if l[i].Severity == Error {
			return true
		}
	}
	return false
}

// Err returns l as an error if it has errors, else nil.
func (l List) Err() error {
	if l.HasErrors() {
		return l
	}
	return nil
}

// Sort orders by file name, position, then code; equal places keep their order.
func (l List) Sort() {
	sort.SliceStable(l, func(i, j int) bool { return less(&l[i], &l[j]) })
}

func less(a, b *Diagnostic) bool {
	if a.Source != b.Source {
		return strings.Compare(sourceName(a.Source), sourceName(b.Source)) < 0
	}
	if a.Span.Start != b.Span.Start {
		return a.Span.Start < b.Span.Start
	}
	return a.Code < b.Code
}

func sourceName(s *Source) string {
	if s == nil {
		return ""
	}
	return s.Name
}

// Apply returns text with the edits of fix made. Edits that overlap or lie outside
// the text are an error, since they would corrupt the file.
func (fix Fix) Apply(text []byte) ([]byte, error) {
	var out []byte
	at := Pos(0)
	for _, e := range fix.Edits {
		if e.Span.Start < at || e.Span.End < e.Span.Start || int(e.Span.End) > len(text) {
			return nil, fmt.Errorf("diag: edit [%d,%d) does not fit", e.Span.Start, e.Span.End)
		}
		out = append(append(out, text[at:e.Span.Start]...), e.New...)
		at = e.Span.End
	}
	return append(out, text[at:]...), nil
}
