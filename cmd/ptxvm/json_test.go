package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// jsonModule has what info, check --fix and a refusal can say; jsonCase is a case that passes.
const (
	jsonModule = ".version 8.0\n.target sm_75\n.address_size 64\n.global .texref t;\n.global .u32 v = 1;\n.visible .entry k(.param .u32 n)\n{\n" +
		"\t.reg .b32 %r<3>; .reg .f64 %d<2>;\n\trcp.rz.ftz.f64 %d0, %d1;\n\tret;\n}\n"
	jsonCase = "check m.ptx\n-- m.ptx --\n.version 8.0\n.target sm_75\n"
)

// jsonRuns are command lines by the section of docs/json.md about them: together they print every field. DIR is a folder
// with json.ptx and case.txtar; what a command writes to DIR/out.json counts as printed.
var jsonRuns = map[string][]string{
	"`check --format json`": {"check --format json ../../testdata/readme/mistakes/saxpy.ptx"},
	"`bench --format json`": {"bench --format json --repeat 1 testdata/ptx/kernels.ptx --kernel copy --block 2 --arg in:u8x2=1 --arg out:u8x2"},
	"`info --format json`":  {"info --format json DIR/json.ptx"},
	"`run --report FILE`": {
		"run --report DIR/out.json testdata/ptx/kernels.ptx --kernel copy --block 8 --arg in:u8x4=1 --arg out:u8x8",
		"run --report DIR/out.json testdata/ptx/kernels.ptx --kernel stuck --block 64",
		"run --report DIR/out.json testdata/ptx/kernels.ptx --kernel forever --max-steps 1000",
		"run --report DIR/out.json testdata/ptx/kernels.ptx --kernel copy --block 2 --arg in:u8:1,2 --arg out:u8x2 --expect 1=u8:1,4",
		"run --report DIR/out.json testdata/ptx/tensor.ptx --kernel hasty --block 32 --sanitize init --arg out:u32x32",
		"run --report DIR/out.json DIR/json.ptx --arg u32:1",
		"run --report DIR/out.json testdata/ptx/kernels.ptx --kernel copy --block 8 --keep-going --arg in:u8x4=1 --arg out:u8x8",
		"run --report DIR/out.json testdata/ptx/sanitize.ptx --kernel fresh --block 8 --sanitize init:loads --suppress testdata/ptx/sanitize.suppress --arg out:u32x10",
		"run --report DIR/out.json ../../testdata/readme/mistakes/saxpy.ptx",
	},
	"`run --trace … --trace-to FILE.jsonl`": {
		"run ../../testdata/cuda/saxpy.sm_75.ptx --block 2 --arg s32:2 --arg f32:2 --arg in:f32x2=1 --arg inout:f32x2=1 --trace 0 --trace-to DIR/out.json",
	},
	"`run --show tmem --show-to FILE.json`": {
		"run ../../testdata/tensor/tour.ptx --block 128 --arg out:u32x128x32:@/dev/null --arg u32:0 --show tmem --show-to DIR/out.json",
	},
	"`test --format json`":               {"test --format json DIR/case.txtar"},
	"`version --json`":                   {"version --json"},
	"`isa --assumptions --format json`":  {"isa --assumptions --format json"},
	"`isa --format json`":                {"isa --format json", "isa --format json --target sm_80"},
	"`isa --diff 9.1 9.4 --format json`": {"isa --diff 9.1 9.4 --format json --target sm_100a"},
}

// TestJSONFields holds the fields that are printed to those that docs/json.md names, in both directions.
func TestJSONFields(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := documentedFields(string(page))
	if got, want := slices.Sorted(maps.Keys(documented)), slices.Sorted(maps.Keys(jsonRuns)); !slices.Equal(got, want) {
		t.Errorf("docs/json.md has sections %q, known are %q", got, want)
	}
	for section, commands := range jsonRuns {
		printed := map[string]bool{}
		for _, command := range commands {
			addPrinted(t, command, printed)
		}
		for name := range printed {
			if !documented[section][name] {
				t.Errorf("%s: docs/json.md lacks the field %q", section, name)
			}
		}
		for name := range documented[section] {
			if !printed[name] {
				t.Errorf("%s: docs/json.md has a field %q that none of its commands prints", section, name)
			}
		}
	}
}

