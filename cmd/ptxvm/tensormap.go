package main

// This file reads --arg tensormap:NAME,TYPE,DIMS,BOX[,KEY=VALUE…]: a tensor map over a named buffer. Dimension 0, whose
// elements are neighbours, comes first: f16,256x64,64x8.

import (
	"fmt"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/value"
)

// mapSpec is a tensor map, but for the buffer's address.
type mapSpec struct {
	buffer string
	tiled  ptxvm.TensorMapTiled
}

const mapUsage = "want tensormap:NAME,TYPE,DIMS,BOX, such as tensormap:a,f16,256x64,64x8"

// mapAtoms are the swizzles of 128 bytes by what moves as a whole.
var mapAtoms = map[string]ptxvm.Swizzle{
	"16": ptxvm.Swizzle128, "32": ptxvm.Swizzle128Atom32, "32flip": ptxvm.Swizzle128Atom32Flip, "64": ptxvm.Swizzle128Atom64,
}

var mapSwizzles = map[string]ptxvm.Swizzle{
	"none": {}, "32": ptxvm.Swizzle32, "64": ptxvm.Swizzle64, "96": ptxvm.Swizzle96, "128": ptxvm.Swizzle128,
}

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
	if m.tiled.Dims, err = parseExtents[uint32](parts[2]); err == nil {
		m.tiled.Box, err = parseExtents[uint32](parts[3])
	}
	for _, part := range parts[4:] {
		if err == nil {
			err = m.option(part)
		}
	}
	return m, err
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
	case "interleave", "im2col":
		return fmt.Errorf("%s is not built yet", key)
	}
	if !ok {
		return fmt.Errorf("%s: want strides=BYTESx…, elem=Nx…, swizzle=none|32|64|96|128, atomicity=16|32|32flip|64 or oob=zero|nan", text)
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
func (j *job) tensorMap(spec *mapSpec, size int) (any, error) {
	n, err := j.find(spec.buffer)
	if err != nil {
		return nil, err
	}
	tiled := spec.tiled
	tiled.Buffer = n.buffer
	m, err := j.device.NewTensorMap(tiled)
	if err != nil || size == len(m) {
		return m, err
	}
	return ptxvm.Upload(j.device, m[:])
}
