package jit

// Square roots of f32 beside the divider (AVX-512). A register of them keeps the divider busy for twelve cycles and one of
// quotients for ten, whatever else the processor could do. Where a run waits for it, roots are what the processor knows of
// 1/sqrt(x), one step of Newton for sqrt(x) and for 1/(2 sqrt(x)), and a last one with the exact rest: the result of that is
// rounded correctly whenever the first guess is within 2^-14 (TestRootGuesses).

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// Cycles of the divider for a register of quotients and of roots, and instructions of a root without it.
const (
	quotientCycles = 10
	rootCycles     = 12
	rootOps        = 12
)

// Roots below leastRoot are left to the divider, since the exact rest would be too small for f32, and so are those that are
// no numbers here: of zero, of infinity, and of what has none.
const (
	leastRoot         = 0x26800000 // 2^-50
	notGreaterOrEqual = 9          // predicate of a comparison, which holds for NaNs, too
)

// roots takes square roots from the divider as long as that has more to do than the rest of the program, of whose
// instructions the processor does two a cycle.
func (m *merged) roots() {
	need, divider, ops := m.needs(), 0, 0
	for i := range m.ops {
		switch o := &m.ops[i]; {
		case !need[i] || m.given(val(i)):
		case o.typ != tW:
			return // parts of fewer lanes
		case o.code == cFSqrt:
			divider += rootCycles
		case o.code == cFDiv:
			divider += quotientCycles
		default:
			ops++
		}
	}
	for i := range m.ops {
		o := &m.ops[i]
		if !need[i] || o.code != cFSqrt || o.imm != roundNear || 2*divider <= ops+rootOps || !m.mem.techniques.use(Roots) {
			continue
		}
		o.code, divider, ops = cRoot, divider-rootCycles, ops+rootOps
	}
}

// root assembles a square root. Where only some lanes are computed the divider does it: the others could hold what costs
// the processor long.
func (e *emitter) root(o *operation, a loc, dst func() x86.Vec) loc {
	if e.aside == nil || e.only != 0 {
		hardware := *o
		hardware.code = cFSqrt
		return e.one(x86.VSQRTPS, &hardware, a, tW, dst)
	}
	w, half := e.width(tW), e.Const32(0x3f000000).Bcast()
	x := e.load(a, tW)
	g, h, t := dst(), e.alloc(), e.alloc()
	e.VV(x86.VRSQRT14PS, w, h, x.v)
	e.VVV(x86.VMULPS, w, g, x.v, h)
	e.VVM(x86.VMULPS, w, h, h, half)
	e.broadcast(w, tW, t, e.Const32(0x3f000000))
	e.VVV(x86.VFNMADD231PS, w, t, h, g) // 1/2 - hg
	e.VVV(x86.VFMADD213PS, w, g, t, g)
	e.VVV(x86.VFMADD213PS, w, h, t, h)
	e.copy(w, t, x.v)
	e.VVV(x86.VFNMADD231PS, w, t, g, g) // x - gg
	e.VVV(x86.VFMADD231PS, w, g, h, t)
	k := e.allocK()
	e.KVMI(x86.VCMPPSK, w, k, g, e.Const32(leastRoot).Bcast(), notGreaterOrEqual)
	e.KK(x86.KORTESTW, k, k)
	behind := e.NewLabel()
	e.Jcc(x86.NE, e.aside(func() {
		e.VV(x86.VSQRTPS, w, g, x.v)
		e.Jmp(behind)
	}))
	e.Bind(behind)
	e.freeK = append(e.freeK, k)
	e.release(temp(h))
	e.release(temp(t))
	e.unload(x, a)
	return done(g)
}
