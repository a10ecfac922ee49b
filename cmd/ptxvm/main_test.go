package main

import (
	"bytes"
	"context"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/internal/cli"
)

// TestDefect lets a verb panic: exit 70, one line on how to report it, no stack.
func TestDefect(t *testing.T) {
	t.Setenv("PTXVM_STACK", "")
	for _, value := range []any{"BUG: a test", "a worker's panic\ngoroutine 1 [running]:\nmain.main()", io.EOF} {
		code, errs := panicking(value)
		if code != exitDefect || !strings.Contains(errs, "please report it") {
			t.Errorf("%v: exit %d, %s", value, code, errs)
		}
		if strings.Contains(errs, "goroutine") || strings.Contains(errs, ".go:") {
			t.Errorf("%v: a stack is shown:\n%s", value, errs)
		}
	}
	t.Setenv("PTXVM_STACK", "1")
	if _, errs := panicking("BUG: a test"); !strings.Contains(errs, "goroutine") {
		t.Errorf("PTXVM_STACK=1 shows no stack: %s", errs)
	}
}

// panicking runs a verb that panics.
func panicking(value any) (int, string) {
	var errs bytes.Buffer
	root := newRoot(streams{in: strings.NewReader(""), out: io.Discard, err: &errs})
	root.Add(&cli.Command{Use: "panic", Run: func(*cli.Command, []string) error { panic(value) }})
	return execute(context.Background(), root, io.Discard, &errs, []string{"panic"}), errs.String()
}

// TestInterrupt cancels a kernel that never ends, and a read that never ends.
func TestInterrupt(t *testing.T) {
	read, write := io.Pipe()
	t.Cleanup(func() { write.Close() })
	for name, args := range map[string][]string{
		"kernel": {"run", filepath.Join("testdata", "ptx", "kernels.ptx"), "--kernel", "forever"},
		"stdin":  {"check", "-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(200*time.Millisecond, cancel)
			var errs bytes.Buffer
			if code := doMain(ctx, args, read, io.Discard, &errs); code != exitInterrupted {
				t.Errorf("exit %d, want %d: %s", code, exitInterrupted, errs.String())
			}
			if !strings.HasPrefix(errs.String(), "interrupted") {
				t.Errorf("standard error says %q", errs.String())
			}
		})
	}
}

// ownRooms are what the command may import beside the public packages.
var ownRooms = []string{`/internal/cli"`, `/internal/execprog"`, `/internal/forms"`, `/internal/inlineasm"`, `/internal/launchlang"`, `/internal/lsp"`, `/internal/mcp"`, `/internal/ptxasline"`, `/internal/quote"`, `/internal/sarif"`, `/internal/stepform"`, `/internal/testcase"`, `/internal/value"`, `/internal/whence"`, `/internal/debug"`, `/internal/debug/console"`, `/internal/debug/dap"`, `/internal/driver"`}

// TestImports holds the command to the public packages, its own rooms, and the room that reads and prints values; its tests also to tools of tests.
func TestImports(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no sources", err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			own := slices.ContainsFunc(ownRooms, func(room string) bool { return strings.HasSuffix(spec.Path.Value, room) })
			own = own || strings.HasSuffix(file, "_test.go") && strings.Contains(spec.Path.Value, "/internal/testkit/")
			if strings.Contains(spec.Path.Value, "/internal/") && !own {
				t.Errorf("%s imports %s; the command uses public packages and %v", file, spec.Path.Value, ownRooms)
			}
		}
	}
}

// TestSymbolsAreEscaped shows a kernel list whose demangled names hold control characters.
func TestSymbolsAreEscaped(t *testing.T) {
	if got := escapeLines("a\x1b[31m\nb\u202e"); got != "a\\x1b[31m\nb\\u{202e}" {
		t.Errorf("got %q", got)
	}
}

// TestExitCodes holds docs/exit-codes.md to the constants.
func TestExitCodes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "exit-codes.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{"0", "1", "2", "3", "4", "5", "6", "70", "130"} {
		if !bytes.Contains(text, []byte("\n| "+code+" |")) {
			t.Errorf("docs/exit-codes.md has no line for %s", code)
		}
	}
}
