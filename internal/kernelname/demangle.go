package kernelname

// This file turns symbols into the names that people wrote.

import (
	"regexp"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Bounds of demangling: a symbol may expand exponentially, and is hostile input.
const (
	maxSymbol    = 4096
	maxDemangled = 13 // a power of two: longer names are cut
)

// abiTags are what compilers put into symbols so that versions do not meet: numba's say how a function was compiled, in 80 letters.
var abiTags = regexp.MustCompile(`\[abi:[^]]*\]`)

// Demangle is the C++ signature behind a symbol, without ABI tags, or the symbol itself.
func Demangle(symbol string) string {
	if len(symbol) > maxSymbol {
		return symbol
	}
	text, err := demangle.ToString(symbol, demangle.MaxLength(maxDemangled))
	if err != nil {
		return symbol
	}
	return abiTags.ReplaceAllString(text, "")
}

// longestParam is the longest name of a parameter that is worth reading.
const longestParam = 40

// Param is a parameter's name with the function's own name in place of its symbol: compilers of CUDA C++ call the third
// parameter of a kernel SYMBOL_param_2. Where that is long, it is #2.
func Param(name string) string {
	const between = "_param_"
	at := strings.LastIndex(name, between)
	if at < 0 {
		return name
	}
	short := name
	if text := Demangle(name[:at]); text != name[:at] {
		short = Kernel{name[:at], text}.Base() + name[at:]
	}
	if number := name[at+len(between):]; len(short) > longestParam && number != "" && strings.Trim(number, "0123456789") == "" {
		return "#" + number
	}
	return short
}
