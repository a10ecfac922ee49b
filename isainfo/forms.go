// Package isainfo answers questions about PTX: which instruction forms, directives and special registers there are, since
// which version and on which targets, whether ptxvm executes them, and what names and codes mean. Its tables are those by
// which ptxvm judges and runs modules.
//
//	for _, f := range isainfo.Forms("cvt") {
//		fmt.Println(f.Name, f.Section, f.Status)
//	}
//	text, err := isainfo.Explain("cvt.rn.f16.f32")
package isainfo

// This file lists the instruction forms with their status.

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/sem/table"
)

// Form describes one entry of the ISA data. The JSON names are part of the contract.
type Form struct {
	Name    string   `json:"name"`    // the entry's id, such as add.int
	Section string   `json:"section"` // of the PTX ISA manual
	Doc     string   `json:"doc"`
	Forms   []string `json:"forms"`  // in the notation of the data
	Gates   []string `json:"gates"`  // since which version and on which targets
	Status  string   `json:"status"` // done, undocumented, partial or todo
	Notes   []string `json:"notes,omitempty"`
	Without []string `json:"without,omitempty"` // FormsFor: what the target lacks, in words

	// A result that is executed is exact, the one that the manual defines, but for these.
	Approximate []string `json:"approximate,omitempty"` // modifiers whose result the manual bounds and does not define
	Assumptions []string `json:"guesses,omitempty"`     // Assumptions that some of its cases depend on, by id

	// What check accepts, no manual describes and run refuses by name, with an example each.
	Undocumented []string `json:"undocumented,omitempty"`
}

// formList is the JSON of a list (docs/json.md).
type formList struct {
	Schema   int       `json:"schema"`
	Forms    []Form    `json:"forms"`
	Keywords []Keyword `json:"keywords"`
	Operands []string  `json:"undocumentedOperands,omitempty"` // of a whole list
}

// Forms lists the ISA: every entry, or those whose id or opcode is name, else those that an opcode with some modifiers,
// such as "mul.u32", may still become.
func Forms(name string) []Form {
	var forms []Form
	list := named(name)
	if list == nil {
		list, _ = partOf(name)
	}
	for _, e := range list {
		forms = append(forms, newForm(e))
	}
	return forms
}

// named lists the entries whose id or opcode is name; "" is all of them.
func named(name string) []*isa.Entry {
	var list []*isa.Entry
	for _, e := range isa.Table().Entries() {
		if name == "" || e.Name == name || e.Opcode[0] == name {
			list = append(list, e)
		}
	}
	return list
}

func newForm(e *isa.Entry) Form {
	info := Form{Name: e.Name, Section: e.Section, Doc: e.Doc, Forms: []string{}, Gates: append([]string{}, e.Gates()...)}
	if e.Manual != 0 {
		info.Section = fmt.Sprintf("%v: %s", e.Manual, e.Section)
	}
	for i := range e.Alts {
		info.Forms = append(info.Forms, e.Alts[i].Text)
	}
	c := table.Whole().Status(e)
	info.Status, info.Notes, info.Undocumented = c.Status, c.Notes, c.Undocumented
	if info.runs() {
		info.Approximate, info.Assumptions = approximations(e), assumptions()[e.ID]
	}
	return info
}

// runs reports whether statements of the form are executed.
func (f Form) runs() bool { return f.Status != sem.Todo && f.Status != sem.Undocumented }

// approximations lists the modifiers of e, or of its name, that ask for less than a rounded result.
func approximations(e *isa.Entry) (list []string) {
	modifiers := e.Modifiers()
	for _, m := range []isa.Mod{isa.M_approx, isa.M_full} {
		if text := m.String(); slices.Contains(modifiers, m) || slices.Contains(e.Opcode, text) {
			list = append(list, text)
		}
	}
	return list
}

// assumptions has the rows of the table of assumptions that the execution of an entry asks, by id.
var assumptions = sync.OnceValue(func() map[isa.ID][]string {
	all := map[isa.ID][]string{}
	for i := range assume.Table {
		for _, id := range table.Whole().AssumedForms(assume.Assumption(i)) {
			all[id] = append(all[id], assume.Table[i].ID)
		}
	}
	return all
})

// Write prints Forms(name) and Keywords(name) as a table, as JSON (docs/json.md) or as Markdown.
func Write(w io.Writer, name, format string) error {
	list := formList{Schema: 1, Forms: Forms(name), Keywords: Keywords(name)}
	if name == "" {
		list.Operands = UndocumentedOperands()
	}
	return writeForms(w, name, format, list)
}

func writeForms(w io.Writer, name, format string, list formList) error {
	if len(list.Forms)+len(list.Keywords) == 0 {
		return fmt.Errorf("no instruction form, directive or special register is called %q%s", name, suggestForm(name))
	}
	switch format {
	case "json":
		return writeIndented(w, list)
	case "md":
		return writeISAMarkdown(w, list)
	case "table":
		return writeISATable(w, list)
	}
	return fmt.Errorf("format %q: want table, json or md", format)
}

