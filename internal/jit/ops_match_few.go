package jit

// Lanes with equal values, where values have few bits, as digits do: the lanes of each value are found at once, a mask for each in a
// table, of which lanes take theirs by permutation.

import (
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// maxMatchBits is the most bits of such values: the lanes of sixteen are one register by AVX-512, and two by AVX2.
const maxMatchBits = 4

// matchTable is where the lanes of each value are, while the parts of a row take theirs.
var matchTable = x86.At(rCtx, saveRow+512)

// findFewMatched tells programs that match which bits of what they match may be set, if those are few beside each other. Other lanes
// than those that execute may have other bits: nobody asks for them.
func (r *region) findFewMatched() {
	for pc := range r.steps {
		s := &r.steps[pc]
		if s.leaves || s.op.Kind != sem.OpMatchAny && s.op.Kind != sem.OpMatchAll {
			continue
		}
		field := r.fewOf(int32(pc), &s.in[s.warp.across]).bits()
		if n := bits.Len32(field) - bits.TrailingZeros32(field); n < 1 || n > maxMatchBits || !r.uses(FewMatched) {
			continue
		}
		for _, p := range []*program{s.prog, s.warp.some, s.warp.pred, s.warp.somePred} {
			p.matchFew(field)
		}
	}
}

// matchFew gives the operations that match their bits.
func (p *program) matchFew(field uint32) {
	if p == nil {
		return
	}
	for i := range p.ops {
		if p.ops[i].code == cMatch {
			p.ops[i].imm = uint64(field)
		}
	}
}

// matchFew is match of values that have no other bits than those of a field. RDX is lost.
func (e *emitter) matchFew(row loc, field uint32) loc {
	low, n := bits.TrailingZeros32(field), bits.Len32(field)-bits.TrailingZeros32(field)
	if e.part == 0 {
		e.matchSets(row, low, n)
	}
	w, d := e.full(), e.alloc()
	own := e.load(row, tW)
	value := own.v
	if low > 0 {
		e.VVI(x86.VPSRLD, w, d, own.v, uint8(low))
		value = d
	}
	if e.evex || n < maxMatchBits {
		e.VVM(x86.VPERMD, w, d, value, matchTable)
	} else {
		e.pick16(d, value, loc{kind: inMem, m: matchTable}, loc{kind: inMem, m: matchTable.Plus(32)})
	}
	e.unload(own, row)
	return done(d)
}

// matchSets makes the table of values of n bits from a low one on.
func (e *emitter) matchSets(row loc, low, n int) {
	ballot := e.ballots256
	if e.evex {
		ballot = e.ballots512
	}
	w, lanes := e.full(), e.full().Bytes()/4
	each, free := ballot(row, low)
	m, sets := e.alloc(), []x86.Vec{e.alloc()}
	if !e.evex && n == maxMatchBits {
		sets = append(sets, e.alloc())
	}
	for k := range n {
		each(k)
		e.replicate(w, tW, m, x86.RDX)
		for i, x := range sets {
			e.meet(x, m, k, i*lanes)
		}
	}
	free()
	for i, x := range sets {
		e.store(w, matchTable.Plus(int32(i*w.Bytes())), x)
		e.release(temp(x))
	}
	e.release(temp(m))
}

// ballots512 leaves in EDX the lanes of a row that have bit low+k, when asked for each k in turn.
func (e *emitter) ballots512(row loc, low int) (each func(k int), free func()) {
	first, second := e.load(e.partOf(row, 0), tW), e.load(e.partOf(row, 1), tW)
	a, b := e.allocK(), e.allocK()
	each = func(k int) { e.ballot512(first.v, second.v, 1<<(low+k), a, b) }
	free = func() {
		e.release(loc{kind: inK, k: b, owned: true})
		e.release(loc{kind: inK, k: a, owned: true})
		e.unload(second, e.partOf(row, 1))
		e.unload(first, e.partOf(row, 0))
	}
	return each, free
}

// ballot512 leaves in EDX the lanes of two registers that have a bit.
func (e *emitter) ballot512(low, high x86.Vec, bit uint32, a, b x86.K) {
	at := e.Const32(bit).Bcast()
	e.KVM(x86.VPTESTMD, x86.W512, a, low, at)
	e.KVM(x86.VPTESTMD, x86.W512, b, high, at)
	e.KKK(x86.KUNPCKWD, a, b, a)
	e.RK(x86.KMOVD, x86.RDX, a)
}

// ballots256 is ballots512: the row becomes one of bytes, lanes in their order.
func (e *emitter) ballots256(row loc, low int) (each func(k int), free func()) {
	w, v, t, x := e.full(), e.alloc(), e.alloc(), e.alloc()
	bring := func(to x86.Vec, k int) loc {
		p := e.partOf(row, k)
		if low > 0 {
			have := e.load(p, tW)
			e.VVI(x86.VPSRLD, w, to, have.v, uint8(low))
			e.unload(have, p)
			return vecAt(to)
		}
		return p
	}
	pack := func(to x86.Vec, k int) {
		first := bring(to, k)
		if first.kind != inVec {
			e.move(w, to, first.m)
			first = vecAt(to)
		}
		e.vvx(x86.VPACKSSDW, w, to, first.v, bring(x, k+1))
	}
	pack(v, 0)
	pack(t, 2)
	e.VVV(x86.VPACKSSWB, w, v, v, t)
	e.move(w, t, e.halvesInOrder())
	e.VVV(x86.VPERMD, w, v, t, v)
	e.release(temp(x))
	each = func(k int) {
		e.VVI(x86.VPSLLW, w, t, v, uint8(7-k))
		e.RV(x86.VPMOVMSKB, w, x86.RDX, t)
	}
	free = func() {
		e.release(temp(t))
		e.release(temp(v))
	}
	return each, free
}

// halvesInOrder is where the words of four registers are that were packed to one of bytes, halves apart.
func (e *emitter) halvesInOrder() x86.Mem {
	return e.constRow(tW, func(i int) uint64 { return uint64(i/2 + i%2*4) })
}
