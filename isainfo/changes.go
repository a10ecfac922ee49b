package isainfo

// This file answers what is new between two versions, and what there is on one target.

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Change is something that a version of PTX brought or took away. The JSON names are part
// of the contract.
type Change struct {
	Name    string   `json:"name"`    // of an entry, a directive, a special register or a target
	Section string   `json:"section"` // of the PTX ISA manual, "" for targets
	Kind    string   `json:"kind"`    // new, more (targets or modifiers) or gone
	Doc     string   `json:"doc"`
	What    []string `json:"what"` // the gates, in words
}

// changeList is the JSON of a comparison (docs/json.md).
type changeList struct {
	Schema  int      `json:"schema"`
	From    string   `json:"from"`
	To      string   `json:"to"`
	Target  string   `json:"target,omitempty"`
	Changes []Change `json:"changes"`
}

// Changes compares two versions of PTX, such as "9.1" and "9.4": what came after the first
// and up to the second. target restricts the answer to an architecture such as "sm_120a";
// "" is any of them.
func Changes(from, to, target string) ([]Change, error) {
	v, w, t, err := comparison(from, to, target)
	if err != nil {
		return nil, err
	}
	list := []Change{}
	for _, e := range isa.Table().Entries() {
		if kind, what := e.Changes(v, w, t); kind != isa.Unchanged {
			info := newForm(e)
			list = append(list, Change{e.Name, info.Section, kind.String(), e.Doc, what})
		}
	}
	for _, d := range isa.Directives() {
		if kind, what := d.Changes(v, w, t); kind != isa.Unchanged {
			list = append(list, Change{d.Name, directiveInfo(d).Section, kind.String(), d.Doc, what})
		}
	}
	for _, s := range isa.Specials() {
		if what := s.Info().Since.Opened(v, w, t); what != "" {
			list = append(list, Change{s.String(), s.Info().Section, isa.New.String(), s.Info().Doc, []string{what}})
		}
	}
	for _, n := range isa.Targets() {
		if since := isa.TargetSince(n); since > v && since <= w && (t.IsZero() || t == n) {
			list = append(list, Change{n.String(), "", isa.New.String(), "Target", []string{"since PTX " + since.String()}})
		}
	}
	return list, nil
}

func comparison(from, to, target string) (v, w isa.Version, t isa.Target, err error) {
	if v, err = isa.ParseVersion(from); err == nil {
		w, err = isa.ParseVersion(to)
	}
	if err == nil && target != "" {
		t, err = isa.ParseTarget(target)
	}
	if err == nil && !v.Before(w) {
		err = fmt.Errorf("%s is not older than %s; the older version comes first", from, to)
	}
	if err != nil {
		return 0, 0, t, fmt.Errorf("ptxvm: %w", err)
	}
	return v, w, t, nil
}

// WriteChanges prints Changes as a table, as JSON (docs/json.md) or as Markdown.
func WriteChanges(w io.Writer, from, to, target, format string) error {
	changes, err := Changes(from, to, target)
	if err != nil {
		return err
	}
	switch format {
	case "json":
		return writeIndented(w, changeList{1, from, to, target, changes})
	case "md":
		fmt.Fprint(w, "| name | section | change | what |\n|---|---|---|---|\n")
		for _, c := range changes {
			cells := strings.ReplaceAll(strings.Join(c.What, "; "), "|", "\\|")
			if _, err := fmt.Fprintf(w, "| `%s` | %s | %s | %s: %s |\n", c.Name, c.Section, c.Kind, c.Doc, cells); err != nil {
				return err
			}
		}
		return nil
	case "table":
		t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
		for _, c := range changes {
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", c.Name, c.Section, c.Kind, c.Doc)
			for _, what := range c.What {
				fmt.Fprintf(t, "  %s\n", what)
			}
		}
		return t.Flush()
	}
	return fmt.Errorf("format %q: want table, json or md", format)
}

// FormsFor lists Forms(name) that a module for an architecture such as "sm_120a" may have in
// the newest version; Without says which of their gates stay closed.
func FormsFor(name, target string) ([]Form, error) {
	t, err := isa.ParseTarget(target)
	if err != nil {
		return nil, fmt.Errorf("ptxvm: %w", err)
	}
	var forms []Form
	for _, e := range named(name) {
		if e.Available(isa.Latest, t) {
			info := newForm(e)
			info.Without = e.Closed(isa.Latest, t)
			forms = append(forms, info)
		}
	}
	return forms, nil
}

// WriteFor prints FormsFor and KeywordsFor as Write does.
func WriteFor(w io.Writer, name, target, format string) error {
	forms, err := FormsFor(name, target)
	if err != nil {
		return err
	}
	words, err := KeywordsFor(name, target)
	if err != nil {
		return err
	}
	if len(forms)+len(words) == 0 && len(named(name))+len(Keywords(name)) > 0 {
		return fmt.Errorf("no form of %s is legal on %s; ptxvm isa %s lists since when and where", name, target, name)
	}
	return writeForms(w, name, format, formList{Schema: 1, Forms: forms, Keywords: words})
}

func writeIndented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
