package launches_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/isainfo"
)

// TestAssumptions holds every assumption that something executed depends on to
// testdata/assume/ID.ptx: a kernel k, of one thread unless .reqntid says otherwise, that gets the address of 256 bytes, if it
// has a parameter map that of testMap, if it has a parameter range that of testRange, and surfaces and textures by the names of testArrays. Each position must give bytes or a fault of its own, and
// each launch must name the assumption that it used.
func TestAssumptions(t *testing.T) {
	rows := isainfo.Assumptions()
	if len(rows) == 0 {
		t.Fatal("no assumption is used")
	}
	known := map[string]bool{}
	for _, row := range rows {
		known[row.ID+".ptx"] = true
		t.Run(row.ID, func(t *testing.T) { checkAssumption(t, row) })
	}
	files, err := filepath.Glob("testdata/assume/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !known[filepath.Base(f)] {
			t.Errorf("%s belongs to no assumption that is used", f)
		}
	}
}

func checkAssumption(t *testing.T, row isainfo.Assumption) {
	file := filepath.Join("testdata", "assume", row.ID+".ptx")
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%s %s has no kernel that shows its positions: %v", row.ID, row.Name, err)
	}
	seen := map[string]string{"": "nothing"}
	for i, p := range row.Positions {
		setting := row.ID + "=" + p.Name
		got, assumed := runAssuming(t, file, src, setting)
		if other, same := seen[got]; same {
			t.Errorf("%s gives the result of %s", setting, other)
		}
		seen[got] = setting
		if want := fmt.Sprintf("%s %s=%s", row.ID, row.Name, p.Name); !strings.Contains(strings.Join(assumed, "\n"), want) {
			t.Errorf("%s: the launch names %q, want %q", setting, assumed, want)
		}
		if i > 0 {
			continue
		}
		if plain, _ := runAssuming(t, file, src, ""); plain != got {
			t.Errorf("%s is not the default", setting)
		}
	}
}

// runAssuming launches k and returns its bytes in hexadecimal, with the assumptions it used.
func runAssuming(t *testing.T, file string, src []byte, setting string) (string, []string) {
	t.Helper()
	m, err := ptxvm.Compile(file, src, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: m.Target(), Workers: 1, Memory: 1 << 20, Assume: setting})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	out, err := ptxvm.Upload(d, make([]uint8, 256))
	if err != nil {
		t.Fatal(err)
	}
	testArrays(t, d)
	l := ptxvm.Launch{}
	if bytes.Contains(src, []byte(".reqnctapercluster 2")) {
		l.Grid.X = 2
	}
	args := []any{out}
	if bytes.Contains(src, []byte("map[128]")) {
		args = append(args, testMap(t, d))
	}
	if bytes.Contains(src, []byte(".u64 range")) {
		args = append(args, testRange(t, d))
	}
	stats, err := k.Launch(context.Background(), l, args...)
	var fault *ptxvm.Fault
	if errors.As(err, &fault) {
		return fault.Msg, stats.Assumed
	}
	if err != nil {
		t.Fatal(err)
	}
	got := make([]uint8, 256)
	if err := ptxvm.Download(out, got); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", got), stats.Assumed
}

// testRange is the address of a multicast range over two buffers.
func testRange(t *testing.T, d *ptxvm.Device) uint64 {
	t.Helper()
	var copies []ptxvm.Buffer
	for range 2 {
		b, err := d.Alloc(256)
		if err != nil {
			t.Fatal(err)
		}
		copies = append(copies, b)
	}
	m, err := d.NewMulticast(copies...)
	if err != nil {
		t.Fatal(err)
	}
	return m.Addr()
}

