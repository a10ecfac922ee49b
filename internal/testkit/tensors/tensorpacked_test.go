package tensors_test

// Copies of boxes whose elements have less than a byte, and of interleaved tensors (5.5.1.1, 5.5.6).

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

// loadBox copies a box of a tensor over memory to shared memory, and returns its bytes.
func loadBox(t *testing.T, cfg ptxvm.DeviceConfig, memory []byte, m ptxvm.TensorMapTiled, at [5]int32, expect, bytes uint32) ([]byte, error) {
	t.Helper()
	d := rig.Device(t, cfg)
	var err error
	if m.Buffer, err = ptxvm.Upload(d, memory); err != nil {
		t.Fatal(err)
	}
	made, err := d.NewTensorMap(m)
	if err != nil {
		return nil, err
	}
	coords := strings.Join([]string{"%r2", "%r3", "%r4", "%r5", "%r6"}[:len(m.Dims)], ", ")
	text := strings.NewReplacer("%DIM%", fmt.Sprint(len(m.Dims), "d"), "%MODE%", "tile", "%COORDS%", coords, "sm_100a", cfg.Arch, ".version 8.6", ".version 8.7").Replace(boxKernel)
	mod, err := ptxvm.Compile("box.ptx", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(mod)
	if err != nil {
		t.Fatal(err)
	}
	out := rig.Buffer(t, d, int(bytes))
	if _, err := rig.Kernel(t, p, "k").Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: 32}}, made, out, expect, at); err != nil {
		return nil, err
	}
	got := make([]byte, bytes)
	_, err = out.ReadAt(got, 0)
	return got, err
}

func noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*37 + i>>8*11 + 5)
	}
	return b
}

// TestPackedBoxes: sixteen elements take sixteen bytes of shared memory, the last of them padding, or stay as they are.
func TestPackedBoxes(t *testing.T) {
	for _, c := range []struct {
		typ            string
		packed, shared int // bytes of 16 elements
	}{{"b4x16", 8, 8}, {"b4x16_p64", 8, 16}, {"b6x16_p32", 12, 16}} {
		row := 256 / 16 * c.packed
		memory := noise(3 * row)
		m := ptxvm.TensorMapTiled{Type: c.typ, Dims: []uint32{256, 3}, Strides: []uint64{uint64(row)}, Box: []uint32{128, 2}}
		for _, y := range []int32{1, 2, -1} {
			var want []byte
			for r := range int32(2) {
				for k := range 8 {
					unit := make([]byte, c.shared)
					if y+r >= 0 && y+r < 3 {
						copy(unit, memory[int(y+r)*row+row/2+k*c.packed:][:c.packed])
					}
					want = append(want, unit...)
				}
			}
			for _, swizzle := range []ptxvm.Swizzle{{}, ptxvm.Swizzle128} {
				m.Swizzle = swizzle
				have, err := loadBox(t, ptxvm.DeviceConfig{Arch: "sm_100a"}, memory, m, [5]int32{128, y}, uint32(len(want)), uint32(len(want)))
				if err != nil {
					t.Fatalf("%s, row %d: %v", c.typ, y, err)
				}
				there := slices.Clone(want)
				for i := range want { // the second line exchanges its units of 16 bytes
					if swizzle == ptxvm.Swizzle128 {
						there[i^i>>7&7<<4] = want[i]
					}
				}
				if !slices.Equal(have, there) {
					t.Errorf("%s, row %d, swizzle %v: % x\nwant % x", c.typ, y, swizzle, have, there)
				}
			}
		}
	}
}

