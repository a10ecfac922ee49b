package pipeline

// This file measures instructions in loops.

import (
	"fmt"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// loops are statements whose results they take themselves, on the registers of operands, and %w4 free.
var loops = []struct{ name, text string }{
	{"f16 to f32 and back", "cvt.f32.f16 %w1, %h1; cvt.f32.f16 %w2, %h2; fma.rn.f32 %w1, %w1, %w2, %w1; cvt.rn.f16.f32 %h1, %w1;"},
	{"f16x2 fma", "fma.rn.f16x2 %w3, %w1, %w2, %w3;"},
	{"bf16x2 fma", "fma.rn.bf16x2 %w3, %w1, %w2, %w3;"},
	{"e4m3x2 from f32", "cvt.rn.satfinite.e4m3x2.f32 %h3, %w1, %w2; cvt.u32.u16 %w3, %h3; add.u32 %w1, %w1, %w3;"},
	{"s32 from f32", "cvt.rni.s32.f32 %w3, %w1; add.s32 %w2, %w2, %w3; cvt.rn.f32.s32 %w1, %w2;"},
	{"f64", "fma.rn.f64 %x3, %x1, %x2, %x3; add.f64 %x1, %x3, %x2; min.f64 %x2, %x1, %x2;"},
	{"s64", "mul.hi.s64 %x3, %x1, %x2; add.s64 %x1, %x1, %x3; bfe.s64 %x2, %x1, 5, 40;"},
	{"carries", "add.cc.u32 %w1, %w1, %w2; addc.cc.u32 %w2, %w2, %w3; addc.u32 %w3, %w3, %w1;"},
	{"prmt", "prmt.b32 %w1, %w1, %w2, %w3; add.u32 %w3, %w3, %w1;"},
}

// BenchmarkLoops executes each 256 times in 4096 threads, by AVX2: by the old compiler, by the new pipeline and by the interpreter.
func BenchmarkLoops(b *testing.B) {
	for _, l := range loops {
		text := operandKernel([]string{"mov.u32 %w7, 0; L: " + l.text + ` add.u32 %w7, %w7, 1; setp.lt.u32 %p1, %w7, 256; @%p1 bra L;
			cvt.u32.u16 %w0, %h1; xor.b32 %w3, %w3, %w0; xor.b32 %w3, %w3, %w1; cvt.u64.u32 %x0, %w3; xor.b64 %x0, %x0, %x1; xor.b64 %x0, %x0, %x3`})
		for name, compile := range map[string]func(d *ptxvm.Device) error{
			"old":         func(d *ptxvm.Device) error { return vm.CompileWith(d, jit.Options{Vectors: jit.AVX2}) },
			"new":         backEnd{own: true, vectors: jit.AVX2}.with(&jit.PipelineC{}, map[string]error{}),
			"interpreter": nil,
		} {
			b.Run(fmt.Sprint(l.name, "/", name), func(b *testing.B) { measureLoop(b, text, compile) })
		}
	}
}

func measureLoop(b *testing.B, text string, compile func(*ptxvm.Device) error) {
	cfg := ptxvm.DeviceConfig{Workers: 1, Memory: 1 << 26, Engine: ptxvm.Interp}
	if compile != nil {
		cfg.Engine = ptxvm.JIT
	}
	d, err := ptxvm.NewDevice(&cfg)
	if err != nil {
		b.Skip(err)
	}
	defer d.Close()
	if compile != nil {
		if err := compile(d); err != nil {
			b.Fatal(err)
		}
	}
	values := make([]uint64, 64)
	for i := range values {
		values[i] = uint64(i*i) * 0x9e3779b97f4a7c15
	}
	next := runningOn(b, d, text, operandRun(values, 1))
	next() // which compiles it
	for b.Loop() {
		next()
	}
}
