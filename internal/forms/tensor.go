package forms

// This file writes the tensor memory of a CTA.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	stdimage "image"
	"image/color"
	"image/png"
	"io"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm"
)

// TensorJSON is the memory as JSON; the names are part of the contract (docs/json.md).
func TensorJSON(m *ptxvm.TensorMemory) ([]byte, error) {
	var out bytes.Buffer
	err := json.NewEncoder(&out).Encode(struct {
		Schema  int        `json:"schema"`
		CTA     [3]uint32  `json:"cta"`
		Columns []int      `json:"columns"`
		Words   [][]uint32 `json:"words"` // by lane
	}{1, m.CTA.Array(), append([]int{}, m.Columns...), append([][]uint32{}, m.Words...)})
	return out.Bytes(), err
}

// TensorPicture has a row a lane and a pixel a word. The upper bytes are those that tell floats apart.
func TensorPicture(m *ptxvm.TensorMemory) ([]byte, error) {
	if len(m.Columns) == 0 {
		return nil, fmt.Errorf("nothing was allocated: there is no picture of it")
	}
	img := stdimage.NewNRGBA(stdimage.Rect(0, 0, len(m.Columns), len(m.Words)))
	for lane, row := range m.Words {
		for i, w := range row {
			img.SetNRGBA(i, lane, color.NRGBA{R: uint8(w >> 24), G: uint8(w >> 16), B: uint8(w >> 8), A: 255})
		}
	}
	var out bytes.Buffer
	err := png.Encode(&out, img)
	return out.Bytes(), err
}

// columnsAcross is the columns of a table.
const columnsAcross = 8

// PrintTensor prints words in hexadecimal, eight columns a table. Neighbouring lanes that are the
// same are one line; tables that are zero everywhere are one line together.
func PrintTensor(to io.Writer, m *ptxvm.TensorMemory) error {
	w := bufio.NewWriter(to)
	fmt.Fprintf(w, "tensor memory of CTA (%d,%d,%d)", m.CTA.X, m.CTA.Y, m.CTA.Z)
	if len(m.Columns) == 0 {
		fmt.Fprintln(w, ": nothing was allocated")
		return w.Flush()
	}
	fmt.Fprintln(w)
	zeros := []int{}
	for i := 0; i < len(m.Columns); i += columnsAcross {
		if zeroColumns(m, i) {
			zeros = append(zeros, m.Columns[i])
			continue
		}
		printColumns(w, m, i)
	}
	if len(zeros) > 0 {
		fmt.Fprintf(w, "zero: columns %s\n", ranges(zeros))
	}
	return w.Flush()
}

// zeroColumns reports whether a table would only show zeros.
func zeroColumns(m *ptxvm.TensorMemory, from int) bool {
	return !slices.ContainsFunc(m.Words, func(row []uint32) bool {
		return slices.ContainsFunc(row[from:from+columnsAcross], func(x uint32) bool { return x != 0 })
	})
}

// printColumns prints one table.
func printColumns(w io.Writer, m *ptxvm.TensorMemory, from int) {
	fmt.Fprintf(w, "%-7s", "lane")
	for _, c := range m.Columns[from : from+columnsAcross] {
		fmt.Fprintf(w, " %8d", c)
	}
	fmt.Fprintln(w)
	for lane := 0; lane < len(m.Words); {
		row, last := m.Words[lane][from:from+columnsAcross], lane
		for last+1 < len(m.Words) && slices.Equal(row, m.Words[last+1][from:from+columnsAcross]) {
			last++
		}
		name := fmt.Sprint(lane)
		if last > lane {
			name = fmt.Sprintf("%d-%d", lane, last)
		}
		fmt.Fprintf(w, "%-7s", name)
		for _, x := range row {
			fmt.Fprintf(w, " %08x", x)
		}
		fmt.Fprintln(w)
		lane = last + 1
	}
}

// ranges lists tables by their first columns, neighbours together.
func ranges(starts []int) string {
	var parts []string
	for i := 0; i < len(starts); {
		j := i
		for j+1 < len(starts) && starts[j+1] == starts[j]+columnsAcross {
			j++
		}
		parts = append(parts, fmt.Sprintf("%d to %d", starts[i], starts[j]+columnsAcross-1))
		i = j + 1
	}
	return strings.Join(parts, ", ")
}
