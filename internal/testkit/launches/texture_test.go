package launches_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// texLab is a device whose module reads one texture by statement at coordinates of its lanes.
func texLab(t *testing.T, statement string, assume ...string) *surfaceLab {
	return newSurfaceLab(t, `
.entry k(.param .u64 out, .param .u64 T, .param .u64 in)
{
	.reg .b64 o, t, p; .reg .b32 i, r<4>, w<4>; .reg .f32 f<4>, x<4>; .reg .s32 s<4>; .reg .pred q; .reg .b16 h<4>;
	ld.param.u64 o, [out]; ld.param.u64 t, [T]; ld.param.u64 p, [in];
	mov.u32 i, %tid.x;
	mad.wide.u32 p, i, 16, p;
	mad.wide.u32 o, i, 16, o;
	ld.global.v4.f32 {x0, x1, x2, x3}, [p];
	ld.global.v4.u32 {s0, s1, s2, s3}, [p];
	ld.global.v4.b32 {w0, w1, w2, w3}, [p];
	`+statement+`
	ret;
}`, &ptxvm.DeviceConfig{Assume: strings.Join(assume, ",")})
}

const (
	storeFloats = " st.global.v4.f32 [o], {f0, f1, f2, f3};"
	storeWords  = " st.global.v4.b32 [o], {r0, r1, r2, r3};"
)

// floats makes a buffer of f32.
func (l *surfaceLab) floats(values ...float32) ptxvm.Buffer {
	l.Helper()
	b, err := ptxvm.Upload(l.d, values)
	if err != nil {
		l.Fatal(err)
	}
	return b
}

// texture makes a texture, and fails the test if that is not possible.
func (l *surfaceLab) texture(desc ptxvm.TextureDesc) ptxvm.Texture {
	l.Helper()
	x, err := l.d.NewTexture(desc)
	if err != nil {
		l.Fatal(err)
	}
	return x
}

// filled makes an array with samples of 32-bit floats.
func (l *surfaceLab) filled(g ptxvm.Geometry, format string, samples []float32, size ...int) ptxvm.Array {
	l.Helper()
	a := l.array("", g, format, size...)
	if err := a.Write(littleEndian(samples)); err != nil {
		l.Fatal(err)
	}
	return a
}

