package launches_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// surfaceLab is a device with a loaded module.
type surfaceLab struct {
	*testing.T
	d *ptxvm.Device
	p *ptxvm.Program
}

func newSurfaceLab(t *testing.T, src string, cfg *ptxvm.DeviceConfig) *surfaceLab {
	t.Helper()
	if !strings.Contains(src, ".version") {
		src = ".version 9.0\n.target sm_90\n.address_size 64\n" + src
	}
	return newLab(t, src, nil, cfg)
}

// newLab loads a module whose header is there on a device.
func newLab(t *testing.T, src string, compile *ptxvm.CompileConfig, cfg *ptxvm.DeviceConfig) *surfaceLab {
	t.Helper()
	m, err := ptxvm.Compile("surface.ptx", []byte(src), compile)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ptxvm.NewDevice(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	return &surfaceLab{t, d, p}
}

// array makes an array whose byte i is i.
func (l *surfaceLab) array(name string, g ptxvm.Geometry, format string, size ...int) ptxvm.Array {
	l.Helper()
	f, err := ptxvm.ParseSampleFormat(format)
	if err != nil {
		l.Fatal(err)
	}
	a, err := l.d.NewArray(ptxvm.ArrayDesc{Name: name, Geometry: g, Size: size, Format: f})
	if err != nil {
		l.Fatal(err)
	}
	data := make([]byte, a.Len())
	for i := range data {
		data[i] = byte(i)
	}
	if err := a.Write(data); err != nil {
		l.Fatal(err)
	}
	return a
}

// launch runs kernel k on one block of threads.
func (l *surfaceLab) launch(threads int, args ...any) error {
	l.Helper()
	k, err := l.p.Kernel("k")
	if err != nil {
		l.Fatal(err)
	}
	_, err = k.Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: uint32(threads)}}, args...)
	return err
}

// words returns the 32-bit words that a launch wrote to its first argument.
func (l *surfaceLab) words(n, threads int, args ...any) []uint32 {
	l.Helper()
	out, err := l.d.Alloc(4 * n)
	if err != nil {
		l.Fatal(err)
	}
	if err := l.launch(threads, append([]any{out}, args...)...); err != nil {
		l.Fatal(err)
	}
	data := make([]uint32, n)
	if err := ptxvm.Download(out, data); err != nil {
		l.Fatal(err)
	}
	return data
}

const fourHandles = `
.global .surfref S;
.global .u64 table[2] = {S, S};
.entry k(.param .u64 out, .param .u64 H, .param .surfref KS)
{
	.reg .b64 o, h, t<4>;
	.reg .b32 r<6>;
	ld.param.u64 o, [out];
	ld.param.u64 h, [H];
	suld.b.2d.b32.trap r0, [S, {4, 1}];
	suld.b.2d.b32.trap r1, [h, {4, 1}];
	suld.b.2d.b32.trap r2, [KS, {4, 1}];
	mov.u64 t0, S;
	suld.b.2d.b32.trap r3, [t0, {4, 1}];
	mov.u64 t1, KS;
	suld.b.2d.b32.trap r4, [t1, {4, 1}];
	ld.global.u64 t2, [table+8];
	suld.b.2d.b32.trap r5, [t2, {4, 1}];
	st.global.v2.b32 [o], {r0, r1};
	st.global.v2.b32 [o+8], {r2, r3};
	st.global.v2.b32 [o+16], {r4, r5};
	ret;
}`

// TestSurfaceHandles: a .surfref of the module, a handle, a .surfref parameter, the addresses of
// both and one from a table in memory are one kind of value (9.7.11.1, indirect access). Row 1 of
// an 8x2 array of u8x1 holds bytes 8 to 15; byte 4 of it is 12.
func TestSurfaceHandles(t *testing.T) {
	l := newSurfaceLab(t, fourHandles, nil)
	a := l.array("S", ptxvm.Array2D, "u8x1", 8, 2)
	for i, v := range l.words(6, 1, a.Surface(), a.Surface()) {
		if v != 0x0f0e0d0c {
			t.Errorf("way %d: %#x", i, v)
		}
	}
}

