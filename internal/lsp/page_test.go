package lsp

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestPage holds docs/lsp.md to the table of methods, and the table to what is announced.
func TestPage(t *testing.T) {
	const file, begin, end = "../../docs/lsp.md", "<!-- methods -->\n", "<!-- end -->"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(page), begin)
	_, tail, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no place for the table", file)
	}
	var b strings.Builder
	b.WriteString("| method | what it does |\n|---|---|\n")
	what := sentences()
	if len(what) != len(methods) {
		t.Errorf("%d methods, %d sentences", len(methods), len(what))
	}
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		if what[name] == "" {
			t.Errorf("methods.txt has no %s", name)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, strings.ReplaceAll(what[name], "|", "\\|"))
	}
	want := head + begin + b.String() + end + tail
	if *update && want != string(page) {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Errorf("%s is not what the server does; go test ./internal/lsp -run TestPage -update writes it", file)
	}
}

// announced are the methods that a capability promises.
var announced = map[string][]string{
	"textDocumentSync": {"textDocument/didOpen", "textDocument/didChange", "textDocument/didClose",
		"textDocument/didSave"},
	"diagnosticProvider":               {"textDocument/diagnostic"},
	"completionProvider":               {"textDocument/completion", "completionItem/resolve"},
	"renameProvider":                   {"textDocument/rename", "textDocument/prepareRename"},
	"workspaceSymbolProvider":          {"workspace/symbol"},
	"semanticTokensProvider":           {"textDocument/semanticTokens/full", "textDocument/semanticTokens/range"},
	"documentFormattingProvider":       {"textDocument/formatting"},
	"documentRangeFormattingProvider":  {"textDocument/rangeFormatting"},
	"documentOnTypeFormattingProvider": {"textDocument/onTypeFormatting"},
	"callHierarchyProvider": {"textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls",
		"callHierarchy/outgoingCalls"},
	"executeCommandProvider": {"workspace/executeCommand"},
}

// TestCapabilities: what is announced is there, and what is there is announced.
func TestCapabilities(t *testing.T) {
	promised := map[string]bool{"initialize": true, "initialized": true, "shutdown": true,
		"workspace/didChangeConfiguration": true}
	for name := range capabilities("utf-8") {
		list := announced[name]
		if provider, ok := strings.CutSuffix(name, "Provider"); ok && list == nil {
			list = []string{"textDocument/" + provider}
		}
		for _, m := range list {
			promised[m] = true
			if _, ok := methods[m]; !ok {
				t.Errorf("%s is announced and not there", m)
			}
		}
	}
	for name := range methods {
		if !promised[name] {
			t.Errorf("%s is there and not announced", name)
		}
	}
}
