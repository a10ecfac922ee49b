package eval

import (
	"math"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/unit"
)

// This file computes values.

// across are operations of which a lane does not follow from the same lane of the operands alone, and tables.
var across map[ssa.Code]func(r *run, v ssa.Value, o *ssa.Op) lanes

func init() {
	across = map[ssa.Code]func(r *run, v ssa.Value, o *ssa.Op) lanes{
		ssa.Const: func(_ *run, _ ssa.Value, o *ssa.Op) lanes { return number(o.Imm) },
		ssa.Field: func(r *run, _ ssa.Value, o *ssa.Op) lanes { return number(r.field(o.Imm, o.Type.Bits()/8)) },
		ssa.Arg: func(r *run, _ ssa.Value, o *ssa.Op) lanes {
			return number(r.load(r.s.Params+o.Imm, o.Type.Bits()/8))
		},
		ssa.Strided: func(r *run, _ ssa.Value, o *ssa.Op) (to lanes) {
			for i := range to {
				to[i] = r.get(o.A)[0] + uint64(i)*o.Imm
			}
			return to
		},
		ssa.Each: func(r *run, _ ssa.Value, o *ssa.Op) (to lanes) {
			copy(to[:], r.f.Tables[o.Imm])
			return to
		},
		ssa.Any:    func(r *run, _ ssa.Value, o *ssa.Op) lanes { return number(bit(r.bits(o.A) != 0)) },
		ssa.All:    func(r *run, _ ssa.Value, o *ssa.Op) lanes { return number(bit(r.bits(o.A) == r.all(o.A))) },
		ssa.Ballot: func(r *run, _ ssa.Value, o *ssa.Op) lanes { return number(uint64(r.bits(o.A))) },
		ssa.Runs: func(r *run, _ ssa.Value, o *ssa.Op) lanes {
			a, n := r.get(o.A), r.f.LanesOf(o.A)
			yes := int32(a[0]) <= math.MaxInt32-int32(n-1)
			for i := range n {
				yes = yes && uint32(a[i]) == uint32(a[0])+uint32(i)
			}
			return number(bit(yes))
		},
		ssa.Inside: (*run).inside,
		ssa.Rows: func(r *run, _ ssa.Value, o *ssa.Op) lanes {
			if r.number(o.A) != uint64(r.warp) {
				r.failf("warp %d asks for the register block of warp %d", r.warp, r.number(o.A))
			}
			return number(uint64(r.warpOf().Regs-r.s.GlobalHost) + o.Imm)
		},
		ssa.Lookup: func(r *run, _ ssa.Value, o *ssa.Op) (to lanes) {
			list := unit.Table(o.Imm).Words()
			for i, k := range r.get(o.A) {
				to[i] = uint64(list[int(k)&(len(list)-1)])
			}
			return to
		},
		ssa.Shuffle: func(r *run, _ ssa.Value, o *ssa.Op) (to lanes) {
			for i := range to {
				to[i] = r.get(o.A)[r.get(o.B)[i]&31]
			}
			return to
		},
	}
	for code, join := range reductions {
		across[code] = func(r *run, _ ssa.Value, o *ssa.Op) lanes { return r.reduce(o.A, join) }
	}
}

// reductions are how lanes become one number.
var reductions = map[ssa.Code]func(a, b int32) int32{
	ssa.Least:  func(a, b int32) int32 { return min(a, b) },
	ssa.Most:   func(a, b int32) int32 { return max(a, b) },
	ssa.Sum:    func(a, b int32) int32 { return a + b },
	ssa.AndAll: func(a, b int32) int32 { return a & b },
	ssa.OrAll:  func(a, b int32) int32 { return a | b },
	ssa.XorAll: func(a, b int32) int32 { return a ^ b },
}

// knows tells whether an operation can be executed.
func knows(c ssa.Code) bool { return isLeaf(c) || across[c] != nil || c.Evaluates() }

