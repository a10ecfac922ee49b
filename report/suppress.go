package report

// This file holds suppressions: reports that are known, each with the reason why it may stand.

import (
	"bufio"
	"bytes"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/kernelname"
)

// Suppressions are reports that sanitizers do not make. They may be used by several devices at a time.
type Suppressions struct{ list []*Suppression }

// Suppression is a line of a suppression file:
//
//	P8002 kernel=sort* at=scan.cuh:80-95 other=scan.cuh:* # the reason
//
// A report is meant that has the code, or any with *, and all that is given: kernel and object, by name with * and ? as in a
// shell; kind and id, as in the report; at and other, file and lines of the two places, in the source or in the PTX. A file is
// given with as much of its path as is wanted. Two places of a race are meant in either order, so WAR is RAW.
type Suppression struct {
	File   string // that it stands in
	Line   int
	Text   string // without the reason
	Reason string

	code, kernel, object, kind, id string
	at, other                      *suppressedPlace
	used                           atomic.Int64
}

// suppressedPlace is a file and lines of it.
type suppressedPlace struct {
	file     string // pattern
	from, to int    // lines; 0, 0: all
}

// ParseSuppressions reads a file of suppressions; name is the file's in errors. Blank lines and lines that begin with # are
// comments.
func ParseSuppressions(name string, text []byte) (*Suppressions, error) {
	s := &Suppressions{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		one, err := parseSuppression(line)
		if err != nil {
			return nil, fmt.Errorf("ptxvm: %s:%d: %w", diag.Escape(name), n, err)
		}
		one.File, one.Line = name, n
		s.list = append(s.list, one)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("ptxvm: %s: %w", diag.Escape(name), err)
	}
	return s, nil
}

// parseSuppression reads a line.
func parseSuppression(line string) (*Suppression, error) {
	text, reason, _ := strings.Cut(line, " #")
	s := &Suppression{Text: strings.TrimSpace(text), Reason: strings.TrimSpace(reason)}
	if s.Reason == "" {
		return nil, fmt.Errorf("a suppression needs its reason: %s # why it may stand", diag.Escape(s.Text))
	}
	words := strings.Fields(s.Text)
	s.code = words[0]
	if !knownReportCode(s.code) {
		return nil, fmt.Errorf("%q is no code of a report; want P8001 and up, or *", s.code)
	}
	for _, word := range words[1:] {
		if err := s.set(word); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// knownReportCode tells codes of sanitizers.
func knownReportCode(code string) bool {
	if code == "*" {
		return true
	}
	c, ok := diag.ParseCode(code)
	return ok && c.String() == code && c >= diag.UninitializedRead // the first of them
}

// set reads KEY=VALUE.
func (s *Suppression) set(word string) (err error) {
	key, value, _ := strings.Cut(word, "=")
	if value == "" {
		return fmt.Errorf("%q: want KEY=VALUE", word)
	}
	switch key {
	case "kernel":
		s.kernel = value
	case "object":
		s.object = value
	case "kind":
		s.kind = value
	case "id":
		s.id = value
	case "at":
		s.at, err = parseSuppressedPlace(value)
	case "other":
		s.other, err = parseSuppressedPlace(value)
	default:
		return fmt.Errorf("there is no key %q; want kernel, object, kind, id, at or other", key)
	}
	return err
}

// parseSuppressedPlace reads FILE, FILE:*, FILE:LINE or FILE:FROM-TO.
func parseSuppressedPlace(text string) (*suppressedPlace, error) {
	at := strings.LastIndexByte(text, ':')
	if at < 0 || text[at+1:] == "*" {
		return &suppressedPlace{file: strings.TrimSuffix(text, ":*")}, nil
	}
	first, last, isRange := strings.Cut(text[at+1:], "-")
	if !isRange {
		last = first
	}
	from, failed := strconv.Atoi(first)
	to, failedToo := strconv.Atoi(last)
	if failed != nil || failedToo != nil || from < 1 || to < from {
		return nil, fmt.Errorf("%q: want FILE:LINE, FILE:FROM-TO or FILE:*", text)
	}
	return &suppressedPlace{text[:at], from, to}, nil
}

// Unused lists the suppressions that have met no report so far.
func (s *Suppressions) Unused() (list []*Suppression) {
	if s == nil {
		return nil
	}
	for _, one := range s.list {
		if one.used.Load() == 0 {
			list = append(list, one)
		}
	}
	return list
}

// Meets reports whether a report is suppressed. All that mean it count as used.
func (s *Suppressions) Meets(r *Report) (met bool) {
	if s == nil {
		return false
	}
	for _, one := range s.list {
		if one.Means(r) {
			one.used.Add(1)
			met = true
		}
	}
	return met
}

// Means reports whether the suppression is of a report.
func (s *Suppression) Means(r *Report) bool {
	switch {
	case s.code != "*" && s.code != r.Code.String(),
		s.kind != "" && eitherWay(s.kind) != eitherWay(r.Kind),
		s.id != "" && s.id != r.ID,
		s.object != "" && !matchesName(s.object, r.Object),
		s.kernel != "" && !matchesKernel(s.kernel, r.Kernel):
		return false
	}
	return s.at.means(&r.Here) && s.other.means(r.Other) || r.Code == diag.DataRace && s.at.means(r.Other) && s.other.means(&r.Here)
}

// means reports whether a place is one of the lines.
func (p *suppressedPlace) means(v *Involved) bool {
	if p == nil {
		return true
	}
	if v == nil {
		return false
	}
	for _, l := range append([]Location{v.PTX}, v.Source...) {
		if (p.to == 0 || l.Line >= p.from && l.Line <= p.to) && matchesFile(p.file, l.File) {
			return true
		}
	}
	return false
}

// matchesKernel matches a kernel's symbol, its C++ signature, or the name alone.
func matchesKernel(pattern, symbol string) bool {
	k := kernelname.Of(symbol)
	return matchesName(pattern, symbol) || matchesName(pattern, k.Demangled) || matchesName(pattern, k.Base())
}

// matchesFile matches a path, or its end.
func matchesFile(pattern, file string) bool {
	for file = path.Clean(strings.ReplaceAll(file, `\`, "/")); ; {
		if matchesName(pattern, file) {
			return true
		}
		_, rest, more := strings.Cut(file, "/")
		if !more {
			return false
		}
		file = rest
	}
}

// matchesName matches * and ?; other characters stand for themselves.
func matchesName(pattern, name string) bool {
	star, back := -1, 0 // the last *, and where in the name what follows it is tried
	p, n := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, back = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			p, n = p+1, n+1
		case star >= 0:
			back++
			p, n = star+1, back
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// Suppression is a line that suppresses the report and says why: it has been found, and was not looked at yet.
func (r *Report) Suppression() string {
	words := []string{r.Code.String(), "kind=" + r.Kind, "kernel=" + unblank(r.Kernel), "at=" + placePattern(&r.Here)}
	if r.Here.PTX.File == "" {
		words = words[:3]
	}
	if r.Other != nil && r.Other.PTX.File != "" {
		words = append(words, "other="+placePattern(r.Other))
	}
	return fmt.Sprintf("%s # not looked at yet: %s", strings.Join(words, " "), diag.Escape(r.Msg))
}

// placePattern is the file, without its folders, and the line of a place.
func placePattern(v *Involved) string {
	l := v.line()
	return fmt.Sprintf("%s:%d", unblank(path.Base(strings.ReplaceAll(l.File, `\`, "/"))), l.Line)
}

// unblank makes a name a word of a suppression.
func unblank(name string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, name)
}
