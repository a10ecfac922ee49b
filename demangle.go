package ptxvm

// This file turns symbols into the names that people wrote.

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Bounds of demangling: a symbol may expand exponentially, and is hostile input.
const (
	maxSymbol    = 4096
	maxDemangled = 13 // a power of two: longer names are cut
)

// demangled is the C++ signature behind a symbol, or the symbol itself.
func demangled(symbol string) string {
	if len(symbol) > maxSymbol {
		return symbol
	}
	text, err := demangle.ToString(symbol, demangle.MaxLength(maxDemangled))
	if err != nil {
		return symbol
	}
	return text
}

// baseName cuts a demangled name to the function's own name: no result type, scope,
// template arguments or parameters.
func baseName(name string) string {
	name = cutBrackets(name)
	name, _, _ = strings.Cut(name, "(")
	if i := strings.LastIndexAny(strings.TrimSpace(name), " "); i >= 0 {
		name = name[i+1:]
	}
	if i := strings.LastIndex(name, "::"); i >= 0 {
		name = name[i+2:]
	}
	return name
}

// cutBrackets removes template arguments, nested ones too.
func cutBrackets(name string) string {
	var b strings.Builder
	depth := 0
	for _, r := range name {
		switch r {
		case '<':
			depth++
		case '>':
			depth = max(depth-1, 0)
		default:
			if depth == 0 {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}
