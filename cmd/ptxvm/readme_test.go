package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestReadme runs the README's commands from the repository's root and compares what they
// print, both streams together, with what the README shows.
func TestReadme(t *testing.T) { testCommands(t, "README.md", 3) }

// TestSanitizersPage is TestReadme for the page on sanitizers.
func TestSanitizersPage(t *testing.T) { testCommands(t, "docs/sanitizers.md", 1) }

// TestTensorPage is TestReadme for the page on tensor memory.
func TestTensorPage(t *testing.T) { testCommands(t, "docs/tensor-memory.md", 5) }

// testCommands runs the commands of a page; a line ⋮ stands for lines that the page leaves out.
func testCommands(t *testing.T, page string, atLeast int) {
	t.Chdir("../..")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for i, block := range strings.Split(string(text), "```") {
		command, shown, ok := readmeCommand(block)
		if i%2 == 0 || !ok {
			continue
		}
		ran++
		var out bytes.Buffer
		doMain(t.Context(), strings.Fields(command), strings.NewReader(""), &out, &out)
		got := strings.TrimSpace(out.String())
		if !matches(strings.Split(got, "\n"), strings.Split(strings.TrimSpace(shown), "\n")) {
			t.Errorf("ptxvm %s prints\n%s\n%s shows\n%s", command, got, page, shown)
		}
	}
	if ran < atLeast {
		t.Errorf("only %d commands found", ran)
	}
}

// readmeCommand splits a fenced block into the arguments of `$ go run ./cmd/ptxvm …` and the
// lines that follow it.
func readmeCommand(block string) (command, shown string, ok bool) {
	block = strings.ReplaceAll(block, "\\\n", " ")
	rest, ok := strings.CutPrefix(strings.TrimLeft(block, "\n"), "$ go run ./cmd/ptxvm ")
	command, shown, _ = strings.Cut(rest, "\n")
	return command, shown, ok
}

// matches tells whether lines are those shown, with some others where a line is ⋮.
func matches(got, shown []string) bool {
	switch {
	case len(shown) == 0 || len(got) == 0:
		return len(shown) == len(got)
	case shown[0] != "⋮":
		return got[0] == shown[0] && matches(got[1:], shown[1:])
	}
	return matches(got[1:], shown[1:]) || matches(got[1:], shown)
}
