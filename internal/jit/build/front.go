package build

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// This file has the tests in front of a hot copy.

// front are the tests on which a hot copy relies; they are made where it begins, when it is complete.
type front struct {
	limit  int    // blocks from here on come behind the tests
	copy   uint16 // of what the tests compute
	order  []tested
	checks map[tested]ssa.CheckID
	ranges []ssa.Value // numbers that hold where strided values do not wrap
	spare  int64       // back edges for which there is to be fuel
	apart  []apartWay  // ways on which lanes have parted that leave the copy

	arm     *arm       // only this arm of a branch relies on the tests; nil: all of the copy does
	at, hot *ssa.Block // of an arm: the tests are at the end of this block, and lead there
}

// tested is an address that is tested by a table of bounds.
type tested struct {
	base   ssa.Value
	bounds int32
}

// maxVersions is how often a kernel may be parted into a hot copy and one for any lanes.
const maxVersions = 4

// mayTest tells whether a hot copy may begin here.
func (p *path) mayTest() bool {
	return p.isFull(p.mask) && len(p.waiting)+len(p.joins)+len(p.loops) == 0 && p.upTo == 0 && !p.Copies[p.Copy].Cold && p.copies < maxVersions && !p.opt.Rest
}

// versions goes on at an instruction in two ways: hot, for warps of which all lanes are in a mask, and for any lanes that run. The hot
// copy takes it for known that no lane exits at passes. begin, if not nil, puts effects in front of both.
func (p *path) versions(pc int32, mask ssa.Value, passes int32, begin func(hot, any *path)) {
	p.copies++
	br, outer, noWrap := p.block, p.Copy, p.NoWrap
	cold := p.NewCopy(32, true)
	p.Copy = outer
	h, r := p.clone(), p.clone()
	h.front, h.passes = &front{limit: len(p.Blocks), copy: outer, checks: map[tested]ssa.CheckID{}}, passes
	h.block = p.newBlock()
	br.Jump(h.block)
	p.NoWrap = h.front.noWrap(p.builder)
	r.front, r.block = nil, p.NewBlock(p.level())
	r.block.Cold = true
	if begin != nil {
		begin(h, r)
	}
	if h.Copy = outer; h.starts {
		h.region(pc)
	} else {
		h.run(pc)
	}
	h.front.goApart(p.builder)
	p.Copy = outer
	h.front.fuel(br, p.builder)
	cond := h.front.condition(p.builder, p.All(mask))
	br.Cond = cond
	p.NoWrap, p.Copy = nil, cold
	br.Jump(r.block)
	if passes < 0 {
		r.mask = mask
		r.endIfNone()
	}
	r.enter()
	r.run(pc)
	p.Copy, p.NoWrap, p.dead = outer, noWrap, true
}

// fuel makes sure at the end of a block that there is fuel for the back edges that the copy does not count one by one.
func (t *front) fuel(at *ssa.Block, b *builder) {
	if t.spare > 0 {
		e := at.Add(&ssa.Effect{Kind: ssa.Spare, N: t.spare})
		t.require(b.NewResult(at, e, ssa.M, true))
	}
}

// endIfNone ends the warp if no lane runs.
func (p *path) endIfNone() {
	if p.isFull(p.mask) {
		return
	}
	next := p.newBlock()
	p.block.Cond = p.Any(p.mask)
	p.block.Jump(next)
	p.block.Jump(p.end)
	p.block = next
}

// noWrap is how the constructor asks whether a strided value stays one when it is extended: it does where a test in front can say so.
func (t *front) noWrap(b *builder) func(ssa.Value, int64, bool) bool {
	return func(base ssa.Value, step int64, signed bool) bool {
		bits := b.TypeOf(base).Bits()
		span := b.last() * step
		front := b.before(base, t.limit)
		if span >= 1<<30 || span <= -1<<30 || !front && (!b.IsNum(base) || b.running == nil) {
			return false
		}
		low, high, le := -int64(1)<<(bits-1), int64(uint64(1)<<(bits-1)-1), ssa.LeS
		if !signed {
			if low, high, le = 0, int64(uint64(1)<<bits-1), ssa.LeU; bits == 64 {
				return false
			}
		}
		if bits == 32 {
			if l, h := b.Between(base); l+min(span, 0) >= low && h+max(span, 0) <= min(high, 1<<31-1) {
				return true // whatever the warp is
			}
		}
		evenly := func() ssa.Value {
			if span > 0 {
				return b.Cmp(le, base, b.Const(b.TypeOf(base), uint64(high-span)))
			}
			return b.Cmp(le, b.Const(b.TypeOf(base), uint64(low-span)), base)
		}
		if !front {
			return b.running.require(evenly())
		}
		t.inFront(b, func() {
			base = b.remade(base)
			t.require(evenly())
		})
		return true
	}
}

