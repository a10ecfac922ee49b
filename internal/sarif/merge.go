package sarif

// This file makes one log of many: code scanning refuses several runs of one tool and category.

import (
	"reflect"
	"slices"
)

// Merge returns a log with one run for each tool and category, in the order in which they come. Rules are described once;
// results that are the same in several logs are one that says how often.
func Merge(logs ...*Log) *Log {
	out := &Log{Schema: schema, Version: version, Runs: []*Run{}}
	for _, l := range logs {
		for _, r := range l.Runs {
			out.run(r).merge(r)
		}
	}
	return out
}

// run is the run of the same tool and category, a new one at their first time.
func (l *Log) run(like *Run) *Run {
	for _, r := range l.Runs {
		if r.Tool.Driver.Name == like.Tool.Driver.Name && reflect.DeepEqual(r.Automation, like.Automation) {
			return r
		}
	}
	r := &Run{Automation: like.Automation, ColumnKind: like.ColumnKind, Results: []Result{}}
	r.Tool.Driver = Driver{Name: like.Tool.Driver.Name, Version: like.Tool.Driver.Version, Rules: []Rule{}}
	l.Runs = append(l.Runs, r)
	return r
}

func (r *Run) merge(more *Run) {
	for _, how := range more.Invocations {
		if !slices.ContainsFunc(r.Invocations, func(known Invocation) bool { return reflect.DeepEqual(known, how) }) {
			r.Invocations = append(r.Invocations, how)
		}
	}
	for _, one := range more.Results {
		one.RuleIndex = r.Rule(more.Tool.Driver.Rules[one.RuleIndex])
		if at := slices.IndexFunc(r.Results, func(known Result) bool { return same(&known, &one) }); at >= 0 {
			r.Results[at].Occurrences = max(r.Results[at].Occurrences, 1) + max(one.Occurrences, 1)
			continue
		}
		r.Results = append(r.Results, one)
	}
}

// same reports whether two results are one: the same rule at the same places, and the same fingerprints or, where results
// have none, the same text.
func same(a, b *Result) bool {
	return a.RuleID == b.RuleID && a.Level == b.Level && reflect.DeepEqual(a.Locations, b.Locations) &&
		reflect.DeepEqual(a.Fingerprints, b.Fingerprints) && (len(a.Fingerprints) > 0 || a.Message == b.Message)
}
