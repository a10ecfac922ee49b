package jit

// Shuffles, 9.7.9.6, and the vector operations that read across lanes.

import (
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// shuffleSource is the source lane j of lane i and the lane that bounds it; seg is c[12:8], clamp c[4:0].
func shuffleSource(mode sem.WarpMode, i, b, c uint32) (j uint32, ok bool) {
	b &= 31
	seg, clamp := c>>8&31, c&31
	limit := i&seg | clamp&^seg
	switch mode {
	case sem.ShuffleUp:
		return i - b, int32(i-b) >= int32(limit)
	case sem.ShuffleDown:
		j = i + b
	case sem.ShuffleBfly:
		j = i ^ b
	default:
		j = i&seg | b&^seg
	}
	return j, j <= limit
}

// source makes the programs of the source lane and of whether it is in range; always: it is in every lane.
func (b *warpBuilder) source() (j, ok val, always bool) {
	lane, mode := b.lane(), b.op.Warp.Mode
	by, fixed := b.known(b.vals[2])
	limits, bounded := b.known(b.vals[3])
	if fixed && bounded {
		j = b.table(func(i int) uint32 {
			j, ok := shuffleSource(mode, uint32(i), uint32(by), uint32(limits))
			if !ok {
				j = uint32(i)
			}
			return j
		})
		in := b.table(func(i int) uint32 {
			_, ok := shuffleSource(mode, uint32(i), uint32(by), uint32(limits))
			return -bit(ok)
		})
		return j, b.cmp(cmpNE, in, b.w(0)), true // out of range is the own lane
	}
	n := b.lowBits(b.vals[2], 5)
	if mode == sem.ShuffleIdx && bounded && limits&0x1f1f == 31 {
		return n, b.cmp(cmpEQ, lane, lane), true
	}
	seg, clamp := b.lowBits(b.shrI(b.vals[3], 8), 5), b.lowBits(b.vals[3], 5)
	limit := b.or(b.and(lane, seg), b.bin(cAndn, seg, clamp))
	switch mode {
	case sem.ShuffleUp:
		j = b.sub(lane, n)
		return j, b.cmp(cmpLES, limit, j), false
	case sem.ShuffleDown:
		j = b.sum(lane, n)
	case sem.ShuffleBfly:
		j = b.xor(lane, n)
	default:
		j = b.or(b.and(lane, seg), b.bin(cAndn, seg, n))
	}
	return j, b.cmp(cmpLES, j, limit), false
}

func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func shuffleInRange(b *warpBuilder) val {
	_, ok, _ := b.source()
	return ok
}

// shuffled takes the own value where the source lane is out of range or no peer.
func shuffled(b *warpBuilder) val {
	if a := &b.in[1]; a.slot || a.known {
		return b.vals[1]
	}
	j, ok, always := b.source()
	if !always {
		j = b.sel(ok, j, b.lane())
	}
	members, known := b.known(b.vals[inMembers])
	switch {
	case b.some || !known:
		j = b.amongPeers(j, b.peers())
	case uint32(members) != 0xffffffff:
		j = b.amongMembers(j, uint32(members))
	}
	return b.op2(cPerm, tW, j, b.vals[1], 0)
}

// amongPeers replaces source lanes that are no peers by the own lane.
func (b *warpBuilder) amongPeers(j, peers val) val {
	peer := b.cmp(cmpNE, b.and(b.bin(cShr, peers, j), b.w(1)), b.w(0))
	return b.sel(peer, j, b.lane())
}

// amongMembers does so for a mask that is known.
func (b *warpBuilder) amongMembers(j val, mask uint32) val {
	t := &b.ops[j]
	if t.code != cTable {
		return b.amongPeers(j, b.w(mask))
	}
	from := b.tables[t.imm]
	return b.table(func(i int) uint32 {
		if mask>>(from[i]&31)&1 == 0 {
			return uint32(i)
		}
		return from[i]
	})
}

// partOf is part k of a row, from where its running part is.
func (e *emitter) partOf(row loc, k int) loc {
	if row.kind == inVec {
		return vecAt(row.v + x86.Vec(k) - x86.Vec(e.part))
	}
	return loc{kind: inMem, m: row.m.Plus(int32((k - e.part) * e.full().Bytes()))}
}

// permuteBy takes the lanes that a table says.
func (e *emitter) permuteBy(t *[32]uint32, row loc, dst func() x86.Vec) loc {
	if v, ok := e.shiftBy(t, row, dst); ok {
		return v
	}
	w, first := e.full(), e.part*e.lanes
	var from []int // parts that lanes come from
	var takes [4]uint8
	for i := range e.lanes {
		q := int(t[first+i]&31) / e.lanes
		if takes[q] == 0 && (len(from) == 0 || !e.evex || len(from) < 2 && from[0] != q) {
			from = append(from, q)
		}
		if !e.evex {
			takes[q] |= 1 << i
		}
	}
	if len(from) == 1 && e.straight(t, from[0]) {
		d, x := dst(), e.partOf(row, from[0])
		if x.kind == inVec {
			e.copy(w, d, x.v)
		} else {
			e.move(w, d, x.m)
		}
		return done(d)
	}
	d := dst()
	if e.evex && len(from) == 2 {
		e.move(w, d, e.constRow(tW, func(i int) uint64 { return uint64(t[first+i] & 31) }))
		low := e.load(e.partOf(row, 0), tW)
		e.vvx(x86.VPERMI2D, w, d, low.v, e.partOf(row, 1))
		e.release(low)
		return done(d)
	}
	index := e.constRow(tW, func(i int) uint64 { return uint64(int(t[first+i]&31) % e.lanes) })
	for n, q := range from {
		v := d
		if n > 0 {
			v = e.alloc()
		}
		e.move(w, v, index)
		e.vvx(x86.VPERMD, w, v, v, e.partOf(row, q))
		if n > 0 {
			e.VVVI(x86.VPBLENDD, w, d, d, v, takes[q])
			e.release(temp(v))
		}
	}
	return done(d)
}

// straight tells whether the running part is part q as it is.
func (e *emitter) straight(t *[32]uint32, q int) bool {
	for i := range e.lanes {
		if int(t[e.part*e.lanes+i]&31) != q*e.lanes+i {
			return false
		}
	}
	return true
}

// permute takes the lanes that a vector says.
func (e *emitter) permute(index, row loc) loc {
	w := e.full()
	x := e.load(index, tW)
	if e.evex {
		low := e.load(e.partOf(row, 0), tW)
		v := e.alloc()
		e.copy(w, v, x.v)
		e.vvx(x86.VPERMI2D, w, v, low.v, e.partOf(row, 1))
		e.release(low)
		e.unload(x, index)
		return done(v)
	}
	return e.permute256(x, index, row)
}

// vecsPermute256 is how many temporaries permute256 takes with all halves in registers.
const vecsPermute256 = 4

// permute256 is permute by AVX2. Where few registers are free the lower half waits in memory (saveLimits).
func (e *emitter) permute256(x, index, row loc) loc {
	w, few := e.full(), len(e.free) < vecsPermute256
	waits := x86.At(rCtx, saveLimits)
	s, even := e.alloc(), e.alloc()
	pair := func(k int, d x86.Vec) { // parts k and k+1 by bit 3 of the lane
		e.vvx(x86.VPERMD, w, d, x.v, e.partOf(row, k))
		t := e.alloc()
		e.vvx(x86.VPERMD, w, t, x.v, e.partOf(row, k+1))
		e.VVI(x86.VPSLLD, w, s, x.v, 28)
		e.VVVV(x86.VBLENDVPS, w, d, d, t, s)
		e.release(temp(t))
	}
	pair(0, even)
	if few {
		e.store(w, waits, even)
		e.release(temp(even))
	}
	odd := e.alloc()
	pair(2, odd)
	if few {
		even = e.alloc()
		e.move(w, even, waits)
	}
	e.VVI(x86.VPSLLD, w, s, x.v, 27)
	e.VVVV(x86.VBLENDVPS, w, even, even, odd, s)
	e.release(temp(s))
	e.release(temp(odd))
	e.unload(x, index)
	return done(even)
}

// into brings a temporary to where a result is to be.
func (e *emitter) into(v loc, target x86.Vec, direct bool) loc {
	if !direct {
		return v
	}
	e.copy(e.full(), target, v.v)
	e.release(v)
	return done(target)
}

// everyLane is a general register in every lane.
func (e *emitter) everyLane(r x86.Reg) loc {
	v := e.alloc()
	e.replicate(e.full(), tW, v, r)
	return temp(v)
}

// match finds for each lane of the running part those of its row with the same value.
func (e *emitter) match(row loc) loc {
	if e.evex {
		return e.matchBits(row)
	}
	return e.match256(row)
}

// memoryRow is a row in memory; registers are copied to place 1 of the state's rows.
func (e *emitter) memoryRow(row loc) x86.Mem {
	if row.kind != inVec {
		return e.partOf(row, 0).m
	}
	m, bytes := x86.At(rCtx, saveRow+256), e.full().Bytes()
	for k := range 128 / bytes {
		e.store(e.full(), m.Plus(int32(k*bytes)), e.partOf(row, k).v)
	}
	return m
}

// popcount without AVX-512: bits of nibbles from a table, summed.
func (e *emitter) popcount(t typ, a loc) loc {
	w := e.full()
	if e.lanes == 1 {
		w = x86.W256
	}
	x := e.load(a, t)
	nibble := e.constRow(tW, func(int) uint64 { return 0x0f0f0f0f })
	counts := [4]uint64{0x02010100, 0x03020201, 0x03020201, 0x04030302}
	lut := e.constRow(tW, func(i int) uint64 { return counts[i%4] })
	low, high, table := e.alloc(), e.alloc(), e.alloc()
	e.move(w, table, lut)
	e.VVI(x86.VPSRLD, w, high, x.v, 4)
	e.VVM(x86.VPAND, w, low, x.v, nibble)
	e.VVM(x86.VPAND, w, high, high, nibble)
	e.unload(x, a)
	e.VVV(x86.VPSHUFB, w, low, table, low)
	e.VVV(x86.VPSHUFB, w, high, table, high)
	e.VVV(x86.VPADDB, w, low, low, high)
	if t == tX {
		e.VVV(x86.VPXOR, w, high, high, high)
		e.VVV(x86.VPSADBW, w, low, low, high)
	} else {
		e.VVM(x86.VPMADDUBSW, w, low, low, e.constRow(tW, func(int) uint64 { return 0x01010101 }))
		e.VVM(x86.VPMADDWD, w, low, low, e.constRow(tW, func(int) uint64 { return 0x00010001 }))
	}
	e.release(temp(high))
	e.release(temp(table))
	return done(low)
}
