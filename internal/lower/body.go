package lower

// This file lowers the statements of a body.

import (
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// stmts walks a block and the blocks in it; names are resolved by check, so braces need
// nothing here. It does not recurse: an open block is the rest of its statements.
func (b *bodyLowerer) stmts(block *syntax.Block) {
	open := [][]syntax.Stmt{block.Stmts}
	for len(open) > 0 {
		top := &open[len(open)-1]
		if len(*top) == 0 {
			open = open[:len(open)-1]
			continue
		}
		s := (*top)[0]
		b.opt.Quota.Spend(stmtSteps)
		*top = (*top)[1:]
		if inner, ok := s.(*syntax.Block); ok {
			open = append(open, inner.Stmts)
			continue
		}
		if v, ok := s.(*syntax.Variables); ok && len(open) > 1 && b.file.Word(v.Space) == syntax.WordReg {
			b.shadow()
		}
		b.stmt(s)
	}
}

// stmtSteps is about what a statement takes, in steps of a quota.
const stmtSteps = 64

func (b *bodyLowerer) stmt(s syntax.Stmt) {
	b.asm.enter(b.file, s)
	switch s := s.(type) {
	case *syntax.Instruction:
		b.instruction(s)
	case *syntax.Label:
		b.label(s)
	case *syntax.Loc:
		if b.file.Word(s.Keyword) == syntax.WordLoc {
			b.sourceLine(s)
		}
	case *syntax.Variables:
		b.variables(s)
	case *syntax.Pragma:
		b.f.Pragmas = append(b.f.Pragmas, b.strings(s.Strings)...)
	}
}

// label places a label. Branches before it may have asked for its number already.
func (b *bodyLowerer) label(s *syntax.Label) {
	id := b.labelOf(b.declared[s.Name])
	b.body.Labels[id].At = int32(len(b.body.Insts))
}

// labelOf numbers a label.
func (b *bodyLowerer) labelOf(o *check.Object) ir.BlockID {
	id, ok := b.labels[o]
	if !ok {
		id = ir.BlockID(len(b.body.Labels))
		b.labels[o] = id
		b.body.Labels = append(b.body.Labels, ir.Label{Name: o.Name})
	}
	return id
}

// variables places the .local and .param variables of a declaration in the frame.
// Registers are added at first use, everything else belongs to the module.
func (b *bodyLowerer) variables(s *syntax.Variables) {
	for i := range s.Vars {
		o := b.declared[s.Vars[i].Name]
		if o == nil || o.Kind != check.Variable {
			continue
		}
		var where *area
		switch o.Space {
		case check.Local:
			where = &b.locals
		case check.Param:
			where = &b.frame
		default:
			continue
		}
		v := b.newVar(o)
		v.Name, v.Func = unique(b.names, v.Name), b.f
		if where == &b.frame {
			where.placeWords(v)
		} else {
			where.place(v)
		}
		b.vars[o.ID] = v
		b.f.Locals = append(b.f.Locals, v)
	}
}
