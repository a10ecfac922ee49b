package kernelname

// This file turns symbols into the names that people wrote.

import (
	"github.com/ianlancetaylor/demangle"
)

// Bounds of demangling: a symbol may expand exponentially, and is hostile input.
const (
	maxSymbol    = 4096
	maxDemangled = 13 // a power of two: longer names are cut
)

// Demangle is the C++ signature behind a symbol, or the symbol itself.
func Demangle(symbol string) string {
	if len(symbol) > maxSymbol {
		return symbol
	}
	text, err := demangle.ToString(symbol, demangle.MaxLength(maxDemangled))
	if err != nil {
		return symbol
	}
	return text
}
