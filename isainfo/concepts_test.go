package isainfo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConcepts: each word is explained by its own row, and what a row leads to is there.
func TestConcepts(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range concepts() {
		for _, word := range c.words {
			if seen[word] {
				t.Errorf("%s stands in two rows", word)
			}
			seen[word] = true
			text, err := Explain(strings.ToUpper(word))
			if err != nil || !strings.Contains(text, c.what) && !isName(word) {
				t.Errorf("%s: %v\n%s", word, err, text)
			}
		}
		for _, name := range c.names {
			if _, err := Explain(name); err != nil || docOf(name) == "" {
				t.Errorf("%s: %s: %v, %q", c.words[0], name, err, docOf(name))
			}
		}
		if page := filepath.Join("..", "docs", "explanation", c.page+".md"); c.page != "" {
			if _, err := os.Stat(page); err != nil {
				t.Error(err)
			}
		}
	}
}

// isName reports whether a word is a name of PTX, too, which comes first.
func isName(word string) bool {
	return explain(word) != "" || explain("."+word) != "" || explain("%"+word) != ""
}

// TestExplainParts: what begins an instruction, or lacks a modifier, leads to the entries that it may become.
func TestExplainParts(t *testing.T) {
	for name, want := range map[string][]string{
		"mma.sync":              {"mma: ", "9.7.14"},
		"ld.global":             {"ld: ", "ld.global: part of"},
		"setp.ge":               {"setp: "},
		"mul.u32":               {"mul.lo: ", "mul.hi: ", "9.7.1.3"},
		"MUL.u32;":              {"mul.u32: part of an instruction", "mul.hi: "},
		"MUL.U32 %r1, %r2":      {"mul.lo: "},
		"mma.sync.aligned":      {"mma: "},
		"atom.add.f99":          nil,
		"sm_90":                 {"since PTX 7.8", "sm_90a", "mapa"},
		"sm_100a":               {"tcgen05.mma"},
		"wgmma descriptor":      {"64 bits that say where a matrix lies"},
		"illegal memory access": {"CUDA error 700", "P7001"},
	} {
		text, err := Explain(name)
		if (err == nil) != (want != nil) {
			t.Errorf("%s: %v", name, err)
		}
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %q in\n%s", name, part, text)
			}
		}
	}
	if text, _ := Explain("mul.u32"); strings.Contains(text, "mul.float") {
		t.Errorf("mul.u32 is no multiplication of floats:\n%s", text)
	}
}
