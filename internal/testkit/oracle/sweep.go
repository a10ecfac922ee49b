package main

// Sweeps: every operand of a function, on the device and on ptxvm, compared and summed up.

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strings"

	"ptxvm.invalid/ptxvm"
)

// chunk is the number of operands of one launch.
const chunk = 1 << 20

// threads of a CTA.
const threads = 256

// shown bounds the differences that are printed for one function.
const shown = 8

// sum is what is kept of a sweep: one line of a table.
type sum struct {
	*function
	from, count uint64
	crc         uint32 // CRC-32C of the device's results, little-endian, in the order of the operands
	differ      uint64
	first       []string // some that differ
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// String is the line of a table: statement, first operand, number, checksum, differences.
func (s *sum) String() string {
	return fmt.Sprintf("%-40s %#x %d %08x %d", s.text(), s.from, s.count, s.crc, s.differ)
}

func sweepVerb(args []string, out, errs io.Writer, open func() (Driver, error), assemble Assembler) error {
	fl := flag.NewFlagSet("sweep", flag.ContinueOnError)
	fl.SetOutput(errs)
	only := fl.String("only", "", "functions and statements that begin so")
	from := fl.Uint64("from", 0, "first operand, or case of a surface")
	count := fl.Uint64("count", 0, "number of operands or cases; 0: all")
	faults := fl.Int("faults", 0, "of each statement of a surface, ask this many of the cases that fault by ptxvm; 0: all")
	table := fl.String("o", "", "write the table to this file, too")
	raw := fl.String("raw", "", "write the results of one function to this file, little-endian")
	if err := fl.Parse(args); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(*table), 0o755); err != nil { // hours later would be too late
		return err
	}
	m, err := start(open, assemble)
	if err != nil {
		return err
	}
	defer func() { _ = m.driver.Close() }() // everything is read back
	var sums strings.Builder
	fmt.Fprintf(&sums, "# %s, %s\n", m.driver.Device().Name, m.driver.Device().Target)
	var differ, failed int
	if fl.NArg() == 1 && fl.Arg(0) == "surface" {
		if *raw != "" {
			return errors.New("-raw is for functions; the table of a surface sweep has every answer")
		}
		differ, failed, err = m.surfaceSweep(*only, *from, *count, *faults, out, errs, &sums)
	} else {
		differ, failed, err = m.functionSweep(fl.Args(), *only, *raw, *from, *count, out, errs, &sums)
	}
	if *table != "" {
		err = errors.Join(err, os.WriteFile(*table, []byte(sums.String()), 0o644))
	}
	if err == nil && differ+failed > 0 {
		err = errDiffer
	}
	return err
}

// functionSweep sweeps functions of one operand.
func (m *machine) functionSweep(names []string, only, raw string, from, count uint64, out, errs io.Writer, sums io.Writer) (differ, failed int, err error) {
	list, err := m.functions(names, only)
	if err != nil {
		return 0, 0, err
	}
	if raw != "" && len(list) != 1 {
		return 0, 0, fmt.Errorf("-raw is for one function; -only leaves %d", len(list))
	}
	for _, f := range list {
		s, err := m.sweep(f, from, count, raw)
		if err != nil {
			failed++
			fmt.Fprintf(errs, "%s: %v\n", f.text(), err)
			if err := m.restart(); err != nil {
				return differ, failed, err
			}
			continue
		}
		fmt.Fprintf(io.MultiWriter(out, sums), "%v\n", s)
		for _, line := range s.first {
			fmt.Fprintf(out, "\t%s\n", line)
		}
		if s.differ > 0 {
			differ++
		}
	}
	fmt.Fprintf(out, "%d functions, %d differ, %d failed\n", len(list), differ, failed)
	return differ, failed, nil
}

// functions lists what a sweep goes over.
func (m *machine) functions(names []string, only string) (list []*function, err error) {
	if len(names) != 1 {
		return nil, errors.New("sweep goes over one of: cvt, surface, approx")
	}
	switch names[0] {
	case "cvt":
		list = conversions(m.target)
	case "approx":
		list = approximations(m.target)
	default:
		return nil, fmt.Errorf("there are no functions %q: want cvt or approx (surface is a sweep of its own)", names[0])
	}
	var some []*function
	for _, f := range list {
		if strings.HasPrefix(f.op, only) {
			some = append(some, f)
		}
	}
	if some == nil {
		return nil, fmt.Errorf("no function of %s begins with %q on %v", names[0], only, m.target)
	}
	return some, nil
}

