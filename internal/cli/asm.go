package cli

// This file prints compiled code, for `ptxvm dump --stage asm`.

import (
	"errors"
	"fmt"
	"io"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// dumpAsm compiles every kernel of a module for this processor and its own shape (ir.Func.OwnShape), and prints the machine code beside
// the PTX: first for warps whose lanes all run, then for some lanes, then the ways in and out.
func dumpAsm(w io.Writer, m *ir.Module, target sizes.Target) error {
	d := decode.New(m, nowhere{})
	for _, f := range m.Funcs {
		if !f.Entry || !f.Defined {
			continue
		}
		shape := f.OwnShape()
		p, err := d.Inlined(f, shape, target, uint32(f.SharedBytes), assume.Set{})
		if err != nil {
			fmt.Fprintf(w, "%v\n", err)
			continue
		}
		c, err := jit.Compile(p.Entry, decode.FuncOf(p.Entry.Func), jit.Options{List: true})
		switch {
		case errors.Is(err, jit.ErrProcessor):
			return fmt.Errorf("%w: %w", vm.ErrNoJIT, err)
		case err != nil:
			fmt.Fprintf(w, "%s: %v\n", f.Name, err)
			continue
		}
		if _, err := fmt.Fprintf(w, "%s, %d×%d×%d threads: %d bytes; %d of %d instructions are left to the interpreter\n%s", f.Name, shape.BlockX, shape.BlockY, shape.BlockZ, len(c.Bytes), c.Leaves, len(p.Entry.Insts), c.Listing); err != nil {
			return err
		}
	}
	return nil
}
