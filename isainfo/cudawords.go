package isainfo

// This file leads from words of CUDA C++ to PTX.

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"ptxvm.invalid/ptxvm/internal/isa"
)

//go:embed cuda.txt
var cudaText string

// cudaWord is a row of cuda.txt.
type cudaWord struct {
	words []string // of CUDA C++
	ptx   []string // names of entries, directives and special registers
	what  string
}

var cudaWords = sync.OnceValue(func() (list []cudaWord) {
	for _, cells := range rowsOf("cuda.txt", cudaText, 3) {
		list = append(list, cudaWord{strings.Fields(cells[0]), strings.Fields(cells[1]), cells[2]})
	}
	return list
})

// rowsOf reads a table of n columns; lines with # are comments.
func rowsOf(file, text string, n int) (rows [][]string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		cells := strings.Split(line, " | ")
		if len(cells) != n {
			panic(fmt.Sprintf("BUG: %s wants %d columns: %s", file, n, line))
		}
		rows = append(rows, cells)
	}
	return rows
}

// explainCUDA describes a word of CUDA C++: threadIdx.x, __syncthreads(), atomicAdd(p, 1).
func explainCUDA(b *strings.Builder, name string) {
	name, _, _ = strings.Cut(strings.TrimSpace(name), "(")
	base, _, _ := strings.Cut(name, ".")
	for _, w := range cudaWords() {
		for _, word := range w.words {
			if word == name || word == base {
				w.explain(b, word)
				return
			}
		}
	}
}

func (w cudaWord) explain(b *strings.Builder, word string) {
	fmt.Fprintf(b, "%s: CUDA C++. %s\n", word, w.what)
	var lines []isa.Described
	for _, name := range w.ptx {
		lines = append(lines, isa.Described{Name: name, What: ptxDoc(name)})
	}
	explainList(b, "In PTX (`ptxvm explain NAME` has forms, rules and an example)", described(lines))
}

// ptxDoc is the line of the ISA data about a name, "" for one that is not there.
func ptxDoc(name string) string {
	for _, e := range named(name) {
		return fmt.Sprintf("%s (PTX ISA %s)", e.Doc, newForm(e).Section)
	}
	for _, k := range Keywords(name) {
		return fmt.Sprintf("%s (PTX ISA %s)", k.Doc, k.Section)
	}
	return ""
}

// nearestCUDA is the word that a name is most likely a slip for.
func nearestCUDA(name string) string {
	var words []string
	for _, w := range cudaWords() {
		words = append(words, w.words...)
	}
	return isa.NearestFold(name, words)
}
