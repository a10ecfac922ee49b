package cc

// This file prints loads and stores, by class: one address, lanes that follow each other (of one element or of several), lanes a
// constant number of bytes apart, and lane by lane.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

func (p *printer) access(e *ssa.Effect) {
	a := e.Access
	if a.Check == 0 {
		p.force(e, p.anyOf(e.Mask)+" && ")
	}
	switch {
	case a.Index == 0 && a.Step == 0 && e.Kind == ssa.Load:
		p.loadOne(e)
	case a.Check == 0:
		p.eachLane(e)
	case a.Index != 0 && e.Kind == ssa.Load:
		p.loadIndexed(e)
	case e.Kind == ssa.Load:
		p.loadLanes(e)
	default:
		p.storeLanes(e)
	}
}

// at is the host's address of an element of lane 0, in C.
func (p *printer) at(a *ssa.Access, plus int64) string {
	return fmt.Sprintf("(G + %s + %dul)", p.num(a.Base), uint64(a.Disp+plus))
}

// elemType is the type of an element in C.
func elemType(a *ssa.Access) string {
	if a.Signed {
		return map[uint8]string{1: "(s8)*(u8m *)", 2: "(s16)*(u16m *)", 4: "(s32)*(u32m *)", 8: "*(u64m *)"}[a.Elem]
	}
	return map[uint8]string{1: "*(u8m *)", 2: "*(u16m *)", 4: "*(u32m *)", 8: "*(u64m *)"}[a.Elem]
}

// loadOne loads from one address, if the mask has a lane.
func (p *printer) loadOne(e *ssa.Effect) {
	a := e.Access
	if a.Check == 0 {
		p.linef("\tif (%s) {", p.anyOf(e.Mask))
		text := fmt.Sprintf("%s + %dul - start%d >= fits(size%d, %d)", p.num(a.Base), uint64(a.Disp), a.Bounds, a.Bounds, a.Bytes())
		if a.Align > 1 {
			text += fmt.Sprintf(" || (%s + %dul & %d)", p.num(a.Base), uint64(a.Disp), a.Align-1)
		}
		p.linef("\tif (rare(%s)) { U32(MISSED) = %d; goto X%d; }", text, e.PC+1, p.leave(e.State))
	}
	for k, v := range e.Results {
		if a.Bits[k] != 0 {
			p.linef("\tv%d_0 = %s%s;", v, elemType(a), p.at(a, int64(k)*int64(a.Elem)))
		}
	}
	if a.Check == 0 {
		p.linef("\t}")
	}
}

// vectorType is the type of 8 narrow elements, or of a vector.
func vectorType(a *ssa.Access) string {
	switch {
	case a.Elem == 8:
		return "x4m"
	case a.Elem == 4:
		return "w8m"
	case a.Elem == 2:
		return sign(a.Signed) + "h8m"
	}
	return sign(a.Signed) + "b8m"
}

func sign(signed bool) string {
	if signed {
		return "s"
	}
	return ""
}

// loadLanes loads what a test has found to be inside, whatever lanes are on.
func (p *printer) loadLanes(e *ssa.Effect) {
	a := e.Access
	for k, v := range e.Results {
		if a.Bits[k] == 0 {
			continue
		}
		parts, disp := p.partsOf(v), int64(k)*int64(a.Elem)
		n := p.f.LanesOf(v) / parts
		for i := range parts {
			from := disp + int64(i*n)*a.Step
			switch {
			case a.Step == int64(a.Elem) && a.Elem >= 4 && p.f.TypeOf(v).Bits() == 8*int(a.Elem):
				p.linef("\tv%d_%d = *(%s *)%s;", v, i, vectorType(a), p.at(a, from))
			case a.Step == int64(a.Elem) && a.Elem < 4 && p.f.TypeOf(v) == ssa.W:
				p.linef("\tv%d_%d = __builtin_convertvector(*(%s *)%s, w8);", v, i, vectorType(a), p.at(a, from))
			case a.Step == int64(a.Elem)*int64(a.Count) && p.group(e, k, i):
			case n == 8 && p.shuffled(v, i, a, from):
			default:
				p.loadApart(v, i, n, a, from)
			}
		}
	}
}