// TestSurfaceBind: Bind overrides the name, and a freed array is missed by name.
func TestSurfaceBind(t *testing.T) {
	l := newSurfaceLab(t, `
.global .surfref S;
.entry k(.param .u64 out) { .reg .b64 o; .reg .b32 r; ld.param.u64 o, [out]; suld.b.1d.b32.trap r, [S, {0}]; st.global.b32 [o], r; ret; }`, nil)
	want := func(text string) {
		t.Helper()
		out, _ := l.d.Alloc(4)
		if err := l.launch(1, out); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("have %v, want %q", err, text)
		}
	}
	want("P7032: no surface: suld.b of 0x1000300")
	want("no surface is bound to the reference S")
	byName := l.array("S", ptxvm.Array1D, "u8x1", 8)
	if have := l.words(1, 1)[0]; have != 0x03020100 {
		t.Errorf("by name: %#x", have)
	}
	other := l.array("other", ptxvm.Array1D, "u32x1", 1)
	if err := other.Write([]byte{9, 9, 9, 9}); err != nil {
		t.Fatal(err)
	}
	if err := l.p.Bind("S", other.Surface()); err != nil {
		t.Fatal(err)
	}
	if have := l.words(1, 1)[0]; have != 0x09090909 {
		t.Errorf("bound: %#x", have)
	}
	if err := errors.Join(other.Free(), other.Free()); err != nil {
		t.Error(err)
	}
	want("no surface is bound to the reference S")
	if err := other.Read(make([]byte, 4)); !errors.Is(err, ptxvm.ErrClosed) {
		t.Errorf("read of what is freed: %v", err)
	}
	if err := l.p.Bind("T", byName.Surface()); err == nil || !strings.Contains(err.Error(), `no .surfref variable is called "T"`) {
		t.Errorf("have %v", err)
	}
	if _, err := l.p.Global("S"); err == nil || !strings.Contains(err.Error(), "no memory; see Program.Bind") {
		t.Errorf("have %v", err)
	}
}

// TestSurfacePerLane: each lane has a surface of its own; a wrong handle in one lane is a fault of
// that lane, and no lane has stored anything.
func TestSurfacePerLane(t *testing.T) {
	l := newSurfaceLab(t, `
.entry k(.param .u64 out, .param .u64 table)
{
	.reg .b64 o, t, h;
	.reg .b32 r, i;
	ld.param.u64 o, [out];
	ld.param.u64 t, [table];
	mov.u32 i, %tid.x;
	mad.wide.u32 t, i, 8, t;
	ld.global.u64 h, [t];
	suld.b.1d.b32.trap r, [h, {0}];
	sust.b.1d.b32.trap [h, {4}], i;
	mad.wide.u32 o, i, 4, o;
	st.global.b32 [o], r;
	ret;
}`, nil)
	var arrays []ptxvm.Array
	var handles []uint64
	for i := range 32 {
		a := l.array("", ptxvm.Array1D, "u32x1", 2)
		if err := a.Write(binary.LittleEndian.AppendUint64(nil, uint64(i*i))); err != nil {
			t.Fatal(err)
		}
		arrays, handles = append(arrays, a), append(handles, a.Surface().Handle())
	}
	table, err := ptxvm.Upload(l.d, handles)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range l.words(32, 32, table) {
		data := make([]byte, 8)
		if err := arrays[i].Read(data); err != nil {
			t.Fatal(err)
		}
		if v != uint32(i*i) || binary.LittleEndian.Uint32(data[4:]) != uint32(i) {
			t.Errorf("lane %d read %d and wrote % x", i, v, data)
		}
	}
	for _, bad := range []uint64{0, 1, handles[7] + 4, handles[31] + 8, 0x7000_0000_0000, ^uint64(0)} {
		for i := range arrays {
			if err := arrays[i].Write(make([]byte, 8)); err != nil {
				t.Fatal(err)
			}
		}
		broken := append([]uint64(nil), handles...)
		broken[7] = bad
		table, err := ptxvm.Upload(l.d, broken)
		if err != nil {
			t.Fatal(err)
		}
		out, _ := l.d.Alloc(128)
		var fault *ptxvm.Fault
		if err := l.launch(32, out, table); !errors.As(err, &fault) || fault.Lanes != 1<<7 || fault.Thread.X != 7 || fault.Code != 7032 {
			t.Errorf("handle %#x: %v", bad, err)
		}
	}
}

