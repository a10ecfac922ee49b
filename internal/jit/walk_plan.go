package jit

// The registers of a walk. Rows stay in theirs; a new value of a row is computed in place where nobody reads the old one
// afterwards, else it is moved at the end of the trip.

import (
	"math/bits"
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// walkGeneralOps are the operations on general registers.
var walkGeneralOps = map[code]x86.Op{cAdd: x86.ADD, cSub: x86.SUB, cMul: x86.IMUL, cAnd: x86.AND, cOr: x86.OR, cXor: x86.XOR,
	cShlI: x86.SHL, cShrI: x86.SHR, cSarI: x86.SAR, cRotI: x86.ROL}

// walkSingleOps are those on floats.
var walkSingleOps = map[code]x86.Op{cFAdd: x86.VADDSS, cFSub: x86.VSUBSS, cFMul: x86.VMULSS, cFFma: x86.VFMADD231SS, cCanon: x86.VUCOMISS}

// commutes tells whether the sources of an operation can be exchanged.
func (c code) commutes() bool {
	return c == cAdd || c == cMul || c == cAnd || c == cOr || c == cXor
}

// findNeeded finds what a trip computes.
func (w *walk) findNeeded() {
	ops := w.m.ops
	w.need, w.last = make([]bool, len(ops)), make([]int, len(ops))
	if w.known == nil {
		w.need[w.cond] = true
		for _, v := range []val{w.a, w.b} {
			w.need[v], w.last[v] = true, len(ops)
		}
	}
	for i := range w.rows {
		if v := w.rows[i].out; v != noVal && !w.rows[i].passes {
			w.need[v], w.last[v] = true, len(ops)
		}
	}
	for i := len(ops) - 1; i >= 0; i-- {
		if l := w.loadOf(val(i)); l != nil {
			if w.need[i] = true; !w.passing(l) {
				w.need[l.index], w.last[l.index] = true, max(w.last[l.index], i)
			}
		}
		if !w.need[i] || val(i) == w.cond {
			continue
		}
		for _, a := range ops[i].args() {
			w.need[a], w.last[a] = true, max(w.last[a], i)
		}
	}
}

// classify finds the class of each value; false if it is not one.
func (w *walk) classify() bool {
	w.findNeeded()
	w.foretell()
	w.findNeeded()
	w.class = make([]walkClass, len(w.m.ops))
	return w.classes() && w.classesMeet()
}

// passing tells whether the number of the trip tells where a load loads from.
func (w *walk) passing(l *walkLoad) bool { return l.row >= 0 && w.rows[l.row].passes }

// is gives a value a class; false if it has another.
func (w *walk) is(v val, c walkClass) bool {
	if _, known := w.m.known(v); known {
		return true
	}
	if w.class[v] == noClass {
		w.class[v] = c
	}
	return w.class[v] == c
}

// classes lets operations say what their sources and results are.
func (w *walk) classes() bool {
	for i := range w.m.ops {
		o := &w.m.ops[i]
		if !w.need[i] || o.code == cIn || o.code == cConst || val(i) == w.cond {
			continue
		}
		c, ok := generalClass, false
		if _, ok = walkSingleOps[o.code]; ok {
			c, ok = floatClass, o.imm == roundNear
		} else if _, ok = walkGeneralOps[o.code]; ok {
			_, first := w.m.known(o.a)
			second := false
			if o.n == 2 {
				_, second = w.m.known(o.b)
			}
			ok = !first || o.n == 2 && o.code.commutes() && !second
		}
		if !ok || o.typ != tW || !w.is(val(i), c) {
			return false
		}
		for _, a := range o.args() {
			if w.m.typ(a) != tW || !w.is(a, c) {
				return false
			}
		}
	}
	for i := range w.loads {
		if !w.is(w.loads[i].index, generalClass) {
			return false
		}
		if _, known := w.m.known(w.loads[i].index); known {
			return false
		}
	}
	if w.known != nil {
		return true
	}
	_, known := w.m.known(w.a)
	return !known && w.is(w.a, generalClass) && w.is(w.b, generalClass)
}

// classesMeet gives rows and what they get one class.
func (w *walk) classesMeet() bool {
	for range len(w.rows) + 1 {
		for i := range w.rows {
			x := &w.rows[i]
			for _, v := range []val{x.in, x.out} {
				if v == noVal {
					continue
				}
				if x.class == noClass {
					x.class = w.class[v]
				}
				if x.class != noClass && !w.is(v, x.class) {
					return false
				}
			}
		}
	}
	for i := range w.rows {
		if x := &w.rows[i]; x.class == noClass {
			x.class = generalClass
			for _, v := range []val{x.in, x.out} {
				if v != noVal && !w.is(v, generalClass) {
					return false
				}
			}
		}
	}
	return true
}

// walkRegs are the registers that a walk takes, RAX and RCX besides.
var walkRegs = []x86.Reg{x86.R8, x86.R9, x86.R10, x86.R11, x86.RDX, x86.RBX, x86.R12, x86.R13, x86.R15, x86.R14, x86.RSI}

// keptRegs are those of them that are saved before, since others need them afterwards.
var keptRegs = []x86.Reg{x86.RBX, x86.R12, x86.R13, x86.R15, x86.R14, x86.RSI}

// plan gives everything its register; false if there are too few. Bases and limits can stay in memory.
func (w *walk) plan(vecs []x86.Vec) bool {
	for _, two := range []bool{true, false} {
		for limits := 3 * len(w.loads); limits >= 0; limits-- {
			if (!two || w.waits() && w.m.mem.techniques.allows(PairedWalks)) && w.planWith(vecs, limits, two) && (!two || w.m.mem.techniques.use(PairedWalks)) {
				return true
			}
		}
	}
	return false
}

// planWith is plan with so many bases and limits in registers, and room for another lane.
func (w *walk) planWith(vecs []x86.Vec, limits int, two bool) bool {
	w.r, w.x, w.at, w.saved = slices.Clone(walkRegs), slices.Clone(vecs), make([]walkPlace, len(w.m.ops)), nil
	if !w.planLane() {
		return false
	}
	var other *laneRegs
	if two {
		if other = w.anotherLane(); other == nil {
			return false
		}
	}
	if !w.planConstants() {
		return false
	}
	w.planLimits(limits)
	w.planSteps()
	if w.known == nil || two {
		w.r = append(w.r, x86.RCX) // else it is the lane
	}
	if !w.planValues() || w.crossed() {
		return false
	}
	w.besides(other)
	return true
}

// planLane gives rows, the number of trips and the bases of what passes their registers.
func (w *walk) planLane() (ok bool) {
	for i := range w.rows {
		x := &w.rows[i]
		if x.walkPlace = (walkPlace{}); w.idle(x) {
			continue
		}
		if x.walkPlace, ok = w.take(x.class); !ok {
			return false
		}
		if x.in != noVal {
			w.at[x.in] = x.walkPlace
		}
	}
	count, ok := w.take(generalClass)
	if !ok {
		return false
	}
	w.count = count.r
	w.planIndices()
	return w.planPassing()
}

// idle tells whether a trip has nothing to do with a row.
func (w *walk) idle(x *walkRow) bool { return x.passes || x.out == noVal && !w.need[x.in] }

// planLimits keeps so many bases and limits in registers, bases first.
func (w *walk) planLimits(limits int) {
	keep := func(r *x86.Reg, wanted bool) {
		if *r = x86.NoReg; wanted && limits > 0 && len(w.r) > 0 {
			p, _ := w.take(generalClass)
			*r, limits = p.r, limits-1
		}
	}
	for i := range w.loads {
		if l := &w.loads[i]; !w.passing(l) {
			keep(&l.host, true)
		}
	}
	for i := range w.loads {
		l := &w.loads[i]
		keep(&l.n, l.row < 0)
		keep(&l.low, l.row < 0)
	}
}

// take takes a register.
func (w *walk) take(c walkClass) (p walkPlace, ok bool) {
	switch {
	case c == floatClass && len(w.x) > 0:
		p, w.x = walkPlace{v: w.x[len(w.x)-1], r: x86.NoReg, has: true}, w.x[:len(w.x)-1]
	case c != floatClass && len(w.r) > 0:
		p, w.r = walkPlace{r: w.r[0], has: true}, w.r[1:]
		if slices.Contains(keptRegs, p.r) && !slices.Contains(w.saved, p.r) {
			w.saved = append(w.saved, p.r)
		}
	}
	return p, p.has
}

// give gives it back.
func (w *walk) give(c walkClass, p walkPlace) {
	if c == floatClass {
		w.x = append(w.x, p.v)
	} else {
		w.r = append(w.r, p.r)
	}
}

// planConstants keeps constants of floats in registers.
func (w *walk) planConstants() (ok bool) {
	for i := range w.m.ops {
		o := &w.m.ops[i]
		if _, isFloat := walkSingleOps[o.code]; !w.need[i] || !isFloat {
			continue
		}
		for _, a := range o.args() {
			if _, known := w.m.known(a); known && !w.at[a].has {
				if w.at[a], ok = w.take(floatClass); !ok {
					return false
				}
			}
		}
	}
	return true
}

// planIndices finds loads at indices that go on by a step each trip: a walk knows when they come to an end.
func (w *walk) planIndices() {
	for k := range w.loads {
		l := &w.loads[k]
		if w.passing(l) {
			w.fold(l)
			continue
		}
		i := slices.IndexFunc(w.rows, func(x walkRow) bool { return x.in == l.index && x.out != noVal })
		if i < 0 {
			continue
		}
		o := &w.m.ops[w.rows[i].out]
		step, known := uint64(0), false
		if o.code == cAdd && o.a == l.index {
			step, known = w.m.known(o.b)
		}
		if known && bits.OnesCount64(step) == 1 && step < 1<<16 && w.last[l.index] <= int(w.rows[i].out) && w.soleUses(l.index, w.rows[i].out) {
			l.row, l.step, w.rows[i].index = i, int64(step), true
			w.fold(l)
		}
	}
}

// planSteps finds the rows that the number of the trip tells: bases of their loads are in registers, and addresses have the step as scale.
func (w *walk) planSteps() {
	if w.up = w.known != nil; w.up {
		return
	}
	for i := range w.rows {
		x := &w.rows[i]
		if x.step = 0; !x.index {
			continue
		}
		for k := range w.loads {
			if l := &w.loads[k]; l.row != i {
				continue
			} else if x.step = int(l.step); l.host == x86.NoReg || l.step<<l.shift > 1<<maxScale {
				x.step = 0
				break
			}
		}
		w.up = w.up || x.step != 0
	}
}

// fold lets the only one that reads what is loaded at an index that goes on load it, if it is a fused multiplication and the index
// has not gone on before.
func (w *walk) fold(l *walkLoad) {
	u := w.last[l.to]
	if l.fma = noVal; u == 0 || u >= len(w.m.ops) || !w.passing(l) && u >= int(w.rows[l.row].out) {
		return
	}
	for i := range w.m.ops[:u] {
		if w.need[i] && slices.Contains(w.m.ops[i].args(), l.to) {
			return
		}
	}
	for i := range w.loads {
		if w.loads[i].fma == val(u) { // it loads another one
			return
		}
	}
	if o := &w.m.ops[u]; o.code == cFFma && o.c != l.to && (o.a == l.to) != (o.b == l.to) {
		l.fma, w.last[l.index] = val(u), max(w.last[l.index], u)
	}
}

// soleUses tells whether an index is read by loads and the sum that makes the next one of it, and that by nobody.
func (w *walk) soleUses(index, next val) bool {
	for i := range w.m.ops {
		for _, a := range w.m.ops[i].args() {
			if w.need[i] && val(i) != w.cond && (a == next || a == index && val(i) != next) {
				return false
			}
		}
	}
	if w.known == nil && (w.a == next || w.b == next || w.a == index || w.b == index) {
		return false
	}
	for i := range w.loads {
		if w.loads[i].index == next || w.loads[i].index == index && w.loads[i].to > next {
			return false
		}
	}
	return true
}

// planValues gives values their registers, in their order.
func (w *walk) planValues() (ok bool) {
	owned := make([]bool, len(w.m.ops))
	for i := range w.m.ops {
		o := &w.m.ops[i]
		l := w.loadOf(val(i))
		if !w.need[i] || val(i) == w.cond || o.code == cConst || o.code == cIn && l == nil {
			continue
		}
		if r := w.inPlace(val(i)); r != nil {
			w.at[i] = r.walkPlace
		} else if a := w.takenOver(val(i), owned); a != noVal {
			w.at[i], owned[i], owned[a] = w.at[a], true, false
		} else {
			if w.at[i], ok = w.take(w.class[i]); !ok {
				return false
			}
			owned[i] = true
		}
		for a := range w.m.ops[:i] {
			if owned[a] && w.last[a] == i {
				w.give(w.class[a], w.at[a])
			}
		}
		if owned[i] && w.last[i] == 0 { // a load that nobody reads
			w.give(w.class[i], w.at[i])
		}
	}
	return true
}

// takenOver is a source whose register the result can have, noVal if there is none.
func (w *walk) takenOver(v val, owned []bool) val {
	o := &w.m.ops[v]
	from := o.args()
	if l := w.loadOf(v); l != nil {
		from = []val{l.index}
	}
	for k, a := range from {
		if owned[a] && w.last[a] == int(v) && w.class[a] == w.class[v] && (k == 0 || w.class[v] == floatClass || o.code.commutes()) {
			return a
		}
	}
	return noVal
}

// inPlace is the row that a value is the new one of, if nobody reads the old one from here on; nil if there is none.
func (w *walk) inPlace(v val) *walkRow {
	for i := range w.rows {
		x := &w.rows[i]
		if x.out != v {
			continue
		}
		if o := &w.m.ops[v]; x.in != noVal && (w.last[x.in] > int(v) || o.n == 2 && o.b == x.in && o.a != x.in && !o.code.commutes() && x.class != floatClass) {
			continue
		}
		if x.in == noVal || w.last[x.in] <= int(v) {
			return x
		}
	}
	return nil
}

// crossed tells whether a row gets at the end of a trip what another one, which gets something itself, had.
func (w *walk) crossed() bool {
	for i := range w.rows {
		for j := range w.rows {
			if x, y := &w.rows[i], &w.rows[j]; i != j && x.out != noVal && y.out != noVal && x.out == y.in {
				return true
			}
		}
	}
	return false
}
