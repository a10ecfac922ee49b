package main

// Products of matrices: what a device answers is kept as checksums of every way's cases, and compared
// where ptxvm executes the statement.

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// casesOfWay is the number of cases of each way.
const casesOfWay = 64

// productAnswer is what a device says about a statement.
type productAnswer struct {
	*product
	results [ways][]byte // [case][register][lane]
}

func productsVerb(args []string, out, errs io.Writer, open func() (Driver, error), assemble Assembler) error {
	fl := flag.NewFlagSet("products", flag.ContinueOnError)
	fl.SetOutput(errs)
	only := fl.String("only", "", "statements that begin so")
	table := fl.String("o", "", "write the table to this file, too")
	raw := fl.String("raw", "", "write all results to this file, little-endian")
	if err := fl.Parse(args); err != nil {
		return err
	}
	m, err := start(open, assemble)
	if err != nil {
		return err
	}
	defer func() { _ = m.driver.Close() }() // everything is read back
	rows, sink, err := m.tables(*table, *raw, out)
	if err != nil {
		return err
	}
	differ, failed, err := m.products(*only, out, errs, rows, sink)
	if err == nil && differ+failed > 0 {
		err = errDiffer
	}
	return err
}

// products runs the statements that begin with only. It returns how many differ and how many
// could not be run. All results go to sink.
func (m *machine) products(only string, out, errs, table, sink io.Writer) (differ, failed int, err error) {
	asked, refused := 0, 0
	for _, p := range products(m.target) {
		if !strings.HasPrefix(p.op, only) {
			continue
		}
		asked++
		a, err := m.multiply(p)
		if err != nil {
			failed++
			fmt.Fprintf(errs, "%s: %v\n", p.op, err)
			if err := m.restart(); err != nil {
				return differ, failed, err
			}
			continue
		}
		fmt.Fprintln(table, a)
		for _, data := range a.results {
			if _, err := sink.Write(data); err != nil {
				return differ, failed, err
			}
		}
		switch n, err := a.compare(m); {
		case err != nil:
			refused++
		case n > 0:
			differ++
			fmt.Fprintf(out, "\t%d registers differ\n", n)
		}
	}
	fmt.Fprintf(out, "%d statements, %d differ, %d failed, %d are not executed by ptxvm\n", asked, differ, failed, refused)
	return differ, failed, nil
}

// multiply runs the cases of a statement.
func (m *machine) multiply(p *product) (*productAnswer, error) {
	image, err := m.assemble(p.kernel(m.target), m.target)
	if err != nil {
		return nil, err
	}
	mod, err := m.driver.Load(image)
	if err != nil {
		return nil, err
	}
	a := &productAnswer{product: p}
	for w := range ways {
		if a.results[w], err = m.multiplyWay(mod, p, w); err != nil {
			return nil, err
		}
	}
	return a, mod.Unload()
}

func (m *machine) multiplyWay(mod Module, p *product, w way) ([]byte, error) {
	in, err := m.buffer(p.inputs(w))
	if err != nil {
		return nil, err
	}
	data := make([]byte, casesOfWay*p.d*p.lanes*p.width/8)
	out, err := m.buffer(data)
	if err != nil {
		return nil, err
	}
	if err := mod.Launch("product", [3]uint32{casesOfWay, 1, 1}, [3]uint32{uint32(p.lanes), 1, 1}, [][]byte{in.param(), out.param()}); err != nil {
		return nil, err
	}
	return data, errors.Join(m.driver.Read(out, data), m.driver.Free(in), m.driver.Free(out))
}

// inputs are all cases of a way.
func (p *product) inputs(w way) (data []byte) {
	for number := range casesOfWay {
		data = append(data, p.input(w, number)...)
	}
	return data
}

// String is the line of a table: the statement, the selector of its metadata, and a checksum
// (CRC-32C) of each way's results.
func (a *productAnswer) String() string {
	line := a.op
	if a.e {
		line += fmt.Sprintf(" selector %d", a.selector)
	}
	for _, data := range a.results {
		line += fmt.Sprintf(" %08x", crc32.Checksum(data, castagnoli))
	}
	return line
}

// compare counts the registers in which ptxvm's results differ. The error is that it does not
// execute the statement.
func (a *productAnswer) compare(m *machine) (differ int, err error) {
	e, err := a.emulator(m.target)
	if err != nil {
		return 0, err
	}
	defer e.Close()
	for w := range ways {
		want, err := e.run(w)
		if err != nil {
			return 0, err
		}
		for i := 0; i < len(want); i += a.width / 8 {
			if !bytes.Equal(want[i:i+a.width/8], a.results[w][i:i+a.width/8]) {
				differ++
			}
		}
	}
	return differ, nil
}

// multiplier is the statement's kernel on ptxvm.
type multiplier struct {
	*product
	*ptxvm.Device
	kernel *ptxvm.Kernel
}

func (a *productAnswer) emulator(target isa.Target) (*multiplier, error) {
	mod, err := ptxvm.Compile("product.ptx", []byte(a.kernel(target)), nil)
	if err != nil {
		return nil, err
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: target.String(), Memory: 64 << 20})
	if err != nil {
		return nil, err
	}
	e := &multiplier{product: a.product, Device: d}
	p, err := d.Load(mod)
	if err == nil {
		e.kernel, err = p.Kernel("product")
	}
	return e, err
}

// run returns the results of a way: [case][register][lane].
func (e *multiplier) run(w way) ([]byte, error) {
	data := e.inputs(w)
	in, err := e.Alloc(len(data))
	if err != nil {
		return nil, err
	}
	if _, err := in.WriteAt(data, 0); err != nil {
		return nil, err
	}
	data = make([]byte, casesOfWay*e.d*e.lanes*e.width/8)
	out, err := e.Alloc(len(data))
	if err != nil {
		return nil, err
	}
	shape := ptxvm.Launch{Grid: ptxvm.Dim3{X: casesOfWay}, Block: ptxvm.Dim3{X: uint32(e.lanes)}}
	if _, err := e.kernel.Launch(context.Background(), shape, in, out); err != nil {
		return nil, err
	}
	_, err = out.ReadAt(data, 0)
	return data, errors.Join(err, in.Free(), out.Free())
}
