package main

// This file writes the reports of sanitizers as a SARIF 2.1.0 log, for code scanning: a rule a code, the other place as a
// related location, and the report's id as fingerprint.

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/report"
)

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name  string      `json:"name"`
	Rules []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID    string    `json:"id"`
	Name  string    `json:"name"`
	Short sarifText `json:"shortDescription"`
	Full  sarifText `json:"fullDescription"`
	Help  sarifText `json:"help"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Related      []sarifLocation   `json:"relatedLocations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type sarifLocation struct {
	ID       int `json:"id,omitempty"`
	Physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region sarifRegion `json:"region"`
	} `json:"physicalLocation"`
	Message *sarifText `json:"message,omitempty"`
}

type sarifRegion struct {
	Line int `json:"startLine"`
	Col  int `json:"startColumn,omitempty"`
}

// sarifOf is the log of a run's faults and reports.
func sarifOf(faults []*ptxvm.Fault, list []*ptxvm.Report) *sarifLog {
	log := &sarifLog{Schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", Version: "2.1.0"}
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "ptxvm", Rules: []sarifRule{}}
	for _, f := range faults {
		out := run.result(f.Code, "error", f.ID, fmt.Sprintf("%s (kernel %s)", diag.Escape(f.Msg), f.Kernel))
		out.Locations = append(out.Locations, sarifPlace(&report.Involved{PTX: f.PTX, Source: f.Source}, ""))
		run.Results = append(run.Results, out)
	}
	for _, r := range list {
		run.add(r)
	}
	log.Runs = []sarifRun{run}
	return log
}

// rule is the index of the rule of a code, a new one at its first time.
func (run *sarifRun) rule(code diag.Code) int {
	driver := &run.Tool.Driver
	if at := slices.IndexFunc(driver.Rules, func(rule sarifRule) bool { return rule.ID == code.String() }); at >= 0 {
		return at
	}
	rule := sarifRule{ID: code.String(), Name: code.String()}
	if e, known := diag.Lookup(code); known {
		rule.Name, rule.Short, rule.Full, rule.Help = e.Name, sarifText{e.Title}, sarifText{e.When}, sarifText{e.Fix}
	}
	driver.Rules = append(driver.Rules, rule)
	return len(driver.Rules) - 1
}

// result is a result without its places.
func (run *sarifRun) result(code diag.Code, level, id, text string) sarifResult {
	return sarifResult{RuleID: code.String(), RuleIndex: run.rule(code), Level: level, Message: sarifText{text},
		Locations: []sarifLocation{}, Fingerprints: map[string]string{"ptxvm/v1": id}}
}

// add adds a report.
func (run *sarifRun) add(r *ptxvm.Report) {
	out := run.result(r.Code, r.Severity.String(), r.ID, fmt.Sprintf("%s (kernel %s). %s", diag.Escape(r.Msg), r.Kernel, r.Fix))
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
	run.Results = append(run.Results, out)
}

// sarifPlace is a place, of the source if it is known.
func sarifPlace(v *report.Involved, role string) (l sarifLocation) {
	at := v.PTX
	if len(v.Source) > 0 {
		at = v.Source[0]
	}
	l.Physical.Artifact.URI = strings.ReplaceAll(filepath.ToSlash(at.File), " ", "%20")
	l.Physical.Region = sarifRegion{at.Line, at.Col}
	if role != "" {
		l.Message = &sarifText{role + ": " + diag.Escape(v.Text)}
	}
	return l
}