// elsewhere are sections whose fields another one refers to: a place, a missing form.
var elsewhere = map[string][]string{
	"`run --report FILE`":                   {"name", "text", "section", "reason", "count", "line", "undocumented"},
	"`run --trace … --trace-to FILE.jsonl`": {"file", "line", "col", "function"},
}

// mentioned are names in code spans that are no fields: commands, engines, and a field that no form has while none is partial.
var mentioned = map[string]bool{
	"isa": true, "info": true, "run": true, "ptxas": true, "interp": true, "jit": true, "cc": true, "notes": true,
}

var (
	codeSpan  = regexp.MustCompile("`([^`\n]+)`")
	fieldName = regexp.MustCompile(`^[a-z][A-Za-z_]*$`)
)

// documentedFields are the names in code spans, alone or in lists `{a, b}`, by section.
func documentedFields(page string) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for _, section := range strings.Split(page, "\n## ")[1:] {
		title, text, _ := strings.Cut(section, "\n")
		names := map[string]bool{}
		for _, span := range codeSpan.FindAllStringSubmatch(text, -1) {
			list := strings.TrimSuffix(strings.TrimPrefix(span[1], "{"), "}")
			for _, name := range strings.Split(list, ", ") {
				if fieldName.MatchString(name) && !mentioned[name] {
					names[name] = true
				}
			}
		}
		for _, name := range elsewhere[title] {
			names[name] = true
		}
		out[title] = names
	}
	return out
}

// addPrinted runs a command and collects the names of the objects that it prints or writes to out.json.
func addPrinted(t *testing.T, command string, names map[string]bool) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"json.ptx": jsonModule, "case.txtar": jsonCase} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	doMain(context.Background(), strings.Fields(strings.ReplaceAll(command, "DIR", filepath.ToSlash(dir))), strings.NewReader(""), &out, &errs)
	if file, err := os.ReadFile(filepath.Join(dir, "out.json")); err == nil {
		out = *bytes.NewBuffer(file)
	}
	before := len(names)
	for d := json.NewDecoder(&out); ; {
		var v any
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, errs.String())
		}
		collectNames(v, names)
	}
	if before == 0 && len(names) == 0 {
		t.Errorf("%s prints no object; standard error: %s", command, errs.String())
	}
}

// collectNames adds the names of an object and of those in it. The names in engines are data.
func collectNames(v any, names map[string]bool) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			collectNames(e, names)
		}
	case map[string]any:
		for name, e := range v {
			if names[name] = true; name != "engines" {
				collectNames(e, names)
			}
		}
	}
}

// TestCheckFields: the fields of check are those that its readers were promised, with none besides.
func TestCheckFields(t *testing.T) {
	var out bytes.Buffer
	doMain(context.Background(), []string{"check", "--format", "json", "../../testdata/readme/mistakes/saxpy.ptx"}, strings.NewReader(""), &out, io.Discard)
	var file map[string]any
	if err := json.Unmarshal(out.Bytes(), &file); err != nil {
		t.Fatal(err)
	}
	hasFields(t, file, "file ok message diagnostics")
	diagnostic := file["diagnostics"].([]any)[0].(map[string]any)
	hasFields(t, diagnostic, "code severity line col endLine endCol message section fixes")
	if file["message"] != diagnostic["message"] {
		t.Errorf("message is %q, the first error's %q", file["message"], diagnostic["message"])
	}
	fix := diagnostic["fixes"].([]any)[0].(map[string]any)
	hasFields(t, fix, "label edits")
	hasFields(t, fix["edits"].([]any)[0].(map[string]any), "line col endLine endCol text")
}

func hasFields(t *testing.T, object map[string]any, want string) {
	t.Helper()
	if got, want := slices.Sorted(maps.Keys(object)), slices.Sorted(slices.Values(strings.Fields(want))); !slices.Equal(got, want) {
		t.Errorf("fields %q, want %q", got, want)
	}
}
