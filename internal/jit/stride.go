package jit

// Values that follow from few. In a full warp most addresses differ between lanes by the same
// step, within runs of lanes: the threads of one row of the block. Such a value is kept as one
// number for each run, in general registers and memory, and its arithmetic is that of numbers.
// What is a property of the program alone is found here; patterns.go says which registers it is.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/ir"
)

// stride says how the lanes' values follow from those at the start of each run: lane i of a run has
// base + step·(i mod row) + hop·(i div row), modulo the value's width. The zero value says nothing.
type stride struct {
	w    int // lanes of a run: 32, 16 or 8
	row  int // lanes of a row of the run, which follow each other by step: w, 16 or 8
	step int64
	hop  int64 // from row to row, 0 if there is one
	even uint8 // the base of each run is a multiple of 1<<even; maxEven of 0
}

// maxEven is more than the bits of any value.
const maxEven = 64

// evenness is how often two divides a number.
func evenness(v uint64) uint8 { return uint8(bits.TrailingZeros64(v)) }

// like tells whether distances from the base are the same.
func (r stride) like(s stride) bool {
	s.even = r.even
	return r == s
}

// same for all lanes.
var everyLane = stride{w: 32, row: 32}

func (r stride) known() bool { return r.w != 0 }

// number of runs in a warp.
func (r stride) n() int { return 32 / r.w }

// offset is the distance of a lane from the base of its run.
func (r stride) offset(lane int) int64 {
	lane %= r.w
	return int64(lane%r.row)*r.step + int64(lane/r.row)*r.hop
}

// extents are the smallest and the largest distance of a lane from the base of its run.
func (r stride) extents() (low, high int64) {
	along, across := r.step*int64(r.row-1), r.hop*int64(r.w/r.row-1)
	return min(along, 0) + min(across, 0), max(along, 0) + max(across, 0)
}

// same tells whether all lanes of a run have one value.
func (r stride) same() bool { return r.step == 0 && r.hop == 0 }

// within is the same in runs of at most w lanes.
func (r stride) within(w int) stride {
	for lane := w; lane < r.w; lane += w {
		r.even = min(r.even, evenness(uint64(r.offset(lane))))
	}
	if r.w = min(r.w, w); r.row >= r.w {
		r.row, r.hop = r.w, 0
	}
	return r
}

// inRows is the same in rows of at most n lanes.
func (r stride) inRows(n int) stride {
	if r.row <= n {
		return r
	}
	r = r.within(r.row) // rows of rows have no hop
	if r.row = n; n < r.w {
		r.hop = int64(n) * r.step
	}
	return r
}

// alike brings two into the same runs and rows.
func alike(a, b stride) (stride, stride) {
	row := min(a.row, b.row)
	a, b = a.inRows(row), b.inRows(row)
	w := min(a.w, b.w)
	return a.within(w), b.within(w)
}

// joined makes one row of rows that go on where the one before ends.
func (r stride) joined(t typ) stride {
	if r.row < r.w && r.hop == t.wrapped(int64(r.row)*r.step) {
		r.row, r.hop = r.w, 0
	}
	return r
}

// meet is what two definitions of a register have in common.
func (r stride) meet(s stride) stride {
	if !r.known() || !s.known() || r.step != s.step {
		return stride{}
	}
	a, b := alike(r, s)
	if !a.like(b) {
		a, b = a.within(a.row), b.within(b.row)
	} else if a.hop == int64(a.row)*a.step {
		a.row, a.hop = a.w, 0
	}
	a.even = min(a.even, b.even)
	return a
}

// wrapped brings a step into the range of a type.
func (t typ) wrapped(step int64) int64 {
	if t == tX {
		return step
	}
	return int64(int32(step))
}

// combine is the sum of two values, b taken k times.
func (t typ) combine(a, b stride, k int64) stride {
	if !a.known() || !b.known() {
		return stride{}
	}
	a, b = alike(a, b)
	return stride{a.w, a.row, t.wrapped(a.step + k*b.step), t.wrapped(a.hop + k*b.hop), min(a.even, b.times2(k))}.joined(t)
}

// follow finds how the values of a program follow from those of its sources. Extensions of 32 to
// 64 bits hold only while no lane wraps: checked has those that the machine must test.
func (r *region) follow(p *program, in func(k int) stride) (out []stride, checked bool) {
	out = r.mem.strides.take(len(p.ops))
	need := needed(p)
	for i := range p.ops {
		if !need[i] {
			continue
		}
		out[i] = r.followOne(p, &p.ops[i], out, in)
		checked = checked || p.extends(val(i)) && !out[i].same()
	}
	return out, checked
}

func (p *program) extends(v val) bool { return p.ops[v].code == cZext || p.ops[v].code == cSext }

