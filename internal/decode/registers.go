package decode

// Which registers a frame holds at an instruction, and where.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
)

// registerRow is where the layout has a register.
func (l *layout) registerRow(r ir.Reg) regs.Row {
	row := regs.Row{Off: l.row(r), Width: regs.Row32}
	switch l.f.Regs[r].Width() {
	case ir.WPred:
		row.Width = regs.Pred
	case ir.W64:
		row.Width = regs.Row64
	case ir.W128:
		row.Width, row.Wide = regs.Row64, true
	}
	return row
}

// LiveRegisters lists the registers whose values are still used at or behind an instruction of observed code, with their
// rows: others may have given theirs away.
func LiveRegisters(f *ir.Func, pc int32) (list []ir.Reg, rows []regs.Row) {
	l, live := newLayout(f, false, func(ir.Reg) bool { return false }), f.LiveAt(pc)
	for i := range f.Regs {
		if live.Has(i) {
			list, rows = append(list, ir.Reg(i)), append(rows, l.registerRow(ir.Reg(i)))
		}
	}
	return list, rows
}

// RegisterRows returns where observed code of a function has its registers; of one that is never touched ok is false.
func RegisterRows(f *ir.Func) func(ir.Reg) (row regs.Row, ok bool) {
	l := newLayout(f, false, func(ir.Reg) bool { return false })
	return func(r ir.Reg) (regs.Row, bool) {
		if f.Rows.Of[r] < 0 {
			return regs.Row{}, false
		}
		return l.registerRow(r), true
	}
}
