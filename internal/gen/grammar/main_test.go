package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// editors is where the grammars lie.
const editors = "../../../editors"

// TestFiles: what is committed is what the ISA data make.
func TestFiles(t *testing.T) {
	list, err := files()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range list {
		have, err := os.ReadFile(filepath.Join(editors, filepath.FromSlash(name)))
		if err != nil || !bytes.Equal(bytes.ReplaceAll(have, []byte("\r\n"), []byte("\n")), want) {
			t.Errorf("editors/%s is not what go generate ./internal/isa writes (%v)", name, err)
		}
	}
}

// around are the conditions on what must not stand beside a match, which Go's regular expressions do not have.
var around = regexp.MustCompile(`\(\?<?![^()]*\)`)

// TestScopes: each word has the scope of what it is, by the first rule that matches all of it.
func TestScopes(t *testing.T) {
	w := collect()
	data, err := w.textMate()
	if err != nil {
		t.Fatal(err)
	}
	var g struct{ Patterns []rule }
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	scope := func(word string) string {
		for _, r := range g.Patterns {
			pattern := strings.ReplaceAll(r.Match+r.Begin, "(?=", "(?:") // what has to follow a label is part of it
			if re, err := regexp.Compile(`^(?:` + around.ReplaceAllString(pattern, "") + `)$`); err != nil {
				t.Fatalf("%s: %v", r.Name, err)
			} else if re.MatchString(word) {
				return strings.TrimSuffix(r.Name, ".ptx")
			}
		}
		return ""
	}
	check := func(want string, words ...string) {
		for _, word := range words {
			if got := scope(word); got != want {
				t.Errorf("%s is %q, want %s", word, got, want)
			}
		}
	}
	for _, o := range w.opcodes {
		check("keyword.operator.instruction", o)
	}
	for _, d := range w.directives {
		check("keyword.other.directive", "."+d)
	}
	for _, ty := range w.types {
		check("storage.type", "."+ty)
	}
	for _, s := range w.specials {
		check("variable.language.special", "%"+s)
	}
	check("variable.other.register", "%r1", "%tidy", "%p")
	check("storage.modifier", ".rn", ".shared::cluster", ".x")
	check("constant.language.target", "sm_90a", "compute_80")
	check("constant.numeric.float", "0f3F800000", "8.0", "0d3FF0000000000000", "1.5e-3")
	check("constant.numeric.integer", "7", "0x1FU", "0b101")
	check("comment.line.double-slash", "// add")
}

// TestVim asks Vim or Neovim, where one is installed, what it takes words for.
func TestVim(t *testing.T) {
	vim := ""
	for _, name := range []string{"nvim", "vim"} {
		if path, err := exec.LookPath(name); err == nil && vim == "" {
			vim = path
		}
	}
	if vim == "" {
		t.Skip("neither nvim nor vim is installed")
	}
	dir, err := filepath.Abs(editors)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "k.ptx")
	text := ".version 8.0\n.target sm_90\n$L: @%p1 add.rn.f32 %r1, %tid.x, 0f3F800000; // add\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "names")
	ask := `call writefile(map([[1,2],[2,9],[3,1],[3,5],[3,6],[3,10],[3,14],[3,17],[3,22],[3,27],[3,31],[3,34],[3,50]], ` +
		`{_, p -> synIDattr(synID(p[0], p[1], 1), 'name')}), '` + out + `')`
	cmd := exec.Command(vim, "-u", "NONE", "-i", "NONE", "-es", "--cmd", "set runtimepath^="+filepath.Join(dir, "vim"),
		"-c", "filetype on", "-c", "syntax on", "-c", "edit "+file, "-c", ask, "-c", "qa!")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	have, err := os.ReadFile(out)
	want := "ptxDirective ptxTarget ptxLabel ptxGuard ptxRegister ptxInstruction ptxModifier ptxType ptxRegister ptxSpecial ptxModifier ptxFloat ptxComment"
	if got := strings.Join(strings.Fields(string(have)), " "); err != nil || got != want {
		t.Errorf("%v\nhave %s\nwant %s", err, got, want)
	}
}
