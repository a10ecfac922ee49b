package check

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"ptxvm.invalid/ptxvm/internal/syntax"
)

var bigFile = flag.String("big", "", "a large module for BenchmarkCheck, for example what nvcc makes of a CUB sort")

// BenchmarkCheck measures lines per second of parsing and checking together, and of
// checking alone, on the corpus or on one large module: 24,000 lines of a CUB sort take
// 600,000 lines/s on a core of an AMD EPYC, three quarters of it parsing.
func BenchmarkCheck(b *testing.B) {
	files, _ := filepath.Glob("../../testdata/*/*.ptx")
	if *bigFile != "" {
		files = []string{*bigFile}
	}
	var texts [][]byte
	lines := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		texts = append(texts, text)
		lines += bytes.Count(text, []byte("\n"))
	}
	run := func(name string, each func(i int)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for i := range texts {
					each(i)
				}
			}
			b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
	run("parse+check", func(i int) { Check(syntax.Parse("big.ptx", texts[i]), Options{}) })
	parsed := make([]*syntax.File, len(texts))
	for i := range texts {
		parsed[i] = syntax.Parse("big.ptx", texts[i])
	}
	run("check", func(i int) { Check(parsed[i], Options{}) })
}
