package main

// The figures: what is measured, in which unit, and what is to be reached.

import (
	"context"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm"
)

// figure is one line of the table in NOTES.md, "Figures and goals".
type figure struct {
	name    string // of the sub-benchmark
	what    string
	unit    string
	goal    float64
	least   bool // the goal is a minimum
	measure func(b *testing.B) float64
}

// figures are in the order of the document.
var figures = []figure{
	{"alu", "32-bit integer ALU code, one core, full warps", "Glane-ops/s", 1, true, measureALU},
	{"fma", "exact fma.rn.f32, one core, full warps", "Glane-ops/s", 0.25, true, measureFMA},
	{"surface", "surface accesses of sharpen.cu, one core", "million/s", 20, true, measureSurface},
	{"tensor", "tcgen05.cp.128x256b, 128-byte swizzle, one core", "GB/s", 1, true, measureTensorCopy},
	{"mma-f16", "f16 products of mma, one core", "GFLOP/s", 8, true, products["mma-f16"].measure},
	{"mma-f16-interp", "f16 products of mma, one core, interpreter", "GFLOP/s", 1, true, products["mma-f16-interp"].measure},
	{"mma-bf16", "bf16 products of mma, one core", "GFLOP/s", 8, true, products["mma-bf16"].measure},
	{"mma-tf32", "tf32 products of mma, one core", "GFLOP/s", 8, true, products["mma-tf32"].measure},
	{"mma-e4m3", "e4m3 products of mma, one core", "GFLOP/s", 8, true, products["mma-e4m3"].measure},
	{"mma-s8", "s8 products of mma, one core", "Gop/s", 30, true, products["mma-s8"].measure},
	{"mma-s8-interp", "s8 products of mma, one core, interpreter", "Gop/s", 2, true, products["mma-s8-interp"].measure},
	{"wgmma-f16", "f16 products of wgmma, one core", "GFLOP/s", 8, true, products["wgmma-f16"].measure},
	{"wgmma-f16-interp", "f16 products of wgmma, one core, interpreter", "GFLOP/s", 1, true, products["wgmma-f16-interp"].measure},
	{"wgmma-bf16", "bf16 products of wgmma, one core", "GFLOP/s", 8, true, products["wgmma-bf16"].measure},
	{"wgmma-e4m3", "e4m3 products of wgmma, one core", "GFLOP/s", 8, true, products["wgmma-e4m3"].measure},
	{"tcgen05-f16", "f16 products of tcgen05.mma, one core", "GFLOP/s", 8, true, products["tcgen05-f16"].measure},
	{"tcgen05-f16-interp", "f16 products of tcgen05.mma, one core, interpreter", "GFLOP/s", 1, true, products["tcgen05-f16-interp"].measure},
	{"tcgen05-e4m3", "e4m3 products of tcgen05.mma, one core", "GFLOP/s", 8, true, products["tcgen05-e4m3"].measure},
	{"mma-sp-f16", "f16 products of mma.sp, those with zeros counted, one core", "GFLOP/s", 8, true, products["mma-sp-f16"].measure},
	{"mma-sp-e4m3", "e4m3 products of mma.sp, those with zeros counted, one core", "GFLOP/s", 8, true, products["mma-sp-e4m3"].measure},
	{"wgmma-sp-f16", "f16 products of wgmma.sp, those with zeros counted, one core", "GFLOP/s", 8, true, products["wgmma-sp-f16"].measure},
	{"mma-s4", "s4 products of mma, one core", "Gop/s", 30, true, products["mma-s4"].measure},
	{"mma-mxf8", "e4m3 products of mma, mxf8f6f4, one core", "GFLOP/s", 8, true, products["mma-mxf8"].measure},
	{"mma-mxf4", "e2m1 products of mma, mxf4, one core", "GFLOP/s", 8, true, products["mma-mxf4"].measure},
	{"mma-nvf4", "e2m1 products of mma, mxf4nvf4, one core", "GFLOP/s", 8, true, products["mma-nvf4"].measure},
	{"mma-f64", "f64 products of mma, one core", "GFLOP/s", 2, true, products["mma-f64"].measure},
	{"ldmatrix", "ldmatrix.x4, one core", "GB/s", 2, true, products["ldmatrix"].measure},
	{"stmatrix", "stmatrix.x4, one core", "GB/s", 2, true, products["stmatrix"].measure},
	{"tma", "tensor copies of boxes of 64×64 halves, one core", "GB/s", 2, true, products["tma"].measure},
	{"tex2d", "tex.2d, linear filter, one core", "Gsamples/s", 0.02, true, products["tex2d"].measure},
	{"bytegemm", "1024×1024×1024 elements of e4m3 by wgmma (bytegemm.cu), two cores, wall time", "s", 0.6, false, measureByteGemm},
	{"scaling", "1,000 compute-bound CTAs, two cores against one, wall time", "times", 1.9, true, measureScaling},
	{"empty", "empty launch", "µs", 20, false, measureEmpty},
	{"load", "load, check and lower a module of 98 instructions", "ms", 1, false, measureLoad},
	{"isa", "load the ISA data", "ms", 1, false, measureISA},
	{"start", "process start to the end of the README example", "ms", 100, false, measureStart},
	{"lock", "in-warp lock, 32 lanes of 100 turns", "ms", 5, false, measureLock},
	{"gridsync", "100 grid syncs of 264 CTAs on two cores", "s", 1, false, measureGridSync},
	{"rows", "register bytes of a SHA-256 warp against ptxas -v", "times", 2, false, measureRows},
	{"check", "check of the CUB sort and scan, one core", "lines/s", 500_000, true, measureCheck},
}