func littleEndian(samples []float32) (data []byte) {
	for _, v := range samples {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

// wrapIndex is the texel of an index by the address mode, as the CUDA guide has it; -1 the border.
func wrapIndex(i, n int, m ptxvm.AddressMode, normalized bool) int {
	if !normalized && (m == ptxvm.AddressWrap || m == ptxvm.AddressMirror) {
		m = ptxvm.AddressClamp
	}
	if m == ptxvm.AddressBorder && (i < 0 || i >= n) {
		return -1
	}
	for i < 0 || i >= n {
		switch {
		case m == ptxvm.AddressWrap && i < 0:
			i += n
		case m == ptxvm.AddressWrap:
			i -= n
		case m == ptxvm.AddressMirror && i < 0:
			i = -1 - i
		case m == ptxvm.AddressMirror:
			i = 2*n - 1 - i
			if i < 0 {
				i += 2 * n
			}
		default:
			i = min(max(i, 0), n-1)
		}
	}
	return i
}

// TestTextureAddress: every address mode with both filters and both kinds of coordinates against the formulas of
// the guide: index floor(x), and weights of frac(x - 1/2) in 1/256. Texels are small integers, so sums are exact.
func TestTextureAddress(t *testing.T) {
	l := texLab(t, "tex.2d.v4.f32.f32 {f0, f1, f2, f3}, [t, {x0, x1}];"+storeFloats)
	const w, h = 4, 3
	var samples []float32
	for i := range w * h {
		samples = append(samples, float32(i*i+1))
	}
	a := l.filled(ptxvm.Array2D, "f32x1", samples, w, h)
	at := func(x, y int, m ptxvm.AddressMode, norm bool) float64 {
		if x, y = wrapIndex(x, w, m, norm), wrapIndex(y, h, m, norm); x < 0 || y < 0 {
			return 7
		}
		return float64(samples[y*w+x])
	}
	coordinates := []float32{-5.25, -1, -0.5, -0.125, 0, 0.25, 0.5, 0.75, 1, 1.3, 1.5, 2.5, 2.9990234, 3.5, 4, 6.75, 9.5}
	for mode := ptxvm.AddressWrap; mode <= ptxvm.AddressBorder; mode++ {
		if mode == 2 {
			continue
		}
		for _, norm := range []bool{false, true} {
			for _, linear := range []bool{false, true} {
				x := l.texture(ptxvm.TextureDesc{Array: a, Normalized: norm, Sampler: ptxvm.SamplerDesc{
					Linear: linear, Address: [3]ptxvm.AddressMode{mode, mode}, Border: [4]float32{7, 1, 2, 3}}})
				for k, c := range coordinates {
					d := coordinates[(k*5+3)%len(coordinates)]
					have := math.Float32frombits(l.words(4, 1, x, l.floats(c, d, 0, 0))[0])
					want := texelAt(float64(c), float64(d), w, h, norm, linear, func(i, j int) float64 { return at(i, j, mode, norm) })
					if math.Abs(float64(have)-want) > 1e-5*math.Abs(want) {
						t.Errorf("%v, normalized %v, linear %v at %v, %v: have %v, want %v", mode, norm, linear, c, d, have, want)
					}
				}
			}
		}
	}
}

// texelAt filters in f64, with weights of 1/256.
func texelAt(x, y float64, w, h int, norm, linear bool, at func(i, j int) float64) float64 {
	if norm {
		x, y = x*float64(w), y*float64(h)
	}
	if !linear {
		return at(int(math.Floor(x)), int(math.Floor(y)))
	}
	x, y = x-0.5, y-0.5
	i, j := math.Floor(x), math.Floor(y)
	f, g := math.Floor((x-i)*256+0.5)/256, math.Floor((y-j)*256+0.5)/256
	a, b := int(i), int(j)
	return (1-f)*(1-g)*at(a, b) + f*(1-g)*at(a+1, b) + (1-f)*g*at(a, b+1) + f*g*at(a+1, b+1)
}

// TestTextureExample: the example of the fact sheet: 0 10 20 30 at 1.3 is 10·205/256.
func TestTextureExample(t *testing.T) {
	l := texLab(t, "tex.1d.v4.f32.f32 {f0, f1, f2, f3}, [t, {x0}];"+storeFloats)
	x := l.texture(ptxvm.TextureDesc{Array: l.filled(ptxvm.Array1D, "f32x1", []float32{0, 10, 20, 30}, 4), Sampler: ptxvm.SamplerDesc{Linear: true}})
	want, _ := big.NewRat(10*205, 256).Float32()
	if have := l.words(4, 1, x, l.floats(1.3, 0, 0, 0)); have[0] != math.Float32bits(want) || have[1] != 0 || have[3] != math.Float32bits(1) {
		t.Errorf("have %x, want %v 0 0 1", have, want)
	}
}

// TestTextureForms: one statement of each kind on arrays whose byte i is i. Expectations are the bytes at the place
// that 9.7.10.3 names, or (9.7.10.4) the four around it.
func TestTextureForms(t *testing.T) {
	for _, c := range []struct {
		op, format string
		g          ptxvm.Geometry
		size       []int
		at         string // words of the coordinates
		want       string
		desc       ptxvm.TextureDesc
	}{
		{"tex.1d.v4.u32.s32 {r0, r1, r2, r3}, [t, {s0}];", "u8x4", ptxvm.Array1D, []int{4}, "2 0 0 0", "8 9 a b", ptxvm.TextureDesc{}},
		{"tex.1d.v4.u32.s32 {r0, r1, r2, r3}, [t, {s0}], {1};", "u8x4", ptxvm.Array1D, []int{4}, "2 0 0 0", "c d e f", ptxvm.TextureDesc{}},
		{"tex.2d.v4.s32.s32 {r0, r1, r2, r3}, [t, {s0, s1}];", "s8x2", ptxvm.Array2D, []int{64, 3}, "1 1 0 0", "ffffff82 ffffff83 0 1", ptxvm.TextureDesc{}},
		{"tex.2d.v4.u32.s32 {r0, r1, r2, r3}, [t, {s0, s1}], {-1, 1};", "u8x4", ptxvm.Array2D, []int{4, 3}, "1 1 0 0", "20 21 22 23", ptxvm.TextureDesc{}},
		{"tex.3d.v4.u32.s32 {r0, r1, r2, r3}, [t, {s0, s1, s2, s3}];", "u8x4", ptxvm.Array3D, []int{4, 3, 2}, "1 1 1 0", "44 45 46 47", ptxvm.TextureDesc{}},
		{"tex.a1d.v4.u32.s32 {r0, r1, r2, r3}, [t, {s0, s1}];", "u8x4", ptxvm.Array1DLayered, []int{4, 3}, "2 1 0 0", "24 25 26 27", ptxvm.TextureDesc{}},
		{"tex.a1d.v4.u32.s32 {r0, r1, r2, r3}, [t, {s0, s1}];", "u8x4", ptxvm.Array1DLayered, []int{4, 3}, "9 1 0 0", "24 25 26 27", ptxvm.TextureDesc{}},
		{"tex.a2d.v4.u32.s32 {r0, r1, r2, r3}, [t, {s0, s1, s2, s3}];", "u8x4", ptxvm.Array2DLayered, []int{4, 3, 2}, "1 2 1 0", "48 49 4a 4b", ptxvm.TextureDesc{}},
		{"tex.cube.v4.u32.f32 {r0, r1, r2, r3}, [t, {x0, x1, x2, x3}];", "u8x4", ptxvm.ArrayCube, []int{1, 1}, "0 0 bf800000 0", "14 15 16 17", ptxvm.TextureDesc{}},
		{"tex.acube.v4.u32.f32 {r0, r1, r2, r3}, [t, {w0, w1, w2, w3}];", "u8x4", ptxvm.ArrayCubeLayered, []int{1, 1, 2}, "1 0 bf800000 0", "24 25 26 27", ptxvm.TextureDesc{}},
		{"tex.cube.v4.u32.f32 {r0, r1, r2, r3}, [t, {x0, x1, x2, x3}];", "u8x1", ptxvm.ArrayCube, []int{2, 2}, "3f800000 3f000000 3f000000 0", "0 0 0 1", ptxvm.TextureDesc{}},
		{"tex.cube.v4.u32.f32 {r0, r1, r2, r3}, [t, {x0, x1, x2, x3}];", "u8x1", ptxvm.ArrayCube, []int{2, 2}, "3f800000 bf000000 bf000000 0", "3 0 0 1", ptxvm.TextureDesc{}},
		{"tex.2dms.v4.u32.s32 {r0, r1, r2, r3}, [t, {s0, s1, s2, s3}];", "u8x4", ptxvm.Array2DMS, []int{4, 3, 2}, "1 2 1 0", "48 49 4a 4b", ptxvm.TextureDesc{}},
		{"tex.a2dms.v4.u32.s32 {r0, r1, r2, r3}, [t, {s0, s1, s2, s3}];", "u8x4", ptxvm.Array2DMSLayered, []int{2, 1, 2, 2}, "1 0 1 0", "14 15 16 17", ptxvm.TextureDesc{}},
		{"tex.2d.v4.f32.s32 {r0, r1, r2, r3}, [t, {s0, s1}];", "u8x4", ptxvm.Array2D, []int{64, 1}, "63 0 0 0", "3f7cfcfd 3f7dfdfe 3f7efeff 3f800000", ptxvm.TextureDesc{ReadNormalized: true}},
		{"tex.2d.v4.f32.s32 {r0, r1, r2, r3}, [t, {s0, s1}];", "snorm8x2", ptxvm.Array2D, []int{65, 1}, "64 0 0 0", "bf800000 bf800000 0 3f800000", ptxvm.TextureDesc{}},
		{"tex.2d.v4.f16.s32 {h0, h1, h2, h3}, [t, {s0, s1}]; cvt.u32.u16 r0, h0; cvt.u32.u16 r1, h1; cvt.u32.u16 r2, h2; cvt.u32.u16 r3, h3;", "f16x2", ptxvm.Array2D, []int{64, 1}, "1 0 0 0", "504 706 0 3c00", ptxvm.TextureDesc{}},
		{"tex.2d.v2.f16x2.s32 {r0, r1}, [t, {s0, s1}]; mov.u32 r2, 0; mov.u32 r3, 0;", "f16x4", ptxvm.Array2D, []int{64, 1}, "1 0 0 0", "b0a0908 f0e0d0c 0 0", ptxvm.TextureDesc{}},
		{"tld4.g.2d.v4.u32.f32 {r0, r1, r2, r3}, [t, {x0, x1}];", "u8x4", ptxvm.Array2D, []int{4, 3}, "40000000 3f800000 0 0", "15 19 9 5", ptxvm.TextureDesc{}},
		{"tld4.a.a2d.v4.u32.f32 {r0, r1, r2, r3}, [t, {w0, w1, w2, w3}];", "u8x4", ptxvm.Array2DLayered, []int{4, 3, 2}, "1 40000000 3f800000 0", "47 4b 3b 37", ptxvm.TextureDesc{}},
		{"tld4.r.2d.v4.f32.f32 {r0, r1, r2, r3}, [t, {x0, x1}], 0f3ECCCCCD;", "unorm8x1", ptxvm.Array2D, []int{64, 2}, "43000000 3f800000 0 0", "0 0 3f800000 3f800000", ptxvm.TextureDesc{Sampler: ptxvm.SamplerDesc{Compare: 3, Address: [3]ptxvm.AddressMode{ptxvm.AddressClamp, ptxvm.AddressClamp}}}},
		{"tex.2d.v4.f32.f32 {r0, r1, r2, r3}, [t, {x0, x1}], 0f3F000000;", "unorm8x1", ptxvm.Array2D, []int{128, 2}, "0 0 0 0", "0 0 0 3f800000", ptxvm.TextureDesc{}},
		{"tex.2d.v4.f32.f32 {r0, r1, r2, r3}, [t, {x0, x1}], 0f3F000000;", "unorm8x1", ptxvm.Array2D, []int{128, 2}, "0 3f800000 0 0", "3f800000 0 0 3f800000", ptxvm.TextureDesc{}},
		{"tex.1d.v4.u32.s32 {r0, r1, r2, r3}|q, [t, {s0}]; selp.u32 r1, 1, 0, q;", "u8x1", ptxvm.Array1D, []int{4}, "2 0 0 0", "2 1 0 1", ptxvm.TextureDesc{}},
		{"txq.width.b32 r0, [t]; txq.height.b32 r1, [t]; txq.depth.b32 r2, [t]; txq.array_size.b32 r3, [t];", "u8x1", ptxvm.Array3D, []int{4, 3, 2}, "0 0 0 0", "4 3 2 0", ptxvm.TextureDesc{}},
		{"txq.channel_data_type.b32 r0, [t]; txq.channel_order.b32 r1, [t]; txq.normalized_coords.b32 r2, [t]; txq.array_size.b32 r3, [t];", "u8x2", ptxvm.Array2DLayered, []int{4, 3, 2}, "0 0 0 0", "10da 10b2 1 2", ptxvm.TextureDesc{Normalized: true}},
		{"txq.filter_mode.b32 r0, [t]; txq.addr_mode_0.b32 r1, [t]; txq.addr_mode_1.b32 r2, [t]; txq.addr_mode_2.b32 r3, [t];", "f32x1", ptxvm.Array2D, []int{4, 3}, "0 0 0 0", "1 1 3 4", ptxvm.TextureDesc{Sampler: ptxvm.SamplerDesc{Linear: true, Address: [3]ptxvm.AddressMode{1, 3, 4}}}},
		{"txq.num_mipmap_levels.b32 r0, [t]; txq.num_samples.b32 r1, [t]; txq.level.width.b32 r2, [t], s0; txq.level.height.b32 r3, [t], s1;", "u8x1", ptxvm.Array2D, []int{8, 2}, "0 1 0 0", "0 0 8 0", ptxvm.TextureDesc{}},
		{"istypep.texref q, t; selp.u32 r0, 1, 0, q; istypep.surfref q, t; selp.u32 r1, 1, 0, q; istypep.samplerref q, t; selp.u32 r2, 1, 0, q; istypep.texref q, o; selp.u32 r3, 1, 0, q;", "u8x1", ptxvm.Array1D, []int{4}, "0 0 0 0", "1 0 0 0", ptxvm.TextureDesc{}},
	} {
		store := storeWords
		l := texLab(t, c.op+store)
		c.desc.Array = l.array("", c.g, c.format, c.size...)
		var in [4]uint32
		for i, w := range strings.Fields(c.at) {
			fmt.Sscanf(w, "%x", &in[i])
			if !strings.Contains(c.at, "f") && len(w) < 3 {
				fmt.Sscanf(w, "%d", &in[i])
			}
		}
		p, err := ptxvm.Upload(l.d, in[:])
		if err != nil {
			t.Fatal(err)
		}
		have := l.words(4, 1, l.texture(c.desc), p)
		if text := fmt.Sprintf("%x %x %x %x", have[0], have[1], have[2], have[3]); text != c.want {
			t.Errorf("%s of %s at %s: have %s, want %s", c.op, c.format, c.at, text, c.want)
		}
	}
}

// TestTextureLevels: level l of a chain holds 10·l: a level of detail, picked and mixed, its clamps, and a gradient.
func TestTextureLevels(t *testing.T) {
	for _, c := range []struct {
		op      string
		sampler ptxvm.SamplerDesc
		at      float32
		want    float32
	}{
		{"tex.level.2d.v4.f32.f32 {f0, f1, f2, f3}, [t, {x0, x1}], x2;", ptxvm.SamplerDesc{}, 1.25, 10},
		{"tex.level.2d.v4.f32.f32 {f0, f1, f2, f3}, [t, {x0, x1}], x2;", ptxvm.SamplerDesc{}, 1.5, 20},
		{"tex.level.2d.v4.f32.f32 {f0, f1, f2, f3}, [t, {x0, x1}], x2;", ptxvm.SamplerDesc{MipLinear: true}, 1.25, 12.5},
		{"tex.level.2d.v4.f32.f32 {f0, f1, f2, f3}, [t, {x0, x1}], x2;", ptxvm.SamplerDesc{MipLinear: true}, 99, 30},
		{"tex.level.2d.v4.f32.f32 {f0, f1, f2, f3}, [t, {x0, x1}], x2;", ptxvm.SamplerDesc{MipLinear: true}, -3, 0},
		{"tex.level.2d.v4.f32.f32 {f0, f1, f2, f3}, [t, {x0, x1}], x2;", ptxvm.SamplerDesc{MipLinear: true, LODBias: 0.5}, 1.25, 17.5},
		{"tex.level.2d.v4.f32.f32 {f0, f1, f2, f3}, [t, {x0, x1}], x2;", ptxvm.SamplerDesc{MipLinear: true, MinLOD: 0.75, MaxLOD: 2.25}, 0, 7.5},
		{"tex.level.2d.v4.f32.f32 {f0, f1, f2, f3}, [t, {x0, x1}], x2;", ptxvm.SamplerDesc{MipLinear: true, MinLOD: 0.75, MaxLOD: 2.25}, 3, 22.5},
		{"mov.f32 x3, 0f00000000; tex.grad.2d.v4.f32.f32 {f0, f1, f2, f3}, [t, {x0, x1}], {x2, x3}, {x3, x3};", ptxvm.SamplerDesc{}, 4, 20},
		{"mov.f32 x3, 0f00000000; tex.grad.2d.v4.f32.f32 {f0, f1, f2, f3}, [t, {x0, x1}], {x3, x3}, {x3, x2};", ptxvm.SamplerDesc{}, 2, 10},
		{"tex.base.2d.v4.f32.f32 {f0, f1, f2, f3}, [t, {x0, x1}];", ptxvm.SamplerDesc{}, 2, 0},
		{"cvt.rzi.s32.f32 s0, x2; mov.u32 s1, 0; tex.level.2d.v4.f32.s32 {f0, f1, f2, f3}, [t, {s1, s1}], s0;", ptxvm.SamplerDesc{}, 2, 20},
	} {
		l := texLab(t, c.op+storeFloats)
		f, _ := ptxvm.ParseSampleFormat("f32x1")
		a, err := l.d.NewArray(ptxvm.ArrayDesc{Geometry: ptxvm.Array2D, Size: []int{8, 8}, Format: f, Levels: 4})
		if err != nil {
			t.Fatal(err)
		}
		for level := range 4 {
			data := []byte(nil)
			for range a.LevelLen(level) / 4 {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(10*level)))
			}
			if err := a.WriteLevel(level, data); err != nil {
				t.Fatal(err)
			}
		}
		have := math.Float32frombits(l.words(4, 1, l.texture(ptxvm.TextureDesc{Array: a, Sampler: c.sampler}), l.floats(0, 0, c.at, 0))[0])
		if have != c.want {
			t.Errorf("%s at %v with %+v: have %v, want %v", c.op, c.at, c.sampler, have, c.want)
		}
	}
}

