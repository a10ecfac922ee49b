// Package inlineasm finds the PTX that C++ and Python sources hand to their compilers as text, and judges it: the statements
// of asm("…") in CUDA C++, and of inline_asm_elementwise(…) and its like in Python. It compiles nothing: macros are not
// expanded and types not known, so what does not stand in the source as literals is not judged, and said to be so.
package inlineasm

import (
	"path/filepath"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
)

// Language says how a source writes strings, and operands in them.
type Language uint8

// The languages.
const (
	CPP    Language = iota // C, C++, CUDA C++: asm("mov.u32 %0, %1;" : "=r"(x) : "r"(y))
	Python                 // inline_asm_elementwise("mov.u32 $0, $1;", "=r,r", …): operands as LLVM spells them
)

// languages are the languages by the endings of files.
var languages = map[string]Language{
	".c": CPP, ".cc": CPP, ".cpp": CPP, ".cu": CPP, ".cuh": CPP, ".cxx": CPP, ".h": CPP, ".hh": CPP, ".hpp": CPP, ".hxx": CPP, ".inl": CPP,
	".py": Python, ".pyi": Python,
}

// LanguageOf returns the language of a file by the ending of its name; false for a name that is of none.
func LanguageOf(name string) (Language, bool) {
	l, ok := languages[strings.ToLower(filepath.Ext(name))]
	return l, ok
}

// Asm is one piece of inline assembly.
type Asm struct {
	Span     diag.Span // the word that it begins with: asm, inline_asm_elementwise
	Operands []Operand
	Unknown  string // why the text cannot be judged: "its text is a macro"; "" if it can

	language Language
	bare     bool // without operands, so that nothing in it stands for one
	text     text
}

// Operand is one operand of an Asm, in the order of their numbers.
type Operand struct {
	Name       string // [name] of C++, or ""
	Constraint string // its letters without = + &: "r"; of "0" those of operand 0
	Value      string // what is handed over as C++ spells it
}

// text is characters, each with the place in the source that it comes from.
type text struct {
	bytes []byte
	from  []diag.Span
}

// add appends a character.
func (t *text) add(b byte, start, end diag.Pos) {
	t.bytes = append(t.bytes, b)
	t.from = append(t.from, diag.Span{Start: start, End: end})
}

// span is the place in the source of characters start to end; an empty one is before start, or behind the last character.
func (t *text) span(start, end int) diag.Span {
	n := len(t.bytes)
	start, end = max(0, min(start, n)), max(0, min(end, n))
	switch {
	case n == 0:
		return diag.Span{}
	case start == n:
		return diag.Span{Start: t.from[n-1].End, End: t.from[n-1].End}
	case end <= start:
		return diag.Span{Start: t.from[start].Start, End: t.from[start].Start}
	}
	return diag.Span{Start: t.from[start].Start, End: t.from[end-1].End}
}

// Find returns all inline assembly of a source in the order of the text. It takes time and memory linear in the source,
// whatever that holds.
func Find(language Language, source []byte) []Asm {
	if language == Python {
		return findPython(source)
	}
	return findCPP(source)
}