// shuffled loads 8 lanes that are a few bytes apart with wide loads, none of which reaches beyond the last lane, and shuffles.
func (p *printer) shuffled(v ssa.Value, i int, a *ssa.Access, from int64) bool {
	s, elem := a.Step, int64(a.Elem)
	switch {
	case p.off["shuffles"]:
		return false
	case elem == 4 && s == 12 && p.blended(v, i, a):
	case elem == 4 && s%4 == 0 && s >= 8 && s <= 16:
		p.shuffledWords(v, i, a, from, int(s/4))
	case elem < 4 && !a.Signed && s > elem && 3*s+elem <= 16 && 7*s+elem >= 16:
		p.shuffledBytes(v, i, a, from)
	default:
		return false
	}
	return true
}

// blended takes words that are three apart out of three vectors: no two of the eight are in the same place, so two blends and one
// permutation do. The vectors are to be inside as a whole, which they are where the check is of all words of the structures.
func (p *printer) blended(v ssa.Value, i int, a *ssa.Access) bool {
	c := &p.f.Checks[a.Check]
	for r := range int64(3) { // which word of the three it is
		start := a.Disp - 4*r
		if start < c.Lo || start+12*int64(p.f.LanesOf(v)) > c.Hi {
			continue
		}
		var from, order [8]int64 // vector of each place, and place of each lane
		for lane := range int64(8) {
			at := r + 3*lane
			from[at%8], order[lane] = at/8, at%8
		}
		text := fmt.Sprintf("*(w8m *)%s", p.at(a, -4*r+int64(96*i)))
		for k := range int64(2) {
			text = fmt.Sprintf("__builtin_shufflevector(%s, *(w8m *)%s", text, p.at(a, -4*r+int64(96*i)+32*(k+1)))
			for place, of := range from {
				if of == k+1 {
					place += 8
				}
				text += fmt.Sprintf(", %d", place)
			}
			text += ")"
		}
		p.linef("\t{ w8 x = %s; v%d_%d = __builtin_shufflevector(x, x, %d, %d, %d, %d, %d, %d, %d, %d); }", text, v, i, order[0], order[1], order[2], order[3], order[4], order[5], order[6], order[7])
		return true
	}
	return false
}

// shuffledWords takes words that are n apart out of vectors: the last one ends with the last word.
func (p *printer) shuffledWords(v ssa.Value, i int, a *ssa.Access, from int64, n int) {
	vectors := n
	if n == 2 {
		vectors = 2
	}
	at := func(k int) int { // first word of vector k
		if k == vectors-1 {
			return 7*n + 1 - 8
		}
		return 8 * k
	}
	fmt.Fprintf(p, "\t{ w8 x = *(w8m *)%s;", p.at(a, from))
	lane := 7/n + 1 // that the first vector does not have
	for k := 1; k < vectors; k++ {
		fmt.Fprintf(p, " x = __builtin_shufflevector(x, *(w8m *)%s", p.at(a, from+int64(4*at(k))))
		last := lane
		for last < 8 && last*n < at(k)+8 {
			last++
		}
		for l := range 8 {
			switch {
			case k == 1 && l < lane:
				fmt.Fprintf(p, ", %d", l*n)
			case l < lane:
				fmt.Fprintf(p, ", %d", l)
			case l < last:
				fmt.Fprintf(p, ", %d", 8+l*n-at(k))
			default:
				fmt.Fprint(p, ", 0")
			}
		}
		fmt.Fprint(p, ");")
		lane = last
	}
	p.linef(" v%d_%d = x; }", v, i)
}

// shuffledBytes takes bytes or halves out of two times 16 bytes: the first four lanes begin with the first, the others end with the
// second.
func (p *printer) shuffledBytes(v ssa.Value, i int, a *ssa.Access, from int64) {
	s, elem := a.Step, int64(a.Elem)
	second := 7*s + elem - 16
	fmt.Fprintf(p, "\tv%d_%d = (w8)__builtin_shufflevector(both(*(c16m *)%s, *(c16m *)%s), (c32){0}", v, i, p.at(a, from), p.at(a, from+second))
	for l := range int64(8) {
		at := l * s
		if l >= 4 {
			at -= second
		}
		for b := range int64(4) {
			if b < elem {
				fmt.Fprintf(p, ", %d", at+b+l/4*16)
			} else {
				fmt.Fprint(p, ", 32")
			}
		}
	}
	p.linef(");")
}