// TestTextureMemory: textures of buffers, a line of which outside is 0, and rows with a pitch; a freed one faults.
func TestTextureMemory(t *testing.T) {
	l := texLab(t, "tex.1d.v4.f32.s32 {f0, f1, f2, f3}, [t, {s0}];"+storeFloats)
	b := l.floats(1, 2, 3, 4, 5, 6)
	f, _ := ptxvm.ParseSampleFormat("f32x1")
	line := l.texture(ptxvm.TextureDesc{Buffer: b, Format: f, Width: 6})
	for at, want := range map[uint32]float32{0: 1, 5: 6, 6: 0, 0xffffffff: 0} {
		p, _ := ptxvm.Upload(l.d, []uint32{at, 0, 0, 0})
		if have := math.Float32frombits(l.words(4, 1, line, p)[0]); have != want {
			t.Errorf("%d: have %v, want %v", at, have, want)
		}
	}
	if err := b.Free(); err != nil {
		t.Fatal(err)
	}
	if err := l.launch(1, l.floats(0, 0, 0, 0), line, l.floats(0, 0, 0, 0)); err == nil || !strings.Contains(err.Error(), "P7034: no texture or sampler: tex of") || !strings.Contains(err.Error(), "has been freed") {
		t.Errorf("have %v", err)
	}
	l = texLab(t, "tex.2d.v4.f32.s32 {f0, f1, f2, f3}, [t, {s0, s1}];"+storeFloats)
	rows := l.texture(ptxvm.TextureDesc{Buffer: l.floats(1, 2, 3, 4, 5, 6, 7, 8), Format: f, Width: 3, Height: 2, Pitch: 20, Sampler: ptxvm.SamplerDesc{}})
	p, _ := ptxvm.Upload(l.d, []uint32{1, 1, 0, 0})
	if have := math.Float32frombits(l.words(4, 1, rows, p)[0]); have != 7 {
		t.Errorf("pitched: have %v, want 7", have)
	}
}

