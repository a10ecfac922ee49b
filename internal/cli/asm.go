package cli

// This file prints what the compiler makes of kernels, for `ptxvm dump --stage asm` and the stages behind it.

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// dumpCompiled decodes every kernel of a module for its own shape (ir.Func.OwnShape), compiles it, and prints a stage.
func dumpCompiled(w io.Writer, m *ir.Module, target sizes.Target, o DumpOptions) error {
	vectors, ok := map[int]jit.Vectors{0: jit.Best, 256: jit.AVX2, 512: jit.AVX512}[o.Width]
	if !ok {
		return fmt.Errorf("vectors have 256 bits or 512, not %d", o.Width)
	}
	only, err := regexp.Compile(o.Only)
	if err != nil {
		return err
	}
	d := decode.New(m, nowhere{})
	for _, f := range m.Funcs {
		if !f.Entry || !f.Defined {
			continue
		}
		p, err := d.Inlined(f, f.OwnShape(), target, uint32(f.SharedBytes), assume.Set{})
		if err != nil {
			fmt.Fprintf(w, "%v\n", err)
			continue
		}
		text := ""
		if o.Stage == "asm" {
			text, err = asm(f, p.Entry, vectors)
		} else {
			text, err = jit.Stage(p.Entry, o.Stage, vectors)
		}
		if o.Only != "" {
			text = matching(text, only)
		}
		switch {
		case errors.Is(err, jit.ErrProcessor):
			return fmt.Errorf("%w: %w", vm.ErrNoJIT, err)
		case err != nil:
			fmt.Fprintf(w, "%s: %v\n", f.Name, err)
			continue
		}
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	return nil
}

// matching are the blocks of a stage with a line that matches, and lines outside of blocks that do.
func matching(text string, only *regexp.Regexp) string {
	var kept, block strings.Builder
	end := func() {
		if only.MatchString(block.String()) {
			kept.WriteString(block.String())
		}
		block.Reset()
	}
	for line := range strings.Lines(text) {
		if !inBlock.MatchString(line) {
			end()
		}
		block.WriteString(line)
	}
	end()
	return kept.String()
}

// inBlock matches lines inside of blocks: of ssa and of instructions, notes and labels of machine code.
var inBlock = regexp.MustCompile(`^(  |#  |\.)`)

// asm is the machine code of a kernel beside its PTX: first for warps whose lanes all run, then for some lanes, then the ways in and out.
func asm(f *ir.Func, code *machine.Code, v jit.Vectors) (string, error) {
	c, err := jit.Compile(code, decode.FuncOf(code.Func), jit.Options{Vectors: v, List: true})
	if err != nil {
		return "", err
	}
	shape, launches := f.OwnShape(), "have the new pipeline's code (--stage jit-asm)"
	if why := jit.NotNew(code, v); why != nil {
		launches = fmt.Sprintf("have this code of the old compiler (%v)", why)
	}
	return fmt.Sprintf("%s, %d×%d×%d threads: %d bytes; %d of %d instructions are left to the interpreter; launches %s\n%s",
		f.Name, shape.BlockX, shape.BlockY, shape.BlockZ, len(c.Bytes), c.Leaves, len(code.Insts), launches, c.Listing), nil
}