// TestSurfaceFaults: what a trap says, and that nothing of the instruction took effect.
func TestSurfaceFaults(t *testing.T) {
	for _, c := range []struct{ op, want string }{
		{"sust.b.2d.b32.trap [h, {64, 1}], i", "P7030: surface access out of bounds: sust.b.2d of 4 bytes at byte x 64, y 1 of surface photo (2d 16x8 u8x4): the access ends at byte 68 of a row of 64"},
		{"sust.b.2d.b32.trap [h, {-4, 1}], i", "at byte x -4, y 1 of surface photo (2d 16x8 u8x4): x is negative"},
		{"sust.b.2d.b32.trap [h, {0, 8}], i", "byte x 0, y 8 of surface photo (2d 16x8 u8x4): y is not in 0 to 7"},
		{"sust.b.2d.b32.trap [h, {0, -1}], i", "y -1"},
		{"sust.b.2d.b32.zero [h, {2, 0}], i", "P7031: misaligned surface access: sust.b.2d of 4 bytes at byte x 2, y 0 of surface photo (2d 16x8 u8x4): x is no multiple of the 4 bytes accessed"},
		{"sust.b.2d.v4.b32.clamp [h, {8, 0}], {i,i,i,i}", "x is no multiple of the 16 bytes"},
		{"sust.p.2d.b32.trap [h, {16, 0}], i", "sust.p.2d of 4 bytes at sample x 16, y 0 of surface photo (2d 16x8 u8x4): the access ends at byte 68 of a row of 64"},
		{"sust.b.1d.b32.trap [h, {0}], i", "P7033: surface of another kind: sust.b.1d of surface photo (2d 16x8 u8x4): its geometry wants .2d"},
		{"sust.b.a2d.b32.zero [h, {0,0,0,0}], i", "its geometry wants .2d"},
		{"sured.b.add.2d.u32.trap [h, {4, 9}], i", "sured.b.2d of 4 bytes at byte x 4, y 9"},
		{"sured.p.add.2d.b32.trap [h, {16, 0}], i", "sured.p.2d of 4 bytes at sample x 16, y 0"},
	} {
		l := newSurfaceLab(t, ".entry k(.param .u64 H) { .reg .b64 h; .reg .b32 i; ld.param.u64 h, [H]; mov.u32 i, -1; "+c.op+"; ret; }", nil)
		a := l.array("photo", ptxvm.Array2D, "u8x4", 16, 8)
		before, after := make([]byte, a.Len()), make([]byte, a.Len())
		if err := a.Read(before); err != nil {
			t.Fatal(err)
		}
		if err := l.launch(1, a.Surface()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n have %v\n want %s", c.op, err, c.want)
		}
		if err := a.Read(after); err != nil || string(before) != string(after) {
			t.Errorf("%s has changed the surface: %v", c.op, err)
		}
	}
}

// TestSurfaceFaultFormat: a reduction by samples wants integers (9.7.11.3).
func TestSurfaceFaultFormat(t *testing.T) {
	l := newSurfaceLab(t, ".entry k(.param .u64 H) { .reg .b64 h; ld.param.u64 h, [H]; sured.p.min.1d.b32.trap [h, {0}], 1; ret; }", nil)
	for format, want := range map[string]string{"f32x1": "samples of f32x1 are no integers", "unorm8x4": "samples of unorm8x4", "u32x1": "", "s32x1": ""} {
		err := l.launch(1, l.array("", ptxvm.Array1D, format, 4).Surface())
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: have %v, want %q", format, err, want)
		}
	}
}

// TestSurfaceAtomics: reductions of all CTAs on one sample meet on several workers (sured is
// atomic), and neighbours of 8 bits do not disturb each other.
func TestSurfaceAtomics(t *testing.T) {
	const ctas, threads = 64, 64
	l := newSurfaceLab(t, `
.global .surfref S;
.entry k() {
	.reg .b32 i, c, x; .reg .b16 b;
	mov.u32 i, %tid.x; mov.u32 c, %ctaid.x;
	sured.b.add.2d.u32.trap [S, {0, 0}], 1;
	sured.p.max.2d.b32.trap [S, {1, 0}], i;
	mad.lo.u32 x, c, 64, i;
	cvt.u16.u32 b, x;
	sust.b.2d.b8.trap [S, {x, 1}], b;
	ret;
}`, &ptxvm.DeviceConfig{Workers: 4})
	a := l.array("S", ptxvm.Array2D, "u32x1", ctas*threads/4, 2)
	if err := a.Write(make([]byte, a.Len())); err != nil {
		t.Fatal(err)
	}
	k, err := l.p.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Launch(context.Background(), ptxvm.Launch{Grid: ptxvm.Dim3{X: ctas}, Block: ptxvm.Dim3{X: threads}}); err != nil {
		t.Fatal(err)
	}
	data := make([]byte, a.Len())
	if err := a.Read(data); err != nil {
		t.Fatal(err)
	}
	if sum, most := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:]); sum != ctas*threads || most != threads-1 {
		t.Errorf("sum %d, maximum %d", sum, most)
	}
	for i, v := range data[ctas*threads:] {
		if v != byte(i) {
			t.Fatalf("byte %d is %d", i, v)
		}
	}
}

