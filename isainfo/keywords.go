package isainfo

// This file lists directives, the strings of .pragma and special registers.

import (
	"fmt"
	"io"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Keyword describes a directive, a string of .pragma or a special register. The JSON names are
// part of the contract.
type Keyword struct {
	Name    string   `json:"name"` // as it is written: .maxntid, "nounroll", %tid
	Kind    string   `json:"kind"` // directive, pragma or special register
	Section string   `json:"section"`
	Doc     string   `json:"doc"`
	Form    string   `json:"form"`              // how it is written
	Gates   []string `json:"gates"`             // since when and where, in words
	Without []string `json:"without,omitempty"` // KeywordsFor: what the target lacks, in words
}

// Keywords lists them all, or those of one name.
func Keywords(name string) []Keyword {
	return keywords(name, nil, nil)
}

// KeywordsFor lists those that a module for an architecture such as "sm_120a" may have in the newest version.
func KeywordsFor(name, target string) ([]Keyword, error) {
	t, err := isa.ParseTarget(target)
	if err != nil {
		return nil, fmt.Errorf("ptxvm: %w", err)
	}
	return keywords(name, func(d *isa.Directive) ([]string, bool) { return d.Closed(isa.Latest, t), d.Available(isa.Latest, t) },
		func(s isa.Special) bool { return s.Available(isa.Latest, t) }), nil
}

// keywords lists what two functions keep; nil keeps all.
func keywords(name string, directive func(*isa.Directive) (without []string, there bool), special func(isa.Special) bool) (list []Keyword) {
	for _, d := range isa.Directives() {
		without, there := []string(nil), true
		if directive != nil {
			without, there = directive(d)
		}
		if there && (name == "" || name == d.Name || `"`+name+`"` == d.Name) {
			info := directiveInfo(d)
			info.Without = without
			list = append(list, info)
		}
	}
	for _, s := range isa.Specials() {
		if (name == "" || name == s.String()) && (special == nil || special(s)) {
			list = append(list, specialInfo(s))
		}
	}
	return list
}

func directiveInfo(d *isa.Directive) Keyword {
	info := Keyword{Name: d.Name, Kind: "directive", Section: d.Section, Doc: d.Doc, Form: d.Form, Gates: d.Gates()}
	if d.Manual != 0 {
		info.Section = fmt.Sprintf("%v: %s", d.Manual, d.Section)
	}
	if d.IsPragma() {
		info.Kind = "pragma"
	}
	return info
}

// specialInfo describes a special register; its form is the move that reads it.
func specialInfo(s isa.Special) Keyword {
	info := s.Info()
	return Keyword{Name: info.Name, Kind: "special register", Section: info.Section, Doc: info.Doc, Form: specialMove(info), Gates: s.Gates()}
}

// specialMove reads a special register of one component, or the first one.
func specialMove(info *isa.SpecialInfo) string {
	component := ""
	if info.Lanes > 1 {
		component = ".x"
	}
	return fmt.Sprintf("mov%v d, %s%s;", info.Type, info.Name, component)
}

// writeKeywordsMarkdown prints a table; gates stand in it, since there are no forms that explain would list.
func writeKeywordsMarkdown(w io.Writer, list []Keyword) error {
	fmt.Fprint(w, "\n## Directives and special registers\n\nAll are judged by `check`; `explain NAME` says more.\n\n| name | section | what | legal |\n|---|---|---|---|\n")
	for _, k := range list {
		if _, err := fmt.Fprintf(w, "| `%s` | %s | %s | %s |\n", k.Name, k.Section, k.Doc, strings.Join(k.Gates, "; ")); err != nil {
			return err
		}
	}
	return nil
}
