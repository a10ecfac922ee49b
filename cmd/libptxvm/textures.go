//go:build cudart

package main

// This file exports arrays, textures and surfaces.

/*
#include "../../internal/cudaabi/front/pvm.h"
*/
import "C"

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/driver"
	"ptxvm.invalid/ptxvm/internal/tensor"
)

// formatText is a format's name.
func formatText(p *[12]C.char) string { return C.GoString(&p[0]) }

func putFormat(p *[12]C.char, name string) { putText(&p[0], len(p), name) }

//export pvm_array_create
func pvm_array_create(device int32, how *C.struct_pvm_array, array *uint64) int32 {
	h, code := the.ArrayCreate(int(device), driver.ArrayShape{
		Width: int(how.width), Height: int(how.height), Depth: int(how.depth), Format: formatText(&how.format),
		Channels: int(how.channels), Flags: driver.ArrayFlag(how.flags), Levels: int(how.levels),
	})
	put(code, array, h)
	return int32(code)
}

//export pvm_array_destroy
func pvm_array_destroy(array uint64) int32 { return int32(the.ArrayDestroy(array)) }

//export pvm_array_level
func pvm_array_level(array uint64, level uint32, out *uint64) int32 {
	h, code := the.ArrayLevel(array, int(level))
	put(code, out, h)
	return int32(code)
}

//export pvm_array_info
func pvm_array_info(array uint64, out *C.struct_pvm_array) int32 {
	a, code := the.ArrayInfo(array)
	*out = C.struct_pvm_array{
		width: C.uint64_t(a.Width), height: C.uint64_t(a.Height), depth: C.uint64_t(a.Depth),
		channels: C.uint32_t(a.Channels), flags: C.uint32_t(a.Flags), levels: C.uint32_t(a.Levels), element: C.uint32_t(a.Element),
		address: C.uint64_t(a.Addr), pitch: C.uint64_t(a.Pitch), rows: C.uint64_t(a.Rows),
	}
	putFormat(&out.format, a.Format)
	return int32(code)
}

//export pvm_texture_create
func pvm_texture_create(device int32, t *C.struct_pvm_texture, object *uint64) int32 {
	s := driver.TextureShape{
		Array: uint64(t.array), Addr: uint64(t.address), Width: int(t.width), Height: int(t.height), Pitch: int(t.pitch),
		Format: formatText(&t.format), Channels: int(t.channels), Linear: t.linear != 0, ReadNormalized: t.read_normalized != 0,
		SRGB: t.srgb != 0, Normalized: t.normalized != 0, MipLinear: t.mip_linear != 0,
		Bias: float32(t.bias), Min: float32(t.least), Max: float32(t.most), Anisotropy: uint32(t.anisotropy), Seamless: t.seamless != 0,
	}
	if t.viewed != 0 {
		s.View = &driver.ViewShape{
			Width: int(t.view_width), Height: int(t.view_height), Depth: int(t.view_depth), Format: formatText(&t.view_format), Channels: int(t.view_channels),
			Levels: [2]int{int(t.view_level[0]), int(t.view_level[1])}, Layers: [2]int{int(t.view_layer[0]), int(t.view_layer[1])},
		}
	}
	s.Address = *(*[3]uint32)(unsafe.Pointer(&t.mode))
	s.Border = *(*[4]float32)(unsafe.Pointer(&t.border))
	h, code := the.TextureCreate(int(device), s)
	put(code, object, h)
	return int32(code)
}

//export pvm_texture_destroy
func pvm_texture_destroy(object uint64) int32 { return int32(the.TextureDestroy(object)) }

//export pvm_texture_get
func pvm_texture_get(object uint64, t *C.struct_pvm_texture) int32 {
	s, code := the.TextureGet(object)
	*t = C.struct_pvm_texture{
		array: C.uint64_t(s.Array), address: C.uint64_t(s.Addr), width: C.uint64_t(s.Width), height: C.uint64_t(s.Height),
		pitch: C.uint64_t(s.Pitch), channels: C.uint32_t(s.Channels), linear: word(s.Linear), read_normalized: word(s.ReadNormalized),
		srgb: word(s.SRGB), normalized: word(s.Normalized), mip_linear: word(s.MipLinear),
		bias: C.float(s.Bias), least: C.float(s.Min), most: C.float(s.Max), anisotropy: C.uint32_t(s.Anisotropy), seamless: word(s.Seamless),
	}
	if v := s.View; v != nil {
		t.viewed, t.view_channels = 1, C.uint32_t(v.Channels)
		t.view_width, t.view_height, t.view_depth = C.uint64_t(v.Width), C.uint64_t(v.Height), C.uint64_t(v.Depth)
		t.view_level, t.view_layer = pair(v.Levels), pair(v.Layers)
		putFormat(&t.view_format, v.Format)
	}
	putFormat(&t.format, s.Format)
	*(*[3]uint32)(unsafe.Pointer(&t.mode)) = s.Address
	*(*[4]float32)(unsafe.Pointer(&t.border)) = s.Border
	return int32(code)
}

func pair(p [2]int) [2]C.uint32_t { return [2]C.uint32_t{C.uint32_t(p[0]), C.uint32_t(p[1])} }

func word(b bool) C.uint32_t {
	if b {
		return 1
	}
	return 0
}

//export pvm_surface_create
func pvm_surface_create(array uint64, object *uint64) int32 {
	h, code := the.SurfaceCreate(array)
	put(code, object, h)
	return int32(code)
}

//export pvm_surface_destroy
func pvm_surface_destroy(object uint64) int32 { return int32(the.SurfaceDestroy(object)) }

//export pvm_surface_get
func pvm_surface_get(object uint64, array *uint64) int32 {
	h, code := the.SurfaceGet(object)
	put(code, array, h)
	return int32(code)
}

//export pvm_tensor_map
func pvm_tensor_map(t *C.struct_pvm_tensor_map, to unsafe.Pointer) int32 {
	n := int(t.rank)
	if n < 1 || n > len(t.dims) {
		return int32(driver.InvalidValue)
	}
	m, code := the.Encode(driver.TensorMap{
		Addr: uint64(t.address), Type: uint32(t._type), Swizzle: uint32(t.swizzle), Interleave: uint32(t.interleave), NaNs: t.nans != 0,
		Dims: (*[5]uint64)(unsafe.Pointer(&t.dims))[:n], Strides: (*[5]uint64)(unsafe.Pointer(&t.strides))[:n-1],
		Box: (*[5]uint32)(unsafe.Pointer(&t.box))[:n], Steps: (*[5]uint32)(unsafe.Pointer(&t.steps))[:n],
		Mode: tensor.Mode(t.mode), Lower: *(*[3]int32)(unsafe.Pointer(&t.lower)), Upper: *(*[3]int32)(unsafe.Pointer(&t.upper)),
		Channels: uint32(t.channels), Pixels: uint32(t.pixels),
	})
	if code == driver.Success {
		copy(unsafe.Slice((*byte)(to), len(m)), m[:])
	}
	return int32(code)
}

//export pvm_tensor_map_at
func pvm_tensor_map_at(m unsafe.Pointer, address uint64) int32 {
	return int32(the.EncodeAt((*[tensor.MapBytes]byte)(m), address))
}
