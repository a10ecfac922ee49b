package jit_test

// This file measures what compiling costs, stage by stage.

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/testkit/cputime"
	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
)

// decoded has the code of all kernels of modules, for CTAs of 128 threads.
func decoded(b testing.TB, modules map[string]string) (list []*machine.Code) {
	for name, src := range modules {
		l := newLaboratory(b, name, src)
		for _, f := range l.m.Funcs {
			if !f.Entry {
				continue
			}
			p, err := decode.New(l.m, l).Kernel(f, ir.LaunchShape{BlockX: 128, BlockY: 1, BlockZ: 1}, sizes.Of(90), uint32(f.SharedBytes), assume.Set{})
			if err != nil {
				continue // what is refused is not compiled
			}
			list = append(list, p.Entry)
		}
	}
	return list
}

// compiledModules are what BenchmarkCompile compiles: the corpus, Triton's, CUB's sort and scan, a debug build, and kernels of
// unrolled 64-bit arithmetic with hundreds of live registers.
func compiledModules(b testing.TB, name string) map[string]string {
	switch name {
	case "corpus", "triton", "broad", "conv3x3":
		files, _ := filepath.Glob(map[string]string{"corpus": "../../testdata/cuda/*.sm_90.ptx", "triton": "../../testdata/triton/*.ptx", "broad": "../../bench/kernels/*/*.ptx", "conv3x3": "../../bench/kernels/conv3x3/*.ptx"}[name])
		modules := map[string]string{}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				b.Fatal(err)
			}
			modules[file] = string(src)
		}
		return modules
	case "cubsort", "cubscan":
		return map[string]string{name: nvcc.Compile(b, "../../testdata/cuda/headers/"+name+".cu", 90, "-O3")}
	case "wide":
		return map[string]string{name: nvcc.Compile(b, "testdata/wide.cu", 80, "-O3")}
	case "debug":
		return map[string]string{name: nvcc.Compile(b, "../../testdata/cuda/radixsort.cu", 90, "-G")}
	}
	return map[string]string{name: corpus(b, name)}
}

// mostEach is how many µs of processor time the compilation of an instruction may take, in any module.
const mostEach = 30

// BenchmarkModules measures what all code of each module costs, for all lanes and for some, pages included: processor time for an
// instruction of PTX in the fastest of 15 compilations, of as many as have 2,000 instructions where they are short.
// It reports the module that costs most and how many cost more than mostEach, and logs those.
func BenchmarkModules(b *testing.B) {
	for _, name := range []string{"corpus", "triton", "broad", "cubsort", "cubscan"} {
		modules := compiledModules(b, name)
		for _, v := range []jit.Vectors{jit.AVX512, jit.AVX2} {
			b.Run(name+"/"+v.String(), func(b *testing.B) {
				cost, insts, worst := map[string]float64{}, 0, ""
				for b.Loop() {
					for file, src := range modules {
						list := decoded(b, map[string]string{file: src})
						n, least := 0, time.Duration(0)
						for _, code := range list {
							n += len(code.Insts)
						}
						for range 15 + 2000/max(n, 1) {
							if took := compileAll(b, list, jit.Options{Vectors: v}); least == 0 || took < least {
								least = took
							}
						}
						if n > 0 {
							cost[file], insts = float64(least.Nanoseconds())/1000/float64(n), insts+n
						}
						if cost[file] > cost[worst] {
							worst = file
						}
					}
				}
				above := 0
				for file, c := range cost {
					if c > mostEach {
						above++
						b.Logf("%s: %.1f µs", filepath.Base(file), c)
					}
				}
				b.ReportMetric(cost[worst], "µs/instruction")
				b.ReportMetric(float64(above), "above")
				b.ReportMetric(float64(len(cost)), "modules")
			})
		}
	}
}