// TestTextureIndependent: in independent mode a texture is read through a sampler of its own, which the module
// initialises, a name binds, or Bind does.
func TestTextureIndependent(t *testing.T) {
	l := newLab(t, `.version 9.0
.target sm_90, texmode_independent
.address_size 64
.global .texref T;
.global .samplerref S = { addr_mode_0 = clamp_to_border, filter_mode = nearest };
.global .samplerref L = { addr_mode_0 = clamp_to_edge, filter_mode = linear };
.global .samplerref N;
.entry k(.param .u64 out)
{
	.reg .b64 o; .reg .f32 f<4>, g<4>; .reg .b32 r<2>;
	ld.param.u64 o, [out];
	tex.1d.v4.f32.f32 {f0, _, _, _}, [T, S, {0f40A00000}];
	tex.1d.v4.f32.f32 {f1, _, _, _}, [T, L, {0f40A00000}];
	tex.1d.v4.f32.f32 {f2, _, _, _}, [T, L, {0f40000000}];
	tex.1d.v4.f32.f32 {f3, _, _, _}, [T, N, {0f40A00000}];
	st.global.v4.f32 [o], {f0, f1, f2, f3};
	txq.filter_mode.b32 r0, [L]; txq.addr_mode_0.b32 r1, [S];
	st.global.v2.b32 [o+16], {r0, r1};
	ret;
}`, nil, nil)
	if err := l.launch(1, l.floats(0, 0, 0, 0, 0, 0)); err == nil || !strings.Contains(err.Error(), "no texture is bound to the reference T") {
		t.Errorf("have %v", err)
	}
	l.texture(ptxvm.TextureDesc{Name: "T", Array: l.filled(ptxvm.Array1D, "f32x1", []float32{1, 2, 4, 8}, 4)})
	if err := l.launch(1, l.floats(0, 0, 0, 0, 0, 0)); err == nil || !strings.Contains(err.Error(), "no sampler is bound to the reference N") {
		t.Errorf("have %v", err)
	}
	s, err := l.d.NewSampler(ptxvm.SamplerDesc{Address: [3]ptxvm.AddressMode{ptxvm.AddressBorder}, Border: [4]float32{9}})
	if err == nil {
		err = l.p.BindSampler("N", s)
	}
	if err != nil {
		t.Fatal(err)
	}
	have := l.words(6, 1)
	for i, want := range []float32{0, 8, 3, 9} {
		if math.Float32frombits(have[i]) != want {
			t.Errorf("%d: have %v, want %v", i, math.Float32frombits(have[i]), want)
		}
	}
	if have[4] != 1 || have[5] != 4 {
		t.Errorf("queries: %d", have[4:])
	}
}

