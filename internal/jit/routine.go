package jit

// Routines: what is cold and the same in many places of a function is assembled once and called. A routine goes nowhere but back, so the
// eight bytes of the call are all of the stack that machine code uses (native.Call). Its temporaries are those that it has where it is
// called: who calls it with others has another one.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// routineVecs is how many temporaries a routine may have.
const routineVecs = 6

// routineLeast is how many it needs.
const routineLeast = 4

// routine says what a routine does, and by which registers.
type routine struct {
	what routineKind
	slot uint32
	off  uint32 // of the row of a slot
	row  int    // the first register of the row, -1: it is in memory

	typ   typ // of addresses
	use   maskUse
	align uint32

	temps [routineVecs]x86.Vec
	n     int // of them
}

// What routines do.
type routineKind uint8

const (
	routineSpreads   routineKind = iota // writes the row of a slot
	routineAddresses                    // makes host addresses of those of lanes
	routineInside                       // tests addresses of lanes
	routineNextCTA                      // goes on to the next CTA
)

// callRoutine assembles the call of a routine whose code body assembles; body itself where there are few registers, where nothing is called, and
// in loops that have registers of their own, which body, assembled behind them, does not know.
func (c *compiler) callRoutine(r routine, body func()) {
	if r.n = min(len(c.free), routineVecs); r.n < routineLeast || c.quick != nil || !c.rowsAtHome() {
		body()
		return
	}
	copy(r.temps[:], c.free[len(c.free)-r.n:])
	l := c.routines[r]
	if l == 0 {
		l = c.later(func() {
			free := c.free
			c.free = slices.Clone(r.temps[:r.n])
			body()
			c.free = free
			c.None(x86.RET)
		})
		if c.routines == nil {
			c.routines = map[routine]x86.Label{}
		}
		c.routines[r] = l
	}
	c.Call(l)
}

// rowsAtHome tells whether rows have the registers that they have in the whole function.
func (c *compiler) rowsAtHome() bool {
	return len(c.row) == len(c.home) && (len(c.row) == 0 || &c.row[0] == &c.home[0])
}

// rowAt is the first register of a row of 32 bits, -1 if it is in memory.
func (c *compiler) rowAt(off uint32, t typ) int {
	if row, ok := c.row.of(off); ok && t == tW {
		return row
	}
	return -1
}
