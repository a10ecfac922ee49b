// Oracle asks a GPU: it runs the project's vector files and sweeps of whole functions on the first
// CUDA device, from machine code that ptxas makes, and says where the answers differ from what
// ptxvm computes. It is a program of its own because it is the only one that loads the CUDA
// driver. docs/oracle.md says how to use it.
//
//	oracle vectors [-write] FILE…      rows of vector files; -write marks those that the device confirms
//	oracle sweep [flags] cvt|approx    every operand of a function, compared and summed up
//	oracle sums [flags] cvt|approx     checksums of every operand's result, of the device alone
//	oracle sweep [flags] surface       surface accesses out of bounds and misaligned
//	oracle products [flags]            products of matrices, as checksums
//	oracle plan                        what to capture first, as command lines
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/ptxas"
	"ptxvm.invalid/ptxvm/internal/testkit/vec"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == childVerb {
		if err := serve(duplex{os.Stdin, os.Stdout}, openCUDA); err != nil {
			fmt.Fprintf(os.Stderr, "oracle %s: %v\n", childVerb, err)
			os.Exit(exitUsage)
		}
		return
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr, openChild, assembleCubin))
}

// Exit codes.
const (
	exitAgree  = 0
	exitDiffer = 1
	exitUsage  = 2
	exitNoGPU  = 3
)

// errDiffer says that the device gave other results.
var errDiffer = errors.New("the device gives other results")

// run is main with its surroundings as arguments.
func run(args []string, out, errs io.Writer, open func() (Driver, error), assemble Assembler) int {
	err := command(args, out, errs, open, assemble)
	switch {
	case err == nil:
		return exitAgree
	case errors.Is(err, errNoDriver):
		fmt.Fprintf(errs, "oracle: there is no GPU to ask: %v\n", err)
		return exitNoGPU
	case errors.Is(err, errDiffer):
		fmt.Fprintf(errs, "oracle: %v\n", err)
		return exitDiffer
	}
	fmt.Fprintf(errs, "oracle: %v\n", err)
	return exitUsage
}

func command(args []string, out, errs io.Writer, open func() (Driver, error), assemble Assembler) error {
	if len(args) == 0 {
		return errors.New("want vectors, sweep, sums, products or plan; see docs/oracle.md")
	}
	switch verb := args[0]; verb {
	case "plan":
		_, err := io.WriteString(out, plan)
		return err
	case "vectors":
		return vectorsVerb(args[1:], out, errs, open, assemble)
	case "sweep":
		return sweepVerb(args[1:], out, errs, open, assemble)
	case "sums":
		return sumsVerb(args[1:], out, errs, open, assemble)
	case "products":
		return productsVerb(args[1:], out, errs, open, assemble)
	default:
		return fmt.Errorf("there is no verb %q: want vectors, sweep, sums, products or plan", verb)
	}
}

func vectorsVerb(args []string, out, errs io.Writer, open func() (Driver, error), assemble Assembler) error {
	fl := flag.NewFlagSet("vectors", flag.ContinueOnError)
	fl.SetOutput(errs)
	write := fl.Bool("write", false, "mark the rows that the device confirms")
	if err := fl.Parse(args); err != nil {
		return err
	}
	if fl.NArg() == 0 {
		return errors.New("vectors needs a file, such as internal/sem/testdata/vec/convert.txt")
	}
	m, err := start(open, assemble)
	if err != nil {
		return err
	}
	defer func() { _ = m.driver.Close() }() // everything is read back
	differ := false
	for _, file := range fl.Args() {
		o, err := m.file(file, *write)
		if err != nil {
			return err
		}
		o.print(out, file)
		differ = differ || len(o.differ)+len(o.failed) > 0
	}
	if differ {
		return errDiffer
	}
	return nil
}

// file runs one vector file and marks it if asked.
func (m *machine) file(name string, write bool) (*outcome, error) {
	blocks, err := vec.Parse(name)
	if err != nil {
		return nil, err
	}
	o := m.vectors(blocks)
	if write {
		err = markFile(name, m.driver.Device().Target, o.confirmed)
	}
	return o, err
}

// assembleCubin runs ptxas.
func assembleCubin(ptx string, target isa.Target) ([]byte, error) {
	path, err := ptxas.Find()
	if err != nil {
		return nil, err
	}
	return ptxas.Assemble(path, ptx, target)
}
