package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRecording: the hover of an instruction shows what a trace has of it, as the file is now; of text that has changed it shows nothing.
func TestRecording(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "run.jsonl")
	step := func(line int, text, value string) string {
		return fmt.Sprintf(`{"schema":1,"kernel":"k","cta":[0,0,1],"warp":2,"lanes":3,"active":3,"ptx":{"file":"some/where/k.ptx","line":%d},"text":%q,`+
			`"reads":[{"name":"%%r","type":"u32","values":["4","4"]}],"writes":[{"name":"%%s","type":"u32","values":["%s","6"]}],"moment":9}`+"\n", line, text, value)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(step(6, "add.u32 %s, %r, 1;", "1") + step(6, "add.u32 %s, %r, 1;", "5") + step(7, "ret.uni;", "0") + `{"schema`)
	c := newClient(t, `{}`)
	c.open("k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {\n.reg .u32 %r, %s; mov.u32 %r, 4;\n\tadd.u32   %s, %r, 1; // more\n\tret;\n}\n")
	hoverOf := func(line int) string {
		t.Helper()
		var h *hover
		place := map[string]any{"textDocument": map[string]any{"uri": uriOf("k.ptx")}, "position": map[string]any{"line": line - 1, "character": 2}}
		if err := c.try("textDocument/hover", place, &h); err != nil || h == nil {
			t.Fatalf("line %d: %v", line, err)
		}
		return h.Contents.Value
	}
	if have := hoverOf(6); strings.Contains(have, "Trace") {
		t.Errorf("no trace is named: %s", have)
	}
	c.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"ptxvm": map[string]any{"recording": file}}})
	const want = "Trace `run.jsonl`: 2 times, last at moment 9 by CTA (0,0,1), warp 2, lanes 00000003\n\n- `%r` = 4\n- → `%s` = 5 6"
	if have := hoverOf(6); !strings.HasSuffix(have, want) {
		t.Errorf("%s\nwant %s", have, want)
	}
	if have := hoverOf(7); strings.Contains(have, "Trace") {
		t.Errorf("of another text: %s", have)
	}
	write(step(6, "add.u32 %s, %r, 1;", "77"))
	if have := hoverOf(6); !strings.Contains(have, "`: once at moment 9 by") || !strings.HasSuffix(have, "77 6") {
		t.Errorf("the trace has changed: %s", have)
	}
	write("no trace")
	if have := hoverOf(6); !strings.Contains(have, "cannot be read") {
		t.Error(have)
	}
	c.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"recording": "none.jsonl", "arch": "sm_80"}})
	if have := hoverOf(6); !strings.Contains(have, "none.jsonl cannot be read") {
		t.Error(have)
	}
}
