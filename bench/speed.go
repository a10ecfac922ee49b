package main

// This file measures check against ptxas, on large modules: as whole processes, and in one process.

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
	"ptxvm.invalid/ptxvm/internal/testkit/ptxas"
)

// large is a module that nvcc makes of a source, or that is made by generate.
type large struct {
	name     string
	source   string // below the root
	arch     int
	flags    []string
	generate func() string
}

var release = []string{"-O3", "-lineinfo"}

var larges = []large{
	{name: "cubsort", source: "testdata/cuda/headers/cubsort.cu", arch: 90, flags: release},
	{name: "cubsort, sm_75", source: "testdata/cuda/headers/cubsort.cu", arch: 75, flags: release},
	{name: "cubscan", source: "testdata/cuda/headers/cubscan.cu", arch: 90, flags: release},
	{name: "algorithms", source: "bench/testdata/algorithms.cu", arch: 90, flags: release},
	{name: "segments", source: "bench/testdata/segments.cu", arch: 90, flags: release},
	{name: "cubsort, debug", source: "testdata/cuda/headers/cubsort.cu", arch: 90, flags: []string{"-G"}},
	{name: "libcu++ pipeline", source: "testdata/cuda/headers/pipeline.cu", arch: 90, flags: release},
	{name: "generated", arch: 90, generate: unrolled},
}

// unrolled is a kernel of a hundred thousand lines, as an unrolling compiler makes them: products of what was
// loaded, added in order.
func unrolled() string {
	var b strings.Builder
	b.WriteString(module + ".visible .entry unrolled(.param .u64 in) {\n.reg .b64 %rd<3>;\n.reg .b32 %f<100>;\n" +
		"ld.param.u64 %rd1, [in];\ncvta.to.global.u64 %rd2, %rd1;\nmov.b32 %f99, 0f00000000;\n")
	for i := range 33_333 {
		fmt.Fprintf(&b, "ld.global.nc.f32 %%f%d, [%%rd2+%d];\nfma.rn.f32 %%f99, %%f%d, %%f%d, %%f99;\nst.global.f32 [%%rd2+%d], %%f99;\n",
			i%97, 4*i, i%97, (i+50)%97, 4*i)
	}
	return b.String() + "ret;\n}\n"
}

// text makes the module.
func (l *large) text(b *testing.B) []byte {
	if l.generate != nil {
		return []byte(l.generate())
	}
	return []byte(nvcc.Compile(b, inside(b, l.source), l.arch, l.flags...))
}

// speedTable prints a line for each module: the least processor time of each way, with rounds of all of them in
// turn, so that what else the machine does meets all alike.
func speedTable(match *regexp.Regexp, rounds int) error {
	tool, err := ptxas.Find()
	if err != nil {
		return err
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // as the processes have it: idle cores would help to collect
	head := "Machine: " + machine() + ".\n\n" +
		"| Module | Lines | ptxas -O3 | ptxvm check | Ratio | In process | Ratio | Lines/s |\n|---|---|---|---|---|---|---|---|"
	return commandTable(match, head, larges, func(l *large) string { return l.name }, func(l *large, binary, dir string) error {
		return l.print(dir, binary, tool, rounds)
	})
}

func (l *large) print(dir, binary, tool string, rounds int) error {
	var src []byte
	testing.Benchmark(func(b *testing.B) { src = l.text(b) })
	if src == nil {
		fmt.Printf("| %s | not measured: nvcc is missing, or it failed | | | | | | |\n", l.name)
		return nil
	}
	path := filepath.Join(dir, "module.ptx")
	if err := os.WriteFile(path, src, 0o644); err != nil {
		return err
	}
	var theirs, whole, within []time.Duration
	for range rounds {
		t, err1 := spend(tool, fmt.Sprintf("-arch=sm_%d", l.arch), "-o", os.DevNull, path)
		if err1 != nil || t.exit != 0 {
			return fmt.Errorf("ptxas: exit %d: %w", t.exit, err1)
		}
		theirs = append(theirs, t.cpu)
		for range 5 {
			w, err := spend(binary, "check", path)
			if err != nil || w.exit != 0 {
				return fmt.Errorf("ptxvm check: exit %d: %w", w.exit, err)
			}
			whole = append(whole, w.cpu)
			start := cpuTime()
			if _, err := ptxvm.Check("module.ptx", src, nil); err != nil {
				return err
			}
			within = append(within, cpuTime()-start)
		}
	}
	l.printLine(bytes.Count(src, []byte("\n")), slices.Min(theirs), slices.Min(whole), slices.Min(within))
	return nil
}

func (l *large) printLine(lines int, theirs, whole, within time.Duration) {
	fmt.Printf("| %s | %d | %.0f ms | %.1f ms | %.1f | %.1f ms | %.1f | %.0f |\n", l.name, lines, milliseconds(theirs),
		milliseconds(whole), theirs.Seconds()/whole.Seconds(), milliseconds(within), theirs.Seconds()/within.Seconds(),
		float64(lines)/within.Seconds())
}
