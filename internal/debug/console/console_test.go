package console

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/debugger.md")

// TestReference holds docs/debugger.md to the table of commands.
func TestReference(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "debugger.md")
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const mark = "-update -->\n"
	head, _, ok := strings.Cut(string(have), mark)
	if !ok {
		t.Fatalf("%s has no line that ends in %q", path, mark)
	}
	want := bytes.NewBufferString(head + mark)
	if err := WriteReference(want); err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(have, want.Bytes()) {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the table says: go test ./internal/debug/console -run TestReference -update", path)
	}
	if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTable demands a group, help and an example of each command, and that no name is said twice.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, cmd := range commands() {
		if !strings.HasSuffix(cmd.help, ".") || cmd.run == nil || !strings.Contains(strings.Join(groups, "\n"), cmd.group) {
			t.Errorf("%s: %+v", cmd.name, cmd)
		}
		if found, _, err := find(cmd.example); err != nil || found != cmd {
			t.Errorf("the example %q of %s is another command (%v)", cmd.example, cmd.name, err)
		}
		for _, name := range append([]string{cmd.name}, cmd.also...) {
			if seen[name] {
				t.Errorf("%s is two commands", name)
			}
			seen[name] = true
		}
	}
}
