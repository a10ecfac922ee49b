package x86

// Pieces: code that is assembled once and copied to many places. Numbers that are to be others in each copy are
// marked when they are assembled; a copy has its own numbers there (internal/jit: quick.go).

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// Piece is code without a place. Distances inside are filled in.
type Piece struct {
	Code    []byte
	Pool    []byte    // constants that it reads
	Align   int       // of the pool
	Pooled  []int32   // offsets of 32-bit distances that hold what they are if the pool began where the code begins
	Outside []Outside // distances to labels that are bound nowhere
	Marks   []Mark
}

// Outside is a 32-bit distance, counted from its end, to a label of another piece.
type Outside struct {
	At    int32
	Label Label
}

// Mark is a number in the code that was asked for: a displacement or an immediate of 32 bits, or, if it is wide, an
// immediate of 64.
type Mark struct {
	At    int32
	Wide  bool
	Value int64
}

// MarkIf notes displacements of 32 bits and immediates of 32 and 64 bits for which wanted holds, until Reset.
func (a *Asm) MarkIf(wanted func(v int64) bool) { a.wanted, a.marks = wanted, a.marks[:0] }

// mark notes what is wanted of an instruction that ends at an offset.
func (a *Asm) mark(f *form, in *inst, b *bytesOf, start int) {
	if b.disp != 0 && a.wanted(int64(in.m.Disp)) {
		a.marks = append(a.marks, Mark{At: int32(start + b.disp - 4), Value: int64(in.m.Disp)})
	}
	end := int32(start + b.n)
	switch {
	case f.imm == '8' && a.wanted(in.imm):
		a.marks = append(a.marks, Mark{At: end - 8, Wide: true, Value: in.imm})
	case f.imm == 'z' && Size(in.w) >= S32 && a.wanted(in.imm):
		a.marks = append(a.marks, Mark{At: end - 4, Value: in.imm})
	}
}

// Piece returns a copy of the code, which ends there: the assembler is to be Reset.
func (a *Asm) Piece() (*Piece, error) {
	if a.deco != (deco{}) {
		a.fail("a mask, rounding or lock that no instruction took")
	}
	p := &Piece{Pool: bytes.Clone(a.pool.bytes), Align: a.pool.align, Marks: slices.Clone(a.marks)}
	for _, f := range a.fixups {
		to := a.labels[f.label-1]
		switch {
		case to == unbound && f.origin != f.at+4:
			return nil, fmt.Errorf("x86: a distance to %v that does not count from its end", f.label)
		case to == unbound:
			p.Outside = append(p.Outside, Outside{f.at, f.label})
			continue
		case to <= poolBase:
			to = poolBase - to
			p.Pooled = append(p.Pooled, f.at)
		}
		binary.LittleEndian.PutUint32(a.buf[f.at:], uint32(to-f.origin))
	}
	p.Code = bytes.Clone(a.buf)
	return p, a.err
}
