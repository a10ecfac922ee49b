package jit

// Counting in few places: additions of one value to at most 32 counters beside each other in shared memory, whose
// results nobody wants. Each bit of the place is one mask of 32 lanes; those that agree in all bits are the lanes of a counter, and the
// population of that mask times the value is what it gains, for as many counters at a time as a register holds. Lane by
// lane, equal neighbours would wait for each other.

import "ptxvm.invalid/ptxvm/internal/jit/x86"

// tally is such an operation.
type tally struct {
	*accessed
	few
	bits int // of the place
}

// tally plans an operation that countsOnly, nil if it is none.
func (a *accessed) tally() *tally {
	with := &a.s.in[1]
	if atomicOps[a.s.op.Fn].direct != x86.ADD || a.m.Elem != 4 || !with.known && !with.slot {
		return nil
	}
	t := &tally{accessed: a, few: a.fewOf(a.pc, &a.s.in[0])}
	t.bits = t.width(2)
	if most := [2]int{4, 5}[bit(a.evex)]; t.from == nil || t.bits < 2 || t.bits > most || !a.uses(Tallies) {
		return nil
	}
	return t
}

// assemble tests that all lanes are where they were computed to be, and adds; else it goes lane by lane.
func (t *tally) assemble() {
	done := t.NewLabel()
	slow := t.later(func() {
		t.countApart()
		t.Jmp(done)
	})
	if b := t.from; b.known {
		t.MovImm(x86.RAX, b.value)
	} else {
		t.RM(x86.MOV, x86.S32, x86.RAX, t.regs(b.off))
	}
	places := t.places(slow)
	t.displace(x86.RAX)
	t.limits(4<<t.bits, slow)
	t.check(slow)
	t.host(x86.RAX)
	t.add(places)
	t.Bind(done)
}

// places are the lanes' distances from the base: by AVX-512 in two registers, by AVX2 as bytes in one, lanes in any order.
func (t *tally) places(slow x86.Label) (of []x86.Vec) {
	base := t.everywhere(tW, x86.RAX)
	t.eachPart(tW, func() {
		x := t.alloc()
		have := t.operand(&t.src[0])
		row := t.load(have, tW)
		t.VVV(x86.VPSUBD, t.full(), x, row.v, base)
		t.unload(row, have)
		t.release(have)
		of = append(of, x)
		if !t.evex && t.part%2 == 1 {
			t.pack(x86.VPACKSSDW, &of)
		}
	})
	t.release(temp(base))
	if !t.evex { // what is no byte becomes 127 or -128
		t.pack(x86.VPACKSSWB, &of)
		t.VM(x86.VPTEST, x86.W256, of[0], t.constRow(tW, func(int) uint64 { return uint64(^t.field&0xff) * 0x01010101 }))
		t.Jcc(x86.NE, slow)
		return of
	}
	x := t.alloc()
	t.VVV(x86.VPORD, x86.W512, x, of[0], of[1])
	t.KVM(x86.VPTESTMD, x86.W512, x86.K5, x, t.Const32(^t.field).Bcast())
	t.release(temp(x))
	t.KK(x86.KORTESTW, x86.K5, x86.K5)
	t.Jcc(x86.NE, slow)
	return of
}

// pack makes narrower elements of the last two registers of a list, in one.
func (t *tally) pack(op x86.Op, of *[]x86.Vec) {
	n := len(*of)
	a, b := (*of)[n-2], (*of)[n-1]
	t.VVV(op, x86.W256, a, a, b)
	t.release(temp(b))
	*of = (*of)[:n-1]
}

// add adds to the counters at RAX.
func (t *tally) add(places []x86.Vec) {
	w, lanes := t.full(), t.full().Bytes()/4
	sets := make([]x86.Vec, max(1<<t.bits/lanes, 1))
	for k := range sets {
		sets[k] = t.alloc()
	}
	m := t.alloc()
	for k := range t.bits {
		t.ballot(places, k)
		t.replicate(w, tW, m, x86.RDX)
		for i, x := range sets {
			t.meet(x, m, k, i*lanes)
		}
	}
	t.release(temp(m))
	for _, x := range places {
		t.release(temp(x))
	}
	if n := 4 << t.bits; n < w.Bytes() {
		w = map[int]x86.Width{16: x86.W128, 32: x86.W256}[n]
	}
	for i, x := range sets {
		at := t.byProof(x86.At(x86.RAX, int32(i*w.Bytes())))
		n := t.gain(x)
		t.VVM(t.opFor(cAdd, tW), w, n, n, at)
		t.store(w, at, n)
		t.release(temp(n))
	}
}

// ballot leaves in EDX the lanes that have bit k of their place. RCX is lost.
func (t *tally) ballot(places []x86.Vec, k int) {
	if !t.evex {
		x := t.alloc()
		t.VVI(x86.VPSLLW, x86.W256, x, places[0], uint8(5-k))
		t.RV(x86.VPMOVMSKB, x86.W256, x86.RDX, x)
		t.release(temp(x))
		return
	}
	t.ballot512(places[0], places[1], 4<<k, x86.K5, x86.K6)
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
	if t.evex {
		t.VV(x86.VPOPCNTD, x86.W512, n, sets)
	} else {
		n = t.popcount(tW, temp(sets)).v
	}
	switch with := &t.s.in[1]; {
	case with.known && with.value == 1:
	case with.known:
		value := t.constant(tW, with.value)
		t.vvx(x86.VPMULLD, t.full(), n, n, value)
	default:
		value := t.slotOperand(with)
		t.vvx(x86.VPMULLD, t.full(), n, n, value)
		t.release(value)
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