// sweep runs one function over count operands from the first on; 0 is all of them.
func (m *machine) sweep(f *function, from, count uint64, raw string) (*sum, error) {
	if count == 0 || from+count > f.operands {
		count = f.operands - min(from, f.operands)
	}
	text := f.kernel(m.target)
	image, err := m.assemble(text, m.target)
	if err != nil {
		return nil, err
	}
	mod, err := m.driver.Load(image)
	if err != nil {
		return nil, err
	}
	emulated, err := newEmulated(text, m.target.String())
	if err != nil {
		return nil, err
	}
	defer emulated.Close()
	var sink io.Writer = io.Discard
	if raw != "" {
		file, err := os.Create(raw)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		sink = file
	}
	s := &sum{function: f, from: from, count: count}
	for done := uint64(0); done < count; done += chunk {
		n := min(chunk, count-done)
		have, err := m.chunk(mod, f, from+done, n)
		if err != nil {
			return nil, err
		}
		want, err := emulated.chunk(f, from+done, n)
		if err != nil {
			return nil, err
		}
		if _, err := sink.Write(have); err != nil {
			return nil, err
		}
		s.compare(from+done, have, want)
	}
	return s, mod.Unload()
}

// compare adds the results of one chunk.
func (s *sum) compare(from uint64, have, want []byte) {
	s.crc = crc32.Update(s.crc, castagnoli, have)
	if bytes.Equal(have, want) {
		return
	}
	size := s.results()
	for i := 0; i < len(have); i += size {
		if bytes.Equal(have[i:i+size], want[i:i+size]) {
			continue
		}
		s.differ++
		if len(s.first) < shown {
			s.first = append(s.first, fmt.Sprintf("%#x: want %s, have %s", (from+uint64(i/size))<<s.shift, number(want[i:i+size]), number(have[i:i+size])))
		}
	}
}

func number(b []byte) string {
	if len(b) == 8 {
		return fmt.Sprintf("%#x", binary.LittleEndian.Uint64(b))
	}
	return fmt.Sprintf("%#x", binary.LittleEndian.Uint32(b))
}

// blocks is the grid of n threads.
func blocks(n uint64) [3]uint32 { return [3]uint32{uint32((n + threads - 1) / threads), 1, 1} }

// chunk runs operands on the device.
func (m *machine) chunk(mod Module, f *function, from, n uint64) ([]byte, error) {
	data := make([]byte, n*uint64(f.results()))
	at, err := m.driver.Alloc(len(data))
	if err != nil {
		return nil, err
	}
	return data, errors.Join(m.results(mod, at, from, 1, data, f.results()), m.driver.Free(at))
}

// emulated is the same kernel on ptxvm.
type emulated struct {
	*ptxvm.Device
	kernel *ptxvm.Kernel
	out    ptxvm.Buffer
}

func newEmulated(text, arch string) (*emulated, error) {
	m, err := ptxvm.Compile("sweep.ptx", []byte(text), nil)
	if err != nil {
		return nil, err
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: arch, Memory: 64 << 20})
	if err != nil {
		return nil, err
	}
	e := &emulated{Device: d}
	p, err := d.Load(m)
	if err == nil {
		e.kernel, err = p.Kernel("sweep")
	}
	if err == nil {
		e.out, err = d.Alloc(8 * chunk)
	}
	return e, err
}

func (e *emulated) chunk(f *function, from, n uint64) ([]byte, error) {
	shape := ptxvm.Launch{Grid: ptxvm.Dim3{X: blocks(n)[0]}, Block: ptxvm.Dim3{X: threads}}
	if _, err := e.kernel.Launch(context.Background(), shape, e.out, uint32(from), uint32(n), uint32(1)); err != nil {
		return nil, err
	}
	data := make([]byte, n*uint64(f.results()))
	_, err := e.out.ReadAt(data, 0)
	return data, err
}
