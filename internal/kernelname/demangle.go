package kernelname

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

// Param is a parameter's name with the function's own name in place of its symbol: compilers of CUDA C++ call the third
// parameter of a kernel SYMBOL_param_2.
func Param(name string) string {
	at := strings.LastIndex(name, "_param_")
	if at < 0 {
		return name
	}
	symbol := name[:at]
	if text := Demangle(symbol); text != symbol {
		return Kernel{symbol, text}.Base() + name[at:]
	}
	return name
}
