package cc

// This file prints loads and stores, by class: one address, lanes that follow each other (of one element or of several), lanes a
// constant number of bytes apart, and lane by lane.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

func (p *printer) access(e *ssa.Effect) {
	a := e.Access
	switch {
	case a.Index == 0 && a.Step == 0 && e.Kind == ssa.Load:
		p.loadOne(e)
	case a.Check == 0:
		p.eachLane(e)
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
			default:
				p.loadApart(v, i, n, a, from)
			}
		}
	}
}

// loadApart loads lanes that are some bytes apart.
func (p *printer) loadApart(v ssa.Value, i, n int, a *ssa.Access, from int64) {
	typ := map[int]string{8: "w8", 4: "x4"}[n]
	fmt.Fprintf(p, "\tv%d_%d = (%s){", v, i, typ)
	for lane := range n {
		fmt.Fprintf(p, "%s%s%s", comma(lane), elemType(a), p.at(a, from+int64(lane)*a.Step))
	}
	p.linef("};")
}

// group loads element k of a group of elements of each lane: of words of four bytes with shifts, of pairs and fours of words with
// shuffles. The first element loads for all.
func (p *printer) group(e *ssa.Effect, k, i int) bool {
	a := e.Access
	name := func(j int) string { return fmt.Sprintf("g%d_%d_%d", e.Results[0], i, j) }
	if k > 0 && a.Bits[0] == 0 {
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
	lanes := p.lanesOfAccess(e)
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
	switch v := p.part(e.Args[0], i); a.Elem {
	case 4, 8:
		p.linef("\t*(%s *)%s = %s;", vectorType(a), at, v)
	default:
		p.linef("\t*(%s *)%s = __builtin_convertvector((uw8)%s, %s);", vectorType(a), at, v, vectorType(a))
	}
}

// storeApart stores lane by lane in ascending order.
func (p *printer) storeApart(e *ssa.Effect) {
	p.linef("\t{ u32 m = %s & %du;", p.bitsOf(e.Mask), uint32(1<<p.lanesOfAccess(e)-1))
	p.addresses(e.Access, p.lanesOfAccess(e))
	p.storeEach(e)
	p.linef("\t}")
}

// lanesOfAccess is how many lanes an access has.
func (p *printer) lanesOfAccess(e *ssa.Effect) int {
	for _, v := range append(e.Reads(), e.Results...) {
		if !p.f.IsNum(v) {
			return p.f.LanesOf(v)
		}
	}
	return 32
}

// addresses puts the device addresses of all lanes into a.
func (p *printer) addresses(a *ssa.Access, lanes int) {
	p.linef("\tu64 a[32] __attribute__((aligned(32)));")
	if a.Index == 0 {
		p.linef("\tfor (u32 i = 0; i < %d; i++) a[i] = %s + %dul + i * %dul;", lanes, p.num(a.Base), uint64(a.Disp), uint64(a.Step))
		return
	}
	for i := range p.lanesParts(lanes, ssa.X) {
		p.linef("\t((x4m *)a)[%d] = %s + xu(%s + %dul);", i, p.part(a.Index, i), p.num(a.Base), uint64(a.Disp))
	}
}

// eachLane prints an access that tests itself and goes lane by lane.
func (p *printer) eachLane(e *ssa.Effect) {
	a := e.Access
	lanes := p.lanesOfAccess(e)
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
		p.linef("\t{ %s t[32] __attribute__((aligned(32))) = {0}; load%s%s%d(t, a, m, G + %d);", typ, wide, letter(a), a.Elem, k*int(a.Elem))
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
		for i := range p.lanesOfAccess(e) / n {
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
