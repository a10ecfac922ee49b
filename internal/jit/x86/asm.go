package x86

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Asm assembles one piece of position-independent code. It allocates nothing once its buffers
// have grown; use one again with [Asm.Reset].
type Asm struct {
	buf     []byte
	labels  []int32 // offset of label n+1; unbound; poolBase-offset for what stands in the pool
	fixups  []fixup
	pool    pool
	deco    deco
	used    Feature
	listing *Listing
	wanted  func(v int64) bool
	watch   func(m Mem) error
	marks   []Mark
	err     error
	counting
}

// Label names a place in the code or the pool; the zero Label names none.
type Label int32

const (
	unbound  = -1
	poolBase = -2
)

// fixup is a 32-bit distance to be filled in: from the end of its instruction to the label.
type fixup struct {
	at     int32 // where the four bytes stand
	origin int32 // what the distance counts from, less the operand's displacement
	label  Label
}

// deco is what the next instruction was given beside its operands.
type deco struct {
	k     K
	zero  bool
	lock  bool
	round Rounding
}

// New returns an assembler that appends to buf[:0]; buf may be nil.
func New(buf []byte) *Asm { return &Asm{buf: buf[:0]} }

// Reset forgets everything but the buffers, whose code must not be in use any more.
func (a *Asm) Reset() {
	a.buf, a.labels, a.fixups = a.buf[:0], a.labels[:0], a.fixups[:0]
	a.pool.reset()
	a.deco, a.used, a.listing, a.err = deco{}, 0, nil, nil
	a.wanted, a.marks, a.watch, a.counting = nil, a.marks[:0], nil, counting{}
}

// Grow makes room for n bytes of code.
func (a *Asm) Grow(n int) { a.buf = slices.Grow(a.buf, n) }

// Bytes returns the code so far, with distances to labels open until [Asm.Finish].
func (a *Asm) Bytes() []byte { return a.buf }

// Len returns the offset of the next instruction.
func (a *Asm) Len() int { return len(a.buf) }

// Needs returns the CPU features that the code so far needs.
func (a *Asm) Needs() Feature { return a.used }

// Watch lets look see every memory operand that an instruction touches, until Reset; an error of it is a mistake.
func (a *Asm) Watch(look func(m Mem) error) { a.watch = look }

// Err returns the first mistake so far, nil if there was none.
func (a *Asm) Err() error { return a.err }

// Masked gives the next instruction write mask k: lanes outside keep what they hold.
func (a *Asm) Masked(k K) *Asm {
	if k == K0 || k > K7 {
		a.fail("a write mask is k1 to k7")
	}
	a.deco.k = k
	return a
}

// Zeroed gives the next instruction write mask k: lanes outside become zero.
func (a *Asm) Zeroed(k K) *Asm {
	a.deco.zero = true
	return a.Masked(k)
}

// Round gives the next instruction, of 512 bits or scalar and without memory operand, a rounding.
func (a *Asm) Round(r Rounding) *Asm {
	a.deco.round = r
	return a
}

// Lock makes the next instruction, whose destination is memory, atomic.
func (a *Asm) Lock() *Asm {
	a.deco.lock = true
	return a
}

// NewLabel returns a label that stands nowhere yet.
func (a *Asm) NewLabel() Label {
	a.labels = append(a.labels, unbound)
	return Label(len(a.labels))
}

// Bind sets l to the next instruction.
func (a *Asm) Bind(l Label) {
	if p := a.place(l); p != nil && *p == unbound {
		*p = int32(len(a.buf))
		a.begins = a.next != nil
		if a.listing != nil {
			a.listing.add(len(a.buf), l.String()+":")
		}
		return
	}
	a.fail("label %v is unknown or bound already", l)
}

// Offset returns where l is bound, -1 if it is not (yet) or if it stands in the pool.
func (a *Asm) Offset(l Label) int {
	if p := a.place(l); p != nil && *p >= 0 {
		return int(*p)
	}
	return -1
}

