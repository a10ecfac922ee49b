package isainfo

// This file lists the assumptions about hardware.

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/sem/table"
)

// Assumption is one assumption about hardware: a question that neither the manual nor a known
// measurement answers, on which something that is executed depends. The JSON names are part
// of the contract.
type Assumption struct {
	ID        string     `json:"id"`      // "U3": stable
	Name      string     `json:"name"`    // the same in words
	Section   string     `json:"section"` // of the PTX ISA manual
	About     string     `json:"about"`
	Forms     []string   `json:"forms"`     // entries of the ISA data that depend on it
	Positions []Position `json:"positions"` // the first is the default
	Chance    int        `json:"chance"`    // that the default is right, in percent; 0: not known
}

// Position is one answer to an assumption.
type Position struct {
	Name  string `json:"name"`
	Means string `json:"means"`
}

// assumptionList is the JSON of the list (docs/json.md).
type assumptionList struct {
	Schema      int          `json:"schema"`
	Assumptions []Assumption `json:"assumptions"`
}

// Assumptions lists the assumptions that something executed depends on. ptxvm.DeviceConfig.Assume
// chooses other positions; ptxvm.Stats.Assumed names those that a launch used.
func Assumptions() []Assumption {
	list := []Assumption{}
	for i := range assume.Table {
		if forms := table.Whole().AssumedForms(assume.Assumption(i)); len(forms) > 0 {
			list = append(list, newAssumption(&assume.Table[i], forms))
		}
	}
	return list
}

func newAssumption(r *assume.Row, forms []isa.ID) Assumption {
	info := Assumption{ID: r.ID, Name: r.Name, Section: r.Section, About: r.About, Chance: r.Chance}
	for _, id := range forms {
		info.Forms = append(info.Forms, isa.Table().Entry(id).Name)
	}
	for _, p := range r.Positions {
		info.Positions = append(info.Positions, Position{p.Name, p.Means})
	}
	return info
}

// WriteAssumptions prints Assumptions as a table, as JSON (docs/json.md) or as Markdown.
func WriteAssumptions(w io.Writer, format string) error {
	list := Assumptions()
	switch format {
	case "json":
		return writeIndented(w, assumptionList{Schema: 1, Assumptions: list})
	case "md":
		return writeAssumptionsMarkdown(w, list)
	case "table":
		return writeAssumptionsTable(w, list)
	}
	return fmt.Errorf("format %q: want table, json or md", format)
}

// explainAssumption writes the assumption of an id or name such as U53 or im2col-halo, if there is one.
func explainAssumption(b *strings.Builder, name string) {
	i := slices.IndexFunc(assume.Table, func(r assume.Row) bool { return strings.EqualFold(r.ID, name) || strings.EqualFold(r.Name, name) })
	if i < 0 {
		return
	}
	forms := table.Whole().AssumedForms(assume.Assumption(i))
	if len(forms) == 0 {
		return
	}
	a := newAssumption(&assume.Table[i], forms)
	fmt.Fprintf(b, "%s: an assumption about hardware, %s (PTX ISA %s)\n\n%s\n\nPositions (--assume %s=NAME):\n\n", a.ID, a.Name, a.Section, a.About, a.ID)
	for i, p := range a.Positions {
		fmt.Fprintf(b, "    %-8s %s\n", p.Name, a.means(i))
	}
	fmt.Fprintf(b, "\nForms: %s. isa --assumptions lists all assumptions.\n", strings.Join(a.Forms, " "))
}

// chance is how sure the default is, for people.
func (a *Assumption) chance() string {
	if a.Chance == 0 {
		return "not known"
	}
	return fmt.Sprintf("about %d %%", a.Chance)
}

// means is what a position means, and of the default how sure it is.
func (a *Assumption) means(position int) string {
	text := a.Positions[position].Means
	if position == 0 {
		text += fmt.Sprintf(" (default; chance to be right: %s)", a.chance())
	}
	return text
}

func writeAssumptionsTable(w io.Writer, list []Assumption) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for i := range list {
		a := &list[i]
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", a.ID, a.Name, a.Section, a.About)
		fmt.Fprintf(t, "\tforms\t\t%s\n", strings.Join(a.Forms, " "))
		for i, p := range a.Positions {
			fmt.Fprintf(t, "\t=%s\t\t%s\n", p.Name, a.means(i))
		}
	}
	return t.Flush()
}

func writeAssumptionsMarkdown(w io.Writer, list []Assumption) error {
	fmt.Fprint(w, "# Assumptions about hardware\n\nGenerated from the table of assumptions and the semantics table; do not edit.\n",
		"`--assume ID=POSITION,…` takes another position; the first is the default.\n\n",
		"| id | name | section | question | forms | positions | chance of the default |\n|---|---|---|---|---|---|---|\n")
	for i := range list {
		a := &list[i]
		var positions []string
		for _, p := range a.Positions {
			positions = append(positions, "`"+p.Name+"` "+p.Means)
		}
		if _, err := fmt.Fprintf(w, "| %s | `%s` | %s | %s | %s | %s | %s |\n", a.ID, a.Name, a.Section, a.About,
			strings.Join(a.Forms, " "), strings.Join(positions, "; "), a.chance()); err != nil {
			return err
		}
	}
	return nil
}
