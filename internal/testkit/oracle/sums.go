package main

// Sums: what the device answers for every operand, kept as checksums of 2^24 operands each.
// Nothing is computed here beside it, so all 2^32 operands of a function take seconds; tests of
// internal/num compute the same sums without a device.

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// sumOf is the number of operands of one checksum, rowOf of one row of a table.
const (
	sumOf = 1 << 24
	rowOf = 16 * sumOf
)

func sumsVerb(args []string, out, errs io.Writer, open func() (Driver, error), assemble Assembler) error {
	fl := flag.NewFlagSet("sums", flag.ContinueOnError)
	fl.SetOutput(errs)
	only := fl.String("only", "", "functions that begin so")
	from := fl.Uint64("from", 0, "first operand")
	count := fl.Uint64("count", 0, "number of operands; 0: all")
	step := fl.Uint64("step", 1, "from one operand to the next")
	table := fl.String("o", "", "write the table to this file, too")
	raw := fl.String("raw", "", "write the results of one function to this file, little-endian")
	if err := fl.Parse(args); err != nil {
		return err
	}
	if *step == 0 {
		return errors.New("-step 0: want 1 for every operand, 4093 for a sample")
	}
	m, err := start(open, assemble)
	if err != nil {
		return err
	}
	defer func() { _ = m.driver.Close() }() // everything is read back
	list, err := m.functions(fl.Args(), *only)
	if err != nil {
		return err
	}
	if *raw != "" && len(list) != 1 {
		return fmt.Errorf("-raw is for one function; -only leaves %d", len(list))
	}
	rows, sink, err := m.tables(*table, *raw, out)
	if err != nil {
		return err
	}
	for _, f := range list {
		if err := m.sums(f, *from, *count, *step, rows, sink); err != nil {
			return fmt.Errorf("%s: %w", f.text(), err)
		}
	}
	return nil
}

// tables makes the files of a table, whose rows go to out, too, behind one that names the device, and
// of raw results; those without a name take what is written and keep nothing.
func (m *machine) tables(table, raw string, out io.Writer) (rows, sink io.Writer, err error) {
	create := func(name string) (io.Writer, error) {
		if name == "" {
			return io.Discard, nil
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, err
		}
		return os.Create(name)
	}
	rows, err = create(table)
	if err == nil {
		sink, err = create(raw)
	}
	if err == nil {
		rows = io.MultiWriter(out, rows)
		fmt.Fprintf(rows, "# %s, %s\n", m.driver.Device().Name, m.driver.Device().Target)
	}
	return rows, sink, err
}

// sums writes the rows of one function: its statement, the first operand, + step if it is not 1,
// and up to 16 CRC-32C sums of the results (little-endian, in the order of the operands).
func (m *machine) sums(f *function, from, count, step uint64, rows, sink io.Writer) error {
	if left := (f.operands - min(from, f.operands) + step - 1) / step; count == 0 || count > left {
		count = left
	}
	image, err := m.assemble(f.kernel(m.target), m.target)
	if err != nil {
		return err
	}
	mod, err := m.driver.Load(image)
	if err != nil {
		return err
	}
	data := make([]byte, min(sumOf, count)*uint64(f.results()))
	at, err := m.driver.Alloc(len(data))
	if err != nil {
		return err
	}
	for first := uint64(0); first < count; first += rowOf {
		var row strings.Builder
		fmt.Fprintf(&row, "%s %#08x", f.text(), from+first*step)
		if step != 1 {
			fmt.Fprintf(&row, "+%d", step)
		}
		for n := first; n < min(first+rowOf, count); n += sumOf {
			part := data[:min(sumOf, count-n)*uint64(f.results())]
			if err := m.results(mod, at, from+n*step, step, part, f.results()); err != nil {
				return err
			}
			fmt.Fprintf(&row, " %08x", crc32.Checksum(part, castagnoli))
			if _, err := sink.Write(part); err != nil {
				return err
			}
		}
		fmt.Fprintln(rows, row.String())
	}
	return errors.Join(m.driver.Free(at), mod.Unload())
}

// results fills data with what the kernel writes for the operands from the given one on.
func (m *machine) results(mod Module, at Address, from, step uint64, data []byte, size int) error {
	n, args := uint64(len(data)/size), [][]byte{at.param()}
	for _, v := range []uint64{from, n, step} {
		args = append(args, binary.LittleEndian.AppendUint32(nil, uint32(v)))
	}
	if err := mod.Launch("sweep", blocks(n), [3]uint32{threads, 1, 1}, args); err != nil {
		return err
	}
	return m.driver.Read(at, data)
}
