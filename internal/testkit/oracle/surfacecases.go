package main

// What the surface sweep asks: statements × arrays × coordinates around every bound.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm"
)

// access is a statement on a surface of a geometry.
type access struct {
	op       string // suld.b.2d.v2.b16.clamp
	geometry ptxvm.Geometry
	bits     int  // of a component
	count    int  // components
	store    bool // else they are read
	samples  bool // x counts samples, and the data are converted
	query    bool // it has no coordinates
}

// size is the bytes that an access touches on an array.
func (a *access) size(desc ptxvm.ArrayDesc) int {
	if a.samples {
		return 1 // x counts samples of any size
	}
	return a.bits / 8 * a.count
}

// surfaceCase is one question: a statement at a place of an array.
type surfaceCase struct {
	*access
	array ptxvm.ArrayDesc
	at    [4]int32 // coordinates in the order of the statement
}

// String names the case: statement, array, coordinates.
func (c *surfaceCase) String() string {
	if c.query {
		return fmt.Sprintf("%s [%s]", c.op, describe(c.array))
	}
	var list []string
	for _, v := range c.at[:coordinates[c.geometry]] {
		list = append(list, fmt.Sprint(v))
	}
	return fmt.Sprintf("%s [%s, {%s}]", c.op, describe(c.array), strings.Join(list, ", "))
}

// reaches are the geometries as the statements name them; coordinates how many they have, the
// ignored fourth included (9.7.11.1); places where x, y and the slice or layer stand among them,
// -1 for nowhere.
var (
	reaches     = map[ptxvm.Geometry]string{ptxvm.Array1D: "1d", ptxvm.Array2D: "2d", ptxvm.Array3D: "3d", ptxvm.Array1DLayered: "a1d", ptxvm.Array2DLayered: "a2d"}
	coordinates = map[ptxvm.Geometry]int{ptxvm.Array1D: 1, ptxvm.Array2D: 2, ptxvm.Array3D: 4, ptxvm.Array1DLayered: 2, ptxvm.Array2DLayered: 4}
	places      = map[ptxvm.Geometry][3]int{
		ptxvm.Array1D: {0, -1, -1}, ptxvm.Array2D: {0, 1, -1}, ptxvm.Array3D: {0, 1, 2}, ptxvm.Array1DLayered: {1, -1, 0}, ptxvm.Array2DLayered: {1, 2, 0},
	}
	geometries = []ptxvm.Geometry{ptxvm.Array1D, ptxvm.Array2D, ptxvm.Array3D, ptxvm.Array1DLayered, ptxvm.Array2DLayered}
)

// rowsOf are the formats and widths that each geometry has: rows of 32 bytes; of 20, where an
// access of 8 or 16 bytes does not end with the row; of 7, which hold no such access at all.
var rowsOf = []struct {
	format string
	width  int
}{{"u32x1", 8}, {"u8x4", 5}, {"u8x1", 7}}

// height and layers are the other extents.
const height, layers = 3, 2

// arrayOf describes an array of a geometry.
func arrayOf(g ptxvm.Geometry, format string, width int) ptxvm.ArrayDesc {
	f, err := ptxvm.ParseSampleFormat(format)
	if err != nil {
		panic(err) // the tables of this file are at fault
	}
	size := []int{width}
	if places[g][1] >= 0 {
		size = append(size, height)
	}
	if places[g][2] >= 0 {
		size = append(size, layers)
	}
	return ptxvm.ArrayDesc{Geometry: g, Size: size, Format: f}
}

// surfaceCases lists all questions.
func surfaceCases() (list []*surfaceCase) {
	for _, g := range geometries {
		for _, a := range accesses(g) {
			for i, r := range rowsOf {
				list = append(list, a.cases(arrayOf(g, r.format, r.width), i > 0)...)
			}
		}
		list = append(list, samples(g)...)
		list = append(list, queries(g)...)
	}
	return append(list, misfits()...)
}

