package jit

// Counting in few places: additions of one value to at most 32 counters beside each other in shared memory, whose
// results nobody wants. Each bit of the place is one mask of 32 lanes; those that agree in all bits are the lanes of a counter, and the
// population of that mask times the value is what it gains, for as many counters at a time as a register holds. Lane by
// lane, equal neighbours would wait for each other.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// tally is such an operation.
type tally struct {
	acc *accessed
	few
	bits int // of the place
}

// tally plans an operation that countsOnly, nil if it is none.
func (a *accessed) tally() *tally {
	with := &a.s.in[1]
	if atomicOps[a.s.op.Fn].direct != x86.ADD || a.m.Elem != 4 || !with.known && !with.slot {
		return nil
	}
	t := &tally{acc: a, few: a.c.fewOf(a.pc, &a.s.in[0])}
	t.bits = t.width(2)
	if most := [2]int{4, 5}[bit(a.c.evex)]; t.from == nil || t.bits < 2 || t.bits > most || !a.c.uses(Tallies) {
		return nil
	}
	return t
}

// assemble tests that all lanes are where they were computed to be, and adds; else it goes lane by lane.
func (t *tally) assemble() {
	done := t.acc.c.NewLabel()
	slow := t.acc.c.later(func() {
		t.acc.countApart()
		t.acc.c.Jmp(done)
	})
	if b := t.from; b.known {
		t.acc.c.MovImm(x86.RAX, b.value)
	} else {
		t.acc.c.RM(x86.MOV, x86.S32, x86.RAX, t.acc.c.regs(b.off))
	}
	places := t.places(slow)
	t.acc.displace(x86.RAX)
	t.acc.limits(4<<t.bits, slow)
	t.acc.check(slow)
	t.acc.host(x86.RAX)
	t.add(places)
	t.acc.c.Bind(done)
}

// places are the lanes' distances from the base: by AVX-512 in two registers, by AVX2 as bytes in one, lanes in any order.
func (t *tally) places(slow x86.Label) (of []x86.Vec) {
	base := t.acc.everywhere(tW, x86.RAX)
	t.acc.c.eachPart(tW, func() {
		x := t.acc.c.alloc()
		have := t.acc.c.operand(&t.acc.src[0])
		row := t.acc.c.load(have, tW)
		t.acc.c.VVV(x86.VPSUBD, t.acc.c.full(), x, row.v, base)
		t.acc.c.unload(row, have)
		t.acc.c.release(have)
		of = append(of, x)
		if !t.acc.c.evex && t.acc.c.part%2 == 1 {
			t.pack(x86.VPACKSSDW, &of)
		}
	})
	t.acc.c.release(temp(base))
	if !t.acc.c.evex { // what is no byte becomes 127 or -128
		t.pack(x86.VPACKSSWB, &of)
		t.acc.c.VM(x86.VPTEST, x86.W256, of[0], t.acc.c.constRow(tW, func(int) uint64 { return uint64(^t.field&0xff) * 0x01010101 }))
		t.acc.c.Jcc(x86.NE, slow)
		return of
	}
	x := t.acc.c.alloc()
	t.acc.c.VVV(x86.VPORD, x86.W512, x, of[0], of[1])
	t.acc.c.KVM(x86.VPTESTMD, x86.W512, x86.K5, x, t.acc.c.Const32(^t.field).Bcast())
	t.acc.c.release(temp(x))
	t.acc.c.KK(x86.KORTESTW, x86.K5, x86.K5)
	t.acc.c.Jcc(x86.NE, slow)
	return of
}

// pack makes narrower elements of the last two registers of a list, in one.
func (t *tally) pack(op x86.Op, of *[]x86.Vec) {
	n := len(*of)
	a, b := (*of)[n-2], (*of)[n-1]
	t.acc.c.VVV(op, x86.W256, a, a, b)
	t.acc.c.release(temp(b))
	*of = (*of)[:n-1]
}