func writeISAMarkdown(w io.Writer, list formList) (err error) {
	if len(list.Forms) > 0 {
		err = writeFormsMarkdown(w, list.Forms)
	}
	if err == nil && len(list.Keywords) > 0 {
		err = writeKeywordsMarkdown(w, list.Keywords)
	}
	return err
}

func suggestForm(name string) string {
	if near := nearestName(name); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// nearestName is the id, opcode, directive or special register that a word is most likely a slip for.
func nearestName(word string) string {
	var names []string
	for _, e := range isa.Table().Entries() {
		names = append(names, e.Name, e.Opcode[0])
	}
	for _, k := range Keywords("") {
		names = append(names, k.Name)
	}
	for _, sign := range []string{"", ".", "%"} {
		if near := isa.NearestFold(sign+word, names); near != "" {
			return near
		}
	}
	return ""
}

// detailed is the length of a list up to which each of its rows is shown in detail.
const detailed = 8

func writeISATable(w io.Writer, list formList) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	details := len(list.Forms)+len(list.Keywords) <= detailed
	for _, f := range list.Forms {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", f.Name, f.Section, f.Status, f.Doc)
		writeDetails(t, f.Without, slices.Concat(f.Forms, f.Gates, f.Notes, f.silences()), details)
	}
	for _, k := range list.Keywords {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", k.Name, k.Section, k.Kind, k.Doc)
		writeDetails(t, k.Without, append([]string{k.Form}, k.Gates...), details)
	}
	return t.Flush()
}

// silence says that no manual describes something.
func silence(what string) string { return "no manual describes " + what }

func (f Form) silences() (list []string) {
	for _, what := range f.Undocumented {
		list = append(list, silence(what))
	}
	return list
}

// writeDetails prints what a target lacks, and the other lines if they are wanted.
func writeDetails(w io.Writer, without, lines []string, wanted bool) {
	for _, line := range without {
		fmt.Fprintf(w, "  not here: %s\n", line)
	}
	if wanted {
		for _, line := range lines {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
}

// result says in words how far the form's results are those of the hardware.
func (f Form) result() string {
	if !f.runs() {
		return "–"
	}
	var words []string
	if len(f.Approximate) > 0 {
		words = append(words, "approximate: `"+strings.Join(f.Approximate, "` `")+"`")
	}
	if len(f.Assumptions) > 0 {
		words = append(words, "assumption: "+strings.Join(f.Assumptions, " "))
	}
	if len(words) == 0 {
		return "exact"
	}
	return strings.Join(words, "; ")
}

func writeFormsMarkdown(w io.Writer, forms []Form) error {
	count := map[string]int{}
	for _, f := range forms {
		count[f.Status]++
	}
	fmt.Fprintf(w, "# Instruction forms and their status\n\nGenerated from the ISA data and the semantics table; do not edit.\n")
	fmt.Fprintf(w, "%d forms: %d done, %d undocumented, %d partial, %d todo. Every form is judged by `check`; `run` refuses by name what is not executed, before anything runs.\n\n",
		len(forms), count[sem.Done], count[sem.Undocumented], count[sem.Partial], count[sem.Todo])
	fmt.Fprintf(w, "Results that are executed are exact: the bits that the manual defines. Where it only bounds the error, the modifier is named; where it leaves\n"+
		"a case open, so is the assumption that is taken (`isa --assumptions` has the question and the other answers, `--assume` takes one).\n\n")
	fmt.Fprint(w, "| form | section | status | result | what |\n|---|---|---|---|---|\n")
	for _, f := range forms {
		doc := f.Doc
		if len(f.Notes) > 0 {
			doc += " — " + strings.Join(f.Notes, "; ")
		}
		if _, err := fmt.Fprintf(w, "| `%s` | %s | %s | %s | %s |\n", f.Name, f.Section, f.Status, f.result(), strings.ReplaceAll(doc, "|", "\\|")); err != nil {
			return err
		}
	}
	return writeUndocumented(w, forms)
}

// writeUndocumented lists what check accepts, no manual describes and run refuses, a line each.
func writeUndocumented(w io.Writer, forms []Form) error {
	fmt.Fprintf(w, "\n## Undocumented\n\nptxas takes this, so `check` does, too; no manual describes it, and `run` refuses it by name, with exit code 5.\n\n")
	fmt.Fprint(w, "| form | what no manual describes |\n|---|---|\n")
	for _, f := range forms {
		for _, what := range f.Undocumented {
			fmt.Fprintf(w, "| `%s` | %s |\n", f.Name, strings.ReplaceAll(what, "|", "\\|"))
		}
	}
	for _, what := range UndocumentedOperands() {
		if _, err := fmt.Fprintf(w, "| operands | %s |\n", what); err != nil {
			return err
		}
	}
	return nil
}

// UndocumentedOperands lists in words what ptxas takes as operands of many forms, so that it is valid, and no manual
// describes: a kernel that reaches it is refused by name.
func UndocumentedOperands() []string { return slices.Clone(isa.Oddities()) }
