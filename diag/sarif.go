package diag

// This file renders diagnostics as a SARIF 2.1.0 log (OASIS standard, 27 March 2020): one run, a rule a code. The packages
// that exist for the format link a JSON schema validator and net/http, which a static command does without.

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID      string       `json:"id"`
	Name    string       `json:"name"`
	Short   sarifMessage `json:"shortDescription"`
	Full    sarifMessage `json:"fullDescription"`
	Help    sarifMessage `json:"help"`
	Default sarifLevel   `json:"defaultConfiguration"`
}

type sarifLevel struct {
	Level string `json:"level"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations"`
	Related   []sarifLocation `json:"relatedLocations,omitempty"`
	Fixes     []sarifFix      `json:"fixes,omitempty"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
	Message  *sarifMessage `json:"message,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

// sarifRegion counts lines and code points from 1; its end is exclusive.
type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

type sarifFix struct {
	Description sarifMessage  `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	Artifact     sarifArtifact      `json:"artifactLocation"`
	Replacements []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	Deleted  sarifRegion   `json:"deletedRegion"`
	Inserted *sarifMessage `json:"insertedContent,omitempty"`
}

// WriteSARIF prints the diagnostics of all files as one log of a tool's version. Alternatives among the fixes are separate fixes.
func WriteSARIF(w io.Writer, version string, list List) error {
	rules := sarifRules(list)
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
		Tool: sarifTool{sarifDriver{Name: "ptxvm", Version: version, Rules: rules}}}
	for i := range list {
		d := &list[i]
		at := slices.IndexFunc(rules, func(r sarifRule) bool { return r.ID == d.Code.String() })
		run.Results = append(run.Results, sarifResultOf(d, at))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

// sarifRules describes the codes of a list, in order.
func sarifRules(list List) []sarifRule {
	var codes []Code
	for i := range list {
		codes = append(codes, list[i].Code)
	}
	slices.Sort(codes)
	rules := []sarifRule{}
	for _, code := range slices.Compact(codes) {
		rule := sarifRule{ID: code.String(), Name: code.String(), Default: sarifLevel{Error.String()}}
		if e, known := Lookup(code); known {
			rule.Name, rule.Default.Level = e.Name, e.Severity.String()
			rule.Short, rule.Full, rule.Help = sarifMessage{sentence(e.Title)}, sarifMessage{e.When}, sarifMessage{e.Fix}
		}
		rules = append(rules, rule)
	}
	return rules
}

// sentence begins with a capital and ends with a period, as the standard wants descriptions.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

func sarifResultOf(d *Diagnostic, rule int) sarifResult {
	text := Escape(d.Msg)
	if d.Spec != "" {
		text += fmt.Sprintf(" (PTX ISA %s)", d.Spec)
	}
	r := sarifResult{RuleID: d.Code.String(), RuleIndex: rule, Level: d.Severity.String(), Message: sarifMessage{text}, Locations: []sarifLocation{}}
	if at, ok := sarifLocationOf(d.Source, d.Span); ok {
		r.Locations = append(r.Locations, at)
	}
	for _, n := range d.Related {
		if at, ok := sarifLocationOf(n.Source, n.Span); ok {
			at.Message = &sarifMessage{Escape(n.Msg)}
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

func sarifFixOf(src *Source, f Fix) sarifFix {
	change := sarifChange{Artifact: sarifArtifact{sarifURI(src.Name)}}
	for _, e := range f.Edits {
		region, _ := regionOf(src, e.Span)
		r := sarifReplacement{Deleted: region}
		if e.New != "" {
			r.Inserted = &sarifMessage{e.New}
		}
		change.Replacements = append(change.Replacements, r)
	}
	return sarifFix{sarifMessage{Escape(f.Label)}, []sarifChange{change}}
}

func sarifLocationOf(src *Source, span Span) (sarifLocation, bool) {
	region, ok := regionOf(src, span)
	if !ok {
		return sarifLocation{}, false
	}
	return sarifLocation{Physical: sarifPhysical{sarifArtifact{sarifURI(src.Name)}, region}}, true
}

// regionOf is where a span lies; false without a text.
func regionOf(src *Source, span Span) (r sarifRegion, ok bool) {
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

// sarifURI is a file's name as a URI, relative if the name is.
func sarifURI(name string) string {
	var b strings.Builder
	name = filepath.ToSlash(name)
	if volume := filepath.VolumeName(name); volume != "" {
		name = "/" + name
	}
	if strings.HasPrefix(name, "/") {
		b.WriteString("file://")
	}
	for i := range len(name) {
		if c := name[i]; c == '/' || c == ':' && i == 2 || plainInURI(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// plainInURI: the unreserved characters of RFC 3986, 2.3.
func plainInURI(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
