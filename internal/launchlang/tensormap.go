package launchlang

// This file reads --arg tensormap:NAME,TYPE,DIMS,BOX[,KEY=VALUE…]: a tensor map over a named buffer. Dimension 0, whose
// elements are neighbours, comes first: f16,256x64,64x8. A map of columns has - for its box, and im2col=LOW/HIGH/CHANNELS/PIXELS.

import (
	"fmt"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/value"
)

// mapSpec is a tensor map, but for the buffer's address.
type mapSpec struct {
	buffer  string
	tiled   ptxvm.TensorMapTiled
	columns *ptxvm.TensorMapIm2col // what it has besides; nil: a map of tiles
}

const mapUsage = "want tensormap:NAME,TYPE,DIMS,BOX, such as tensormap:a,f16,256x64,64x8"

// mapAtoms are the swizzles of 128 bytes by what moves as a whole.
var mapAtoms = map[string]ptxvm.Swizzle{
	"16": ptxvm.Swizzle128, "32": ptxvm.Swizzle128Atom32, "32flip": ptxvm.Swizzle128Atom32Flip, "64": ptxvm.Swizzle128Atom64,
}

var mapSwizzles = map[string]ptxvm.Swizzle{
	"none": {}, "32": ptxvm.Swizzle32, "64": ptxvm.Swizzle64, "96": ptxvm.Swizzle96, "128": ptxvm.Swizzle128,
}

// mapSlices are the bytes of the slices of interleaved tensors.
var mapSlices = map[string]int{"none": 0, "16": 16, "32": 32}

func parseMap(text string) (*mapSpec, error) {
	parts := strings.Split(text, ",")
	if len(parts) < 4 {
		return nil, fmt.Errorf("%s", mapUsage)
	}
	m := &mapSpec{buffer: parts[0]}
	if _, err := value.ParseType(parts[1]); err != nil {
		return nil, err
	}
	m.tiled.Type = parts[1]
	var err error
	if m.tiled.Dims, err = parseExtents[uint32](parts[2]); err == nil && parts[3] != "-" {
		m.tiled.Box, err = parseExtents[uint32](parts[3])
	}
	for _, part := range parts[4:] {
		if err == nil {
			err = m.option(part)
		}
	}
	if noBox := parts[3] == "-"; err == nil && noBox != (m.columns != nil) {
		err = fmt.Errorf("a map of columns (im2col=…) has - for its box, and no other has; %s", mapUsage)
	}
	return m, err
}

// mapColumns are the modes of maps of columns.
var mapColumns = map[string]ptxvm.Im2colMode{"im2col": ptxvm.Im2col, "im2colw": ptxvm.Im2colW, "im2colw128": ptxvm.Im2colW128}

// column reads LOW/HIGH/CHANNELS/PIXELS; corners are -1x-1, W first.
func (m *mapSpec) column(mode ptxvm.Im2colMode, text string) (err error) {
	parts := strings.Split(text, "/")
	if len(parts) != 4 {
		return fmt.Errorf("im2col=%s: want LOW/HIGH/CHANNELS/PIXELS, such as -1x-1/-1x-1/64/128", text)
	}
	c := &ptxvm.TensorMapIm2col{Mode: mode}
	if c.Lower, err = parseCorner(parts[0]); err != nil {
		return err
	}
	if c.Upper, err = parseCorner(parts[1]); err != nil {
		return err
	}
	sizes, err := parseExtents[uint32](parts[2] + "x" + parts[3])
	if err != nil || len(sizes) != 2 {
		return fmt.Errorf("im2col=%s: want the channels and pixels of a column, such as 64/128", text)
	}
	c.Channels, c.Pixels, m.columns = sizes[0], sizes[1], c
	return nil
}

// parseCorner reads -1x-1.
func parseCorner(text string) (list []int32, err error) {
	for _, word := range strings.Split(text, "x") {
		n, err := strconv.ParseInt(word, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%s: want whole numbers with x between them, W first, such as -1x-1", text)
		}
		list = append(list, int32(n))
	}
	return list, nil
}

// describe is the map over a buffer.
func (m *mapSpec) describe(b ptxvm.Buffer) ptxvm.TensorDescription {
	t := m.tiled
	t.Buffer = b
	if m.columns == nil {
		return t
	}
	c := *m.columns
	c.Buffer, c.Type, c.Dims, c.Strides, c.ElementStrides, c.Swizzle, c.Interleave, c.NaNs = b, t.Type, t.Dims, t.Strides, t.ElementStrides, t.Swizzle, t.Interleave, t.NaNs
	return c
}

// option reads KEY=VALUE.
func (m *mapSpec) option(text string) (err error) {
	key, value, _ := strings.Cut(text, "=")
	var ok bool
	switch key {
	case "strides":
		m.tiled.Strides, err = parseExtents[uint64](value)
		return err
	case "elem":
		m.tiled.ElementStrides, err = parseExtents[uint32](value)
		return err
	case "swizzle":
		m.tiled.Swizzle, ok = mapSwizzles[value]
	case "atomicity":
		if m.tiled.Swizzle != ptxvm.Swizzle128 {
			return fmt.Errorf("%s belongs behind swizzle=128", text)
		}
		m.tiled.Swizzle, ok = mapAtoms[value]
	case "oob":
		m.tiled.NaNs, ok = value == "nan", value == "nan" || value == "zero"
	case "im2col", "im2colw", "im2colw128":
		return m.column(mapColumns[key], value)
	case "interleave":
		m.tiled.Interleave, ok = mapSlices[value]
	}
	if !ok {
		return fmt.Errorf("%s: want strides=BYTESx…, elem=Nx…, swizzle=none|32|64|96|128, atomicity=16|32|32flip|64, interleave=none|16|32, oob=zero|nan or im2col|im2colw|im2colw128=LOW/HIGH/CHANNELS/PIXELS", text)
	}
	return nil
}

// parseExtents reads 256x64.
func parseExtents[T uint32 | uint64](text string) (list []T, err error) {
	for _, word := range strings.Split(text, "x") {
		n, err := strconv.ParseUint(word, 0, 40)
		if err != nil || uint64(T(n)) != n {
			return nil, fmt.Errorf("%s: want numbers with x between them, dimension 0 first; %s", text, mapUsage)
		}
		list = append(list, T(n))
	}
	return list, nil
}

// tensorMap makes the map of an argument: the map itself for a parameter of 128 bytes, else the address of a copy.
func (j *Job) tensorMap(spec *mapSpec, size int) (any, error) {
	n, err := j.find(spec.buffer)
	if err != nil {
		return nil, err
	}
	m, err := j.device.NewTensorMap(spec.describe(n.buffer))
	if err != nil || size == len(m) {
		return m, err
	}
	return ptxvm.Upload(j.device, m[:])
}
