//go:build amd64 || arm64

package main

import (
	"reflect"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// TestStructures: sizes and offsets are those of the driver's header (CUDA 13). What is never written has no name, and lies where
// its neighbours and the size say.
func TestStructures(t *testing.T) {
	for _, c := range []struct {
		v    any
		size uintptr
		at   map[string]uintptr
	}{
		{arrayDescriptor{}, 40, map[string]uintptr{"width": 0, "height": 8, "depth": 16, "format": 24, "channels": 28, "flags": 32}},
		{copySide{}, 88, map[string]uintptr{"memoryType": 32, "host": 40, "array": 56, "pitch": 72, "height": 80}},
		{copyDescriptor{}, 200, map[string]uintptr{"from": 0, "to": 88, "width": 176, "height": 184, "depth": 192}},
		{resourceDescriptor{}, 144, map[string]uintptr{"array": 8}},
	} {
		typ := reflect.TypeOf(c.v)
		if typ.Size() != c.size {
			t.Errorf("%v has %d bytes, want %d", typ, typ.Size(), c.size)
		}
		for name, at := range c.at {
			if f, ok := typ.FieldByName(name); !ok || f.Offset != at {
				t.Errorf("%v.%s lies at %d, want %d", typ, name, f.Offset, at)
			}
		}
	}
}

// TestDescriptors: extents, formats and flags of each geometry, and what CUDA does not have.
func TestDescriptors(t *testing.T) {
	for _, c := range []struct {
		geometry ptxvm.Geometry
		format   string
		size     []int
		want     arrayDescriptor
		err      string
	}{
		{ptxvm.Array1D, "u32x1", []int{8}, arrayDescriptor{8, 0, 0, 0x03, 1, 2}, ""},
		{ptxvm.Array2D, "unorm8x4", []int{4, 3}, arrayDescriptor{4, 3, 0, 0xc2, 4, 2}, ""},
		{ptxvm.Array3D, "s16x2", []int{4, 3, 2}, arrayDescriptor{4, 3, 2, 0x09, 2, 2}, ""},
		{ptxvm.Array1DLayered, "snorm16x1", []int{4, 3}, arrayDescriptor{4, 0, 3, 0xc9, 1, 3}, ""},
		{ptxvm.Array2DLayered, "f16x4", []int{4, 3, 2}, arrayDescriptor{4, 3, 2, 0x10, 4, 3}, ""},
		{ptxvm.Array2D, "u8.bgra", []int{4, 3}, arrayDescriptor{}, "no arrays of u8.bgra"},
		{ptxvm.ArrayCube, "u8x4", []int{4, 4}, arrayDescriptor{}, "cube are not asked for"},
	} {
		f, err := ptxvm.ParseSampleFormat(c.format)
		if err != nil {
			t.Fatal(err)
		}
		d, err := descriptor(ptxvm.ArrayDesc{Geometry: c.geometry, Size: c.size, Format: f})
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v %s: %v, want %q", c.geometry, c.format, err, c.err)
			}
		case err != nil || *d != c.want:
			t.Errorf("%v %s: %+v, %v, want %+v", c.geometry, c.format, d, err, c.want)
		}
	}
}

// TestCopies: whole rows of all slices or layers, densely, in both directions.
func TestCopies(t *testing.T) {
	var have []copyDescriptor
	c := &cuda{copy3D: func(d *copyDescriptor) int32 { have = append(have, *d); return 0 }}
	a := &cudaArray{c: c, handle: 7, row: 16, d: &arrayDescriptor{width: 4, depth: 3}}
	data := make([]byte, 48)
	if err := a.Read(data); err != nil {
		t.Fatal(err)
	}
	if err := a.Write(data); err != nil {
		t.Fatal(err)
	}
	host, array := copySide{memoryType: 1, host: &data[0], pitch: 16, height: 1}, copySide{memoryType: 3, array: 7}
	if len(have) != 2 || have[0] != (copyDescriptor{array, host, 16, 1, 3}) || have[1] != (copyDescriptor{host, array, 16, 1, 3}) {
		t.Errorf("copies %+v", have)
	}
	if err := a.Read(data[1:]); err == nil || !strings.Contains(err.Error(), "47 bytes for an array of 48") {
		t.Errorf("short data: %v", err)
	}
}
