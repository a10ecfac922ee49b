package report

// This file renders faults and reports of sanitizers as a SARIF log: a rule a code, the other place of a report as a related
// location, and its id as fingerprint, so that an alert stays the same when lines move.

import (
	"fmt"
	"io"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/sarif"
)

// WriteSARIF prints faults and reports as one log of a tool's version (SARIF 2.1.0). Places are those of the source, where
// they are known.
func WriteSARIF(w io.Writer, version string, faults []*Fault, list []*Report) error {
	log := sarif.New(version)
	run := log.Runs[0]
	for _, f := range faults {
		out := resultIn(run, f.Code, "error", f.ID, fmt.Sprintf("%s (kernel %s)", diag.Escape(f.Msg), f.Kernel))
		out.Locations = append(out.Locations, sarifPlace(&Involved{PTX: f.PTX, Source: f.Source}, ""))
		out.Properties = propertiesOf(f.Moment)
		run.Results = append(run.Results, out)
	}
	for _, r := range list {
		run.Results = append(run.Results, reportIn(run, r))
	}
	return log.Write(w)
}

// resultIn is a result without its places; the run gets its rule.
func resultIn(run *sarif.Run, code diag.Code, level, id, text string) sarif.Result {
	rule := sarif.RuleOf(code.String(), code.String(), "", "", "", "")
	if e, known := diag.Lookup(code); known {
		rule = sarif.RuleOf(code.String(), e.Name, e.Title, e.When, e.Fix, "")
	}
	return sarif.Result{RuleID: code.String(), RuleIndex: run.Rule(rule), Level: level, Message: sarif.Message{Text: text},
		Locations: []sarif.Location{}, Fingerprints: map[string]string{"ptxvm/v1": id}}
}

func reportIn(run *sarif.Run, r *Report) sarif.Result {
	out := resultIn(run, r.Code, r.Severity.String(), r.ID, fmt.Sprintf("%s (kernel %s). %s", diag.Escape(r.Msg), r.Kernel, r.Fix))
	out.Properties = propertiesOf(r.Moment)
	main, related := &r.Here, r.Other
	if main.PTX.File == "" && related != nil {
		main, related = related, nil
	}
	if main.PTX.File != "" {
		out.Locations = append(out.Locations, sarifPlace(main, ""))
	}
	if related != nil && related.PTX.File != "" {
		out.Related = append(out.Related, sarifPlace(related, related.Role))
		out.Related[0].ID = 1
	}
	return out
}

// propertiesOf is what there is to say of a moment, if it is known.
func propertiesOf(moment *uint64) *sarif.Properties {
	if moment == nil {
		return nil
	}
	return &sarif.Properties{Moment: moment}
}

// sarifPlace is a place, of the source if it is known.
func sarifPlace(v *Involved, role string) (l sarif.Location) {
	at := v.line()
	l.Physical.Artifact.URI = sarif.URI(at.File)
	l.Physical.Region = sarif.Region{StartLine: at.Line, StartColumn: at.Col}
	if role != "" {
		l.Message = &sarif.Message{Text: role + ": " + diag.Escape(v.Text)}
	}
	return l
}
