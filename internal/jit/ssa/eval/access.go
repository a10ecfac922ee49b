package eval

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// This file loads and stores, and holds each access to what has been tested.

// tests are by an entry of the machine's table of bounds, and whether stores are allowed.
type tests struct {
	bounds int32
	store  bool
}

// extent is what tests have found to be inside of one allocation: all between the first byte and the last.
type extent struct{ lo, hi uint64 }

// forget forgets what was tested at a level of loops, and deeper ones: of the launch, of the CTA, of the warp.
func (r *run) forget(level int) {
	for ; level < len(r.tested); level++ {
		r.tested[level] = map[tests]extent{}
	}
}

// inside tests an address, and notes what it has found to be inside.
func (r *run) inside(v ssa.Value, o *ssa.Op) lanes {
	c, at := &r.f.Checks[o.Imm], r.number(o.A)
	if at&uint64(max(c.Align, 1)-1) != 0 || !r.within(c.Bounds, c.Store, at+uint64(c.Lo), c.Hi-c.Lo) {
		return number(0)
	}
	level := min(int(r.f.Info[v].Level), len(r.tested)-1)
	k, x := tests{c.Bounds, c.Store}, extent{at + uint64(c.Lo), at + uint64(c.Hi)}
	if old, known := r.tested[level][k]; known {
		x = extent{min(x.lo, old.lo), max(x.hi, old.hi)}
	}
	r.tested[level][k] = x
	return number(1)
}

// within tells whether bytes are inside of an allocation that the machine's table names.
func (r *run) within(bounds int32, store bool, at uint64, n int64) bool {
	b := r.boundsOf(bounds)
	end := b.End
	if store {
		end = b.WriteEnd
	}
	return end > b.Start && end-b.Start >= uint64(n) && at-b.Start <= end-b.Start-uint64(n)
}

// wasTested tells whether bytes lie between what was tested.
func (r *run) wasTested(e *ssa.Effect, at uint64) bool {
	lo, hi := ^uint64(0), uint64(0)
	for _, level := range r.tested {
		for _, store := range []bool{true, false} {
			if x, known := level[tests{e.Access.Bounds, store}]; known && (store || e.Kind == ssa.Load) {
				lo, hi = min(lo, x.lo), max(hi, x.hi)
			}
		}
	}
	return lo <= at && at+uint64(e.Access.Bytes()) <= hi
}

// addresses are those of the lanes of an access.
func (r *run) addresses(a *ssa.Access) (at lanes) {
	base := r.number(a.Base) + uint64(a.Disp)
	for i := range at {
		at[i] = base + uint64(i)*uint64(a.Step)
		if a.Index != 0 {
			at[i] += r.get(a.Index)[i]
		}
	}
	return at
}

// access loads or stores. What tests itself does so for all its lanes first, and leaves if one of them is outside.
func (r *run) access(e *ssa.Effect) {
	a, mask := e.Access, r.mask(e.Mask)
	at := r.addresses(a)
	if a.Check != 0 {
		r.checked(e, &at, mask)
	} else if mask != 0 && r.forced(e.State) {
		r.exit(e.State)
		return
	} else if outside := r.outside(e, &at, mask); outside {
		r.s.Missed = e.PC + 1
		r.exit(e.State)
		return
	}
	switch e.Kind {
	case ssa.Load:
		r.loads(e, &at, mask)
	case ssa.Store:
		r.stores(e, &at, mask)
	case ssa.AtomicOnce:
		r.updates(e, &at, mask&1)
	default:
		r.updates(e, &at, mask)
	}
}

func (r *run) outside(e *ssa.Effect, at *lanes, mask uint32) bool {
	a := e.Access
	for ; mask != 0; mask &= mask - 1 {
		x := at[bits.TrailingZeros32(mask)]
		if x&uint64(max(a.Align, 1)-1) != 0 || !r.within(a.Bounds, e.Stores(), x, a.Bytes()) {
			return true
		}
	}
	return false
}

// checked holds an access to its checks: loads in all lanes, since who has tested an access may load them all.
func (r *run) checked(e *ssa.Effect, at *lanes, mask uint32) {
	a := e.Access
	if e.Kind == ssa.Load {
		mask = r.group()
	}
	c := &r.f.Checks[a.Check]
	low := r.number(a.Base)
	high := low
	if a.Upto != 0 {
		low, high = r.number(a.Low), r.number(a.High)
	}
	if a.Bounds == ssa.LocalBounds {
		rows, _ := r.f.LocalBase(a.Base)
		low = r.number(rows)
		high = low
	}
	low, high = low+uint64(c.Lo), high+uint64(c.Hi)
	if a.Upto != 0 {
		high += uint64(r.f.Checks[a.Upto].Hi - c.Hi)
	}
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		switch x := at[lane]; {
		case x-low > high-low || high-x < uint64(a.Bytes()):
			r.failf("lane %d: check %d does not cover %#x", lane, a.Check, x)
		case a.Bounds == ssa.LocalBounds:
		case !r.wasTested(e, x):
			r.failf("lane %d: no test has found that %#x is inside", lane, x)
		case x&uint64(max(a.Align, 1)-1) != 0:
			r.failf("lane %d: %#x is not aligned", lane, x)
		}
	}
	if a.Bounds != ssa.LocalBounds && r.outside(e, at, mask) {
		r.failf("what was tested is outside")
	}
	if a.Runs != 0 && r.truth(a.Runs) {
		for i := range r.f.LanesIn(r.block) {
			if at[i] != r.number(a.Low)+uint64(a.Disp)+uint64(i)*uint64(a.Elem) {
				r.failf("lane %d does not follow the others", i)
			}
		}
	}
}

func (r *run) loads(e *ssa.Effect, at *lanes, mask uint32) {
	a := e.Access
	for k, v := range e.Results {
		var to lanes
		one := r.f.IsNum(v)
		for i := range to {
			switch on := mask>>i&1 != 0 || one && mask != 0; {
			case on && a.Bits[k] != 0:
				to[i] = extend(r.load(at[i]+uint64(k)*uint64(a.Elem), int(a.Elem)), a)
			default:
				to[i] = r.garbage()
			}
			if one {
				break
			}
		}
		r.result(v, &to)
	}
	r.now++
}

// extend extends a narrow element by its sign, if it has one.
func extend(v uint64, a *ssa.Access) uint64 {
	if shift := 64 - 8*a.Elem; a.Signed {
		return uint64(int64(v<<shift) >> shift)
	}
	return v
}

// stores stores lane after lane with all its elements.
func (r *run) stores(e *ssa.Effect, at *lanes, mask uint32) {
	a := e.Access
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros32(mask)
		for k, v := range e.Args {
			r.store(at[i]+uint64(k)*uint64(a.Elem), int(a.Elem), r.get(v)[i])
		}
	}
}

// updates updates elements lane after lane. Lanes that are off have garbage as what was there.
func (r *run) updates(e *ssa.Effect, at *lanes, mask uint32) {
	n := int(e.Access.Elem)
	t, y := r.f.TypeOf(e.Args[0]), e.Args[len(e.Args)-1]
	var was lanes
	for i := range was {
		was[i] = r.garbage()
	}
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros32(mask)
		was[i] = r.load(at[i], n)
		r.store(at[i], n, e.Update.Evaluate(t, was[i], r.get(e.Args[0])[i], r.get(y)[i]))
	}
	for _, v := range e.Results {
		r.result(v, &was)
	}
}
