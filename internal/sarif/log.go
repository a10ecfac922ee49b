// Package sarif has the part of SARIF 2.1.0 (OASIS standard, 27 March 2020) that ptxvm writes: logs for code scanning, read,
// merged and written. The packages that exist for the format link a JSON schema validator and net/http, which a static command
// does without.
package sarif

// This file holds the objects of a log.

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

const (
	schema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	version = "2.1.0"
)

// Log is a file (3.13).
type Log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []*Run `json:"runs"`
}

// Run is what one tool has found (3.14). Code scanning takes one run of a tool and a category.
type Run struct {
	Tool        Tool         `json:"tool"`
	Automation  *Automation  `json:"automationDetails,omitempty"`
	Invocations []Invocation `json:"invocations,omitempty"`
	ColumnKind  string       `json:"columnKind,omitempty"`
	Results     []Result     `json:"results"`
}

// Tool is a tool by its driver (3.18).
type Tool struct {
	Driver Driver `json:"driver"`
}

// Driver names the tool, and describes the rules that results refer to (3.19).
type Driver struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Rules   []Rule `json:"rules"`
}

// Automation says in which category code scanning files a run: what stands before the last slash (3.17).
type Automation struct {
	ID string `json:"id"`
}

// Invocation is one execution of the tool (3.20).
type Invocation struct {
	Successful    bool           `json:"executionSuccessful"`
	ExitCode      int            `json:"exitCode"`
	Notifications []Notification `json:"toolExecutionNotifications,omitempty"`
}

// Notification says why an execution ended early (3.58).
type Notification struct {
	Level   string  `json:"level"`
	Message Message `json:"message"`
}

// Rule describes a code (3.49).
type Rule struct {
	ID      string  `json:"id"`
	Name    string  `json:"name"`
	Short   Message `json:"shortDescription"`
	Full    Message `json:"fullDescription"`
	Help    Message `json:"help"`
	Default *Level  `json:"defaultConfiguration,omitempty"`
}

// Level is how serious results of a rule are: error, warning or note (3.50).
type Level struct {
	Level string `json:"level"`
}

// Message is a text (3.11).
type Message struct {
	Text string `json:"text"`
}

// Result is one finding (3.27).
type Result struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      Message           `json:"message"`
	Locations    []Location        `json:"locations"`
	Related      []Location        `json:"relatedLocations,omitempty"`
	Fixes        []Fix             `json:"fixes,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
	Occurrences  int               `json:"occurrenceCount,omitempty"` // in merged logs, where more than one
	Properties   *Properties       `json:"properties,omitempty"`
}

// Properties are what tools say besides (3.8).
type Properties struct {
	Moment *uint64 `json:"moment,omitempty"` // of the debugger
}

// Location is a place in a file (3.28).
type Location struct {
	ID       int      `json:"id,omitempty"`
	Physical Physical `json:"physicalLocation"`
	Message  *Message `json:"message,omitempty"`
}

// Physical is a region of a file (3.29).
type Physical struct {
	Artifact Artifact `json:"artifactLocation"`
	Region   Region   `json:"region"`
}

// Artifact names a file (3.4).
type Artifact struct {
	URI string `json:"uri"`
}

// Region counts lines and code points from 1; its end is exclusive (3.30). What is 0 is not known.
type Region struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

// Fix is a change that would mend what was found (3.55).
type Fix struct {
	Description Message  `json:"description"`
	Changes     []Change `json:"artifactChanges"`
}

// Change is what a fix does to a file (3.56).
type Change struct {
	Artifact     Artifact      `json:"artifactLocation"`
	Replacements []Replacement `json:"replacements"`
}

// Replacement puts a text in the place of another (3.57).
type Replacement struct {
	Deleted  Region   `json:"deletedRegion"`
	Inserted *Message `json:"insertedContent,omitempty"`
}

// New is a log of one run of ptxvm, without results.
func New(toolVersion string) *Log {
	run := &Run{ColumnKind: "unicodeCodePoints", Results: []Result{}}
	run.Tool.Driver = Driver{Name: "ptxvm", Version: toolVersion, Rules: []Rule{}}
	return &Log{schema, version, []*Run{run}}
}

// RuleOf describes a code by its entry in the catalogue; a level of "" is none.
func RuleOf(id, name, title, when, fix, level string) Rule {
	r := Rule{ID: id, Name: name, Short: Message{sentence(title)}, Full: Message{when}, Help: Message{fix}}
	if level != "" {
		r.Default = &Level{level}
	}
	return r
}

// sentence begins with a capital and ends with a period, as the standard wants descriptions.
func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// Rule is the index of a rule, which is added if the run lacks it.
func (r *Run) Rule(rule Rule) int {
	rules := &r.Tool.Driver.Rules
	if at := slices.IndexFunc(*rules, func(known Rule) bool { return known.ID == rule.ID }); at >= 0 {
		return at
	}
	*rules = append(*rules, rule)
	return len(*rules) - 1
}

// Describe says of all runs which category they belong to and how the command ended: why is empty if nothing kept it from
// looking at everything.
func (l *Log) Describe(category string, exitCode int, why string) {
	how := Invocation{Successful: why == "", ExitCode: exitCode}
	if why != "" {
		how.Notifications = []Notification{{"error", Message{why}}}
	}
	for _, r := range l.Runs {
		r.Automation = &Automation{"ptxvm/" + category + "/"}
		r.Invocations = []Invocation{how}
	}
}

// Write prints a log.
func (l *Log) Write(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	return enc.Encode(l)
}

// Read reads a log; objects and properties that ptxvm does not write are dropped.
func Read(r io.Reader) (*Log, error) {
	var l Log
	dec := json.NewDecoder(r)
	if err := dec.Decode(&l); err != nil {
		return nil, fmt.Errorf("no SARIF log: %w", err)
	}
	if l.Version != version {
		return nil, fmt.Errorf("a log of SARIF %q; want %s", l.Version, version)
	}
	for _, r := range l.Runs {
		if r == nil {
			return nil, fmt.Errorf("a log whose run is null")
		}
		for i := range r.Results {
			if at := r.Results[i].RuleIndex; at < 0 || at >= len(r.Tool.Driver.Rules) || r.Tool.Driver.Rules[at].ID != r.Results[i].RuleID {
				return nil, fmt.Errorf("result %d names rule %d, %s, which its run does not describe", i, at, r.Results[i].RuleID)
			}
		}
	}
	return &l, nil
}

// URI is a file's name as a URI, relative if the name is.
func URI(name string) string {
	var b strings.Builder
	name = filepath.ToSlash(name)
	if volume := filepath.VolumeName(name); volume != "" {
		name = "/" + name
	}
	if strings.HasPrefix(name, "/") {
		b.WriteString("file://")
	}
	for i := range len(name) {
		if c := name[i]; c == '/' || c == ':' && i == 2 || plain(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// plain reports whether a character is one of the unreserved ones of RFC 3986, 2.3.
func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