// loadApart loads lanes that are some bytes apart.
func (p *printer) loadApart(v ssa.Value, i, n int, a *ssa.Access, from int64) {
	typ := map[int]string{8: "w8", 4: "x4"}[n]
	fmt.Fprintf(p, "\tv%d_%d = (%s){", v, i, typ)
	for lane := range n {
		at := from + int64(lane)*a.Step
		if table := p.f.Table(a.Index); table != nil {
			at += int64(table[n*i+lane])
		}
		fmt.Fprintf(p, "%s%s%s", comma(lane), elemType(a), p.at(a, at))
	}
	p.linef("};")
}

// group loads element k of a group of elements of each lane: of words of four bytes with shifts, of pairs and fours of words with
// shuffles. The first element loads for all.
func (p *printer) group(e *ssa.Effect, k, i int) bool {
	a := e.Access
	name := func(j int) string { return fmt.Sprintf("g%d_%d_%d", e.Results[0], i, j) }
	if p.off["groups"] || k > 0 && a.Bits[0] == 0 {
		return false
	}
	switch {
	case a.Elem == 1 && a.Count == 4:
		if k == 0 {
			p.linef("\tw8 %s = *(w8m *)%s;", name(0), p.at(a, int64(8*i)*a.Step))
		}
		cast := map[bool]string{true: "w8", false: "uw8"}[a.Signed]
		p.linef("\tv%d_%d = (w8)((%s)(%s << %d) >> 24);", e.Results[k], i, cast, name(0), 24-8*k)
	case a.Elem == 4 && a.Count == 2 && p.f.TypeOf(e.Results[k]) == ssa.W:
		if k == 0 {
			for j := range 2 {
				p.linef("\tw8 %s = *(w8m *)%s;", name(j), p.at(a, int64(8*i)*a.Step+int64(32*j)))
			}
		}
		p.linef("\tv%d_%d = __builtin_shufflevector(%s, %s, %d, %d, %d, %d, %d, %d, %d, %d);", e.Results[k], i, name(0), name(1),
			k, k+2, k+4, k+6, k+8, k+10, k+12, k+14)
	default:
		return false
	}
	return true
}

// storeLanes stores what a test has found to be inside: of full masks by vectors, else lane by lane, or masked.
func (p *printer) storeLanes(e *ssa.Effect) {
	a := e.Access
	whole := a.Step == int64(a.Elem) && a.Count == 1
	bytes := a.Elem == 1 && a.Count == 4 && a.Step == 4
	pairs := a.Elem == 4 && a.Count == 2 && a.Step == 8 && p.f.TypeOf(e.Args[0]) == ssa.W && p.f.TypeOf(e.Args[1]) == ssa.W
	if !whole && !bytes && !pairs {
		p.storeApart(e)
		return
	}
	lanes := p.f.LanesIn(p.block)
	full := fmt.Sprintf("%s == %du", p.bitsOf(e.Mask), uint32(1<<lanes-1))
	known, isKnown := p.f.Known(e.Mask)
	if isKnown && known != 0 {
		full = "1"
	}
	p.linef("\tif (%s) {", full)
	for i := range p.lanesParts(lanes, p.f.TypeOf(e.Args[0])) {
		switch {
		case whole:
			p.storeVector(e, i)
		case bytes:
			p.linef("\t*(w8m *)%s = (%s & 255) | (%s & 255) << 8 | (%s & 255) << 16 | %s << 24;", p.at(a, int64(32*i)),
				p.part(e.Args[0], i), p.part(e.Args[1], i), p.part(e.Args[2], i), p.part(e.Args[3], i))
		case pairs:
			x, y := p.part(e.Args[0], i), p.part(e.Args[1], i)
			p.linef("\t*(w8m *)%s = __builtin_shufflevector(%s, %s, 0, 8, 1, 9, 2, 10, 3, 11);", p.at(a, int64(64*i)), x, y)
			p.linef("\t*(w8m *)%s = __builtin_shufflevector(%s, %s, 4, 12, 5, 13, 6, 14, 7, 15);", p.at(a, int64(64*i+32)), x, y)
		}
	}
	p.linef("\t}")
	if isKnown && known != 0 {
		return
	}
	p.linef("\telse {")
	p.storeApart(e)
	p.linef("\t}")
}

