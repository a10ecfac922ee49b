package check

// This file tells fixes that may be applied from advice. A statement means what its words say about widths, signs, rounding and
// state spaces; a change after which it says something else there is for its author to make.

import (
	"slices"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// aspects are what a fix that is applied keeps: which words say it, and which word says the same as another.
var aspects = []struct {
	says func(word string) bool
	same func(was, now string) bool
}{
	{isType, func(was, now string) bool { return was == now || now == bitType(was) }},
	{isRounding, func(was, now string) bool { return was == now }},
	{isSpace, func(was, now string) bool { return was == now }},
}

func isType(word string) bool { _, ok := isa.LookupType(word); return ok }

func isSpace(word string) bool { _, ok := isa.LookupSpace(word); return ok }

// defaults are groups of words of which a statement has to say one, and what other languages and older forms mean where they say
// none, which stands first: rounding to the nearest even number (9.7.3), to an integer (9.7.9.21, which has no such default), a
// trap outside of an image (9.7.11.1).
var defaults = struct{ rounding, toInteger, outside []string }{
	rounding:  []string{".rn", ".rz", ".rm", ".rp", ".rna", ".rs"},
	toInteger: []string{".rni", ".rzi", ".rmi", ".rpi"},
	outside:   []string{".trap", ".clamp", ".zero"},
}

func isRounding(word string) bool {
	return slices.Contains(defaults.rounding, word) || slices.Contains(defaults.toInteger, word)
}

// keeps reports whether a statement with the modifiers now does what it said with was: all that it says of widths, signs, rounding
// and spaces, in its order. It may say more, where it said too little to be legal; a word that stands twice says no more than once,
// and a type may become the untyped bits of its width.
func keeps(was, now []string) bool {
	for _, a := range aspects {
		rest := said(now, a.says)
		for _, word := range said(was, a.says) {
			at := slices.IndexFunc(rest, func(n string) bool { return a.same(word, n) })
			if at < 0 {
				return false
			}
			rest = rest[at+1:]
		}
	}
	return true
}

// said lists the words of a kind, one for several that follow each other.
func said(words []string, kind func(string) bool) (list []string) {
	for _, w := range words {
		if kind(w) {
			list = append(list, w)
		}
	}
	return slices.Compact(list)
}

// bitType is the untyped .b16 of .f16 or .u16, "" for other words, and for types whose elements are kept in more bits than they
// have, such as .u4.
func bitType(word string) string {
	t, ok := isa.LookupType(word)
	if !ok || t.Kind() == isa.Packed && namedBits(word) != t.Bits() {
		return ""
	}
	return ".b" + strconv.Itoa(t.Bits())
}

// namedBits is the width that the name of a packed type says: 32 of .f16x2.
func namedBits(word string) int {
	bits := 1
	for _, digits := range strings.FieldsFunc(word, func(r rune) bool { return r < '0' || '9' < r }) {
		n, _ := strconv.Atoi(digits)
		bits *= n
	}
	return bits
}