// TestArrays: every geometry holds what is written, densely; the rest is refused in words.
func TestArrays(t *testing.T) {
	l := newSurfaceLab(t, ".entry k() { ret; }", &ptxvm.DeviceConfig{Memory: 1 << 20})
	for g, size := range map[ptxvm.Geometry][]int{
		ptxvm.Array1D: {5}, ptxvm.Array2D: {5, 3}, ptxvm.Array3D: {5, 3, 2}, ptxvm.Array1DLayered: {5, 3}, ptxvm.Array2DLayered: {5, 3, 2},
		ptxvm.ArrayCube: {5, 5}, ptxvm.ArrayCubeLayered: {5, 5, 2},
	} {
		a := l.array("", g, "u16x2", size...)
		data := make([]byte, a.Len())
		if err := a.Read(data); err != nil {
			t.Fatal(err)
		}
		for i, v := range data {
			if v != byte(i) {
				t.Fatalf("%v: byte %d is %d", g, i, v)
			}
		}
		if err := a.Write(data[1:]); err == nil || !strings.Contains(err.Error(), "for an array of") {
			t.Errorf("%v: short data: %v", g, err)
		}
		if back, err := ptxvm.ParseGeometry(g.String()); err != nil || back != g {
			t.Errorf("%v reads as %v, %v", g, back, err)
		}
	}
	f, _ := ptxvm.ParseSampleFormat("u8x1")
	if _, err := l.d.NewArray(ptxvm.ArrayDesc{Geometry: ptxvm.Array2D, Size: []int{1 << 12, 1 << 12}, Format: f}); !errors.Is(err, ptxvm.ErrOutOfMemory) {
		t.Errorf("16 MiB in 1 MiB: %v", err)
	}
	if _, err := l.d.NewArray(ptxvm.ArrayDesc{Geometry: ptxvm.Array2D, Size: []int{4}, Format: f}); err == nil || !strings.Contains(err.Error(), "a 2d image has a size WxH, not 4") {
		t.Errorf("one extent of two: %v", err)
	}
	var none ptxvm.Array
	if err := errors.Join(none.Free(), none.Read(nil)); !errors.Is(err, ptxvm.ErrClosed) {
		t.Errorf("the zero Array: %v", err)
	}
	if err := l.launch(1, none.Surface()); err == nil {
		t.Error("an argument too many is taken")
	}
}

// TestArrayLevels: a level is an array of its own, whose memory and surface are the level's.
func TestArrayLevels(t *testing.T) {
	l := newSurfaceLab(t, ".entry k(.param .u64 H) { .reg .b64 h; .reg .b32 v; ld.param.u64 h, [H]; suld.b.2d.b32.trap v, [h, {4, 1}]; "+
		"add.u32 v, v, 1; sust.b.2d.b32.trap [h, {0, 0}], v; ret; }", nil)
	f, _ := ptxvm.ParseSampleFormat("u32x1")
	whole, err := l.d.NewArray(ptxvm.ArrayDesc{Geometry: ptxvm.Array2D, Size: []int{12, 6}, Format: f, Levels: 3})
	if err != nil {
		t.Fatal(err)
	}
	level, err := whole.Level(1)
	if err != nil || !slices.Equal(level.Desc().Size, []int{6, 3}) || level.Len() != whole.LevelLen(1) {
		t.Fatalf("level 1: %+v, %v", level.Desc(), err)
	}
	data := make([]byte, level.Len())
	data[6*4+4] = 41 // (1, 1)
	if err := whole.WriteLevel(1, data); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.launch(1, level.Surface()), level.Free(), level.Read(data)); err != nil || data[0] != 42 {
		t.Errorf("%d, %v", data[0], err)
	}
	addr, pitch := level.Memory()
	b, err := l.d.At(addr+uint64(pitch)+4, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.ReadAt(data[:1], 0); err != nil || data[0] != 41 {
		t.Errorf("by address: %d, %v", data[0], err)
	}
	if _, err := whole.Level(3); err == nil {
		t.Error("there is a level 3")
	}
	if err := errors.Join(whole.Free(), l.launch(1, level.Surface())); !errors.Is(err, ptxvm.ErrClosed) {
		t.Errorf("a surface of what has been freed: %v", err)
	}
}

// TestSurfaceFree: freeing an array while kernels use it breaks nothing but their data.
func TestSurfaceFree(t *testing.T) {
	l := newSurfaceLab(t, ".entry k(.param .u64 H) { .reg .b64 h; ld.param.u64 h, [H]; sust.b.1d.b32.trap [h, {0}], 1; ret; }", nil)
	var all sync.WaitGroup
	for range 8 {
		a := l.array("", ptxvm.Array1D, "u8x4", 64)
		all.Go(func() {
			var fault *ptxvm.Fault
			for range 20 {
				if err := l.launch(32, a.Surface()); err != nil && !errors.As(err, &fault) && !errors.Is(err, ptxvm.ErrClosed) {
					t.Error(err)
				}
			}
		})
		all.Go(func() { _ = a.Free() })
	}
	all.Wait()
}
