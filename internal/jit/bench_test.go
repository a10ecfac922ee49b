package jit_test

import (
	"testing"

	"ptxvm/internal/assume"
	"ptxvm/internal/decode"
	"ptxvm/internal/ir"
	"ptxvm/internal/jit"
	"ptxvm/internal/machine"
	"ptxvm/internal/mem"
)

// The throughput figures of docs/performance.md: lane-ops per second of one core, in compiled code.

func BenchmarkJIT(b *testing.B) {
	for _, k := range []struct {
		name string
		args func(buf uint64) []any
	}{
		{"aluloop", func(buf uint64) []any { return []any{buf, uint32(200)} }},
		{"fmaloop", func(buf uint64) []any { return []any{buf, float32(0.99), float32(0.33), int32(2000)} }},
		{"saxpy", func(buf uint64) []any { return []any{int32(16384), float32(2.5), buf, buf + 1<<17} }},
		{"collatz", func(buf uint64) []any { return []any{buf, uint32(1), uint32(16384)} }},
	} {
		for name, v := range map[string]jit.Vectors{"AVX2": jit.AVX2, "AVX-512": jit.AVX512} {
			b.Run(k.name+"/"+name, func(b *testing.B) {
				l := newLaboratory(b, k.name, corpus(b, k.name))
				buf, _ := l.arena.Alloc(1<<18, mem.Info{Label: "buf"})
				l.keep = true
				e, ops := engine(b, jit.Options{Vectors: v}), uint64(0)
				l.run(b, k.name, 64, [3]uint32{256, 1, 1}, e.Install, k.args(buf)...)
				for b.Loop() {
					s := l.run(b, k.name, 64, [3]uint32{256, 1, 1}, e.Install, k.args(buf)...)
					ops += s.NativeOps
				}
				b.ReportMetric(float64(ops)/b.Elapsed().Seconds()/1e9, "Glane-ops/s")
			})
		}
	}
}

// BenchmarkCompile measures what machine code costs: nanoseconds an instruction, pages included.
func BenchmarkCompile(b *testing.B) {
	for _, name := range []string{"sha256", "matmul", "collatz", "blackscholes"} {
		for width, v := range map[string]jit.Vectors{"AVX2": jit.AVX2, "AVX-512": jit.AVX512} {
			b.Run(name+"/"+width, func(b *testing.B) {
				l := newLaboratory(b, name, corpus(b, name))
				f := l.m.Funcs[0]
				p, err := decode.New(l.m, l).Kernel(f, ir.LaunchShape{BlockX: 128, BlockY: 1, BlockZ: 1}, machine.TargetOf(90), uint32(f.SharedBytes), assume.Set{})
				if err != nil {
					b.Fatal(err)
				}
				code := p.Entry
				for b.Loop() {
					if _, err := jit.Compile(code, f, jit.Options{Vectors: v}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(code.Insts)), "ns/instruction")
			})
		}
	}
}
