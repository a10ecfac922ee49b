package main

// This file prints the tensor memory of a CTA: --show tmem.

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"ptxvm"
)

// showFlag reads tmem[=X,Y,Z].
type showFlag struct{ memory *ptxvm.TensorMemory }

func (f *showFlag) String() string { return "" }
func (f *showFlag) Type() string   { return "WHAT" }

func (f *showFlag) Set(text string) (err error) {
	what, at, given := strings.Cut(text, "=")
	if what != "tmem" {
		return fmt.Errorf("%q is not built yet; want tmem or tmem=X,Y,Z", what)
	}
	f.memory = &ptxvm.TensorMemory{}
	if !given {
		return nil
	}
	if f.memory.CTA, err = parsePoint(at); err != nil {
		return fmt.Errorf("CTA %w", err)
	}
	return nil
}

// columnsAcross is the columns of a table.
const columnsAcross = 8

// printTensor prints words in hexadecimal, eight columns a table. Neighbouring lanes that are the
// same are one line; tables that are zero everywhere are one line together.
func printTensor(to io.Writer, m *ptxvm.TensorMemory) error {
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

// zeroColumns tells whether a table would only show zeros.
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