// last is the last lane of the running copy's group.
func (b *builder) last() int64 { return int64(b.Copies[b.Copy].Lanes - 1) }

// inFront makes operations of the copy that the tests are in.
func (t *front) inFront(b *builder, do func()) { b.inCopy(t.copy, do) }

// inCopy makes operations of another copy than the running one.
func (b *builder) inCopy(copy uint16, do func()) {
	running := b.Copy
	b.Copy = copy
	do()
	b.Copy = running
}

// require adds a number that is to hold.
func (t *front) require(v ssa.Value) {
	if !slices.Contains(t.ranges, v) {
		t.ranges = append(t.ranges, v)
	}
}

// remade is a value as the running copy has it.
func (b *builder) remade(v ssa.Value) ssa.Value {
	return b.anew(v, func(v ssa.Value) bool { return !b.Copies[b.Ops[v].Copy].Cold || b.Info[v].Block >= 0 })
}

// anew makes a value once more in the running copy, but for those of its parts that stay as they are. Each is looked at once: of some a
// value has more than can be counted.
func (b *builder) anew(v ssa.Value, stays func(ssa.Value) bool) ssa.Value {
	done := map[ssa.Value]ssa.Value{}
	var of func(v ssa.Value) ssa.Value
	of = func(v ssa.Value) ssa.Value {
		if stays(v) {
			return v
		}
		if w, made := done[v]; made {
			return w
		}
		o := b.Ops[v].Map(of)
		done[v] = b.Make(o.Code, o.Type, o.Imm, o.Operands()...)
		return done[v]
	}
	return of(v)
}

// before tells whether a number can be computed in front of blocks from a limit on.
func (b *builder) before(v ssa.Value, limit int) bool { return b.IsNum(v) && b.computable(v, limit) }

// computable tells whether a value follows from what is there in front of blocks from a limit on.
func (b *builder) computable(v ssa.Value, limit int) bool {
	return b.followsFrom(v, limit, map[ssa.Value]bool{})
}

// followsFrom is computable; seen are parts of the value that are.
func (b *builder) followsFrom(v ssa.Value, limit int, seen map[ssa.Value]bool) bool {
	switch at := int(b.Info[v].Block); {
	case at >= limit:
		return false
	case at >= 0 || seen[v]:
		return true
	}
	for _, a := range b.Ops[v].Operands() {
		if !b.followsFrom(a, limit, seen) {
			return false
		}
	}
	seen[v] = true
	return true
}

// cover makes a test in front cover an access, if it can; level is that of the access's block.
func (t *front) cover(b *builder, e *ssa.Effect, level int8) bool {
	a := e.Access
	if t == nil || !b.before(a.Base, t.limit) {
		return false
	}
	align, span := int64(max(a.Align, 1)), b.last()*a.Step
	least, most, even := min(span, 0), max(span, 0), a.Step%align == 0
	switch {
	case b.Table(a.Index) != nil:
		least, most = b.Ends(a.Index)
		even = 1<<b.Trailing(a.Index) >= align
	case a.Index != 0:
		return t.coverIndex(b, e, level)
	}
	if a.Disp%align != 0 || !even || a.Step > 1<<30 || a.Step < -1<<30 {
		return false
	}
	t.inFront(b, func() { a.Base = b.remade(a.Base) })
	a.Check = t.inside(b, e, a.Base, least, most)
	return a.Check != 0
}

// inside makes the check of an address contain what lanes touch that are from least to most bytes behind it; 0: it cannot.
func (t *front) inside(b *builder, e *ssa.Effect, base ssa.Value, least, most int64) ssa.CheckID {
	a := e.Access
	key := tested{base, a.Bounds}
	lo, hi := a.Disp+least, a.Disp+most+a.Bytes()
	const far = 1 << 30
	if lo < -far || hi > far {
		return 0
	}
	id, ok := t.checks[key]
	if !ok {
		b.Checks = append(b.Checks, ssa.Check{Bounds: a.Bounds, Lo: lo, Hi: hi, Align: 1})
		id = ssa.CheckID(len(b.Checks) - 1)
		t.checks[key], t.order = id, append(t.order, key)
	}
	b.Checks[id].Widen(lo, hi, e)
	return id
}

// condition is that all tests hold.
func (t *front) condition(b *builder, cond ssa.Value) ssa.Value {
	for _, r := range t.ranges {
		cond = b.And(cond, r)
	}
	for _, key := range t.order {
		cond = b.And(cond, b.Make(ssa.Inside, ssa.M, uint64(t.checks[key]), key.base))
	}
	return cond
}
