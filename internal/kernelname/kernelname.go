// Package kernelname finds the kernel that a name means: as its symbol, or as C++ writes it, in full or in part.
package kernelname

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Kernel is what kernels are found by.
type Kernel struct {
	Symbol    string
	Demangled string // the C++ signature behind Symbol, or Symbol
}

// Of is the kernel with a symbol.
func Of(symbol string) Kernel { return Kernel{symbol, Demangle(symbol)} }

// Template is the name that all instances of a template share: its path, without template arguments, result and parameters.
func (k Kernel) Template() string {
	parts := slices.Clone(parseName(k.Demangled).path)
	for i := range parts {
		parts[i] = withoutArguments(parts[i])
	}
	return strings.Join(parts, "::")
}

// Base is the function's own name: without result, scope, template arguments and parameters.
func (k Kernel) Base() string { return parseName(k.Demangled).base() }

// cppName is a C++ name in parts: ns::axpy<float>(int*) has the path "ns", "axpy<float>" and the parameters "(int*)".
// Blanks are gone where C++ needs none.
type cppName struct {
	path   []string
	params string // empty if there are none
}

// parseName reads a name; a result type before it does not count.
func parseName(text string) (n cppName) {
	text = constLast.ReplaceAllString(withoutBlanks(text), "$2 $1")
	depth, start := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '(' && depth == 0 && !strings.HasPrefix(text[i:], "(anonymous namespace)"):
			n.params = text[i:]
			n.path = append(n.path, text[start:i])
			return n
		case strings.IndexByte("<({[", c) >= 0:
			depth++
		case strings.IndexByte(">)}]", c) >= 0:
			depth = max(depth-1, 0)
		case c == ' ' && depth == 0: // behind the result
			n.path, start = nil, i+1
		case depth == 0 && strings.HasPrefix(text[i:], "::"):
			n.path = append(n.path, text[start:i])
			i++
			start = i + 1
		}
	}
	n.path = append(n.path, text[start:])
	return n
}

// constLast finds const in front of a type; names that are demangled have it behind.
var constLast = regexp.MustCompile(`\b(const|volatile) ((?:(?:unsigned|signed|long|short) )*[\w:]+(?:<[^<>]*>)?)`)

// withoutBlanks keeps a blank between two words, such as unsigned int, and in (anonymous namespace), and no others.
func withoutBlanks(text string) string {
	var b strings.Builder
	words := strings.Fields(text)
	for i, w := range words {
		if i > 0 && inWord(words[i-1][len(words[i-1])-1]) && inWord(w[0]) {
			b.WriteByte(' ')
		} else if i > 0 && strings.IndexByte(">)", words[i-1][len(words[i-1])-1]) >= 0 && inWord(w[0]) {
			b.WriteByte(' ') // a result type ends
		}
		b.WriteString(w)
	}
	return b.String()
}

func inWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
}

// base is the function's own name.
func (n cppName) base() string { return withoutArguments(n.path[len(n.path)-1]) }

// withoutArguments cuts the template arguments off a part of a path.
func withoutArguments(part string) string {
	if i := strings.IndexByte(part, '<'); i > 0 && strings.HasSuffix(part, ">") {
		return part[:i]
	}
	return part
}

// String is the name as C++ writes it, without result.
func (n cppName) String() string {
	return strings.Join(n.path, "::") + strings.ReplaceAll(n.params, ",", ", ")
}

// means reports whether the name stands for a kernel's: its path for the last parts of the other's, and if it has parameters,
// for these. Parts are equal, or with loosely those without template arguments.
func (n cppName) means(full cppName, loosely bool) bool {
	if len(n.path) > len(full.path) || n.params != "" && n.params != full.params {
		return false
	}
	tail := full.path[len(full.path)-len(n.path):]
	return slices.EqualFunc(n.path, tail, func(have, of string) bool {
		return have == of || loosely && have == withoutArguments(of)
	})
}

// Find returns the index of the kernel that a name means: its symbol, else its C++ name, the more exactly the better.
func Find(name string, kernels []Kernel) (int, error) {
	have := parseName(name)
	for _, match := range []func(k Kernel, full cppName) bool{
		func(k Kernel, _ cppName) bool { return k.Symbol == name },
		func(_ Kernel, full cppName) bool {
			return len(have.path) == len(full.path) && have.means(full, false)
		},
		func(_ Kernel, full cppName) bool { return have.means(full, false) },
		func(_ Kernel, full cppName) bool { return have.means(full, true) },
	} {
		var found []Kernel
		first := 0
		for i, k := range kernels {
			if match(k, parseName(k.Demangled)) {
				if found == nil {
					first = i
				}
				found = append(found, k)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return first, nil
		default:
			return -1, fmt.Errorf("%q could be any of %d kernels: %s", name, len(found), List(found))
		}
	}
	return -1, unknown(name, kernels)
}

// unknown suggests the nearest name.
func unknown(name string, kernels []Kernel) error {
	names := make([]string, 0, 2*len(kernels))
	for _, k := range kernels {
		names = append(names, k.Symbol, k.Base())
	}
	base := parseName(name).base()
	for _, k := range kernels {
		if k.Symbol == base && name != base { // extern "C": its symbol has no types
			return fmt.Errorf("there is no kernel %q; the name of %s has no types (extern \"C\"): write %[2]s", name, base)
		}
		if k.Base() == base { // other arguments or scopes
			return fmt.Errorf("there is no kernel %q; there are %s", name, List(sameBase(base, kernels)))
		}
	}
	near := isa.NearestFold(name, names)
	for _, other := range names { // half a name says more than a near one
		if near == "" && strings.Contains(strings.ToLower(other), strings.ToLower(name)) {
			near = other
		}
	}
	if near != "" {
		return fmt.Errorf("there is no kernel %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("there is no kernel %q; there are %s", name, List(kernels))
}

func sameBase(base string, kernels []Kernel) []Kernel {
	return slices.DeleteFunc(slices.Clone(kernels), func(k Kernel) bool { return k.Base() != base })
}

// List names what could have been meant, cut after eight if more than one is left: as C++ has it, but for names that several share.
func List(kernels []Kernel) string {
	times := map[string]int{}
	for _, k := range kernels {
		times[parseName(k.Demangled).String()]++
	}
	var names []string
	for i, k := range kernels {
		if i == 8 && len(kernels) > i+1 { // a single one left is shorter by its name
			names = append(names, fmt.Sprintf("and %d more", len(kernels)-i))
			break
		}
		name := parseName(k.Demangled).String()
		if times[name] > 1 {
			name = k.Symbol
		}
		names = append(names, name)
	}
	if strings.Contains(strings.Join(names, ""), ",") {
		return strings.Join(names, "; ")
	}
	return strings.Join(names, ", ")
}
