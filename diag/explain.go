package diag

// This file prints the catalogue: one entry for `explain`, all of it for docs/errors.md.

import (
	"fmt"
	"io"
	"strings"
)

// WriteExplanation prints one entry as text: title, when it occurs, example and fix.
func WriteExplanation(w io.Writer, e *Entry) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%v %s: %s\n\n%s\n", e.Code, e.Name, e.Title, e.When)
	if e.Spec != "" {
		fmt.Fprintf(&b, "\nSee PTX ISA %s.\n", e.Spec)
	}
	if e.Example != "" {
		fmt.Fprintf(&b, "\nExample:\n\n%s", indent(e.Example))
	}
	fmt.Fprintf(&b, "\nFix: %s\n", e.Fix)
	_, err := io.WriteString(w, b.String())
	return err
}

// ranges are the groups of codes, by their thousands.
var ranges = map[Code]string{
	1: "Characters, words and statements", 2: "Names and declarations",
	3: "Instruction forms and operands", 4: "Versions and targets",
	5: "Control flow, calls and linking", 7: "Faults at run time", 8: "Sanitizers",
}

// WriteMarkdown prints the whole catalogue, the first part of docs/errors.md.
func WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("<!-- Code generated from diag/codes.txt and testdata/mistakes.txtar by go generate ./diag; DO NOT EDIT. -->\n\n# Diagnostics\n\n")
	b.WriteString("Every code that ptxvm reports. `ptxvm explain CODE` prints the same, and of faults usual causes, what to try and what CUDA calls them. At the end: [typical mistakes](#typical-mistakes), beside what ptxas says of them.\n")
	last := Code(0)
	for i := range Catalog() {
		e := &Catalog()[i]
		if group := e.Code / 1000; group != last {
			fmt.Fprintf(&b, "\n## %dxxx: %s\n", group, ranges[group])
			last = group
		}
		e.markdown(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (e *Entry) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %v %s\n\n%s: %s. %s", e.Code, e.Name, e.Severity, e.Title, e.When)
	if e.Spec != "" {
		fmt.Fprintf(b, " (PTX ISA %s)", e.Spec)
	}
	b.WriteString("\n")
	if e.Example != "" {
		fmt.Fprintf(b, "\n%s", indent(e.Example))
	}
	fmt.Fprintf(b, "\nFix: %s\n", e.Fix)
}

// indent puts four spaces before each line, in the place of a tab if it begins with one.
func indent(text string) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		b.WriteString("    " + strings.TrimPrefix(line, "\t") + "\n")
	}
	return b.String()
}