// TestTextureIntegers: a linear filter of integers takes the nearest texel, or by the assumption weighs them, signed ones, too.
func TestTextureIntegers(t *testing.T) {
	for _, c := range []struct {
		assume, format string
		at             float32
		want           int32
	}{
		{"", "u8x4", 1.75, 4}, {"", "u8x4", 1.25, 4}, {"U69=sum", "u8x4", 1.75, 5}, {"U69=sum", "u8x4", 1.25, 3}, {"U69=sum", "s8x1", 128, -1},
		{"U69=sum", "s8x1", 129, -128},
	} {
		l := texLab(t, "tex.2d.v4.u32.f32 {r0, r1, r2, r3}, [t, {x0, x1}];"+storeWords, c.assume)
		x := l.texture(ptxvm.TextureDesc{Array: l.array("", ptxvm.Array2D, c.format, 256, 1), Sampler: ptxvm.SamplerDesc{Linear: true, MipLinear: true}})
		if have := int32(l.words(4, 1, x, l.floats(c.at, 0.5, 0, 0))[0]); have != c.want {
			t.Errorf("%s of %s at %v: %d, want %d", c.assume, c.format, c.at, have, c.want)
		}
	}
}

// TestTextureLine: an array of one row is read as a line, by coordinates of both kinds.
func TestTextureLine(t *testing.T) {
	for _, statement := range []string{"tex.1d.v4.u32.f32 {r0, r1, r2, r3}, [t, {x0}];", "cvt.rzi.s32.f32 s0, x0; tex.1d.v4.u32.s32 {r0, r1, r2, r3}, [t, {s0}];"} {
		l := texLab(t, statement+storeWords)
		x := l.texture(ptxvm.TextureDesc{Array: l.array("", ptxvm.Array2D, "u8x1", 9, 1)})
		if have := l.words(4, 1, x, l.floats(5.5, 0, 0, 0))[0]; have != 5 {
			t.Errorf("%s: %d", statement, have)
		}
	}
}

