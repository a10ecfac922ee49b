package cli_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// stage is a stage of saxpy.
func stage(t *testing.T, name string, width int) string {
	t.Helper()
	return dumped(t, cli.DumpOptions{Stage: name, Width: width})
}

func dumped(t *testing.T, o cli.DumpOptions) string {
	t.Helper()
	src, err := os.ReadFile("../../testdata/cuda/saxpy.sm_90.ptx")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := cli.DumpLinked(&b, []cli.Source{{Name: "saxpy.ptx", Text: src}}, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// parsed reads a stage back.
func parsed(t *testing.T, text string) *ssa.Func {
	t.Helper()
	f, err := ssa.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if again := f.String(); again != text {
		t.Fatalf("read back it is\n%s\nnot\n%s", again, text)
	}
	return f
}

// TestStagesReadBack: the dumps of ssa are read back, and the passes make of the first what the others say.
func TestStagesReadBack(t *testing.T) {
	f := parsed(t, stage(t, "jit-ssa", 0))
	behind := map[string]string{}
	if err := opt.Run(f, opt.Options{Verify: true, Behind: func(pass, text string) { behind[pass] = text }}); err != nil {
		t.Fatal(err)
	}
	last := ""
	for _, p := range opt.Passes {
		text := stage(t, "jit-opt:"+p.Name, 0)
		parsed(t, text)
		if text != behind[p.Name] {
			t.Errorf("behind %s it is\n%s\nnot\n%s", p.Name, text, behind[p.Name])
		}
		if p.Name != opt.Placing {
			last = text
		}
	}
	if stage(t, "jit-opt", 0) != last || stage(t, "jit-place", 0) != behind[opt.Placing] {
		t.Error("the stages jit-opt and jit-place are not those of the last pass but placing, and of placing")
	}
}

// TestStagesOfMachineCode: both widths can be read on any processor; each line is found.
func TestStagesOfMachineCode(t *testing.T) {
	for _, c := range []struct {
		stage string
		width int
		want  []string
	}{
		{"jit-isel", 256, []string{"// AVX2\n", "\nfunc saxpy\nb0 level 0():\n", " = begin() changes %g", " = broadcastd(%g", " level 2 cold():\n", "jmp to b",
			" = shl %g1(tied), 8 ", " = ffma.w v", "/m, 3  ", ", {0x7fffffff}, %x", "{8, 9, …}", "// store elem 4 count 1 ", "// state 1\n", "; jg to b", "+32]"}},
		{"jit-isel", 512, []string{"// AVX-512\n", " = knotw %k", "{16, 17, …}", " under %k", "/m, 3  ", "+64]"}},
		{"jit-asm", 256, []string{"# saxpy by AVX2: ", "# b0 level 0()\n.L", "#   jmp to b", " ptr [r14+r", "# ends of exits\n", "# return\n", "  vfmadd231ps ymm", "  ret\n"}},
		{"jit-asm", 512, []string{"# saxpy by AVX-512: ", "  vfmadd231ps zmm", ", zmmword ptr ["}},
	} {
		text := stage(t, c.stage, c.width)
		for _, w := range c.want {
			if !strings.Contains(text, w) {
				t.Errorf("%s of %d bits has no %q", c.stage, c.width, w)
			}
		}
		if t.Failed() {
			t.Fatal(text)
		}
	}
}

// TestStagesOnly: of each stage the blocks with a line that matches are printed whole, and nothing else.
func TestStagesOnly(t *testing.T) {
	for stage, only := range map[string]string{"jit-place": " = ffma.w v", "jit-isel": "= vfmaddps .*//.* = ffma.w v", "jit-asm": `vfmadd231ps ymm\d+, ymm\d+, ymmword`} {
		o := cli.DumpOptions{Stage: stage, Width: 256}
		all := dumped(t, o)
		o.Only = only
		got := dumped(t, o)
		if regexp.MustCompile(`(?m)^(# )?b\d+ level 2\(`).FindAllStringIndex(got, -1) == nil || strings.Count(got, " level ") != 1 || !strings.Contains(all, got) {
			t.Errorf("%s: %q gives\n%s\nof\n%s", stage, only, got, all)
		}
		if next := all[strings.Index(all, got)+len(got):]; !regexp.MustCompile(`^(# )?b\d+ level`).MatchString(next) {
			t.Errorf("%s: a block is cut off in front of %.60q", stage, next)
		}
	}
}

// TestStagesRefused: a kernel that is not taken has its reason, and what does not exist is named.
func TestStagesRefused(t *testing.T) {
	const src = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k .reqntid 16, 3 { ret; }\n"
	for _, c := range []struct {
		o    cli.DumpOptions
		text string // of the dump, or the error
	}{
		{cli.DumpOptions{Stage: "jit-ssa"}, "k: not taken: blocks of 16, 3, 1 threads\n"},
		{cli.DumpOptions{Stage: "jit-opt:nothing"}, `pass "nothing" does not exist; there are tests, `},
		{cli.DumpOptions{Stage: "jit-isel", Width: 128}, "vectors have 256 bits or 512, not 128"},
		{cli.DumpOptions{Stage: "jit-isel", Only: "("}, "error parsing regexp"},
		{cli.DumpOptions{Stage: "code", Only: "x"}, "only is for stages that begin with jit-"},
		{cli.DumpOptions{Stage: "jit-isel:tests"}, `stage "jit-isel:tests" does not exist`},
	} {
		var b strings.Builder
		if err := cli.DumpLinked(&b, []cli.Source{{Name: "k.ptx", Text: []byte(src)}}, c.o); err != nil {
			b.WriteString(err.Error())
		}
		if !strings.HasPrefix(b.String(), c.text) {
			t.Errorf("%v: %q, want %q", c.o, b.String(), c.text)
		}
	}
}
