package ptxvm

// This file explains error codes and instructions in words.

import (
	"fmt"
	"strings"

	"ptxvm/internal/diag"
	"ptxvm/internal/isa"
	"ptxvm/internal/sem"
)

// Explain describes an error code such as "P3004", or the instructions of a name such as
// "cvt" or "add.int", each with an example.
func Explain(name string) (string, error) {
	var b strings.Builder
	if c, ok := diag.ParseCode(name); ok {
		e, _ := diag.Lookup(c)
		err := diag.WriteExplanation(&b, e)
		return b.String(), err
	}
	entries := named(name)
	if name == "" {
		entries = nil
	}
	for _, e := range entries {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		explainEntry(&b, e)
	}
	if d := isa.LookupDirective(name); d != nil {
		explainDirective(&b, d)
	}
	if special, ok := isa.LookupSpecial(name); ok {
		explainSpecial(&b, special)
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("%q is no error code, instruction, directive or special register; codes look like P3004, instructions like cvt or add.int, directives like .maxntid%s", name, suggestForm(name))
	}
	return b.String(), nil
}

// Example is a valid module that has a statement of an entry of Forms.
func Example(name string) (string, bool) {
	for _, e := range isa.Table().Entries() {
		if e.Name == name {
			return e.Example(), e.Example() != ""
		}
	}
	return "", false
}

func explainEntry(b *strings.Builder, e *isa.Entry) {
	info, words := formInfo(e), e.Words()
	fmt.Fprintf(b, "%s: %s (PTX ISA %s)\n", e.Name, e.Doc, info.Section)
	if e.About != "" {
		fmt.Fprintf(b, "\n%s\n", e.About)
	}
	explainList(b, "Forms", info.Forms)
	explainList(b, "Modifiers", described(words.Modifiers))
	explainList(b, "Operands", described(words.Operands))
	explainList(b, "Rules", words.Rules)
	explainList(b, "Legal", words.Gates)
	explainList(b, "Where ptxas and the manual differ", e.Notes)
	fmt.Fprintf(b, "\nStatus: %s\n", statusWords(e))
	if example := e.Example(); example != "" {
		explainList(b, "Example", strings.Split(strings.TrimSuffix(example, "\n"), "\n"))
	}
}

// explainDirective describes a directive, a specifier of declarations, a target option or a string of .pragma.
func explainDirective(b *strings.Builder, d *isa.Directive) {
	info := directiveInfo(d)
	fmt.Fprintf(b, "%s: %s (PTX ISA %s)\n\n%s\n", d.Name, d.Doc, info.Section, d.About)
	explainList(b, "Form", []string{d.Form})
	explainList(b, "Legal", info.Gates)
	explainList(b, "Beside it", directiveCompany(d))
	explainList(b, "Where ptxas and the manual differ", d.Notes)
	v, t := d.Open()
	option := ""
	if d.In("target") {
		option = ", " + d.Name
	}
	module := fmt.Sprintf(".version %v\n.target %v%s\n%s", v, t, option, d.Examples[0])
	explainList(b, "Example", strings.Split(module, "\n"))
}

// explainSpecial describes a special register.
func explainSpecial(b *strings.Builder, s isa.Special) {
	info := s.Info()
	fmt.Fprintf(b, "%s: %s (PTX ISA %s)\n\nA special register of type %v, read-only%s.\n", info.Name, info.Doc, info.Section, info.Type, components(info))
	explainList(b, "Form", []string{specialMove(info)})
	explainList(b, "Legal", s.Gates())
	if info.Needs != "" {
		explainList(b, "Beside it", []string{"only with " + info.Needs})
	}
	explainList(b, "Example", strings.Split(strings.TrimSuffix(specialExample(info), "\n"), "\n"))
}

func components(info *isa.SpecialInfo) string {
	if info.Lanes == 1 {
		return ""
	}
	return "; its components are .x .y .z"
}

// specialExample is a valid module that reads the register.
func specialExample(info *isa.SpecialInfo) string {
	v, t := info.Since.Open()
	needs := ""
	if d := isa.LookupDirective(info.Needs); d != nil {
		needs = " " + d.Name + " 2048"
	}
	return fmt.Sprintf(".version %v\n.target %v\n.entry k()%s {\n    .reg %v r;\n    %s\n    ret;\n}\n", v, t, needs, info.Type, strings.Replace(specialMove(info), " d,", " r,", 1))
}

func directiveCompany(d *isa.Directive) (lines []string) {
	for _, rule := range []struct {
		words string
		names []string
	}{{"not with", d.Excludes}, {"only with", d.Needs}, {"no effect without", d.Wants}} {
		if len(rule.names) > 0 {
			lines = append(lines, rule.words+" "+strings.Join(rule.names, ", "))
		}
	}
	return lines
}

// statusWords says whether `run` executes the forms, and what of them it does not.
func statusWords(e *isa.Entry) string {
	status, notes := sem.Status(e)
	text := map[string]string{
		"done": "executed", "partial": "some of it is executed; the rest is refused by name before anything runs",
		"todo": "checked; `run` refuses it by name before anything runs",
	}[status]
	return strings.Join(append([]string{text}, notes...), "; ")
}

func explainList(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n\n", title)
	for _, line := range lines {
		b.WriteString(strings.TrimRight("    "+line, " ") + "\n")
	}
}

// described sets names and descriptions in two columns.
func described(list []isa.Described) []string {
	width := 0
	for _, d := range list {
		width = max(width, len(d.Name))
	}
	var lines []string
	for _, d := range list {
		lines = append(lines, fmt.Sprintf("%-*s  %s", width, d.Name, d.What))
	}
	return lines
}