// testMap is of columns of four pixels of 16 bytes, of two images of four pixels; byte i is i.
func testMap(t *testing.T, d *ptxvm.Device) ptxvm.TensorMap {
	t.Helper()
	bytes := make([]uint8, 128)
	for i := range bytes {
		bytes[i] = uint8(i)
	}
	buffer, err := ptxvm.Upload(d, bytes)
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.NewTensorMap(ptxvm.TensorMapIm2col{Buffer: buffer, Type: "u8", Dims: []uint32{16, 4, 2}, Mode: ptxvm.Im2colW, Lower: []int32{0}, Upper: []int32{0}, Channels: 16, Pixels: 4})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// testArrays makes a line of four u8x4 and two layers of two, byte i being i.
func testArrays(t *testing.T, d *ptxvm.Device) {
	t.Helper()
	l := &surfaceLab{t, d, nil}
	l.array("line", ptxvm.Array1D, "u8x4", 4)
	l.array("layers", ptxvm.Array1DLayered, "u8x4", 2, 2)
	testTextures(l)
}

// testTextures makes textures, each of an assumption about them.
func testTextures(l *surfaceLab) {
	named := func(name string, a ptxvm.Array, s ptxvm.SamplerDesc) {
		l.texture(ptxvm.TextureDesc{Name: name, Array: a, Sampler: s})
	}
	linear := ptxvm.SamplerDesc{Linear: true, MipLinear: true}
	border := ptxvm.SamplerDesc{Address: [3]ptxvm.AddressMode{ptxvm.AddressBorder}, Border: [4]float32{9, 9, 9, 9}}
	row := []float32{1, 2, 4, 8}
	named("row", l.filled(ptxvm.Array1D, "f32x1", row, 4), linear)
	named("plane", l.filled(ptxvm.Array2D, "f32x1", []float32{1.0001, 3000.3, 0.00777, 5e5}, 2, 2), linear)
	named("edge", l.filled(ptxvm.Array1D, "f32x1", row, 4), border)
	named("integers", l.array("", ptxvm.Array1D, "u8x4", 4), border)
	named("between", l.array("", ptxvm.Array1D, "u8x4", 4), linear)
	named("cube", l.filled(ptxvm.ArrayCube, "f32x1", []float32{1, 2, 3, 4, 5, 6}, 1, 1), ptxvm.SamplerDesc{})
	named("samples", l.array("", ptxvm.Array2DMSLayered, "u8x4", 1, 1, 2, 2), ptxvm.SamplerDesc{})
	f, _ := ptxvm.ParseSampleFormat("f32x1")
	chain, err := l.d.NewArray(ptxvm.ArrayDesc{Geometry: ptxvm.Array1D, Size: []int{2}, Format: f, Levels: 2})
	if err == nil {
		err = chain.WriteLevel(1, []byte{0, 0, 0x80, 0x43}) // 256
	}
	if err != nil {
		l.Fatal(err)
	}
	named("chain", chain, linear)
	footprintTextures(l, f)
}

// footprintTextures makes those of anisotropic filters and of the edges of cubes: squares, whose averages depend on each place.
func footprintTextures(l *surfaceLab, f ptxvm.SampleFormat) {
	squares := func(n int) (v []float32) {
		for i := range n {
			v = append(v, float32(i*i%97))
		}
		return v
	}
	plane, err := l.d.NewArray(ptxvm.ArrayDesc{Geometry: ptxvm.Array2D, Size: []int{16, 16}, Format: f, Levels: 3})
	for level := range 3 {
		if err == nil {
			err = plane.WriteLevel(level, littleEndian(squares(256>>(2*level))))
		}
	}
	if err != nil {
		l.Fatal(err)
	}
	clamp := [3]ptxvm.AddressMode{ptxvm.AddressClamp, ptxvm.AddressClamp}
	for name, linear := range map[string]bool{"slope": true, "steps": false} {
		l.texture(ptxvm.TextureDesc{Name: name, Array: plane, Normalized: true, Sampler: ptxvm.SamplerDesc{Linear: linear, MipLinear: linear, MaxAnisotropy: 8, Address: clamp}})
	}
	for name, seamless := range map[string]bool{"ball": true, "box": false} {
		l.texture(ptxvm.TextureDesc{Name: name, Array: l.filled(ptxvm.ArrayCube, "f32x1", squares(24), 2, 2), Sampler: ptxvm.SamplerDesc{Linear: true, Seamless: seamless}})
	}
}

// TestAssumeRefused: a position that does not exist is an error that lists those that do.
func TestAssumeRefused(t *testing.T) {
	_, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Assume: "sfu-sqrt=up"})
	if err == nil || !strings.Contains(err.Error(), `U15 (sfu-sqrt) has no position "up": want unit|nearest`) {
		t.Errorf("have %v", err)
	}
}

// TestAssumptionFormats: the three formats name every assumption.
func TestAssumptionFormats(t *testing.T) {
	for _, format := range []string{"table", "json", "md"} {
		var b bytes.Buffer
		if err := isainfo.WriteAssumptions(&b, format); err != nil {
			t.Fatal(err)
		}
		for _, row := range isainfo.Assumptions() {
			if !strings.Contains(b.String(), row.ID) || !strings.Contains(b.String(), row.About) {
				t.Errorf("%s: %s is missing", format, row.ID)
			}
		}
	}
	if err := isainfo.WriteAssumptions(&bytes.Buffer{}, "xml"); err == nil {
		t.Error("format xml is taken")
	}
}

// TestExactness: forms and assumptions name each other, and approximate forms are known as such.
func TestExactness(t *testing.T) {
	for _, a := range isainfo.Assumptions() {
		for _, form := range a.Forms {
			if f := isainfo.Forms(form)[0]; !slices.Contains(f.Assumptions, a.ID) {
				t.Errorf("%s depends on %s and lists %v", form, a.ID, f.Assumptions)
			}
		}
	}
	for form, want := range map[string][]string{
		"add.int": nil, "fma.float": nil, "div.float": {".approx", ".full"}, "rsqrt": {".approx"}, "rcp.approx.ftz.f64": {".approx"}, "wgmma.fence": nil,
	} {
		if f := isainfo.Forms(form)[0]; !slices.Equal(f.Approximate, want) {
			t.Errorf("%s: approximate with %v, want %v", form, f.Approximate, want)
		}
	}
}
