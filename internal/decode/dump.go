package decode

// Printing decoded code, for `ptxvm dump --stage code`.

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// Write decodes every kernel of the module for the block that shape gives and prints it: constants
// and scalar slots of each function, then per pc the handlers of the converged variant (of the split
// one where there is no other) and the offsets they get.
func (d *Decoder) Write(w io.Writer, shape func(*ir.Func) ir.LaunchShape, target machine.Target) error {
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
		fmt.Fprintf(b, "%5d  %-28s %-24s D%d A%d B%d C%d imm %#x%s\n", pc, f.Insts[pc].Sel.Text(), handlerName(in.Full),
			in.D, in.A, in.B, in.C, in.Imm, guardText(in))
	}
}

// handlerName is the Go name of a handler; for closures that of the function that made it.
func handlerName(h machine.Handler) string {
	name := runtime.FuncForPC(reflect.ValueOf(h).Pointer()).Name()
	return name[strings.LastIndexByte(name, '/')+1:]
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
