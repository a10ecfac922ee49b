package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/cli"
)

// TestCommandsPage holds docs/commands.md to the verbs and their flags; PTXVM_UPDATE=1 go test -run TestCommandsPage ./cmd/ptxvm
// writes it.
func TestCommandsPage(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "commands.md")
	want := commandsPage(newRoot(streams{}))
	if os.Getenv("PTXVM_UPDATE") != "" {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("docs/commands.md is not what the command says (%v); PTXVM_UPDATE=1 go test -run TestCommandsPage ./cmd/ptxvm writes it", err)
	}
}

// commandsPage is one section a verb with a table of its flags.
func commandsPage(root *cli.Command) []byte {
	var b bytes.Buffer
	b.WriteString("# Commands\n\nGenerated from the command itself; do not edit. `-` is standard input where a FILE is wanted. What `--arg` and its kin take: [arguments.md](arguments.md).\n")
	for _, cmd := range root.Verbs() {
		if cmd.Hidden {
			continue
		}
		fmt.Fprintf(&b, "\n## ptxvm %s\n\n%s.\n", cmd.Use, cmd.Short)
		for i, f := range cmd.Flags().All() {
			if i == 0 {
				b.WriteString("\n| flag | meaning | default |\n|---|---|---|\n")
			}
			writeFlag(&b, f)
		}
	}
	return b.Bytes()
}

func writeFlag(b *bytes.Buffer, f *cli.Flag) {
	if f.Hidden {
		return
	}
	value, usage := f.Words()
	name := strings.TrimSpace("--" + f.Name + " " + value)
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	def := f.Default
	switch {
	case f.Name == "jobs": // depends on the machine
		def = "one a CPU"
	case !f.HasDefault():
		def = ""
	}
	fmt.Fprintf(b, "| `%s` | %s | %s |\n", strings.ReplaceAll(name, "|", "\\|"), strings.ReplaceAll(usage, "|", "\\|"), def)
}
