package jit_test

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// The throughput figures of bench/NOTES.md: lane-ops per second of one core, in compiled code.

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

// BenchmarkWarp is the price of a warp that does next to nothing: of a launch of 1M threads in CTAs of
// 256, divided by its warps.
func BenchmarkWarp(b *testing.B) {
	for _, k := range []struct{ name, body string }{
		{"empty", "ret;"},
		{"barrier", "bar.sync 0; ret;"},
		{"store", ".reg .b32 %r<4>; .reg .b64 %d<3>; ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r1; ret;"},
		{"index", ".reg .b32 %r<5>; .reg .b64 %d<3>; ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.s32 %r1, %r2, %r3, %r1; and.b32 %r1, %r1, 65535; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r1; ret;"},
	} {
		for name, v := range map[string]jit.Vectors{"AVX2": jit.AVX2, "AVX-512": jit.AVX512} {
			b.Run(k.name+"/"+name, func(b *testing.B) {
				l := newLaboratory(b, k.name, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) { "+k.body+" }\n")
				buf, _ := l.arena.Alloc(1<<18, mem.Info{Label: "buf"})
				l.keep = true
				e := engine(b, jit.Options{Vectors: v})
				const ctas, warps = 4096, 8
				l.run(b, "k", ctas, [3]uint32{256, 1, 1}, e.Install, buf)
				for b.Loop() {
					l.run(b, "k", ctas, [3]uint32{256, 1, 1}, e.Install, buf)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/ctas/warps, "ns/warp")
			})
		}
	}
}