func (p *printer) storeVector(e *ssa.Effect, i int) {
	a := e.Access
	n := 8
	if p.f.TypeOf(e.Args[0]) == ssa.X {
		n = 4
	}
	at := p.at(a, int64(n*i)*a.Step)
	v := func(k int) string { return p.part(e.Args[0], i+k) }
	whole := p.f.LanesIn(p.block) == 32
	switch {
	case a.Elem >= 4:
		p.linef("\t*(%s *)%s = %s;", vectorType(a), at, v(0))
	case whole && a.Elem == 1 && i == 0:
		p.linef("\t*(w8m *)%s = bytes(%s, %s, %s, %s);", at, v(0), v(1), v(2), v(3))
	case whole && a.Elem == 2 && i%2 == 0:
		p.linef("\t*(w8m *)%s = halves(%s, %s);", at, v(0), v(1))
	case !whole:
		p.linef("\t*(%s *)%s = __builtin_convertvector((uw8)%s, %s);", vectorType(a), at, v(0), vectorType(a))
	}
}

// storeApart stores lane by lane in ascending order.
func (p *printer) storeApart(e *ssa.Effect) {
	a := e.Access
	if k, known := p.f.Known(e.Mask); known && k != 0 && a.Count == 1 && a.Index == 0 && p.f.TypeOf(e.Args[0]) == ssa.W {
		p.storeSpread(e)
		return
	}
	p.linef("\t{ u32 m = %s & %du;", p.bitsOf(e.Mask), uint32(1<<p.f.LanesIn(p.block)-1))
	p.addresses(e.Access, p.f.LanesIn(p.block))
	p.storeEach(e)
	p.linef("\t}")
}

// storeSpread stores all lanes, which are a constant number of bytes apart: the compilers store elements of vectors by one instruction each.
func (p *printer) storeSpread(e *ssa.Effect) {
	a, v := e.Access, e.Args[0]
	bytes := a.Elem == 1 && p.f.LanesIn(p.block) == 32
	if bytes {
		p.linef("\t{ c32 x = (c32)bytes(%s, %s, %s, %s);", p.part(v, 0), p.part(v, 1), p.part(v, 2), p.part(v, 3))
	}
	for lane := range p.f.LanesIn(p.block) {
		text := fmt.Sprintf("x[%d]", lane)
		if !bytes {
			text = fmt.Sprintf("%s[%d]", p.part(v, lane/8), lane%8)
		}
		p.linef("\t*(u%dm *)%s = %s;", 8*a.Elem, p.at(a, int64(lane)*a.Step), text)
	}
	if bytes {
		p.linef("\t}")
	}
}

// addresses puts the device addresses of all lanes into a.
func (p *printer) addresses(a *ssa.Access, lanes int) {
	p.linef("\tu64 a[32] __attribute__((aligned(32)));")
	if a.Index == 0 {
		p.linef("\tfor (u32 i = 0; i < %d; i++) a[i] = %s + %dul + i * %dul;", lanes, p.num(a.Base), uint64(a.Disp), uint64(a.Step))
		return
	}
	for _, v := range p.missing([]ssa.Value{a.Index}) {
		p.op(v)
	}
	for i := range p.lanesParts(lanes, ssa.X) {
		p.linef("\t((x4m *)a)[%d] = %s + xu(%s + %dul);", i, p.part(a.Index, i), p.num(a.Base), uint64(a.Disp))
	}
}

// eachLane prints an access that tests itself: all lanes at once where they follow each other, else lane by lane.
func (p *printer) eachLane(e *ssa.Effect) {
	if p.contiguous(e) {
		defer p.linef("\t}")
	}
	if p.someLanes(e) {
		defer p.linef("\t}")
	}
	if p.gathered(e) || p.wideIndex(e) {
		defer p.linef("\t}")
	}
	a := e.Access
	lanes := p.f.LanesIn(p.block)
	p.linef("\t{ u32 m = %s & %du;", p.bitsOf(e.Mask), uint32(1<<lanes-1))
	p.addresses(a, lanes)
	p.linef("\tif (rare(outside(a, m, start%d, fits(%s, %d), %d))) { U32(MISSED) = %d; goto X%d; }", a.Bounds, sizeOf(a.Bounds, e.Kind == ssa.Store), a.Bytes(), max(a.Align, 1)-1, e.PC+1, p.leave(e.State))
	if e.Kind == ssa.Store {
		p.storeEach(e)
	} else {
		p.loadEach(e)
	}
	p.linef("\t}")
}

