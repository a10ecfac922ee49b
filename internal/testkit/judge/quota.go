package judge

// This file counts what a run covers: cases, rejections and their reasons for each entry, gates, and
// the share of equal verdicts for each section of chapter 9.7.

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/generate"
)

// What every entry must have: cases, rejected ones in percent, reasons of rejections.
const (
	quotaCases   = 20
	quotaPercent = 30
	quotaReasons = 3
)

// Verdict is what the judges say about a case.
type Verdict struct {
	*Case
	Here string // the checker's first error, "" if it accepts
}

// Equal reports whether the judges agree.
func (v *Verdict) Equal() bool { return (v.Here == "") == (v.Ptxas == "") }

var errorCode = regexp.MustCompile(`\b(P[0-9]{4})\b`)

// reason is why a case is rejected: the code of the error.
func (v *Verdict) reason() string { return errorCode.FindString(v.Here) }

// Shortfalls lists what entries lack of their quota. A case counts as rejected if rejected says so.
func Shortfalls(list []Verdict, entries []*isa.Entry, rejected func(*Verdict) bool) (lacks []string) {
	byEntry := map[*isa.Entry][]*Verdict{}
	for i := range list {
		byEntry[list[i].Entry] = append(byEntry[list[i].Entry], &list[i])
	}
	for _, e := range entries {
		no, reasons := 0, map[string]bool{}
		for _, v := range byEntry[e] {
			if rejected(v) {
				no++
				reasons[v.reason()] = true
			}
		}
		n := len(byEntry[e])
		if n < quotaCases || 100*no < quotaPercent*n || len(reasons) < quotaReasons {
			lacks = append(lacks, fmt.Sprintf("%s: %d cases, %d rejected, for %d reasons", e.Name, n, no, len(reasons)))
		}
		lacks = append(lacks, gatesWithout(e, byEntry[e])...)
	}
	return lacks
}

// gatesWithout lists the gates of an entry that no case is at, or one step below.
func gatesWithout(e *isa.Entry, list []*Verdict) (lacks []string) {
	lines := e.GateLines()
	for i := range lines {
		for _, a := range lines[i].Gate {
			targets := a.Targets
			if len(targets) == 0 {
				targets = []isa.Target{{}}
			}
			for _, t := range targets {
				for _, step := range generate.Steps(&lines[i], a, t) {
					is := func(v *Verdict) bool {
						return v.Gate == i+1 && v.Version == step.Version && slices.Contains(step.Targets, v.Target)
					}
					if !slices.ContainsFunc(list, is) {
						lacks = append(lacks, fmt.Sprintf("%s: no case of gate %v (%v) in version %v on %v", e.Name, lines[i].Gate, step.Below, step.Version, step.Targets))
					}
				}
			}
		}
	}
	return lacks
}

// Share counts the cases of a section, and those with equal verdicts.
type Share struct {
	Section              string
	Cases, Equal, Accept int
}

// Percent is the share of equal verdicts.
func (s *Share) Percent() float64 { return 100 * float64(s.Equal) / float64(s.Cases) }

// Shares counts by section of chapter 9.7, in order, and all together.
func Shares(list []Verdict) (sections []Share, whole Share) {
	whole.Section = "all"
	for i := range list {
		v := &list[i]
		name := chapterSection(v.Entry)
		at := slices.IndexFunc(sections, func(s Share) bool { return s.Section == name })
		if at < 0 {
			at = len(sections)
			sections = append(sections, Share{Section: name})
		}
		sections[at].add(v)
		whole.add(v)
	}
	slices.SortFunc(sections, func(a, b Share) int { return strings.Compare(padded(a.Section), padded(b.Section)) })
	return sections, whole
}

func (s *Share) add(v *Verdict) {
	s.Cases++
	if v.Equal() {
		s.Equal++
	}
	if v.Ptxas == "" {
		s.Accept++
	}
}

// chapterSection is the section of the 9.1 manual that the entry's file is about: the first two
// digits behind the chapter's number in its name.
func chapterSection(e *isa.Entry) string {
	return "9.7." + strings.TrimPrefix(path.Base(e.File)[2:4], "0")
}

// padded makes sections sort by number.
func padded(section string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(section, ".") {
		fmt.Fprintf(&b, "%3s", part)
	}
	return b.String()
}
