package tensors_test

// This file holds the example testdata/tensor/tour.ptx and its page, docs/tensor-memory.md: every
// cell against a model that starts from the destination, and the page's cells worked out by hand.

import (
	"context"
	"encoding/binary"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

// tourShapes are the copies of the tour, by the first of their columns. row names the row of the
// source that a lane gets; negative: the copy does not write it.
var tourShapes = []struct {
	name        string
	from, units int
	row         func(warp, in int) int
}{
	{".128x256b", 0, 2, func(warp, in int) int { return 32*warp + in }},
	{".4x256b", 8, 2, func(warp, in int) int { return warp - 8*in }}, // lane 0 of each warp
	{".128x128b", 16, 1, func(warp, in int) int { return 32*warp + in }},
	{".64x128b.warpx2::02_13", 20, 1, func(warp, in int) int { return warp%2*32 + in }},
	{".64x128b.warpx2::01_23", 24, 1, func(warp, in int) int { return warp/2*32 + in }},
	{".32x128b.warpx4", 28, 1, func(_, in int) int { return in }},
}

// tourTile is the tile of a format, as the kernel's comment says.
func tourTile(format int) (tile []byte) {
	for off := uint32(0); off < 16384; off += 4 {
		word := off
		if format >= 2 {
			word = 0x76543210 ^ off/4%4*0x11111111 ^ off/16%256*0x01010101
		}
		tile = binary.LittleEndian.AppendUint32(tile, word)
	}
	return tile
}

// tourCell is what the tour must leave in a lane and column.
func tourCell(tile []byte, format, lane, column int) uint32 {
	s := len(tourShapes) - 1
	for tourShapes[s].from > column {
		s--
	}
	row, unit, word := tourShapes[s].row(lane/32, lane%32), (column-tourShapes[s].from)/4, column%4
	if row < 0 {
		return 0
	}
	off := row*16 + unit*2048
	if format == 1 {
		off = rowOf(row, unit, 128, 1)
	}
	switch format {
	case 2:
		return sixBits(tile[off:], word)
	case 3:
		return fourBits(tile[off:], word)
	}
	return at(tile, off+4*word)
}

// runTour returns what the tour loads, and tensor memory as --show prints it.
func runTour(t *testing.T, cfg ptxvm.DeviceConfig, format int) ([]uint32, *ptxvm.TensorMemory) {
	t.Helper()
	d := rig.Device(t, cfg)
	m, err := ptxvm.Compile("tour.ptx", []byte(tensorText(t, "tour")), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]uint32, 128*32)
	to, err := ptxvm.Upload(d, out)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := rig.Kernel(t, p, "tour").Watch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: 128}}, ptxvm.Watch{Tensor: &ptxvm.Index3{}}, to, uint32(format))
	if err != nil || stats.Leak != nil {
		t.Fatalf("format %d: %v, %v", format, err, stats.Leak)
	}
	if err := ptxvm.Download(to, out); err != nil {
		t.Fatal(err)
	}
	return out, stats.Tensor
}

// TestTensorTour: all cells of all formats, in every mode; what is loaded is what is shown.
func TestTensorTour(t *testing.T) {
	for format := range 4 {
		tile := tourTile(format)
		for _, cfg := range []ptxvm.DeviceConfig{
			{Arch: "sm_100a"}, {Arch: "sm_100a", Async: ptxvm.AsyncLazy, Sanitize: ptxvm.SanitizeInit, Workers: 1}, {Arch: "sm_100a", Async: ptxvm.AsyncRandom, Seed: 3},
		} {
			out, shown := runTour(t, cfg, format)
			if len(shown.Columns) != 32 || len(shown.Words) != 128 {
				t.Fatalf("%d columns, %d lanes are shown", len(shown.Columns), len(shown.Words))
			}
			for i, have := range out {
				lane, column := i/32, i%32
				if want := tourCell(tile, format, lane, column); have != want || shown.Words[lane][column] != want {
					t.Fatalf("format %d, %v: lane %d, column %d: %08x, shown %08x, want %08x", format, cfg.Async, lane, column, have, shown.Words[lane][column], want)
				}
			}
		}
	}
}

var (
	pageRow  = regexp.MustCompile("^\\| `(\\.[^`]+)` \\| (\\d+) \\| (\\d+) \\|(.+)\\|(.+)\\|(.+)\\|(.+)\\|(.+)\\|$")
	pageCell = regexp.MustCompile("`([0-9a-f]{8})` *$")
)

// TestTensorPage: the cells that the page works out by hand, at least three for each shape and
// format, are what the tour leaves.
func TestTensorPage(t *testing.T) {
	page, err := os.ReadFile("docs/tensor-memory.md")
	if err != nil {
		t.Fatal(err)
	}
	var out [4][]uint32
	for format := range out {
		out[format], _ = runTour(t, ptxvm.DeviceConfig{Arch: "sm_100a"}, format)
	}
	rows := map[string]int{}
	for _, line := range strings.Split(string(page), "\n") {
		m := pageRow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		rows[m[1]]++
		lane, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		for format, text := range m[5:] {
			cell := pageCell.FindStringSubmatch(text)
			if cell == nil {
				t.Fatalf("no cell at the end of %q", text)
			}
			want, _ := strconv.ParseUint(cell[1], 16, 32)
			if have := out[format][lane*32+column]; have != uint32(want) {
				t.Errorf("%s, lane %d, column %d, format %d: %08x, the page says %08x", m[1], lane, column, format, have, want)
			}
		}
	}
	for _, s := range tourShapes {
		if rows[s.name] < 3 {
			t.Errorf("%s: %d rows of cells worked out by hand", s.name, rows[s.name])
		}
	}
}