// add adds to the counters at RAX.
func (t *tally) add(places []x86.Vec) {
	w, lanes := t.acc.c.full(), t.acc.c.full().Bytes()/4
	sets := make([]x86.Vec, max(1<<t.bits/lanes, 1))
	for k := range sets {
		sets[k] = t.acc.c.alloc()
	}
	m := t.acc.c.alloc()
	for k := range t.bits {
		t.ballot(places, k)
		t.acc.c.replicate(w, tW, m, x86.RDX)
		for i, x := range sets {
			t.acc.c.meet(x, m, k, i*lanes)
		}
	}
	t.acc.c.release(temp(m))
	for _, x := range places {
		t.acc.c.release(temp(x))
	}
	if n := 4 << t.bits; n < w.Bytes() {
		w = map[int]x86.Width{16: x86.W128, 32: x86.W256}[n]
	}
	for i, x := range sets {
		at := t.acc.byProof(x86.At(x86.RAX, int32(i*w.Bytes())))
		n := t.gain(x)
		t.acc.c.VVM(t.acc.c.opFor(cAdd, tW), w, n, n, at)
		t.acc.c.store(w, at, n)
		t.acc.c.release(temp(n))
	}
}

// ballot leaves in EDX the lanes that have bit k of their place. RCX is lost.
func (t *tally) ballot(places []x86.Vec, k int) {
	if !t.acc.c.evex {
		x := t.acc.c.alloc()
		t.acc.c.VVI(x86.VPSLLW, x86.W256, x, places[0], uint8(5-k))
		t.acc.c.RV(x86.VPMOVMSKB, x86.W256, x86.RDX, x)
		t.acc.c.release(temp(x))
		return
	}
	t.acc.c.ballot512(places[0], places[1], 4<<k, x86.K5, x86.K6)
}

// meet leaves in the sets of numbers from a first one on the lanes that agree with them in bit k, too; m has those that have it.
func (e *emitter) meet(x, m x86.Vec, k, first int) {
	w := e.full()
	turned := e.constRow(tW, func(i int) uint64 { return uint64((first+i)>>k&1) - 1 })
	switch {
	case k == 0:
		e.VVM(e.opFor(cXor, tW), w, x, m, turned)
	case e.evex:
		const andXor = 0x60 // a & (b ^ c)
		e.VVMI(x86.VPTERNLOGD, w, x, m, turned, andXor)
	default:
		y := e.alloc()
		e.VVM(x86.VPXOR, w, y, m, turned)
		e.VVV(x86.VPAND, w, x, x, y)
		e.release(temp(y))
	}
}

// gain is what the counters of sets of lanes gain.
func (t *tally) gain(sets x86.Vec) x86.Vec {
	n := sets
	if t.acc.c.evex {
		t.acc.c.VV(x86.VPOPCNTD, x86.W512, n, sets)
	} else {
		n = t.acc.c.popcount(tW, temp(sets)).v
	}
	switch with := &t.acc.s.in[1]; {
	case with.known && with.value == 1:
	case with.known:
		value := t.acc.c.constant(tW, with.value)
		t.acc.c.vvx(x86.VPMULLD, t.acc.c.full(), n, n, value)
	default:
		value := t.acc.c.slotOperand(with)
		t.acc.c.vvx(x86.VPMULLD, t.acc.c.full(), n, n, value)
		t.acc.c.release(value)
	}
	return n
}

// ballot512 leaves in EDX the lanes of two registers that have a bit.
func (e *emitter) ballot512(low, high x86.Vec, bit uint32, a, b x86.K) {
	at := e.Const32(bit).Bcast()
	e.KVM(x86.VPTESTMD, x86.W512, a, low, at)
	e.KVM(x86.VPTESTMD, x86.W512, b, high, at)
	e.KKK(x86.KUNPCKWD, a, b, a)
	e.RK(x86.KMOVD, x86.RDX, a)
}
