package jit

// The verifier of memory operands: every operand of every instruction that is assembled says what shows that its place may be touched,
// or the compilation fails and the interpreter keeps the function. The machine's own memory (the state, the register block and the
// room behind it, tables) is held to its size; memory of programs is touched in the name of an access, which must be one, have its
// entry in the table of bounds, or be of shared memory, and must be tested by that version of the code. An access by an index whose
// limits lay in front of that table has read and written the memory of the process.

import (
	"errors"
	"fmt"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// Where code finds a place in a table by a number that it computes, the number cannot be one that the table lacks:
//   - warps of a batch (the next warp): the lowest bit of the set of those that live, which the machine fills and code only clears;
//   - places where lanes stand (leavePending): one a set of lanes that wait, disjoint and not empty, beside the running ones: 33 at most;
//   - words of an approximate function's table (gatherWords): bits of the operand under a mask of the table's size, a power of two;
//   - zeroed shared memory: pieces of 64 bytes up to its size, a multiple of that.
// Targets of brx.idx are found by comparisons; the table of bounds is read at places that are known when code is made (verifyEntry).

// Proofs of memory operands (x86.Mem.By). Those of the state and of the register block need none: they are held to their sizes.
const (
	inHost   = 1 + iota // a table of the machine's or of the compiler's, in a register
	inBounds            // the table of bounds, in RDX
	inAccess            // and the pc of an access: memory of programs
)

// ErrUnsound says that code would touch memory of which nothing shows that it may: a defect of the compiler.
var ErrUnsound = errors.New("compiled code would touch memory that no test covers")

// byProof is an operand in memory of programs that an access has been found to be inside of.
func (a *accessed) byProof(m x86.Mem) x86.Mem { return m.By(inAccess + a.pc) }

// version is one of the pieces of code that a function is compiled to. Each tests what it touches itself.
type version uint8

const (
	wholeVersion version = iota // for warps whose lanes all run
	partVersion                 // for some lanes
	versions
)

// proofs are what a compilation has touched and tested, by version and pc.
type proofs struct {
	version         version
	touched, proven [versions][]bool
}

func newProofs(n int) (p proofs) {
	flags := make([]bool, 2*n*int(versions))
	for v := range versions {
		p.touched[v], p.proven[v], flags = flags[:n], flags[n:2*n], flags[2*n:]
	}
	return p
}

// prove notes that the version tests all that an access touches, or that it is known to be inside.
func (c *compiler) prove(pc int32) {
	if c.opt.untried == nil || !c.opt.untried(pc) {
		c.proofs.proven[c.proofs.version][pc] = true
	}
}

// verifyTouched holds what has been touched to what has been tested.
func (c *compiler) verifyTouched() {
	for v := range versions {
		for pc, touched := range c.proofs.touched[v] {
			if touched && !c.proofs.proven[v][pc] {
				c.unsound("the access at pc %d has not been tested in version %d", pc, v)
			}
		}
	}
}

// unsound makes the compilation fail.
func (c *compiler) unsound(format string, args ...any) {
	if c.unsafe == nil {
		c.unsafe = fmt.Errorf("%w: %s", ErrUnsound, fmt.Sprintf(format, args...))
	}
}

// verify is what the assembler asks about every operand that an instruction touches.
func (c *compiler) verify(m x86.Mem) error {
	switch {
	case m.Rip != 0 || m.Proof == inHost:
	case m.Proof == inBounds:
		return c.verifyEntry(m)
	case m.Proof >= inAccess:
		return c.verifyAccess(m.Proof - inAccess)
	case m.Base == rCtx:
		return within(m.Disp, int64(unsafe.Sizeof(abi.State{})), "the state")
	case m.Base == rRegs && c.quick == nil:
		return within(m.Disp, int64(c.code.FrameBytes+32*c.code.LocalRoom), "the register block and what is behind it")
	case m.Base == rRegs: // of a template: places are filled in and verified when it is copied
		if what, _, ok := symbolAt(int64(m.Disp)); !ok || what >= maxOperands {
			return fmt.Errorf("%w: %d is no operand's place", ErrUnsound, m.Disp)
		}
	default:
		return fmt.Errorf("%w: its place has no proof", ErrUnsound)
	}
	return nil
}

// within holds a place to what it is part of.
func within(disp int32, size int64, of string) error {
	if disp < 0 || int64(disp) >= size {
		return fmt.Errorf("%w: %d is not in %s, of %d", ErrUnsound, disp, of, size)
	}
	return nil
}

// verifyEntry holds a place in the table of bounds to the entries that there are.
func (c *compiler) verifyEntry(m x86.Mem) error {
	last := int64(c.nbound)
	if c.quick != nil {
		last = symbolBound + 1
	}
	return within(m.Disp, last*int64(boundsSize), "the table of bounds")
}

// verifyAccess holds memory of programs to the access in whose name it is touched.
func (c *compiler) verifyAccess(pc int32) error {
	if pc < 0 || int(pc) >= len(c.steps) {
		return fmt.Errorf("%w: pc %d is none", ErrUnsound, pc)
	}
	s := &c.steps[pc]
	switch s.op.Kind {
	case sem.OpLoad, sem.OpStore, sem.OpAtomic, sem.OpCas:
	case sem.OpLoadLocal, sem.OpStoreLocal:
		if !s.leaves && c.code.LocalRoom != 0 {
			c.touch(pc)
			return nil
		}
		fallthrough
	default:
		return fmt.Errorf("%w: pc %d is no access", ErrUnsound, pc)
	}
	switch b := c.bounds[pc]; {
	case s.leaves:
		return fmt.Errorf("%w: the access at pc %d is the interpreter's", ErrUnsound, pc)
	case b < 0 && s.op.Memory.Space != machine.Shared:
		return fmt.Errorf("%w: the access at pc %d has no bounds", ErrUnsound, pc)
	case c.quick == nil && int(b) >= c.nbound:
		return fmt.Errorf("%w: the access at pc %d has bounds %d of %d", ErrUnsound, pc, b, c.nbound)
	}
	c.touch(pc)
	return nil
}

// touch notes that the version touches what an access does.
func (c *compiler) touch(pc int32) { c.proofs.touched[c.proofs.version][pc] = true }
