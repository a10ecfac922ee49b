package decode

// The register block of a function: where rows, masks, scalar slots and constants lie.
//
//	masks │ 32-bit rows │ 64-bit rows │ scalar slots │ scratch ║ constants, special registers
//	0                                                         RegBytes              FrameBytes

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/machine/specials"
)

// rowBytes is the size of an operand by shape.
var rowBytes = [...]uint32{
	regs.Row32: 32 * 4, regs.Row64: 32 * 8, regs.Slot32: 8, regs.Slot64: 8, regs.Pred: 4,
}

// rowUnit is the size of one row of a register set.
var rowUnit = [ir.NumWidths]uint32{ir.WPred: 4, ir.W32: 32 * 4, ir.W64: 32 * 8}

const blockAlign = 64

// layout is the register block of one function; both variants share it.
type layout struct {
	f        *ir.Func
	first    [ir.NumWidths]uint32 // of each row set; 128-bit registers lie in that of 64 bits
	slot     []uint32             // scalar slot of a register, noSlot if it has none
	slots    uint32               // the first one
	slotsEnd uint32               // the end of the last one
	scratch  [len(rowBytes)]uint32
	shadow   [ir.NumWidths]shadowRows // of the rows, where values are followed
	regBytes uint32
	end      uint32

	consts   []regs.ConstRow
	constOff map[constKey]uint32
	specials []specials.Ref
	specOff  map[specialKey]uint32
}

type constKey struct {
	shape regs.Width
	value uint64
}

type specialKey struct {
	shape   regs.Width
	special isa.Special
	comp    uint8
	add     uint64
}

const noSlot = ^uint32(0)

// shadowRows says where the shadows of a row set are.
type shadowRows struct{ poison, tags, words uint32 }

// newLayout places rows and scratch rows, and a slot for every register of which uniform is
// true.
func newLayout(f *ir.Func, shadows bool, uniform func(ir.Reg) bool) *layout {
	l := &layout{f: f, slot: make([]uint32, len(f.Regs)), constOff: map[constKey]uint32{}, specOff: map[specialKey]uint32{}}
	for _, w := range []ir.Width{ir.WPred, ir.W32, ir.W64} {
		l.first[w] = l.take(uint32(f.Rows.Count[w])*rowUnit[w], blockAlign)
	}
	l.first[ir.W128] = l.first[ir.W64]
	if shadows {
		l.placeShadows()
	}
	l.slots = l.take(0, rowBytes[regs.Slot64])
	for r := range f.Regs {
		l.slot[r] = noSlot
		if f.Rows.Of[r] >= 0 && f.Regs[r].Bits > 1 && uniform(ir.Reg(r)) {
			l.slot[r] = l.take(rowBytes[regs.Slot64], rowBytes[regs.Slot64])
		}
	}
	l.slotsEnd = l.end
	for shape, n := range rowBytes {
		l.scratch[shape] = l.take(n, blockAlign)
	}
	l.regBytes = l.take(0, blockAlign)
	return l
}

// placeShadows places what is known about the values in the rows.
func (l *layout) placeShadows() {
	for _, w := range []ir.Width{ir.WPred, ir.W32, ir.W64} {
		n, s := uint32(l.f.Rows.Count[w]), &l.shadow[w]
		s.poison = l.take(n*rowUnit[w], blockAlign)
		if w != ir.WPred {
			s.tags = l.take(n*rowUnit[ir.W32], blockAlign)
			s.words = l.take(n*shadowWords+shadowWords, blockAlign)
		}
	}
	l.shadow[ir.W128] = l.shadow[ir.W64]
}

// shadowWords is the bytes of a row's two masks (regs.Shadowed).
const shadowWords = 8

// flowReg says where a register and its shadow are; of 128 bits, the lower half.
func (l *layout) flowReg(r ir.Reg) regs.Shadowed {
	w, n := l.f.Regs[r].Width(), uint32(l.f.Rows.Of[r])
	s := l.shadow[w]
	out := regs.Shadowed{Row: l.row(r), Width: regs.Row32, Poison: s.poison + n*rowUnit[ir.W32], Tags: s.tags + n*rowUnit[ir.W32], Words: s.words + n*shadowWords}
	switch w {
	case ir.WPred:
		out.Width, out.Words = regs.Pred, s.poison+n*rowUnit[ir.WPred]
	case ir.W64, ir.W128:
		out.Width, out.Poison = regs.Row64, s.poison+n*rowUnit[ir.W64]
	}
	return out
}

// take reserves n bytes and returns where they start.
func (l *layout) take(n, align uint32) uint32 {
	off := (l.end + align - 1) &^ (align - 1)
	l.end = off + n
	return off
}

// row is the offset of a register's row or mask.
func (l *layout) row(r ir.Reg) uint32 {
	w, unit := l.f.Regs[r].Width(), uint32(0)
	if unit = rowUnit[w]; w == ir.W128 {
		unit = rowUnit[ir.W64]
	}
	return l.first[w] + uint32(l.f.Rows.Of[r])*unit
}

// constant returns the offset of a constant, which the machine fills in once.
func (l *layout) constant(shape regs.Width, v uint64) uint32 {
	k := constKey{shape, v}
	if off, ok := l.constOff[k]; ok {
		return off
	}
	off := l.take(rowBytes[shape], min(rowBytes[shape], blockAlign))
	l.constOff[k] = off
	l.consts = append(l.consts, regs.ConstRow{Off: off, Width: shape, Value: v})
	return off
}

// special returns the offset of a special register, which the machine fills in.
func (l *layout) special(shape regs.Width, s isa.Special, comp uint8) uint32 {
	return l.filled(specialKey{shape: shape, special: s, comp: comp})
}

// sharedSymbol returns the offset of an address in the CTA's own shared window.
func (l *layout) sharedSymbol(shape regs.Width, addr uint64) uint32 {
	return l.filled(specialKey{shape: shape, special: specials.SharedBase, add: addr})
}

// kernelParam returns the offset of the address of a kernel's parameter.
func (l *layout) kernelParam(shape regs.Width, off uint64) uint32 {
	return l.filled(specialKey{shape: shape, special: specials.KernelParams, add: off})
}

func (l *layout) filled(k specialKey) uint32 {
	if off, ok := l.specOff[k]; ok {
		return off
	}
	off := l.take(rowBytes[k.shape], min(rowBytes[k.shape], blockAlign))
	l.specOff[k] = off
	l.specials = append(l.specials, specials.Ref{Off: off, Width: k.shape, Reg: k.special, Comp: k.comp, Add: k.add})
	return off
}