func (r *region) followOne(p *program, o *operation, out []stride, in func(k int) stride) stride {
	switch o.code {
	case cIn:
		return in(int(o.imm))
	case cConst:
		return everyLane.of(o.imm)
	case cAdd:
		return o.typ.combine(out[o.a], out[o.b], 1)
	case cSub:
		return o.typ.combine(out[o.a], out[o.b], -1)
	case cShlI:
		return o.typ.times(out[o.a], 1<<o.imm)
	case cMul:
		return p.product(o, out)
	case cMulLU, cMulLS:
		if p.halves(o.a, o.code) && p.halves(o.b, o.code) {
			return p.product(o, out)
		}
		return stride{}
	case cZext, cSext:
		if !out[o.a].known() {
			return stride{}
		}
		if low, high := out[o.a].extents(); low < -1<<31 || high >= 1<<31 {
			return stride{}
		}
		return out[o.a]
	case cTrunc:
		return o.typ.times(out[o.a], 1)
	}
	return p.unary(o, out)
}

// of is the same of a base that is known.
func (r stride) of(base uint64) stride {
	r.even = evenness(base)
	return r
}

// times is a value multiplied by a number.
func (t typ) times(a stride, k int64) stride {
	return stride{a.w, a.row, t.wrapped(a.step * k), t.wrapped(a.hop * k), a.times2(k)}.joined(t)
}

// times2 is how often two divides k times the base.
func (r stride) times2(k int64) uint8 { return min(r.even+evenness(uint64(k)), maxEven) }

func (p *program) product(o *operation, out []stride) stride {
	a, b := out[o.a], out[o.b]
	if k, ok := p.known(o.b); ok {
		return o.typ.times(a, int64(k))
	}
	if k, ok := p.known(o.a); ok {
		return o.typ.times(b, int64(k))
	}
	return p.unary(o, out)
}

// unary is anything that general registers can compute from values that are the same along rows.
func (p *program) unary(o *operation, out []stride) stride {
	r := everyLane
	for _, a := range o.args() {
		if !out[a].known() || out[a].step != 0 {
			return stride{}
		}
		w := out[a].w
		if out[a].hop != 0 {
			w = out[a].row
		}
		r = r.within(w)
	}
	if o.typ == tM || !numeric(o.code) {
		return stride{}
	}
	return r
}

// halves tells whether a factor of 64 bits is the extension of its lower half, so that the product
// of halves is the whole product.
func (p *program) halves(v val, c code) bool {
	o := &p.ops[v]
	switch {
	case o.code == cConst && c == cMulLU:
		return o.imm == uint64(uint32(o.imm))
	case o.code == cConst:
		return o.imm == uint64(int32(o.imm))
	case c == cMulLU:
		return o.code == cZext
	}
	return o.code == cSext
}

// numeric tells whether general registers can compute an operation (numbers.go).
func numeric(c code) bool {
	switch c {
	case cIn, cConst, cAdd, cSub, cMul, cMulLU, cMulLS, cAnd, cOr, cXor, cAndn, cShlI, cShrI, cSarI, cRotI, cZext, cSext, cTrunc:
		return true
	}
	return false
}

// maxNumbers is how many intermediate values a program may have in general registers.
const maxNumbers = 4

// numbers tells whether general registers can run a program.
func (p *program) numbers() bool {
	if p.need != nil {
		return p.numeric
	}
	return p.onlyNumbers()
}

func (p *program) onlyNumbers() bool {
	n := 0
	for i, need := range needed(p) {
		if !need {
			continue
		}
		if !numeric(p.ops[i].code) || p.ops[i].typ == tM {
			return false
		}
		if p.ops[i].code != cIn && p.ops[i].code != cConst {
			n++
		}
	}
	return n <= maxNumbers
}

// threadStride is how a component of the thread index follows from the lane in full warps.
func threadStride(s ir.LaunchShape, comp int) stride {
	x, y := int64(s.BlockX), int64(s.BlockY)
	threads := x * y * int64(s.BlockZ)
	index := func(n int64) int64 { return [...]int64{n % x, n / x % y, n / x / y}[comp] }
	return strideOf(tX, threads&^31, index)
}

// strideOf finds how an index of n threads follows from that at the start of each run, in full warps.
func strideOf(t typ, n int64, index func(n int64) int64) stride {
	if n == 0 {
		return stride{}
	}
	for _, r := range []stride{{w: 32, row: 32}, {w: 32, row: 16}, {w: 32, row: 8}, {w: 16, row: 16}, {w: 16, row: 8}, {w: 8, row: 8}} {
		if r.step = t.wrapped(index(1) - index(0)); r.row < r.w {
			r.hop = t.wrapped(index(int64(r.row)) - index(0))
		}
		if r.hold(t, n, index) {
			r.even = maxEven
			for first := int64(0); first < n; first += int64(r.w) {
				r.even = min(r.even, evenness(uint64(index(first))))
			}
			return r
		}
	}
	return stride{}
}

// hold tells whether an index keeps to the runs.
func (r stride) hold(t typ, threads int64, index func(n int64) int64) bool {
	for n := range threads {
		first := n - n%int64(r.w)
		if t.wrapped(index(n)-index(first)-r.offset(int(n-first))) != 0 {
			return false
		}
	}
	return true
}
