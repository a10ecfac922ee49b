package judge

// This file reads statements from the headers that come with the compiler: the inline assembly of
// libcu++'s cuda::ptx functions, one function for each form that NVIDIA's own code uses. Nothing of
// them is kept.

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/generate"
)

// Wrappers are the assembly texts of the headers beside an assembler, with registers in the places
// of their operands; none if there are no headers.
func Wrappers(ptxas string) (texts []string, err error) {
	dir := filepath.Join(filepath.Dir(ptxas), "..", "include", "cccl", "cuda", "__ptx", "instructions", "generated")
	files, err := filepath.Glob(filepath.Join(dir, "*.h"))
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range assembly.FindAllStringSubmatch(string(source), -1) {
			if text := fill(m[1], m[2]); !seen[text] {
				seen[text] = true
				texts = append(texts, text)
			}
		}
	}
	return texts, nil
}

var (
	assembly   = regexp.MustCompile(`\basm(?: volatile)?\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)([^;]*)\);`)
	literal    = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)
	constraint = regexp.MustCompile(`"[=+]?([a-zA-Z])"\s*\(`)
	place      = regexp.MustCompile(`%(\d+|%)`)
	comment    = regexp.MustCompile(`//[^\n]*`)
)

// registerOf names a register of the type that a constraint asks for; n is an immediate.
var registerOf = map[string]string{
	"r": "%%b32_%d", "l": "%%b64_%d", "h": "%%b16_%d", "f": "%%f32_%d", "d": "%%f64_%d", "q": "%%b128_%d", "C": "%%b32_%d", "n": "16",
}

// fill puts registers into the places of an assembly text.
func fill(literals, operands string) string {
	var text strings.Builder
	for _, m := range literal.FindAllStringSubmatch(literals, -1) {
		text.WriteString(strings.NewReplacer(`\n`, "\n", `\t`, " ", `\"`, `"`).Replace(m[1]))
	}
	kinds := constraint.FindAllStringSubmatch(operands, -1)
	filled := place.ReplaceAllStringFunc(comment.ReplaceAllString(text.String(), ""), func(p string) string {
		n := 0
		if _, err := fmt.Sscanf(p, "%%%d", &n); err != nil || n >= len(kinds) {
			return "%"
		}
		if format := registerOf[kinds[n][1]]; strings.Contains(format, "%d") {
			return fmt.Sprintf(format, n)
		}
		return registerOf[kinds[n][1]]
	})
	return strings.Join(strings.Fields(filled), " ")
}

// WrapperCases are the texts for a version and a target.
func WrapperCases(texts []string, v isa.Version, t isa.Target) (cases []*Case) {
	for _, text := range texts {
		cases = append(cases, &Case{Function: generate.Function{Version: v, Target: t, Text: text}, Change: "wrapper"})
	}
	return cases
}
