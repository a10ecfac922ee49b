package isainfo

// This file explains words of the field that are no names of PTX.

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
)

//go:embed concepts.txt
var conceptText string

// concept is a row of concepts.txt.
type concept struct {
	words   []string // the first heads the explanation
	names   []string // of entries, directives and special registers, and codes
	page    string   // of docs/explanation, "" for none
	section string   // of the PTX ISA, "" for none
	what    string
}

var concepts = sync.OnceValue(func() (list []concept) {
	none := strings.NewReplacer("-", "")
	for _, cells := range rowsOf("concepts.txt", conceptText, 5) {
		list = append(list, concept{strings.Split(cells[0], ", "), strings.Fields(cells[1]), none.Replace(cells[2]), none.Replace(cells[3]), cells[4]})
	}
	return list
})

// conceptOf is the row of a word, in any case, nil if there is none.
func conceptOf(word string) *concept {
	list, word := concepts(), strings.ToLower(strings.Join(strings.Fields(word), " "))
	for i := range list {
		if slices.Contains(list[i].words, word) {
			return &list[i]
		}
	}
	return nil
}

func isConcept(word string) bool { return strings.Contains(word, " ") && conceptOf(word) != nil }

// explainConcept describes a word of the field: warp, bank conflict.
func explainConcept(b *strings.Builder, name string) {
	c := conceptOf(name)
	if c == nil {
		return
	}
	fmt.Fprintf(b, "%s%s\n\n%s\n", c.words[0], parenthesised("PTX ISA ", c.section), c.what)
	var lines []isa.Described
	for _, name := range c.names {
		lines = append(lines, isa.Described{Name: name, What: docOf(name)})
	}
	explainList(b, "See (`ptxvm explain NAME`)", described(lines))
	if c.page != "" {
		fmt.Fprintf(b, "\nMore: docs/explanation/%s.md\n", c.page)
	}
}

func parenthesised(what, text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf(" (%s%s)", what, text)
}

// docOf is a line about a name of PTX or a code, "" for one that is not there.
func docOf(name string) string {
	if c, ok := diag.ParseCode(name); ok {
		if e, ok := diag.Lookup(c); ok {
			return e.Title
		}
	}
	if line := ptxDoc(name); line != "" {
		return line
	}
	if list := explained(name); len(list) > 0 {
		return list[0].Doc
	}
	for _, e := range isa.Table().Entries() {
		if slices.ContainsFunc(e.Modifiers(), func(m isa.Mod) bool { return m.String() == name }) {
			return "a modifier"
		}
	}
	return ""
}
