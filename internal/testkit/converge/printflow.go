package converge

// Branches, loops, calls and ends as PTX.

import "fmt"

// Ways to narrow a mask to the lanes of an arm, a node's Mode.
const (
	byBallot = iota
	byMatch  // of the condition as a number
	byLanes  // a constant, where the condition is one of lanes
	byOthers // not at all, where the others end and meet no lane
	narrowings
)

// narrow writes what the masks of both arms of a branch need, and returns where they are written.
func (p *printer) narrow(n *Node, c site, q string) (yes, no site) {
	a, b := n.Arms[0], n.Arms[1]
	wholeA, wholeB := n.whole(c)
	if n.Kind == Pair {
		a, b = join(a, n.Arms[3]), join(b, n.Arms[4])
	}
	yes, no = c, c
	needA, needB := meets(a) && !wholeA, meets(b) && !wholeB
	if needA || needB {
		narrowA, narrowB := p.split(n, c, q, needB)
		if needA {
			yes = narrowA
		}
		if needB {
			no = narrowB
		}
	}
	yes.last, no.last = yes.last && wholeA, no.last && wholeB
	return yes, no
}

// whole tells which arms need no mask of their own: all lanes go there, or the others end and meet no lane of theirs.
func (n *Node) whole(c site) (a, b bool) {
	switch {
	case n.Kind == Pair:
		return false, false
	case n.Cond.uniform():
		return true, true
	case n.Mode != byOthers:
		return false, false
	}
	a = ends(n.Arms[1]) || c.last && !meets(n.Arms[1])
	return a, !a && (ends(n.Arms[0]) || c.last && !meets(n.Arms[0]))
}

// split writes the masks of both arms; other says whether the second one's is needed.
func (p *printer) split(n *Node, c site, q string, other bool) (yes, no site) {
	if set, ok := n.Cond.lanes(); ok && n.Mode == byLanes && c.known && c.constant&set != 0 && c.constant&^set != 0 {
		return known(c.constant & set), known(c.constant &^ set)
	}
	m := p.maskReg()
	if n.Mode == byMatch {
		t := p.temp()
		p.line("selp.u32 %s, 1, 0, %s;", t, q)
		p.line("match.any.sync.b32 %s, %s, %s;", m, t, c.mask)
		return site{mask: m}, site{mask: m}
	}
	p.line("vote.sync.ballot.b32 %s, %s, %s;", m, q, c.mask)
	if !other {
		return site{mask: m}, c
	}
	o := p.maskReg()
	p.line("not.b32 %s, %s;", o, m)
	p.line("and.b32 %s, %s, %s;", o, o, c.mask)
	return site{mask: m}, site{mask: o}
}

// known is a site of lanes that are known.
func known(set uint32) site {
	return site{mask: fmt.Sprintf("%#x", set), constant: set, known: true}
}

func join(a, b []*Node) []*Node { return append(append([]*Node{}, a...), b...) }

func (p *printer) branch(n *Node, c site) {
	q := p.condOf(n)
	yes, no := p.narrow(n, c, q)
	a, b := live(n.Arms[0]), live(n.Arms[1])
	end := p.label("J")
	if len(b) == 0 {
		p.line("@!%s bra %s;", q, end)
		p.list(a, yes)
		p.put("%s:", end)
		return
	}
	other := p.label("E")
	if n.Style&1 != 0 {
		p.line("@%s bra %s;", q, other)
		a, b, yes, no = b, a, no, yes
	} else {
		p.line("@!%s bra %s;", q, other)
	}
	p.list(a, yes)
	if !ends(a) {
		p.line("bra.uni %s;", end)
	}
	p.put("%s:", other)
	p.list(b, no)
	p.put("%s:", end)
}

// pair writes the common part of two arms into both.
func (p *printer) pair(n *Node, c site) {
	q := p.condOf(n)
	yes, no := p.narrow(n, c, q)
	end, other := p.label("J"), p.label("E")
	p.line("@!%s bra %s;", q, other)
	c.last = false
	p.list(n.Arms[0], yes)
	p.list(n.Arms[2], c)
	p.list(n.Arms[3], yes)
	p.line("bra.uni %s;", end)
	p.put("%s:", other)
	p.list(n.Arms[1], no)
	p.list(n.Arms[2], c)
	p.list(n.Arms[4], no)
	p.put("%s:", end)
}

// choose writes a branch by a table, or a chain of them.
func (p *printer) choose(n *Node, c site) {
	sel, inner := p.temp(), c
	p.line("bfe.u32 %s, %s, %d, 2;", sel, p.v(n.A), n.K)
	if meets(n.Arms[0]) || meets(n.Arms[1]) || meets(n.Arms[2]) || meets(n.Arms[3]) {
		m := p.maskReg()
		p.line("match.any.sync.b32 %s, %s, %s;", m, sel, c.mask)
		inner = site{mask: m}
	}
	inner.last = false
	var labels [4]string
	for i := range labels {
		labels[i] = p.label("ARM")
	}
	end := p.label("J")
	if n.Style&1 != 0 {
		table := p.label("TABLE")
		p.put("%s: .branchtargets %s, %s, %s, %s;", table, labels[0], labels[1], labels[2], labels[3])
		p.line("brx.idx %s, %s;", sel, table)
	} else {
		for i := 1; i < len(labels); i++ {
			q := p.pred()
			p.line("setp.eq.u32 %s, %s, %d;", q, sel, i)
			p.line("@%s bra %s;", q, labels[i])
		}
	}
	for i, arm := range n.Arms {
		p.put("%s:", labels[i])
		p.list(arm, inner)
		if i < 3 {
			p.line("bra %s;", end)
		}
	}
	p.put("%s:", end)
}

