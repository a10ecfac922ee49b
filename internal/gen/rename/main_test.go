package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRename renames a copy of the whole tree, lets go list resolve every import, and renames it back to the
// same bytes.
func TestRename(t *testing.T) {
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("git", "-C", root, "ls-files").Output()
	if err != nil {
		t.Skip("no git checkout:", err)
	}
	files := strings.Fields(string(out))
	dir := t.TempDir()
	copyFiles(t, root, dir, files)
	before := readAll(t, dir, files)

	old := modulePath(t, before["go.mod"])
	if err := Rename(dir, "example.org/other/ptxvm", files); err != nil {
		t.Fatal(err)
	}
	list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}} {{join .TestImports " "}} {{join .XTestImports " "}}`, "./...")
	list.Dir = dir
	listed, err := list.CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, listed)
	}
	for _, path := range strings.Fields(string(listed)) {
		if _, ours := under(path, old, ""); ours {
			t.Errorf("%s still goes by the old path", path)
		}
	}
	if err := Rename(dir, old, files); err != nil {
		t.Fatal(err)
	}
	for name, text := range readAll(t, dir, files) {
		if !bytes.Equal(text, before[name]) {
			t.Errorf("%s differs after renaming there and back", name)
		}
	}
}

// TestRenameRefuses leaves every file as it is where the path is no module path.
func TestRenameRefuses(t *testing.T) {
	dir := t.TempDir()
	mod := []byte("module ptxvm.invalid/ptxvm\n")
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), mod, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "a b", "/x", "x/", "https://example.org/x"} {
		if err := Rename(dir, path, []string{"go.mod"}); err == nil {
			t.Errorf("Rename to %q succeeded", path)
		}
	}
	if after := readAll(t, dir, []string{"go.mod"})["go.mod"]; !bytes.Equal(after, mod) {
		t.Errorf("go.mod is %q", after)
	}
}

// TestRenameImports changes imports, and nothing that only looks like one.
func TestRenameImports(t *testing.T) {
	const source = "package p\n\nimport (\n\t\"a.b/c\"\n\tx \"a.b/c/d\"\n\t\"a.b/cd\"\n)\n\nvar s = \"a.b/c\" // a.b/c\n"
	const want = "package p\n\nimport (\n\t\"a.b/cd\"\n\t\"z.y/x\"\n\tx \"z.y/x/d\"\n)\n\nvar s = \"a.b/c\" // a.b/c\n"
	got, err := renameImports([]byte(source), "a.b/c", "z.y/x")
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
}

func copyFiles(t *testing.T, from, to string, files []string) {
	t.Helper()
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(to, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(to, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func readAll(t *testing.T, dir string, files []string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = text
	}
	return all
}

func modulePath(t *testing.T, mod []byte) string {
	t.Helper()
	first, _, _ := bytes.Cut(mod, []byte("\n"))
	path, found := strings.CutPrefix(string(first), "module ")
	if !found {
		t.Fatalf("go.mod begins with %q", first)
	}
	return path
}
