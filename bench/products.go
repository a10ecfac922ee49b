package main

// This file measures products of matrices: operations a second of one instruction in a loop, on one core.

import (
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// productLoop is a kernel whose warps repeat a product.
type productLoop struct {
	target  string
	setup   string // declarations and statements before the loop
	body    string // of the loop
	after   string
	block   uint32
	perTurn int // operations of a CTA in a turn of the loop
	engine  ptxvm.Engine
	params  string // parameters behind the number of turns, and what is given for them
	args    func(b *testing.B, d *ptxvm.Device) []any
}

// source is the module: a loop over as many turns as its parameter says.
func (p *productLoop) source() string {
	return fmt.Sprintf(`.version 9.0
.target %s
.address_size 64
.visible .entry products(.param .u32 turns%s)
{
	.reg .b32 n; .reg .pred more;
	%s
	ld.param.u32 n, [turns];
AGAIN:
	%s
	sub.u32 n, n, 1;
	setp.ne.u32 more, n, 0;
	@more bra AGAIN;
	%s
	ret;
}
`, p.target, p.params, p.setup, p.body, p.after)
}

// measure is the operations a nanosecond.
func (p productLoop) measure(b *testing.B) float64 {
	const turns = 200
	d := device(b, ptxvm.DeviceConfig{Workers: 1, Arch: p.target, Engine: p.engine})
	program, err := load(d, "products", []byte(p.source()))
	if err != nil {
		b.Fatal(err)
	}
	k, err := program.Kernel("products")
	if err != nil {
		b.Fatal(err)
	}
	var more []any
	if p.args != nil {
		more = p.args(b, d)
	}
	launch(b, k, shape(1, p.block), append([]any{uint32(2)}, more...)...) // code is made
	args := append([]any{uint32(turns)}, more...)
	launches, start := 0, cpuTime()
	for b.Loop() {
		launch(b, k, shape(1, p.block), args...)
		launches++
	}
	return float64(launches*turns*p.perTurn) / float64(cpuTime()-start)
}

// registers writes {r0, r1, …}.
func registers(name string, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint(name, i)
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// fill gives registers the bits of numbers that differ from lane to lane.
func fill(name string, n int, pattern uint32) string {
	var s strings.Builder
	s.WriteString(".reg .b32 lane; mov.u32 lane, %laneid;\n")
	for i := range n {
		fmt.Fprintf(&s, "add.u32 lane, lane, %d; and.b32 lane, lane, 3; mad.lo.u32 %s%d, lane, 0x01010101, %#x;\n", i, name, i, pattern)
	}
	return s.String()
}

// mma repeats mma.sync of a shape and types: registers of A, B and C, and bits that are an element near 1.
func mma(shape, types string, a, b, c int, pattern uint32, ops int, engine ptxvm.Engine) productLoop {
	return productLoop{
		target: "sm_90a", block: 32, perTurn: 4 * ops, engine: engine,
		setup: fmt.Sprintf(".reg .b32 a<%d>, b<%d>, c<%d>;\n", a, b, c) + fill("a", a, pattern) + strings.ReplaceAll(fill("b", b, pattern), ".reg .b32 lane; ", ""),
		body: strings.Repeat(fmt.Sprintf("mma.sync.aligned.%s.row.col.%s %s, %s, %s, %s;\n", shape, types,
			registers("c", c), registers("a", a), registers("b", b), registers("c", c)), 4),
	}
}

// sparse repeats mma.sp, of which the products with zeros count as operations, as in its shape.
func sparse(shape, types string, a, b, c int, pattern uint32, ops int) productLoop {
	p := mma(shape, types, a, b, c, pattern, ops, ptxvm.JIT)
	p.setup += ".reg .b32 meta; mov.b32 meta, 0x44e4d9c4;\n" // places that increase
	p.body = strings.ReplaceAll(strings.ReplaceAll(p.body, "mma.sync", "mma.sp::ordered_metadata.sync"), ";", ", meta, 0;")
	return p
}

// scaled repeats mma with scale factors near 1.
func scaled(shape, kind, vector, elements, factors string, ops int) productLoop {
	p := mma(shape, "f32."+elements+"."+elements+".f32", 4, 2, 4, oneE4M3, ops, ptxvm.JIT)
	p.target = "sm_120a"
	one := map[string]string{"ue8m0": "0x7f807e7f", "ue4m3": "0x38393a38"}[factors]
	p.setup += ".reg .b32 scale; mov.b32 scale, " + one + ";\n"
	p.body = strings.ReplaceAll(p.body, "row.col", "row.col.kind::"+kind+".block_scale.scale_vec::"+vector)
	p.body = strings.ReplaceAll(strings.ReplaceAll(p.body, ";", ", scale, {0, 0}, scale, {0, 0};"), ".f32 {", ".f32."+factors+" {")
	return p
}

// sparseWgmma repeats wgmma.mma_async.sp of f16.
func sparseWgmma() productLoop {
	p := wgmma(16, "f32.f16.f16", oneF16, ptxvm.JIT)
	p.perTurn *= 2
	p.setup += "\n.reg .b32 meta; mov.b32 meta, 0x44e4d9c4;"
	p.body = strings.NewReplacer("mma_async", "mma_async.sp", "k16", "k32", "da, db,", "da, db, meta, 0,").Replace(p.body)
	return p
}

// fillShared gives the 32 KiB of data bits of numbers, by 128 threads; v, at, end and p are its registers.
func fillShared(pattern uint32) string {
	return fmt.Sprintf(`mov.u32 v, %%tid.x;
	mov.u32 at, data;
	mad.lo.u32 at, v, 4, at;
	add.u32 end, at, 32768;
FILL:
	mad.lo.u32 v, v, 1664525, 1013904223;
	and.b32 v, v, 0x03030303;
	add.u32 v, v, %#x;
	st.shared.u32 [at], v;
	add.u32 at, at, 512;
	setp.lt.u32 p, at, end;
	@p bra FILL;`, pattern)
}

// wgmma repeats a product of a warpgroup from shared memory, N being 128.
func wgmma(k int, types string, pattern uint32, engine ptxvm.Engine) productLoop {
	return productLoop{
		target: "sm_90a", block: 128, perTurn: 2 * 64 * 128 * k, engine: engine,
		setup: fmt.Sprintf(`.reg .f32 d<64>; .reg .b64 da, db; .reg .b32 at, v, end; .reg .pred p;
	.shared .align 1024 .b8 data[32768];
	%s
	bar.sync 0;
	mov.u32 at, data;
	shr.u32 at, at, 4;
	cvt.u64.u32 da, at;
	or.b64 da, da, 0x4000004000010000;
	add.u64 db, da, 512;
	fence.proxy.async;
	wgmma.fence.sync.aligned;`, fillShared(pattern)),
		body: fmt.Sprintf(`wgmma.mma_async.sync.aligned.m64n128k%d.%s %s, da, db, 1, 1, 1%s;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;`, k, types, registers("d", 64), map[bool]string{true: ", 0, 0"}[strings.HasSuffix(types, "16")]),
	}
}

// tcgen05 repeats a product of one CTA from shared memory, 128×128.
func tcgen05(k int, kind string, idesc, pattern uint32, engine ptxvm.Engine) productLoop {
	return productLoop{
		target: "sm_100a", block: 128, perTurn: 2 * 128 * 128 * k, engine: engine,
		setup: fmt.Sprintf(`.reg .b64 da, db; .reg .b32 at, v, end, t, id; .reg .pred p, one, yes;
	.shared .align 1024 .b8 data[32768];
	.shared .align 4 .b32 slot;
	.shared .align 8 .b64 bar;
	mov.u32 t, %%tid.x;
	%s
	fence.proxy.async;
	bar.sync 0;
	setp.ge.u32 p, t, 32;
	@p bra REST;
	tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 128;
	bar.warp.sync 0xffffffff;
REST:
	bar.sync 0;
	setp.ne.u32 one, t, 0;
	@one bra DONE;
	ld.shared.b32 t, [slot];
	setp.eq.u32 yes, 0, 0;
	mov.u32 at, data;
	shr.u32 at, at, 4;
	cvt.u64.u32 da, at;
	or.b64 da, da, 0x4000404000010000;
	add.u64 db, da, 1024;
	mov.u32 id, %#x;`, fillShared(pattern), idesc),
		body: fmt.Sprintf("tcgen05.mma.cta_group::1.kind::%s [t], da, db, id, yes;", kind),
		after: `DONE:
	bar.sync 0;
	ld.shared.b32 t, [slot];
	mov.u32 v, %tid.x;
	setp.ge.u32 p, v, 32;
	@p bra OUT;
	tcgen05.dealloc.cta_group::1.sync.aligned.b32 t, 128;
OUT:`,
	}
}

// Bits of elements near 1, in each element of a word.
const (
	oneF16  = 0x3c003c00
	oneBF16 = 0x3f803f80
	oneTF32 = 0x3f800000
	oneE4M3 = 0x38383838
)

// Instruction descriptors of 128×128 products: D is f32, A and B are f16 or e4m3.
const (
	idescF16  = 8<<24 | 16<<17 | 1<<4
	idescE4M3 = idescF16
)

// products are the loops by name.
var products = map[string]productLoop{
	"mma-f16":            mma("m16n8k16", "f32.f16.f16.f32", 4, 2, 4, oneF16, 4096, ptxvm.JIT),
	"mma-f16-interp":     mma("m16n8k16", "f32.f16.f16.f32", 4, 2, 4, oneF16, 4096, ptxvm.Interp),
	"mma-bf16":           mma("m16n8k16", "f32.bf16.bf16.f32", 4, 2, 4, oneBF16, 4096, ptxvm.JIT),
	"mma-tf32":           mma("m16n8k8", "f32.tf32.tf32.f32", 4, 2, 4, oneTF32, 2048, ptxvm.JIT),
	"mma-e4m3":           mma("m16n8k32", "f32.e4m3.e4m3.f32", 4, 2, 4, oneE4M3, 8192, ptxvm.JIT),
	"mma-s8":             mma("m16n8k32", "s32.s8.s8.s32", 4, 2, 4, 0x01020304, 8192, ptxvm.JIT),
	"mma-s8-interp":      mma("m16n8k32", "s32.s8.s8.s32", 4, 2, 4, 0x01020304, 8192, ptxvm.Interp),
	"wgmma-f16":          wgmma(16, "f32.f16.f16", oneF16, ptxvm.JIT),
	"wgmma-f16-interp":   wgmma(16, "f32.f16.f16", oneF16, ptxvm.Interp),
	"wgmma-bf16":         wgmma(16, "f32.bf16.bf16", oneBF16, ptxvm.JIT),
	"wgmma-e4m3":         wgmma(32, "f32.e4m3.e4m3", oneE4M3, ptxvm.JIT),
	"tcgen05-f16":        tcgen05(16, "f16", idescF16, oneF16, ptxvm.JIT),
	"tcgen05-f16-interp": tcgen05(16, "f16", idescF16, oneF16, ptxvm.Interp),
	"mma-sp-f16":         sparse("m16n8k32", "f32.f16.f16.f32", 4, 4, 4, oneF16, 8192),
	"mma-sp-e4m3":        sparse("m16n8k64", "f32.e4m3.e4m3.f32", 4, 4, 4, oneE4M3, 16384),
	"mma-s4":             mma("m16n8k64", "s32.s4.s4.s32", 4, 2, 4, 0x12345678, 16384, ptxvm.JIT),
	"mma-mxf8":           scaled("m16n8k32", "mxf8f6f4", "1X", "e4m3", "ue8m0", 8192),
	"mma-mxf4":           scaled("m16n8k64", "mxf4", "2X", "e2m1", "ue8m0", 16384),
	"mma-nvf4":           scaled("m16n8k64", "mxf4nvf4", "4X", "e2m1", "ue4m3", 16384),
	"wgmma-sp-f16":       sparseWgmma(),
	"mma-f64": {
		target: "sm_90a", block: 32, perTurn: 4 * 512, engine: ptxvm.JIT,
		setup: ".reg .f64 a, b, c<2>; .reg .u32 lane; mov.u32 lane, %laneid; cvt.rn.f64.u32 a, lane; mov.f64 b, 0d3FB999999999999A;",
		body:  strings.Repeat("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {c0, c1}, {a}, {b}, {c0, c1};\n", 4),
	},
	"ldmatrix": {target: "sm_90a", block: 32, perTurn: 4 * 512, engine: ptxvm.JIT, setup: matrixRows,
		body: strings.Repeat("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r0, r1, r2, r3}, [at];\n", 4)},
	"stmatrix": {target: "sm_90a", block: 32, perTurn: 4 * 512, engine: ptxvm.JIT, setup: matrixRows,
		body: strings.Repeat("stmatrix.sync.aligned.m8n8.x4.shared.b16 [at], {r0, r1, r2, r3};\n", 4)},
	"tma":          {target: "sm_90a", block: 1, perTurn: 4 * 8192, engine: ptxvm.JIT, params: ", .param .align 64 .b8 map[128]", args: tiles, setup: tensorCopies, body: tensorCopy},
	"tex2d":        {target: "sm_90a", block: 256, perTurn: 4 * 256, engine: ptxvm.JIT, params: ", .param .u64 image", args: photograph, setup: samples, body: sample},
	"tcgen05-e4m3": tcgen05(32, "f8f6f4", idescE4M3, oneE4M3, ptxvm.JIT),
}

// matrixRows gives each lane a row of 16 bytes.
const matrixRows = `.reg .b32 r<4>, at, lane;
	.shared .align 128 .b8 data[512];
	mov.u32 lane, %laneid;
	mov.u32 at, data;
	mad.lo.u32 at, lane, 16, at;`

// tensorCopies has an mbarrier and room for two boxes of 64×64 halves.
const tensorCopies = `.reg .b64 m, state; .reg .b32 bar, to, phase; .reg .pred done;
	.shared .align 1024 .b8 data[8192];
	.shared .align 8 .b64 full;
	mov.u32 bar, full;
	mov.u32 to, data;
	mov.b64 m, map;
	mbarrier.init.shared.b64 [bar], 1;
	fence.proxy.async;
	mov.u32 phase, 0;`

// tensorCopy copies the box four times, and waits.
const tensorCopy = `mbarrier.arrive.expect_tx.shared.b64 state, [bar], 32768;
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [to], [m, {phase, phase}], [bar];
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [to], [m, {phase, phase}], [bar];
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [to], [m, {phase, phase}], [bar];
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [to], [m, {phase, phase}], [bar];
WAIT:
	mbarrier.try_wait.shared.b64 done, [bar], state;
	@!done bra WAIT;`

// tiles is a tensor map of 256×256 halves in boxes of 64×64.
func tiles(b *testing.B, d *ptxvm.Device) []any {
	m, err := d.NewTensorMap(ptxvm.TensorMapTiled{Buffer: alloc(b, d, 256*256*2), Type: "f16", Dims: []uint32{256, 256}, Box: []uint32{64, 64}, Swizzle: ptxvm.Swizzle128})
	if err != nil {
		b.Fatal(err)
	}
	return []any{m}
}

// samples are coordinates between texels.
const samples = `.reg .f32 x, y, v<4>; .reg .b64 from; .reg .b32 lane;
	ld.param.u64 from, [image];
	mov.u32 lane, %tid.x;
	cvt.rn.f32.u32 x, lane;
	mul.f32 x, x, 0f3F3A1234;
	mul.f32 y, x, 0f3F123456;`

// sample reads four times, further and further.
const sample = `tex.2d.v4.f32.f32 {v0, v1, v2, v3}, [from, {x, y}];
	tex.2d.v4.f32.f32 {v0, v1, v2, v3}, [from, {y, x}];
	tex.2d.v4.f32.f32 {v0, v1, v2, v3}, [from, {x, x}];
	tex.2d.v4.f32.f32 {v0, v1, v2, v3}, [from, {y, y}];`

// photograph is a texture of 256×256 samples of four bytes, filtered.
func photograph(b *testing.B, d *ptxvm.Device) []any {
	format, err := ptxvm.ParseSampleFormat("u8x4")
	if err != nil {
		b.Fatal(err)
	}
	a, err := d.NewArray(ptxvm.ArrayDesc{Geometry: ptxvm.Array2D, Size: []int{256, 256}, Format: format})
	if err != nil {
		b.Fatal(err)
	}
	t, err := d.NewTexture(ptxvm.TextureDesc{Array: a, ReadNormalized: true, Sampler: ptxvm.SamplerDesc{Linear: true}})
	if err != nil {
		b.Fatal(err)
	}
	return []any{t}
}

// measureByteGemm is the wall time of a product of 1024×1024×1024 elements of e4m3 by wgmma on two cores.
func measureByteGemm(b *testing.B) float64 {
	const side = 1024
	d := device(b, ptxvm.DeviceConfig{Workers: 2, Arch: "sm_90a"})
	p, err := load(d, "bytegemm", read(b, "testdata/cuda/bytegemm.sm_90.ptx"))
	if err != nil {
		b.Fatal(err)
	}
	k, err := p.Kernel("byteGemm")
	if err != nil {
		b.Fatal(err)
	}
	var maps []any
	for _, rows := range []uint32{64, 128} {
		data := make([]byte, side*side)
		for i := range data {
			data[i] = byte(0x30 + i*2654435761>>16&15) // from 0.5 on
		}
		from, err := ptxvm.Upload(d, data)
		if err != nil {
			b.Fatal(err)
		}
		m, err := d.NewTensorMap(ptxvm.TensorMapTiled{Buffer: from, Type: "u8", Dims: []uint32{side, side}, Box: []uint32{128, rows}, Swizzle: ptxvm.Swizzle128})
		if err != nil {
			b.Fatal(err)
		}
		maps = append(maps, m)
	}
	args := append(maps, alloc(b, d, 4*side*side), int32(side), int32(side))
	l := ptxvm.Launch{Grid: ptxvm.Dim3{X: side / 128, Y: side / 64}, Block: ptxvm.Dim3{X: 128}, Shared: 2 * (64 + 128) * 128}
	return fastest(b, func() { launch(b, k, l, args...) }).Seconds()
}
