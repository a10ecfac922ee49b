package check

// This file prints the side tables, for `ptxvm dump --stage info`.

import (
	"bufio"
	"fmt"
	"io"

	"ptxvm.invalid/ptxvm/internal/syntax"
)

// Write prints the declared names, then each instruction with its form and the roles of
// its operands.
func (in *Info) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "version %v target %v address_size %d\n", in.Version, in.Target, in.AddressSize)
	for _, o := range in.Objects {
		fmt.Fprintf(b, "%d %v %s", in.File.Line(o.Tok), o.Kind, o.Name)
		if o.Count > 0 {
			fmt.Fprintf(b, "<%d>", o.Count)
		}
		if o.Type != 0 {
			fmt.Fprintf(b, " .%v %v", o.Space, o.Type)
		}
		fmt.Fprintln(b)
	}
	for _, s := range in.File.Stmts {
		if f, ok := s.(*syntax.Function); ok && f.Body != nil {
			fmt.Fprintf(b, "%s\n", in.File.Text(f.Name))
			in.writeBlock(b, f.Body)
		}
	}
	return b.Flush()
}

func (in *Info) writeBlock(b *bufio.Writer, block *syntax.Block) {
	for _, s := range block.Stmts {
		switch s := s.(type) {
		case *syntax.Block:
			in.writeBlock(b, s)
		case *syntax.Instruction:
			in.writeInstruction(b, s)
		}
	}
}

func (in *Info) writeInstruction(b *bufio.Writer, s *syntax.Instruction) {
	sel := in.Sel(s)
	if sel == nil {
		return
	}
	fmt.Fprintf(b, "%6d  %-12s %s", in.File.Line(s.First), sel.Entry.Name, sel.Text())
	for _, r := range sel.Roles {
		fmt.Fprintf(b, " %v:%v", r.Role, r.Type)
	}
	fmt.Fprintln(b)
}