// goalHere is the goal with the vectors that compiled code has: products of matrices have half of theirs with AVX2, those of f64
// the same.
func (f *figure) goalHere() float64 {
	if widthIndex() == 0 || f.name == "mma-f64" || products[f.name].engine != ptxvm.JIT || f.unit == "GB/s" {
		return f.goal
	}
	return f.goal / 2
}

// ratio is what was reached of the goal: 1 and more is reached.
func (f *figure) ratio(value float64) float64 {
	if f.least {
		return value / f.goalHere()
	}
	return f.goalHere() / value
}

// rate is the lane-ops of all launches of b per nanosecond of processor time.
func rate(b *testing.B, k *ptxvm.Kernel, l ptxvm.Launch, args ...any) float64 {
	ops := uint64(0)
	start := cpuTime()
	for b.Loop() {
		ops += launch(b, k, l, args...).LaneOps
	}
	return float64(ops) / float64(cpuTime()-start)
}

func measureALU(b *testing.B) float64 {
	d, k := kernel(b, ptxvm.DeviceConfig{Workers: 1}, "aluloop")
	return rate(b, k, shape(16, 256), alloc(b, d, 16*256*4), uint32(50))
}

func measureFMA(b *testing.B) float64 {
	d, k := kernel(b, ptxvm.DeviceConfig{Workers: 1}, "fmaloop")
	return rate(b, k, shape(16, 256), alloc(b, d, 16*256*4), float32(0.99), float32(0.33), int32(100))
}

// measureSurface counts the five loads and the store of each thread, of four bytes each; the filter
// between them is in the time.
func measureSurface(b *testing.B) float64 {
	const side, perThread = 256, 6
	d, k := kernelOf(b, ptxvm.DeviceConfig{Workers: 1}, "testdata/surface", "sharpen")
	in, out := picture(b, d, side, side), picture(b, d, side, side)
	l := ptxvm.Launch{Grid: ptxvm.Dim3{X: side / 32, Y: side / 8}, Block: ptxvm.Dim3{X: 32, Y: 8}}
	launches, start := 0, cpuTime()
	for b.Loop() {
		launch(b, k, l, in, out, int32(side), int32(side))
		launches++
	}
	return float64(launches*side*side*perThread) / (cpuTime() - start).Seconds() / 1e6
}

// measureScaling runs one grid with one and two workers in turn, and compares the fastest of each.
func measureScaling(b *testing.B) float64 {
	var kernels [2]*ptxvm.Kernel
	var outs [2]ptxvm.Buffer
	var best [2]time.Duration
	for i := range kernels {
		var d *ptxvm.Device
		d, kernels[i] = kernel(b, ptxvm.DeviceConfig{Workers: i + 1}, "aluloop")
		outs[i] = alloc(b, d, 1000*32*4)
	}
	for b.Loop() {
		for i, k := range kernels {
			took := launch(b, k, shape(1000, 32), outs[i], uint32(10)).Elapsed
			if best[i] == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	return best[0].Seconds() / best[1].Seconds()
}

// fastest is the shortest wall time of a round, as others may use the machine.
func fastest(b *testing.B, round func()) time.Duration {
	var best time.Duration
	for b.Loop() {
		start := time.Now()
		round()
		if took := time.Since(start); best == 0 || took < best {
			best = took
		}
	}
	return best
}

// milliseconds of a duration.
func milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }

func measureEmpty(b *testing.B) float64 {
	_, k := kernel(b, ptxvm.DeviceConfig{}, "empty")
	return milliseconds(fastest(b, func() { launch(b, k, shape(1, 32)) })) * 1e3
}

// measureLoad includes what every later use of the ISA data shares: the machine is warm.
func measureLoad(b *testing.B) float64 {
	src := read(b, "testdata/cuda/blackscholes.sm_90.ptx")
	d := device(b, ptxvm.DeviceConfig{})
	return milliseconds(fastest(b, func() {
		p, err := load(d, "blackscholes", src)
		if err != nil {
			b.Fatal(err)
		}
		p.Unload()
	}))
}

func measureLock(b *testing.B) float64 {
	d, k := kernel(b, ptxvm.DeviceConfig{Workers: 1}, "warplock")
	mutex, counter, turns := alloc(b, d, 4), alloc(b, d, 4), alloc(b, d, 32*4)
	return milliseconds(fastest(b, func() { launch(b, k, shape(1, 32), mutex, counter, turns, int32(100)) }))
}

func measureGridSync(b *testing.B) float64 {
	d, k := kernel(b, ptxvm.DeviceConfig{Workers: 2}, "gridsync")
	data, barrier := alloc(b, d, 2*264*4), alloc(b, d, 8)
	return fastest(b, func() { launch(b, k, shape(264, 64), data, barrier, int32(100)) }).Seconds()
}

func shape(grid, block uint32) ptxvm.Launch {
	return ptxvm.Launch{Grid: ptxvm.Dim3{X: grid}, Block: ptxvm.Dim3{X: block}}
}

func launch(b *testing.B, k *ptxvm.Kernel, l ptxvm.Launch, args ...any) ptxvm.Stats {
	s, err := k.Launch(context.Background(), l, args...)
	if err != nil {
		b.Fatal(err)
	}
	return s
}