// compileAll compiles functions and returns the processor time.
func compileAll(b *testing.B, list []*machine.Code, o jit.Options) time.Duration {
	start := cputime.Used()
	for _, code := range list {
		out, err := jit.Compile(code, decode.FuncOf(code.Func), o)
		switch {
		case errors.Is(err, jit.ErrNothing):
			continue
		case err != nil:
			b.Fatal(err)
		}
		pages, err := native.New(out.Bytes)
		if err == nil {
			err = pages.Free()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	return cputime.Used() - start
}

// costs sums up what each stage takes.
type costs struct {
	time  map[string]time.Duration
	stage string
	since time.Time
}

func (c *costs) begin(name string) {
	now := time.Now()
	if c.stage != "" {
		c.time[c.stage] += now.Sub(c.since)
	}
	c.stage, c.since = name, now
}

// BenchmarkCompile measures what machine code costs, pages included: processor time, allocations and bytes
// of code for an instruction of PTX, and by the clock what part each stage has; whole: without code for some
// lanes.
func BenchmarkCompile(b *testing.B) {
	for _, name := range []string{"corpus", "triton", "sha256", "matmul", "collatz", "blackscholes", "cubsort", "cubscan", "debug", "wide"} {
		for _, v := range []jit.Vectors{jit.AVX512, jit.AVX2} {
			b.Run(name+"/"+v.String(), func(b *testing.B) { benchmarkCompile(b, name, jit.Options{Vectors: v}) })
			b.Run(name+"/"+v.String()+"/whole", func(b *testing.B) { benchmarkCompile(b, name, jit.Options{Vectors: v, Whole: true}) })
			b.Run(name+"/"+v.String()+"/quick", func(b *testing.B) { benchmarkCompile(b, name, jit.Options{Vectors: v, Quick: true}) })
		}
	}
}

// BenchmarkTemplates measures what the quick tier costs in a process that has not used it before.
func BenchmarkTemplates(b *testing.B) {
	for _, name := range []string{"corpus", "matmul", "sha256", "blackscholes", "cubsort"} {
		b.Run(name, func(b *testing.B) {
			list, insts, o := decoded(b, compiledModules(b, name)), 0, jit.Options{Vectors: jit.AVX512, Quick: true}
			for _, code := range list {
				insts += len(code.Insts)
			}
			start := cputime.Used()
			for b.Loop() {
				jit.ForgetTemplates()
				for _, code := range list {
					err := jit.CompileQuick(code, decode.FuncOf(code.Func), o, func(*jit.Compiled) error { return nil })
					if err != nil && !errors.Is(err, jit.ErrNothing) {
						b.Fatal(err)
					}
				}
			}
			spent := float64((cputime.Used() - start).Nanoseconds()) / float64(b.N)
			b.ReportMetric(spent/float64(insts), "ns/instruction")
			b.ReportMetric(spent/float64(jit.Templates(o.Vectors)), "ns/template")
			b.ReportMetric(float64(jit.Templates(o.Vectors)), "templates")
		})
	}
}

func benchmarkCompile(b *testing.B, name string, o jit.Options) {
	list, insts := decoded(b, compiledModules(b, name)), 0
	for _, code := range list {
		insts += len(code.Insts)
	}
	c := &costs{time: map[string]time.Duration{}}
	cost, units := 0, 0
	opt, bytes, left := jit.Budgeted(jit.Staged(o, c.begin), 0, &cost), 0, 0
	pages := func(out *jit.Compiled) error {
		c.begin("pages")
		bytes += len(out.Bytes)
		left += out.Leaves
		pages, err := native.New(out.Bytes)
		if err != nil {
			return err
		}
		c.begin("")
		return pages.Free()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := cputime.Used()
	for b.Loop() {
		for _, code := range list {
			var err error
			if f := decode.FuncOf(code.Func); o.Quick {
				c.begin("copies")
				err = jit.CompileQuick(code, f, opt, pages)
			} else if out, wrong := jit.Compile(code, f, opt); wrong == nil {
				err = pages(out)
			} else {
				err = wrong
			}
			units += cost
			if err != nil && !errors.Is(err, jit.ErrNothing) {
				b.Fatal(err)
			}
		}
	}
	spent := cputime.Used() - start
	runtime.ReadMemStats(&after)
	per := float64(b.N) * float64(insts)
	b.ReportMetric(float64(spent.Nanoseconds())/per, "ns/instruction")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/per, "allocs/instruction")
	b.ReportMetric(float64(bytes)/per, "bytes/instruction")
	b.ReportMetric(100*float64(left)/per, "%left")
	b.ReportMetric(float64(insts), "instructions")
	b.ReportMetric(float64(units)/per, "units/instruction")
	total := time.Duration(0)
	for _, d := range c.time {
		total += d
	}
	for stage, d := range c.time {
		b.ReportMetric(100*float64(d)/float64(total), "%"+strings.ReplaceAll(stage, " ", "-"))
	}
}
