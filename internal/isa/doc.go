// Package isa is the PTX instruction set as data, and the matcher that stands on it.
//
// The data lies in data/*.isa, one file a chapter, in a notation close to the manual's: an
// entry has forms, classes of modifier values, operand lines, tables, rules and gates. No
// Go code names an instruction: other packages do so by the constants that internal/gen
// derives from the data (zisa.go).
//
//	sel, fails := isa.Table().Match(&isa.Query{Tokens: []string{"add", ".s32"}, …})
//
// Loading reads an index only; an entry is parsed when a statement first needs it. A
// statement's modifiers are resolved once (Forms); repeats look at the operands alone.
package isa

//go:generate go run ../gen
//go:generate go run ../gen/grammar ../../editors
