package amd64

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file has the part of the frame that instructions hand each other vectors in: an effect that goes through lanes
// one by one writes addresses and values there by some instructions and reads them by others. What comes between may
// be anything, since values are computed where they are wanted. So each use of that part is an area of its own, and an
// instruction says which areas it touches. That none is written over while it is still read is looked at before bytes
// are made (checkAreas), and that instructions touch what they say when they are (encoder.watchFrame).

// area is part of the frame between fTerms and fBounds that one effect uses.
type area struct{ lo, hi int }

// touch is what an instruction does with part of an area.
type touch struct {
	*area
	lo, hi int // offsets in the frame
	write  bool
}

// area makes one of n bytes.
func (s *selector) area(lo, n int) *area { return &area{lo, lo + n} }

// reads and writes say that an instruction reads or writes all of an area.
func (r *area) reads() touch  { return touch{r, r.lo, r.hi, false} }
func (r *area) writes() touch { return touch{r, r.lo, r.hi, true} }

// storeArea moves a vector to an area, at bytes from its start.
func (s *selector) storeArea(r *area, at int, v isel.VReg) {
	from := r.lo + at
	s.emit(s.out.NewInst(s.op(op{code: x86.VMOVUPS, form: formStore, size: uint8(s.isa.width), mem: frameAt(from),
		areas: []touch{{r, from, from + s.isa.bytes(), true}}}), 0, v))
}

// cell is how many bytes of the frame checkAreas looks at together.
const cell = 4

// checkAreas replays which area was last written where, block by block: what an instruction reads is to be of the area
// that it means.
func checkAreas(f *isel.Func) error {
	var of [(fBounds - fTerms) / cell]*area
	for _, b := range f.Blocks {
		clear(of[:])
		for n, i := range b.Insts {
			for _, t := range i.Op.(*op).areas {
				if t.lo < t.area.lo || t.hi > t.area.hi || t.area.lo < fTerms || t.area.hi > fBounds {
					return fmt.Errorf("BUG: b%d, %d: %v touches %d to %d of area %v", b.ID, n, i, t.lo, t.hi, *t.area)
				}
				for k := (t.lo - fTerms) / cell; k < (t.hi-fTerms)/cell; k++ {
					if t.write {
						of[k] = t.area
					} else if of[k] != t.area {
						return fmt.Errorf("BUG: b%d, %d: %v reads the frame at %d, which was written over, or never",
							b.ID, n, i, fTerms+k*cell)
					}
				}
			}
		}
	}
	return nil
}

// watchFrame looks at operands in the part of the frame that has areas: they are in one that the running instruction
// touches.
func (e *encoder) watchFrame(m x86.Mem) error {
	if m.Base != x86.RSP || m.Disp < fTerms || m.Disp >= fBounds {
		return nil
	}
	if e.running != nil {
		for _, t := range e.running.areas {
			if int(m.Disp) >= t.lo && int(m.Disp) < t.hi {
				return nil
			}
		}
	}
	return fmt.Errorf("%d of the frame is in no area of the instruction's", m.Disp)
}