// TestTextureFaults: what is wrong is said in words.
func TestTextureFaults(t *testing.T) {
	for _, c := range []struct{ op, format, want string }{
		{"tex.1d.v4.u32.s32 {r0, r1, r2, r3}, [t, {s0}];", "u8x4", "P7035: texture of another kind: tex.1d of texture photo (2d 4x3 u8x4): its geometry wants .2d"},
		{"tex.2d.v4.f32.s32 {r0, r1, r2, r3}, [t, {s0, s1}];", "u8x4", "samples of u8x4 are read as integers: want .u32 or .s32, or read mode normalized"},
		{"tex.2d.v4.u32.s32 {r0, r1, r2, r3}, [t, {s0, s1}];", "f16x1", "samples of f16x1 are read as floats: want .f32, or read mode element"},
		{"tex.2d.v4.u32.f32 {r0, r1, r2, r3}, [t, {x0, x1}], x2;", "u8x1", "samples of u8x1 are integers, which no depth is compared with"},
		{"tex.2d.v4.u32.s32 {r0, r1, r2, r3}, [o, {s0, s1}];", "u8x4", "P7034: no texture or sampler: tex of 0x"},
	} {
		l := texLab(t, c.op+storeWords)
		x := l.texture(ptxvm.TextureDesc{Name: "photo", Array: l.array("", ptxvm.Array2D, c.format, 4, 3)})
		if err := l.launch(1, l.floats(0, 0, 0, 0), x, l.floats(0, 0, 0, 0)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n have %v\n want %s", c.op, err, c.want)
		}
	}
	l := texLab(t, "")
	for want, desc := range map[string]ptxvm.TextureDesc{
		"a texture needs an array or a buffer": {},
		"sRGB needs unorm8":                    {Array: l.array("", ptxvm.Array2D, "f32x4", 4, 3), SRGB: true},
		"there is no address mode 9":           {Array: l.array("", ptxvm.Array2D, "f32x4", 4, 3), Sampler: ptxvm.SamplerDesc{Address: [3]ptxvm.AddressMode{9}}},
		"an anisotropy of 17: want at most 16": {Array: l.array("", ptxvm.Array2D, "f32x4", 4, 3), Sampler: ptxvm.SamplerDesc{MaxAnisotropy: 17}},
		"an anisotropy of -1":                  {Array: l.array("", ptxvm.Array2D, "f32x4", 4, 3), Sampler: ptxvm.SamplerDesc{MaxAnisotropy: -1}},
		"2dlayered 4x3x2 f32x4 has no edges":   {Array: l.array("", ptxvm.Array2DLayered, "f32x4", 4, 3, 2), Sampler: ptxvm.SamplerDesc{Seamless: true}},
		"the buffer has 4":                     {Buffer: l.floats(1), Width: 9},
	} {
		if _, err := l.d.NewTexture(desc); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("have %v, want %q", err, want)
		}
	}
}