// accesses are suld.b and sust.b of every width, vector and mode.
func accesses(g ptxvm.Geometry) (list []*access) {
	for _, op := range []string{"suld.b.", "sust.b."} {
		for _, bits := range []int{8, 16, 32, 64} {
			for _, count := range []int{1, 2, 4} {
				for _, mode := range modes {
					if bits*count <= 128 {
						list = append(list, &access{op: fmt.Sprint(op, reaches[g], vectors[count], ".b", bits, mode), geometry: g, bits: bits, count: count, store: op == "sust.b."})
					}
				}
			}
		}
	}
	return list
}

var (
	modes   = []string{".trap", ".clamp", ".zero"}
	vectors = map[int]string{1: "", 2: ".v2", 4: ".v4"}
)

// samples are sust.p in every mode, at samples around the bounds.
func samples(g ptxvm.Geometry) (list []*surfaceCase) {
	for _, mode := range modes {
		a := &access{op: "sust.p." + reaches[g] + ".v4.b32" + mode, geometry: g, bits: 32, count: 4, store: true, samples: true}
		list = append(list, a.cases(arrayOf(g, "u8x4", 5), false)...)
	}
	return list
}

// queries are suq of every extent, those that the geometry lacks included.
func queries(g ptxvm.Geometry) (list []*surfaceCase) {
	for _, what := range strings.Fields("width height depth array_size") {
		a := &access{op: "suq." + what + ".b32", geometry: g, bits: 32, count: 1, query: true}
		list = append(list, &surfaceCase{access: a, array: arrayOf(g, "u8x4", 5)})
	}
	return list
}

// misfits are sust.p of numbers that do not fit the channels.
func misfits() (list []*surfaceCase) {
	a := &access{op: "sust.p.1d.v4.b32.trap", geometry: ptxvm.Array1D, bits: 32, count: 4, store: true, samples: true}
	for _, format := range strings.Fields("u8x4 s8x4 u16x4 s16x4 u8x2 s16x1 u32x4 unorm8x4 snorm8x4 unorm16x4 snorm16x4 f16x4 f32x4") {
		list = append(list, &surfaceCase{access: a, array: arrayOf(ptxvm.Array1D, format, 5), at: [4]int32{1}})
	}
	return list
}

// cases are the questions of one statement on one array. Those that are not the first of a
// statement leave out what ends the context in every row: .trap, and misaligned places.
func (a *access) cases(desc ptxvm.ArrayDesc, brief bool) (list []*surfaceCase) {
	trap := strings.HasSuffix(a.op, ".trap")
	if brief && trap {
		return nil
	}
	size := int64(a.size(desc))
	row := int64(desc.Size[0])
	if !a.samples {
		row *= int64(desc.Format.Bytes())
	}
	add := func(x, y, k int64) {
		c := &surfaceCase{access: a, array: desc}
		for i, v := range []int64{x, y, k} {
			if p := places[a.geometry][i]; p >= 0 {
				c.at[p] = int32(v)
			}
		}
		if coordinates[a.geometry] == 4 {
			c.at[3] = -1 // ignored
		}
		list = append(list, c)
	}
	for _, x := range columns(row, size, trap, brief) {
		add(x, 0, 0)
	}
	for i, extent := range []int64{height, layers} {
		if places[a.geometry][i+1] < 0 {
			continue
		}
		for _, v := range steps(extent, trap, i == 1 && !brief) {
			at := [2]int64{}
			at[i] = v
			add(0, at[0], at[1])
		}
	}
	return list
}

// columns are the x of a row: the ends, one access beyond them, straddling the end, far away, and
// misaligned.
func columns(row, size int64, trap, brief bool) []int64 {
	last := max(row-size, 0) / size * size
	list := []int64{0, last, last + size, -size}
	if !trap {
		list = append(list, last+2*size, math.MinInt32, math.MaxInt32&^(size-1), 1<<16)
	}
	if size > 1 && !brief {
		list = append(list, 1, size-1, last+size/2, -1)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// steps are the places along an extent other than the first; of slices and layers also those where a
// number of 11, 15 or 16 bits ends.
func steps(n int64, trap, wide bool) []int64 {
	if trap {
		return []int64{n - 1, n, -1}
	}
	list := []int64{n - 1, n, -1, math.MinInt32, math.MaxInt32}
	if wide {
		list = append(list, 1<<11, 1<<15, 1<<16, 1<<16+1, 1<<16+n)
	}
	return list
}
