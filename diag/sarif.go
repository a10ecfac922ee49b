package diag

// This file renders diagnostics as a SARIF log: one run, a rule a code.

import (
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"ptxvm.invalid/ptxvm/internal/sarif"
)

// WriteSARIF prints the diagnostics of all files as one log of a tool's version (SARIF 2.1.0). Alternatives among the fixes
// are separate fixes.
func WriteSARIF(w io.Writer, version string, list List) error {
	log := sarif.New(version)
	run := log.Runs[0]
	run.Tool.Driver.Rules = sarifRules(list)
	for i := range list {
		d := &list[i]
		at := slices.IndexFunc(run.Tool.Driver.Rules, func(r sarif.Rule) bool { return r.ID == d.Code.String() })
		run.Results = append(run.Results, sarifResultOf(d, at))
	}
	return log.Write(w)
}

// sarifRules describes the codes of a list, in order.
func sarifRules(list List) []sarif.Rule {
	var codes []Code
	for i := range list {
		codes = append(codes, list[i].Code)
	}
	slices.Sort(codes)
	rules := []sarif.Rule{}
	for _, code := range slices.Compact(codes) {
		rule := sarif.RuleOf(code.String(), code.String(), "", "", "", Error.String())
		if e, known := Lookup(code); known {
			rule = sarif.RuleOf(code.String(), e.Name, e.Title, e.When, e.Fix, e.Severity.String())
		}
		rules = append(rules, rule)
	}
	return rules
}

func sarifResultOf(d *Diagnostic, rule int) sarif.Result {
	text := Escape(d.Msg)
	if d.Spec != "" {
		text += fmt.Sprintf(" (PTX ISA %s)", d.Spec)
	}
	r := sarif.Result{RuleID: d.Code.String(), RuleIndex: rule, Level: d.Severity.String(),
		Message: sarif.Message{Text: text}, Locations: []sarif.Location{}}
	if at, ok := sarifLocationOf(d.Source, d.Span); ok {
		r.Locations = append(r.Locations, at)
	}
	for _, n := range d.Related {
		if at, ok := sarifLocationOf(n.Source, n.Span); ok {
			at.Message = &sarif.Message{Text: Escape(n.Msg)}
			r.Related = append(r.Related, at)
		}
	}
	for _, f := range d.Fixes {
		if len(f.Edits) > 0 && d.Source != nil {
			r.Fixes = append(r.Fixes, sarifFixOf(d.Source, f))
		}
	}
	return r
}

func sarifFixOf(src *Source, f Fix) sarif.Fix {
	change := sarif.Change{Artifact: sarif.Artifact{URI: sarif.URI(src.Name)}}
	for _, e := range f.Edits {
		region, _ := regionOf(src, e.Span)
		r := sarif.Replacement{Deleted: region}
		if e.New != "" {
			r.Inserted = &sarif.Message{Text: e.New}
		}
		change.Replacements = append(change.Replacements, r)
	}
	return sarif.Fix{Description: sarif.Message{Text: Escape(f.Label)}, Changes: []sarif.Change{change}}
}

func sarifLocationOf(src *Source, span Span) (at sarif.Location, ok bool) {
	region, ok := regionOf(src, span)
	if ok {
		at.Physical = sarif.Physical{Artifact: sarif.Artifact{URI: sarif.URI(src.Name)}, Region: region}
	}
	return at, ok
}

// regionOf is where a span lies; false without a text.
func regionOf(src *Source, span Span) (r sarif.Region, ok bool) {
	if src == nil {
		return r, false
	}
	place := func(p Pos) (int, int) {
		line, col := src.Position(p)
		before := src.Line(line)
		return line, utf8.RuneCount(before[:min(col-1, len(before))]) + 1
	}
	r.StartLine, r.StartColumn = place(span.Start)
	r.EndLine, r.EndColumn = place(span.End)
	return r, true
}