// String returns .Ln, as GNU as writes local labels.
func (l Label) String() string { return fmt.Sprintf(".L%d", int32(l)) }

// place returns what is known of l, nil if it is none of a's labels.
func (a *Asm) place(l Label) *int32 {
	if l < 1 || int(l) > len(a.labels) {
		return nil
	}
	return &a.labels[l-1]
}

// Jmp jumps to l: two bytes where l is bound and near, else five.
func (a *Asm) Jmp(l Label) { a.branch("jmp", 0xeb, 0, 0xe9, l) }

// Call calls l.
func (a *Asm) Call(l Label) { a.branch("call", 0, 0, 0xe8, l) }

// Jcc jumps to l if c holds.
func (a *Asm) Jcc(c Cond, l Label) {
	c &= 15
	a.branch(jccNames[c], 0x70+byte(c), 0x0f, 0x80+byte(c), l)
}

// branch emits the short form (opcode short, 0: none) or the long one (escape, 0: none; opcode long).
func (a *Asm) branch(name string, short, escape, long byte, l Label) {
	if a.begins {
		a.piece()
	}
	a.begins = a.next != nil
	start := len(a.buf)
	p := a.place(l)
	if p == nil {
		a.fail("%s to a label that this code does not have", name)
		return
	}
	if distance := int(*p) - start - 2; *p >= 0 && short != 0 && distance >= -128 {
		a.buf = append(a.buf, short, byte(distance))
	} else {
		if escape != 0 {
			a.buf = append(a.buf, escape)
		}
		a.buf = append(a.buf, long, 0, 0, 0, 0)
		a.refer(l, 0, 0)
	}
	if a.listing != nil {
		a.listing.add(start, name+" "+l.String())
	}
}

// refer records that the four bytes behind the code are the distance to l, disp further, with
// behind more bytes of the instruction following them.
func (a *Asm) refer(l Label, disp int32, behind int) {
	end := int32(len(a.buf))
	a.fixups = append(a.fixups, fixup{end - 4, end + int32(behind) - disp, l})
}

// Align fills the code up to a multiple of n, a power of two, with instructions without effect;
// the code must be mapped with at least that alignment.
func (a *Asm) Align(n int) {
	for k := -len(a.buf) & (n - 1); k > 0; {
		nop := nops[min(k, len(nops)-1)]
		a.buf = append(a.buf, nop...)
		k -= len(nop)
	}
}

// nops are the recommended instructions of n bytes without effect.
var nops = [...]string{
	1: "\x90",
	2: "\x66\x90",
	3: "\x0f\x1f\x00",
	4: "\x0f\x1f\x40\x00",
	5: "\x0f\x1f\x44\x00\x00",
	6: "\x66\x0f\x1f\x44\x00\x00",
	7: "\x0f\x1f\x80\x00\x00\x00\x00",
	8: "\x0f\x1f\x84\x00\x00\x00\x00\x00",
	9: "\x66\x0f\x1f\x84\x00\x00\x00\x00\x00",
}

// Finish puts the constants behind the code and fills in the distances. Nothing can be assembled
// behind it before [Asm.Reset]. The code runs at any address that is a multiple of the largest
// alignment asked for.
func (a *Asm) Finish() ([]byte, error) {
	if a.deco != (deco{}) {
		a.fail("a mask, rounding or lock that no instruction took")
	}
	start := a.pool.append(a)
	for _, f := range a.fixups {
		to := a.labels[f.label-1]
		switch {
		case to == unbound:
			a.fail("label %v is used at %#x and bound nowhere", f.label, f.at)
			continue
		case to <= poolBase:
			to = start + poolBase - to
		}
		binary.LittleEndian.PutUint32(a.buf[f.at:], uint32(to-f.origin))
	}
	a.fixups = a.fixups[:0]
	return a.buf, a.err
}

// fail keeps the first mistake.
func (a *Asm) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("x86: at %#x: "+format, append([]any{len(a.buf)}, args...)...)
	}
}