// TestPackedStores: of b6p2x16 the lower six bits of each byte are stored, one behind the other.
func TestPackedStores(t *testing.T) {
	shared := make([]byte, 128)
	for i := range 32 {
		binary.LittleEndian.PutUint32(shared[4*i:], uint32(i+1))
	}
	want := make([]byte, 128)
	for i := range 32 {
		want[4*i] = 100
	}
	clear(want[:96])
	for i, b := range shared {
		for k := range 6 {
			bit := 6*i + k
			want[bit/8] |= b >> k & 1 << (bit % 8)
		}
	}
	got, err := runTile(t, "@!%p1 cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%rd1, {0}], [data];"+commitBox, ptxvm.DeviceConfig{},
		func(b ptxvm.Buffer) ptxvm.TensorMapTiled {
			return ptxvm.TensorMapTiled{Buffer: b, Type: "b6p2x16", Dims: []uint32{128}, Box: []uint32{128}}
		}, ptxvm.Launch{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 32 {
		if v := binary.LittleEndian.Uint32(want[4*i:]); got[i] != v {
			t.Errorf("word %d is %#x, want %#x", i, got[i], v)
		}
	}
}

// TestPackedMisuse: what 9.7.9.27.1.1 restricts is an error where the map is made, else a fault.
func TestPackedMisuse(t *testing.T) {
	whole := ptxvm.TensorMapTiled{Type: "b6x16_p32", Dims: []uint32{256, 3}, Box: []uint32{128, 2}}
	for _, c := range []struct {
		change func(*ptxvm.TensorMapTiled)
		arch   string
		x      int32
		want   string
	}{
		{func(m *ptxvm.TensorMapTiled) { m.Box[0] = 256 }, "sm_100a", 0, "the box has 256 elements of type b6x16_p32 along dimension 0: want 128"},
		{func(m *ptxvm.TensorMapTiled) { m.Dims[0] = 192 }, "sm_100a", 0, "dimension 0 has 192 elements: of type b6x16_p32 it has a multiple of 128"},
		{func(m *ptxvm.TensorMapTiled) { m.Strides = []uint64{208} }, "sm_100a", 0, "the stride of dimension 1 is 208 bytes: elements of type b6x16_p32 want a multiple of 32"},
		{func(m *ptxvm.TensorMapTiled) { m.Swizzle = ptxvm.Swizzle64 }, "sm_100a", 0, "elements of type b6x16_p32 have no swizzle or one of 128 bytes"},
		{func(m *ptxvm.TensorMapTiled) { m.Swizzle = ptxvm.Swizzle128Atom32Flip }, "sm_100a", 0, "without a flip of 8"},
		{func(m *ptxvm.TensorMapTiled) { m.NaNs = true }, "sm_100a", 0, "elements of type b6x16_p32 cannot be NaN outside the tensor"},
		{func(m *ptxvm.TensorMapTiled) {}, "sm_100a", 64, "coordinate 0 is 64: the box begins at a multiple of 128"},
		{func(m *ptxvm.TensorMapTiled) {}, "sm_120a", 0, "sm_120 loads no elements of type b6x16_p32"},
		{func(m *ptxvm.TensorMapTiled) { m.Box[0] = 64 }, "sm_100a", 0, "rows of 64 elements of six bits are stored by sm_103 only"},
		{func(m *ptxvm.TensorMapTiled) { m.Type, m.Dims[0], m.Strides = "b4x16", 255, []uint64{128} }, "sm_100a", 0, "dimension 0 has 255 elements: of type b4x16 it has a multiple of 2"},
		{func(m *ptxvm.TensorMapTiled) { m.Type = "b4x16" }, "sm_100a", 1, "coordinate 0 is 1: the box begins at a multiple of 2"},
		{func(m *ptxvm.TensorMapTiled) { m.Type, m.Swizzle, m.Box[0] = "u8", ptxvm.Swizzle128Atom64, 64 }, "sm_120a", 0, "loads of sm_120 have swizzles with atoms of 16 bytes only"},
	} {
		m := whole
		m.Dims, m.Box = slices.Clone(m.Dims), slices.Clone(m.Box)
		c.change(&m)
		if _, err := loadBox(t, ptxvm.DeviceConfig{Arch: c.arch}, noise(1024), m, [5]int32{c.x}, 256, 256); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("have %v, want %s", err, c.want)
		}
	}
	for want, change := range map[string]func(*ptxvm.TensorMapTiled){
		"elements of type b4x16_p64 are loaded only":                                              func(m *ptxvm.TensorMapTiled) { m.Type, m.Dims[0], m.Box[0] = "b4x16_p64", 128, 128 },
		"coordinate 1 is -1: a box that is stored begins inside of the tensor, or behind its end": func(*ptxvm.TensorMapTiled) {},
	} {
		_, err := runTile(t, "@!%p1 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {0, -1}], [data];"+commitBox, ptxvm.DeviceConfig{},
			func(b ptxvm.Buffer) ptxvm.TensorMapTiled {
				m := square("u32")(b)
				change(&m)
				return m
			}, ptxvm.Launch{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("have %v, want %s", err, want)
		}
	}
}

// TestInterleavedBoxes: channels in slices of 16 or 32 bytes, each an image of its own, by both readings of the strides (U60).
func TestInterleavedBoxes(t *testing.T) {
	for _, c := range []struct {
		typ     string
		slice   int
		outside []byte
	}{{"u16", 16, []byte{0, 0}}, {"u16", 32, []byte{0, 0}}, {"f16", 16, []byte{0xff, 0x7f}}, {"bf16", 32, []byte{0xff, 0x7f}}} {
		slice := c.slice
		channels, pixel := slice/2, slice
		const w, h, images, parts = 5, 3, 2, 2
		row := w * pixel
		plane := h * row
		memory := noise(images * parts * plane)
		dims := []uint32{uint32(parts*channels - 3), w, h, images}
		for position, strides := range map[string][]uint64{
			"planes": {uint64(pixel), uint64(row), uint64(parts * plane)}, "slices": {uint64(plane), uint64(row), uint64(parts * plane)},
		} {
			m := ptxvm.TensorMapTiled{Type: c.typ, NaNs: c.outside[0] != 0, Dims: dims, Strides: strides, Box: []uint32{uint32(parts * channels), 3, 2, 2}, Interleave: slice}
			if slice == 32 {
				m.Swizzle = ptxvm.Swizzle32
			}
			var want []byte
			for n := range images {
				for s := range parts {
					for y := 1; y < 3; y++ {
						for x := 3; x < 6; x++ {
							unit := bytes.Repeat(c.outside, channels)
							if x < w {
								copy(unit, memory[n*parts*plane+s*plane+y*row+x*pixel:][:pixel])
							}
							if s == 1 {
								copy(unit[2*(channels-3):], bytes.Repeat(c.outside, 3))
							}
							want = append(want, unit...)
						}
					}
				}
			}
			there := slices.Clone(want)
			for i := range want {
				if slice == 32 {
					there[i^i>>7&1<<4] = want[i]
				}
			}
			cfg := ptxvm.DeviceConfig{Arch: "sm_100a", Assume: "U60=" + position}
			have, err := loadBox(t, cfg, memory, m, [5]int32{0, 3, 1, 0}, uint32(len(want)), uint32(len(want)))
			if err != nil || !slices.Equal(have, there) {
				t.Errorf("%s, slices of %d, strides of %s: %v, % x\nwant % x", c.typ, slice, position, err, have, there)
			}
			m.Box = []uint32{uint32(channels), 1, 1, 1}
			have, err = loadBox(t, cfg, memory, m, [5]int32{int32(channels), 2, 0, 1}, uint32(pixel), uint32(pixel))
			unit := slices.Clone(memory[parts*plane+plane+2*pixel:][:pixel])
			if copy(unit[2*(channels-3):], bytes.Repeat(c.outside, 3)); err != nil || !slices.Equal(have, unit) {
				t.Errorf("%s, slices of %d, strides of %s: the second slice: %v, % x\nwant % x", c.typ, slice, position, err, have, unit)
			}
		}
	}
}
