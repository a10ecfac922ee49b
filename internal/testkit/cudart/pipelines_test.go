package cudart

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var pipelines = flag.String("programs.by", "old,new,cc",
	"TestPipelines: compilers: old, new, some and c as -pipeline names them elsewhere, and the engine cc")

// TestPipelines runs all programs by each of the two compilers, from the first launch on, and by the engine cc. The libraries are others than
// users have: they ask the environment for the compiler.
func TestPipelines(t *testing.T) {
	if needPrograms(t); !programs.all {
		t.Skip("runs every program some more times: -programs=all asks for it")
	}
	usual, command := Libraries(t), ptxvm(t)
	libraries := filepath.Join(cache(t), "lib-pipelines")
	if err := build(Root(t), libraries, "pipelines"); err != nil {
		t.Fatal(err)
	}
	taken := map[string]int{}
	for _, source := range sources(t, true) {
		t.Run(strings.TrimSuffix(filepath.Base(source), ".cu"), func(t *testing.T) {
			want := read(t, source)
			program := Program(t, usual, append([]string{source}, want.with...), want.flags...)
			for by := range strings.SplitSeq(*pipelines, ",") {
				runBy(t, by, want, libraries, command, program, taken)
			}
		})
	}
	t.Logf("kernels that the new pipeline took and refused, in all processes: %v", taken)
}

// runBy runs a program by a compiler, and counts what the new pipeline has taken.
func runBy(t *testing.T, by string, want expected, libraries, command, program string, taken map[string]int) {
	t.Helper()
	notes, engine, pipeline := filepath.Join(t.TempDir(), "notes"), "jit", by
	if by == "cc" {
		engine, pipeline = "cc", ""
	}
	want.env = append(slices.Clone(want.env), "TEST_PIPELINE="+pipeline, "TEST_PIPELINE_NOTES="+notes, "XDG_CACHE_HOME="+t.TempDir())
	run(t, want, libraries, command, "exec", "--engine", engine, program)
	text, err := os.ReadFile(notes)
	if err != nil {
		return // no kernel was launched, or not by the new pipeline
	}
	for line := range strings.Lines(string(text)) {
		_, verdict, _ := strings.Cut(strings.TrimSpace(line), " ")
		verdict, _, _ = strings.Cut(verdict, ":")
		taken[by+" "+verdict]++
	}
}
