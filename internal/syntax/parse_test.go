package syntax

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
	"unsafe"
)

// BenchmarkParse reads the file named by PTXVM_BENCH_PTX, such as a large CUB module. The best
// turn is reported too: it is what an idle machine would show.
func BenchmarkParse(b *testing.B) {
	data, err := os.ReadFile(os.Getenv("PTXVM_BENCH_PTX"))
	if err != nil {
		b.Skip("PTXVM_BENCH_PTX names no file")
	}
	f := Parse("bench.ptx", data)
	if f.Errors.HasErrors() {
		b.Fatal(f.Errors)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	best := time.Duration(math.MaxInt64)
	for b.Loop() {
		start := time.Now()
		Parse("bench.ptx", data)
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(f.Source.Lines())/best.Seconds()/1e6, "best-Mlines/s")
}

var update = flag.Bool("update", false, "write golden files")

// golden compares got with a file, which -update rewrites.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run with -update if that is right. Got:\n%s", name, got)
	}
}

// TestTrees compares the printed trees of correct files with goldens.
func TestTrees(t *testing.T) {
	for _, name := range []string{"directives", "operands"} {
		text, err := os.ReadFile("testdata/" + name + ".ptx")
		if err != nil {
			t.Fatal(err)
		}
		f := Parse(name+".ptx", text)
		if err := f.Errors.Err(); err != nil {
			t.Fatal(f.Errors)
		}
		checkInvariants(t, f)
		checkFormat(t, f)
		var b bytes.Buffer
		if err := WriteTree(&b, f); err != nil {
			t.Fatal(err)
		}
		golden(t, "testdata/"+name+".tree", b.Bytes())
	}
}

// TestEveryGrammarWordIsUsed holds that the directive file shows each word of the grammar.
func TestEveryGrammarWordIsUsed(t *testing.T) {
	text, err := os.ReadFile("testdata/directives.ptx")
	if err != nil {
		t.Fatal(err)
	}
	f := Parse("directives.ptx", text)
	seen := map[Word]bool{}
	for i := range f.Tokens {
		seen[f.Tokens[i].Word()] = true
	}
	elsewhere := map[Word]bool{WordV8: true, WordS64: true, WordU64: true, WordWarpSize: true}
	for w := WordNone + 1; w < WordCount; w++ {
		if !seen[w] && !elsewhere[w] {
			t.Errorf("no example of %s", grammarWords[w])
		}
	}
}

func TestWriteTokens(t *testing.T) {
	var b bytes.Buffer
	if err := WriteTokens(&b, Parse("x", []byte(".version 9.1\n// é\n"))); err != nil {
		t.Fatal(err)
	}
	want := "1:1\tword\t\".version\"\n1:9\twhite space\t\" \"\n1:10\tfloat\t\"9.1\"\n1:13\twhite space\t\"\\n\"\n" +
		"2:1\tcomment\t\"// \\u00e9\"\n2:6\twhite space\t\"\\n\"\n3:1\tend of file\t\"\"\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestTokenSize pins what makes parsing cheap.
func TestTokenSize(t *testing.T) {
	if n := unsafe.Sizeof(Token{}); n != 8 {
		t.Errorf("a token has %d bytes", n)
	}
	if n := unsafe.Sizeof(Operand{}); n > 64 {
		t.Errorf("an operand has %d bytes", n)
	}
}

// TestCompilerOutput parses and formats everything that the repository holds of real compilers.
func TestCompilerOutput(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../testdata/*/*.ptx", "../../testdata/*.ptx"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skip("testdata holds no PTX")
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f := Parse(name, text)
		if err := f.Errors.Err(); err != nil {
			t.Error(err)
			continue
		}
		checkInvariants(t, f)
		checkFormat(t, f)
	}
}
