package decode

// Printing decoded code, for `ptxvm dump --stage code`.

import (
	"bufio"
	"fmt"
	"io"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
)

// Write decodes every kernel of the module for the block that shape gives and prints it: constants
// and scalar slots of each function, then per pc the operations of the converged variant (of the split
// one where there is no other) and the offsets they get.
func (d *Decoder) Write(w io.Writer, shape func(*ir.Func) ir.LaunchShape, target sizes.Target) error {
	b := bufio.NewWriter(w)
	for _, f := range d.mod.Funcs {
		if !f.Entry || !f.Defined {
			continue
		}
		p, err := d.Kernel(f, shape(f), target, uint32(f.SharedBytes), assume.Set{})
		if err != nil {
			fmt.Fprintf(b, "%v\n", err)
			continue
		}
		writeCode(b, f, p.Entry)
	}
	return b.Flush()
}

func writeCode(b *bufio.Writer, f *ir.Func, c *machine.Code) {
	fmt.Fprintf(b, "%s: block of %d bytes, %d of them registers\n", f.Name, c.FrameBytes, c.RegBytes)
	for _, k := range c.Consts {
		fmt.Fprintf(b, "  const  %5d = %#x\n", k.Off, k.Value)
	}
	for _, s := range c.Scalars {
		fmt.Fprintf(b, "  scalar %5d for row %d\n", s.Slot, s.Row)
	}
	insts := c.Insts
	if insts == nil {
		insts = c.Split
	}
	for pc := range insts {
		in := &insts[pc]
		fmt.Fprintf(b, "%5d  %-28s %-24s D%d A%d B%d C%d imm %#x%s\n", pc, f.Insts[pc].Sel.Text(), operationText(in),
			in.D, in.A, in.B, in.C, in.Imm, guardText(in))
	}
}

// operationText is the operation, with a dot behind where it executes once, on scalar slots.
func operationText(in *machine.Inst) string {
	if in.Flags&machine.WritesScalar != 0 {
		return in.Op.String() + "."
	}
	return in.Op.String()
}

func guardText(in *machine.Inst) string {
	switch {
	case in.Guard == machine.NoGuard:
		return ""
	case in.Guard&1 != 0:
		return fmt.Sprintf(" unless mask %d", in.Guard&^1)
	}
	return fmt.Sprintf(" if mask %d", in.Guard)
}