// testsBehind reports whether a loop tests behind its body.
func (n *Node) testsBehind() bool { return n.Style&1 != 0 }

func (p *printer) loop(n *Node, c site) {
	body := n.Arms[0]
	uniform := n.Trips > 0 && !breaks(body)
	again, out, q, trips := p.label("L"), p.label("X"), p.pred(), fmt.Sprint(n.Trips)
	outer, outerMask := p.brk, p.loopMask
	p.brk, p.loopMask = out, ""
	if n.Trips == 0 {
		trips = p.temp()
		p.line("bfe.u32 %s, %s, %d, 2;", trips, p.v(n.A), n.K)
	}
	inner := c
	if inner.last = false; !uniform && meets(body) {
		p.loopMask = p.maskReg()
		p.line("mov.u32 %s, %s;", p.loopMask, c.mask)
		inner = site{mask: p.loopMask}
	}
	p.line("mov.u32 %s, 0;", p.v(n.D))
	p.put("%s:", again)
	if !n.testsBehind() {
		p.turn(n, q, trips)
		p.line("@!%s bra %s;", q, out)
	}
	p.list(body, inner)
	p.line("add.u32 %s, %s, 1;", p.v(n.D), p.v(n.D))
	if n.testsBehind() {
		p.turn(n, q, trips)
		p.line("@%s bra %s;", q, again)
	} else {
		p.line("bra %s;", again)
	}
	p.put("%s:", out)
	p.brk, p.loopMask = outer, outerMask
}

// turn writes whether lanes take another turn.
func (p *printer) turn(n *Node, q, trips string) {
	p.line("setp.lt.u32 %s, %s, %s;", q, p.v(n.D), trips)
	if p.loopMask != "" {
		p.line("vote.sync.ballot.b32 %s, %s, %s;", p.loopMask, q, p.loopMask)
	}
}

// call writes a call: under a guard, or by an address that lanes choose, where each group has its mask.
func (p *printer) call(n *Node, c site) {
	r, target, proto, guard, mask := p.temp(), n.Funcs[0].Name, "", "", c.mask
	asked := meets(n.Funcs[0].Nodes) || len(n.Funcs) > 1 && meets(n.Funcs[1].Nodes)
	if len(n.Funcs) > 1 {
		target, proto = p.chosen(n), ", "+p.label("PROTO")
		if asked {
			t, m := p.temp(), p.maskReg()
			p.line("bfe.u32 %s, %s, %d, 1;", t, p.v(n.A), n.K)
			p.line("match.any.sync.b32 %s, %s, %s;", m, t, mask)
			mask = m
		}
		p.put("%s: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _, .param .b64 _, .param .b64 _,", proto[2:])
		p.line(".param .b64 _);")
	}
	if n.Only {
		q := p.condOf(n)
		if guard = "@" + q + " "; asked {
			m := p.maskReg()
			p.line("vote.sync.ballot.b32 %s, %s, %s;", m, q, mask)
			mask = m
		}
	}
	p.line("{ .param .b32 r0; .param .b32 p0; .param .b32 p1;")
	p.line(".param .b64 p2; .param .b64 p3; .param .b64 p4;")
	p.line("mov.b32 %s, %s; st.param.b32 [p0], %s; st.param.b32 [p1], %s;", r, mask, r, p.v(n.A))
	p.line("st.param.b64 [p2], %%out; st.param.b64 [p3], %%acc; st.param.b64 [p4], %%in;")
	p.line("%scall (r0), %s, (p0, p1, p2, p3, p4)%s;", guard, target, proto)
	p.line("ld.param.b32 %s, [r0]; }", r)
	p.line("%smov.b32 %s, %s;", guard, p.v(n.D), r)
}

// chosen writes the address of the function that a lane calls.
func (p *printer) chosen(n *Node) string {
	a, b, q := p.wide(), p.wide(), p.cond(&Cond{Of: VarBit, A: n.A, N: n.K})
	p.line("mov.u64 %s, %s;", a, n.Funcs[0].Name)
	p.line("mov.u64 %s, %s;", b, n.Funcs[1].Name)
	p.line("selp.b64 %s, %s, %s, %s;", a, b, a, q)
	return a
}

// Ways to end, a node's Style.
const (
	exitPlain = iota
	exitRet
	exitFin
	exitStoring
	exitStoringAround
	exitWays
)

// exitWay is the way in which lanes end; a function's ret does not end them.
func (n *Node) exitWay(inFunc bool) int {
	if inFunc && (n.Style == exitRet || n.Style == exitFin) {
		return exitPlain
	}
	return n.Style
}

func (p *printer) exit(n *Node) {
	q, guard, way := "", "", n.exitWay(p.inFunc)
	if n.Cond != nil {
		q = p.condOf(n)
		guard = "@" + q + " "
	}
	switch way {
	case exitRet:
		p.line("%sret;", guard)
	case exitFin:
		p.line("%sbra FIN;", guard)
	case exitStoring:
		p.storeHash(guard)
		p.line("%sexit;", guard)
	case exitStoringAround:
		on := p.label("N")
		if q != "" {
			p.line("@!%s bra %s;", q, on)
		}
		p.storeHash("")
		p.line("exit;")
		p.put("%s:", on)
	default:
		p.line("%sexit;", guard)
	}
}
