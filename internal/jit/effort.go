package jit

// What a compilation may cost. Work is counted, not measured, so that the same code is compiled or given up on every
// machine: a unit is about a byte of machine code, or what takes as long. A compilation that has used up what it may cost, or
// that nobody waits for any more, ends where it is.

import "errors"

// ErrBudget says that compiling a function would take too long: it stays with the quick tier, or the interpreter.
var ErrBudget = errors.New("compiling this function takes too long")

// ErrStopped says that a compilation was told to stop.
var ErrStopped = errors.New("compiling was stopped")

// A compilation may cost budgetEach units for each instruction of the function, and budgetFew besides: short functions may
// cost more for each. bench/NOTES.md says what functions do cost.
const (
	budgetEach = 4096
	budgetFew  = 1 << 20
)

// instUnits is what finding out about an instruction costs in each attempt.
const instUnits = 64

// lookAfter is after how many units a compilation looks whether it is to stop.
const lookAfter = 1 << 14

// effort counts what a compilation costs, all its attempts together. Of a template it is nil.
type effort struct {
	spent, look, budget int
	stopped             func() bool // nil: never
}

func newEffort(insts int, opt *Options) *effort {
	e := &effort{look: lookAfter, budget: budgetFew + budgetEach*insts, stopped: opt.stopped}
	if opt.budget != 0 {
		e.budget = opt.budget
	}
	e.look = min(e.look, e.budget)
	return e
}

// spend counts work. It panics with ErrBudget or ErrStopped, which Compile recovers.
func (e *effort) spend(units int) {
	if e == nil {
		return
	}
	if e.spent += units; e.spent >= e.look {
		e.pause()
	}
}

// pause looks whether the compilation goes on.
func (e *effort) pause() {
	switch {
	case e.stopped != nil && e.stopped():
		panic(ErrStopped)
	case e.spent > e.budget:
		panic(ErrBudget)
	}
	e.look = e.spent + lookAfter
}

// end makes the panic of an effort that has come to its end an error.
func (e *effort) end(opt *Options, err *error) {
	if opt.spent != nil {
		*opt.spent = e.spent
	}
	switch p := recover(); p {
	case nil:
	case ErrBudget, ErrStopped:
		*err = p.(error)
	default:
		panic(p)
	}
}

// work counts the code that has been emitted since it was called last.
func (c *compiler) work() {
	n := c.Len()
	c.effort.spend(max(n-c.worked, 0) + 1)
	c.worked = n
}

// shortage is an instruction for which vector registers have run out.
type shortage struct {
	pc      int32
	missing int // how many
}

// note begins code for an instruction: what runs out from here on runs out for it.
func (c *compiler) note(pc int32) {
	c.settleShort()
	c.at.pc = pc
	c.list(pc)
	c.work()
}

// errFewer ends an attempt in which registers have run out while some hold rows.
var errFewer = errors.New("too many rows in registers")

// settleShort remembers for which instructions registers have run out although none holds rows, and goes on with
// the registers that were free before, so that one attempt finds all of them: its code is not used any more. Templates
// look for themselves.
func (c *compiler) settleShort() {
	if c.quick != nil {
		return
	}
	if c.short {
		c.at.missing = c.missing
		c.shortages = append(c.shortages, c.at)
		if c.relief.fewer() {
			panic(errFewer)
		}
		c.short, c.missing, c.free, c.freeK = false, 0, append(c.free[:0], c.wasFree...), append(c.freeK[:0:0], c.wasFreeK...)
	}
	c.wasFree, c.wasFreeK = append(c.wasFree[:0], c.free...), append(c.wasFreeK[:0], c.freeK...)
}

// residents are how many vector registers hold rows in the first attempt and in those behind it.
func residentsOf(v Vectors) []int {
	if v == AVX2 {
		return []int{12, 8, 4, 0}
	}
	return []int{26, 22, 18, 8, 0}
}

// relief is what is done about shortages: fewer rows in registers, and instructions that are left to the interpreter.
type relief struct {
	residents []int  // how many registers may hold rows in this attempt and in those behind it
	taken     int    // how many do in this one
	left      []bool // by pc
}

// fewer tells whether the next attempt can have fewer rows in registers.
func (r *relief) fewer() bool { return len(r.residents) > 1 && r.taken > 0 }

// relieve prepares the next attempt; false if nothing can be done.
func (r *relief) relieve(list []shortage, insts int) (changed bool) {
	if r.left == nil {
		r.left = make([]bool, insts)
	}
	if r.fewer() {
		r.lower(list[len(list)-1].missing)
		return true
	}
	for _, s := range list {
		if !r.left[s.pc] {
			r.left[s.pc], changed = true, true
		}
	}
	return changed
}

// lower goes on to so many rows in registers that as many more are free as are missing.
func (r *relief) lower(missing int) {
	most := r.taken - missing
	for r.residents = r.residents[1:]; len(r.residents) > 1 && r.residents[0] > most; {
		r.residents = r.residents[1:]
	}
}

// leaves tells whether an instruction is left to the interpreter, besides those that opt leaves.
func (r *relief) leaves(pc int32) bool { return r != nil && r.left != nil && r.left[pc] }
