package main

// The figures that need other programs: the built command, ptxas, and modules that nvcc makes.

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
	"ptxvm.invalid/ptxvm/internal/testkit/ptxas"
)

// example is the command of the README, without `go run`.
var example = []string{"run", "testdata/cuda/saxpy.sm_90.ptx", "--block", "32",
	"--arg", "s32:8", "--arg", "f32:2.5", "--arg", "in:f32x8=iota", "--arg", "inout:f32x8=1"}

func measureStart(b *testing.B) float64 {
	binary := filepath.Join(b.TempDir(), "ptxvm")
	build := exec.Command("go", "build", "-o", binary, "./cmd/ptxvm")
	build.Dir = inside(b, ".")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return milliseconds(fastest(b, func() {
		cmd := exec.Command(binary, example...)
		cmd.Dir = build.Dir
		if out, err := cmd.Output(); err != nil || !bytes.Contains(out, []byte("3.5")) {
			b.Fatalf("%v\n%s", err, out)
		}
	}))
}

// measureISA runs the benchmark of the room: a process reads the data once.
func measureISA(b *testing.B) float64 {
	cmd := exec.Command("go", "test", "-run", "^$", "-bench", "^BenchmarkLoad$", "-benchtime", "100ms", "./internal/isa")
	cmd.Dir = inside(b, ".")
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for b.Loop() {
	}
	return number(b, out, `([\d.]+) ns/op`) / 1e6
}

// shaModule is a kernel that keeps its message schedule and state in registers.
const shaModule = "testdata/cuda/sha256.sm_90.ptx"

// measureRows compares the registers of a warp's frame with those that ptxas allocates: 32 lanes of
// 4 bytes each.
func measureRows(b *testing.B) float64 {
	tool, err := ptxas.Find()
	if err != nil {
		b.Skip(nvcc.SkipMark + err.Error())
	}
	listing, err := exec.Command(tool, "-v", "-arch=sm_90", "-o", os.DevNull, inside(b, shaModule)).CombinedOutput()
	if err != nil {
		b.Fatalf("%v\n%s", err, listing)
	}
	registers := number(b, listing, `Used (\d+) registers`)
	var dump bytes.Buffer
	if err := cli.Dump(&dump, "sha256.ptx", read(b, shaModule), "code"); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
	}
	return number(b, dump.Bytes(), `(\d+) of them registers`) / (registers * 32 * 4)
}

// number finds the first number that a pattern shows.
func number(b *testing.B, text []byte, pattern string) float64 {
	m := regexp.MustCompile(pattern).FindSubmatch(text)
	if m == nil {
		b.Fatalf("no %s in\n%s", pattern, text)
	}
	v, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return v
}

// measureCheck parses and checks modules of some ten thousand lines.
func measureCheck(b *testing.B) float64 {
	var modules [][]byte
	lines := 0
	for _, name := range []string{"cubsort", "cubscan"} {
		text := nvcc.Compile(b, inside(b, fmt.Sprintf("testdata/cuda/headers/%s.cu", name)), 90, "-O3", "-lineinfo")
		modules = append(modules, []byte(text))
		lines += bytes.Count([]byte(text), []byte("\n"))
	}
	n := 0
	start := cpuTime()
	for b.Loop() {
		for _, src := range modules {
			if _, err := ptxvm.Check("cub.ptx", src, nil); err != nil {
				b.Fatal(err)
			}
		}
		n += lines
	}
	return float64(n) / (cpuTime() - start).Seconds()
}
