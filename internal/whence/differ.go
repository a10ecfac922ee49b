package whence

// This file compares the memory of two launches.

import (
	"bytes"
	"fmt"
	"io"
	"text/tabwriter"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/launchlang"
	"ptxvm.invalid/ptxvm/internal/value"
)

// Change is a memory that the launches leave with different bytes.
type Change struct {
	at    [2]launchlang.Memory // of each side
	bytes [2][]byte
	count int
	first []value.Difference
	far   []bool // of each element whether it differs
}

// mostShown is how many elements of a memory are listed.
const mostShown = 8

// Differences compares all memory that the launches share by name or place, variables of the modules in .global, too.
func Differences(sides [2]*Side, within value.Tolerance) (list []*Change, err error) {
	a, b := sides[0].Job.Memories(), sides[1].Job.Memories()
	byName := map[string]launchlang.Memory{}
	for _, m := range sides[1].Job.Variables() {
		byName[m.Name] = m
	}
	for _, m := range sides[0].Job.Variables() {
		if other, ok := byName[m.Name]; ok && other.Buffer.Len() == m.Buffer.Len() {
			a, b = append(a, m), append(b, other)
		}
	}
	for i := range min(len(a), len(b)) {
		c := &Change{at: [2]launchlang.Memory{a[i], b[i]}}
		for k, m := range c.at {
			c.bytes[k] = make([]byte, m.Buffer.Len())
			if err := ptxvm.Download(m.Buffer, c.bytes[k]); err != nil {
				return nil, err
			}
		}
		if c.compare(within); c.count != 0 {
			list = append(list, c)
		}
	}
	return list, nil
}

// compare finds the elements that differ.
func (c *Change) compare(within value.Tolerance) {
	if bytes.Equal(c.bytes[0], c.bytes[1]) {
		return
	}
	typ := c.at[0].Type
	c.first, c.count = typ.Compare(c.bytes[1], c.bytes[0], within, mostShown)
	size := typ.Size()
	c.far = make([]bool, len(c.bytes[0])/size)
	for i := range c.far {
		a, b := c.bytes[0][i*size:(i+1)*size], c.bytes[1][i*size:(i+1)*size]
		if !bytes.Equal(a, b) {
			_, n := typ.Compare(b, a, within, 0)
			c.far[i] = n != 0
		}
	}
}

// holds reports whether a byte of a side is one of an element that differs.
func (c *Change) holds(side int, addr uint64) bool {
	off := addr - c.at[side].Buffer.Addr()
	i := off / uint64(c.at[0].Type.Size())
	return i < uint64(len(c.far)) && c.far[i]
}

// words are a side's value of an element: as a number, and as bits.
func (c *Change) words(side, index int) string {
	size := c.at[0].Type.Size()
	return valueBits(c.at[0].Type, c.bytes[side][index*size:(index+1)*size])
}

// Write lists the first elements that differ.
func (c *Change) Write(w io.Writer) {
	typ := c.at[0].Type.Name()
	if typ == "" {
		typ = "bytes"
	}
	fmt.Fprintf(w, "differs: %s: %d of %d elements (%s)\n", diag.Escape(c.at[0].Name), c.count, len(c.bytes[0])/c.at[0].Type.Size(), typ)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, d := range c.first {
		ulp := ""
		if d.Apart && c.at[0].Type.Float() {
			ulp = fmt.Sprintf("\t%d ulp", d.ULP)
		}
		fmt.Fprintf(t, "  %s[%d]\tA %s\tB %s%s\n", diag.Escape(c.at[0].Name), d.Index, c.words(0, d.Index), c.words(1, d.Index), ulp)
	}
	_ = t.Flush() // as the lines before: a reader that has gone ends the process
	if c.count > len(c.first) {
		fmt.Fprintf(w, "  … %d more\n", c.count-len(c.first))
	}
}
