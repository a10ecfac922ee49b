package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// made is an instruction that PTX does not have, in the places that CONTRIBUTING names: what stands before the line `at` is
// added. Its modifier is no other's, and its name is sorted in between others.
var made = []struct{ file, at, text string }{
	{"internal/isa/data/0901-integer.isa", "= 9.7.1.18 brev",
		"= 9.7.1.18 lookaside  Made up\nabout Says nothing.\nlookaside.keen.type d, a;\n.type = { .b32 .b64 }\n.keen = { .keen }\n" +
			"d : reg .type\na : reg|imm .type\nsince 2.0 sm_20\n\n"},
	{"internal/num/bits.go", "func Brev32(",
		"func Lookaside32(a uint32) uint32 { return a ^ a>>1 }\nfunc Lookaside64(a uint64) uint64 { return a ^ a>>1 }\n"},
	{"internal/sem/int.go", "\t\t{isa.Brev, Of(isa.M_b32)",
		"\t\t{isa.Lookaside, Of(isa.M_b32), lane(uop.Lookaside32), \"\"},\n\t\t{isa.Lookaside, Of(isa.M_b64), lane(uop.Lookaside64), \"\"},\n"},
}

// TestAddedInstruction makes an instruction in a copy of what the generators read, and runs go generate there: it adds lines
// to each generated file that names instructions, and changes none. Only the grammars of editors have lines that change: the
// patterns which list all names.
func TestAddedInstruction(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the generators anew")
	}
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "diag", "internal", "editors/vim", "editors/vscode/syntaxes"} {
		copySources(t, filepath.Join(root, name), filepath.Join(dir, name))
	}
	before := generatedIn(t, dir)
	for _, m := range made {
		name := filepath.Join(dir, m.file)
		text := readText(t, name)
		if strings.Count(text, "\n"+m.at) != 1 {
			t.Fatalf("%s: where is %q?", m.file, m.at)
		}
		if err := os.WriteFile(name, []byte(strings.Replace(text, "\n"+m.at, "\n"+m.text+m.at, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "generate", "./internal/isa")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go generate: %v\n%s", err, out)
	}
	named := regexp.MustCompile(`(?i)lookaside`)
	for file, after := range generatedIn(t, dir) {
		if lost := firstLost(before[file], after); lost != "" {
			t.Errorf("%s: %q is another line", file, lost)
		}
		if strings.HasPrefix(file, "internal/") && named.MatchString(after) == (file == x86File) {
			t.Errorf("%s: it names the instruction, or should", file)
		}
	}
}

// What go generate ./internal/isa writes and knows nothing of PTX; grammars of editors, and the patterns in them that list the
// instructions.
const x86File = "internal/jit/x86/zforms.go"

var (
	grammars = []string{"editors/vim/syntax/ptx.vim", "editors/vscode/syntaxes/ptx.tmLanguage.json"}
	patterns = regexp.MustCompile(`(?m)^(syntax match ptxInstruction|      "match": .*\babs\|activemask\|).*\n`)
)

// generatedIn returns what go generate ./internal/isa writes in a module, by file, without those patterns.
func generatedIn(t *testing.T, dir string) map[string]string {
	texts := map[string]string{}
	for _, o := range outputs {
		texts[o.path] = readText(t, filepath.Join(dir, filepath.FromSlash(o.path)))
	}
	for _, file := range grammars {
		text := readText(t, filepath.Join(dir, filepath.FromSlash(file)))
		if texts[file] = patterns.ReplaceAllString(text, ""); texts[file] == text {
			t.Errorf("%s: no pattern lists instructions", file)
		}
	}
	return texts
}

// copySources copies files, and folders without their testdata.
func copySources(t *testing.T, from, to string) {
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(target, 0o777)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
