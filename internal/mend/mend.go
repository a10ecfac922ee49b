// Package mend applies the mechanical fixes of diagnostics to a text.
package mend

import (
	"bytes"
	"slices"

	"ptxvm.invalid/ptxvm/diag"
)

// Applied is a fix that Mend has made.
type Applied struct {
	Line  int      // of the text, from 1: fixes change no line breaks
	Label string   // imperative: "add .rn"
	Of    []string // the words of which it wrote one, where several would have done; else nil
}

// Mend applies the mechanical fixes of errors: those with one sensible meaning, such as a misspelled modifier or a missing
// semicolon. judge looks at statements and declarations; what a whole program lacks shows only in a text without other errors,
// and would hide that these became fewer. A fix that does not make errors fewer is left out, so fixing the result changes
// nothing more. The error is judge's, with the text as it was.
func Mend(text []byte, judge func(text []byte) (diag.List, error)) ([]byte, []Applied, error) {
	r := repairer{text: text, judge: judge}
	if r.diags, r.failed = judge(text); r.failed != nil {
		return text, nil, r.failed
	}
	for r.try(r.mechanical()) {
	}
	if r.failed != nil {
		return text, nil, r.failed
	}
	slices.SortStableFunc(r.applied, func(a, b Applied) int { return a.Line - b.Line })
	return r.text, r.applied, nil
}

// repairer holds a text, what is wrong with it, and which fixes made it.
type repairer struct {
	judge   func(text []byte) (diag.List, error)
	text    []byte
	diags   diag.List
	applied []Applied
	judged  int
	failed  error // of the judge
}

// maxJudgements bounds the work for hostile files: the fixes of some fifty statements cost one.
const maxJudgements = 2000

// mechanical lists fixes that can be made together: of the syntax first, since errors there
// hide others.
func (r *repairer) mechanical() []diag.Fix {
	fixes := r.mechanicalOf(syntaxError)
	if fixes == nil {
		fixes = r.mechanicalOf(func(diag.Code) bool { return true })
	}
	return fixes
}

func (r *repairer) mechanicalOf(kind func(diag.Code) bool) []diag.Fix {
	var fixes []diag.Fix
	end := diag.Pos(0)
	for i := range r.diags {
		d := &r.diags[i]
		at := slices.IndexFunc(d.Fixes, func(f diag.Fix) bool { return f.Mechanical && len(f.Edits) > 0 })
		if d.Severity != diag.Error || at < 0 || !kind(d.Code) || len(fixes) > 0 && d.Fixes[at].Edits[0].Span.Start <= end {
			continue
		}
		fixes = append(fixes, d.Fixes[at])
		end = d.Fixes[at].Edits[len(d.Fixes[at].Edits)-1].Span.End
	}
	return fixes
}

// syntaxError tells the codes of the parser (1xxx).
func syntaxError(c diag.Code) bool { return c < 2000 }

// try makes fixes together if each of them takes an error away, else some of them. It tells
// whether the text changed.
func (r *repairer) try(fixes []diag.Fix) bool {
	if len(fixes) == 0 || r.judged >= maxJudgements || r.failed != nil {
		return false
	}
	if r.commit(fixes) {
		return true
	}
	n := len(fixes) / 2
	return n > 0 && (r.try(fixes[:n]) || r.try(fixes[n:]))
}

func (r *repairer) commit(fixes []diag.Fix) bool {
	var all diag.Fix
	for _, f := range fixes {
		all.Edits = append(all.Edits, f.Edits...)
	}
	text, err := all.Apply(r.text)
	if err != nil {
		return false // edits of two diagnostics overlap; alone each is tried again
	}
	r.judged++
	diags, err := r.judge(text)
	if r.failed = err; err != nil || !fewer(r.diags, diags, len(fixes)) {
		return false
	}
	for _, f := range fixes {
		line := 1 + bytes.Count(r.text[:f.Edits[0].Span.Start], []byte("\n"))
		r.applied = append(r.applied, Applied{line, f.Label, f.Of})
	}
	r.text, r.diags = text, diags
	return true
}

// fewer reports whether n errors went away; those that errors of the syntax hid may have come.
func fewer(before, after diag.List, n int) bool {
	syntaxBefore, allBefore := countErrors(before)
	syntaxAfter, allAfter := countErrors(after)
	if syntaxBefore != syntaxAfter {
		return syntaxAfter <= syntaxBefore-n
	}
	return allAfter <= allBefore-n
}

func countErrors(list diag.List) (syntax, all int) {
	for i := range list {
		if list[i].Severity != diag.Error {
			continue
		}
		all++
		if syntaxError(list[i].Code) {
			syntax++
		}
	}
	return syntax, all
}