func number(v uint64) (to lanes) {
	for i := range to {
		to[i] = v
	}
	return to
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// garbage is what a lane has that nothing has been put into.
func (r *run) garbage() uint64 { return r.rng.Uint64() }

// set gives a value its lanes.
func (r *run) set(v ssa.Value, to *lanes) {
	t := r.f.TypeOf(v)
	for i := range to {
		if r.f.IsNum(v) {
			to[i] = to[0]
		} else if i >= r.f.LanesOf(v) {
			to[i] = r.garbage()
		}
		to[i] &= 1<<t.Bits() - 1
	}
	r.values[v], r.since[v] = *to, r.now
}

// put computes a value.
func (r *run) put(v ssa.Value) {
	o := &r.f.Ops[v]
	if f := across[o.Code]; f != nil {
		to := f(r, v, o)
		r.set(v, &to)
		return
	}
	var x [3]*lanes
	for i := range x {
		x[i] = &lanes{}
	}
	for i, a := range o.Operands() {
		x[i] = r.get(a)
	}
	var to lanes
	n := r.f.LanesOf(v)
	if r.f.IsNum(v) {
		n = 1
	}
	for i := range n {
		to[i] = r.f.Evaluate(o, x[0][i], x[1][i], x[2][i])
		if o.AnyPayload() && ssa.NaN(o.Type, to[i]) {
			to[i] = r.payload(o.Type)
		}
	}
	r.set(v, &to)
}

// payload is some NaN.
func (r *run) payload(t ssa.Type) uint64 {
	if t == ssa.W {
		return r.garbage()&0x807fffff | 0x7f800001
	}
	return r.garbage()&^(0x7ff<<52) | 0x7ff<<52 | 1
}

// get is a value that is read by the running item: as it has been computed, if there is a place where it is.
func (r *run) get(v ssa.Value) *lanes {
	o := &r.f.Ops[v]
	fresh := r.since[v] != 0 && r.since[v] >= r.since[r.newest[v]]
	switch {
	case r.here(v):
		if !fresh {
			r.failf("v%d is not there, or older than v%d, from which it follows", v, r.newest[v])
		}
	case isLeaf(o.Code):
		r.failf("v%d is not there", v)
	case !fresh:
		r.put(v)
	}
	return &r.values[v]
}

// here tells whether each way to the running item goes through the place where a value is computed, if it has one.
func (r *run) here(v ssa.Value) bool {
	at := r.at[v]
	if at.block == r.block {
		return at.index < r.index
	}
	return at.block != nil && r.dom.Dominates(at.block, r.block)
}

// number is that of a value which is one.
func (r *run) number(v ssa.Value) uint64 {
	if _, known := r.f.Known(v); !known && !r.f.IsNum(v) {
		r.failf("v%d is no number", v)
	}
	return r.get(v)[0]
}

func (r *run) truth(v ssa.Value) bool { return r.number(v) != 0 }

// bits are those of a mask: of one that is a number all or none.
func (r *run) bits(v ssa.Value) (m uint32) {
	for i, x := range r.get(v) {
		m |= uint32(x) << i
	}
	return m & r.all(v)
}

// all has a bit for each lane of a value; numbers have all of them.
func (r *run) all(v ssa.Value) uint32 {
	if _, known := r.f.Known(v); known || r.f.IsNum(v) {
		return ^uint32(0)
	}
	return uint32(1<<r.f.LanesOf(v) - 1)
}

// mask is that of an effect: of the lanes of the running block.
func (r *run) mask(v ssa.Value) uint32 { return r.bits(v) & r.group() }

// group has a bit for each lane of the running block.
func (r *run) group() uint32 { return uint32(1<<r.f.LanesIn(r.block) - 1) }

// count is how many lanes of the running block a mask has.
func (r *run) count(v ssa.Value) int64 { return int64(bits.OnesCount32(r.mask(v))) }

func (r *run) reduce(v ssa.Value, of func(a, b int32) int32) lanes {
	a := r.get(v)
	all := int32(a[0])
	for _, x := range a[1:r.f.LanesOf(v)] {
		all = of(all, int32(x))
	}
	return number(uint64(all))
}