// contiguous prints a load of lanes that follow each other, if they do: by a step, or by an index of 32 bits that is found to grow by
// one from lane to lane and was extended. What follows is for when they do not, or are not inside.
func (p *printer) contiguous(e *ssa.Effect) bool {
	a := e.Access
	if p.off["contiguous"] || e.Kind != ssa.Load || a.Count != 1 || a.Bits[0] == 0 || p.f.TypeOf(e.Results[0]) != ssa.W || a.Elem > 4 {
		return false
	}
	if a.Index != 0 && !p.f.IsNum(e.Mask) {
		return false // where lanes have parted they hardly follow each other
	}
	test, first := "1", fmt.Sprintf("(%s + %dul)", p.num(a.Base), uint64(a.Disp))
	if a.Index != 0 {
		word, shift, signed := p.f.Extended(a.Index)
		if word == 0 || 1<<shift != int(a.Elem) {
			return false
		}
		limit, cast := "0x7fffffe0", "(s64)(s32)"
		if !signed {
			limit, cast = "0xffffffe0", "(u64)(u32)"
		}
		p.linef("\t{ u32 f = %s[0]; w8 d = %s;", p.part(word, 0), p.notRuns(word))
		test = fmt.Sprintf("__builtin_ia32_ptestz256((x4)d, (x4)d) && (%s)f <= %s", map[bool]string{true: "s32", false: "u32"}[signed], limit)
		first = fmt.Sprintf("(%s + %dul + (u64)(%sf << %d))", p.num(a.Base), uint64(a.Disp), cast, shift)
	} else if a.Step != int64(a.Elem) {
		return false
	} else {
		p.linef("\t{")
	}
	lanes := p.f.LanesOf(e.Results[0])
	p.linef("\tu64 at = %s;\n\tif (%s && at - start%d < fits(size%d, %d) && !(at & %d)) {", first, test, a.Bounds, a.Bounds, lanes*int(a.Elem), max(a.Align, 1)-1)
	p.loadFrom(e, "G + at")
	p.linef("\t} else")
	return true
}

// loadFrom loads words or narrow elements that follow each other from an address on.
func (p *printer) loadFrom(e *ssa.Effect, at string) {
	a, v := e.Access, e.Results[0]
	for i := range p.partsOf(v) {
		from := fmt.Sprintf("*(%s *)(%s + %d)", vectorType(a), at, p.f.LanesOf(v)/p.partsOf(v)*i*int(a.Elem))
		if a.Elem < 4 {
			from = fmt.Sprintf("__builtin_convertvector(%s, w8)", from)
		}
		p.linef("\tv%d_%d = %s;", v, i, from)
	}
}

func (p *printer) loadEach(e *ssa.Effect) {
	a := e.Access
	for k, v := range e.Results {
		if a.Bits[k] == 0 {
			continue
		}
		wide, typ, vector, n := "", "u32", "w8", 8
		if p.f.TypeOf(v) == ssa.X {
			wide, typ, vector, n = "x", "u64", "x4", 4
		}
		p.linef("\t{ %s t[32] __attribute__((aligned(32))); CLEAR(t) load%s%s%d(t, a, m, G + %d);", typ, wide, letter(a), a.Elem, k*int(a.Elem))
		for i := range p.f.LanesOf(v) / n {
			p.linef("\tv%d_%d = ((%sm *)t)[%d];", v, i, vector, i)
		}
		p.linef("\t}")
	}
}

func letter(a *ssa.Access) string {
	if a.Signed && a.Elem < 8 {
		return "s"
	}
	return "u"
}

// storeEach stores lane by lane what is in a for the lanes m, lane after lane with all its elements.
func (p *printer) storeEach(e *ssa.Effect) {
	a := e.Access
	for k, v := range e.Args {
		typ, vector, n := "u32", "w8", 8
		if p.f.TypeOf(v) == ssa.X {
			typ, vector, n = "u64", "x4", 4
		}
		p.linef("\t%s t%d[32] __attribute__((aligned(32)));", typ, k)
		for i := range p.f.LanesIn(p.block) / n {
			p.linef("\t((%sm *)t%d)[%d] = %s;", vector, k, i, p.part(v, i))
		}
	}
	if a.Count == 1 {
		wide := ""
		if p.f.TypeOf(e.Args[0]) == ssa.X {
			wide = "x"
		}
		p.linef("\tstore%su%d(t0, a, m, G);", wide, a.Elem)
		return
	}
	p.linef("\tfor (; m; m &= m - 1) { u32 i = __builtin_ctz(m);")
	for k := range e.Args {
		p.linef("\t*(u%dm *)(G + a[i] + %d) = t%d[i];", 8*a.Elem, k*int(a.Elem), k)
	}
	p.linef("\t}")
}
