package converge

// Kernels as PTX. Member masks follow from the tree, so that whatever Shrink drops leaves them right.

import (
	"fmt"
	"strings"
)

// printer writes the body of a kernel or a function.
type printer struct {
	*Kernel
	text                                strings.Builder
	temps, preds, wides, masks, targets int
	inFunc                              bool
	guard                               string
	brk                                 string // label behind the innermost loop
	loopMask                            string // the register of its mask, empty if it needs none
	fnMask                              string // likewise of the function
}

// site is where a list is written.
type site struct {
	mask     string // operand that holds all living lanes that come here
	constant uint32 // its value, if it is known
	known    bool
	last     bool // nothing comes behind that waits for lanes
}

func (p *printer) put(format string, args ...any) { fmt.Fprintf(&p.text, format+"\n", args...) }

// line writes a statement, under the guard if there is one.
func (p *printer) line(format string, args ...any) {
	p.text.WriteString("\t" + p.guard)
	p.put(format, args...)
}

func fresh(prefix string, n *int) string {
	*n++
	return fmt.Sprintf("%s%d", prefix, *n-1)
}

func (p *printer) temp() string             { return fresh("%t", &p.temps) }
func (p *printer) pred() string             { return fresh("%p", &p.preds) }
func (p *printer) wide() string             { return fresh("%d", &p.wides) }
func (p *printer) maskReg() string          { return fresh("%m", &p.masks) }
func (p *printer) label(kind string) string { return fresh(kind, &p.targets) }
func (p *printer) v(i int) string           { return fmt.Sprintf("%%v%d", i) }
func (p *printer) condOf(n *Node) string    { return p.cond(n.Cond) }
func (c site) behind(quiet bool) site       { c.last = c.last && quiet; return c }

// shapeLine begins a module: what is launched, and the words of out for each thread.
const shapeLine = "// --block %d,%d --grid %d --words %d\n"

// String is the module.
func (k *Kernel) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, shapeLine, k.Columns, k.rows(), k.Grid, k.Slots)
	b.WriteString(".version 8.6\n.target sm_90\n.address_size 64\n")
	fmt.Fprintf(&b, ".shared .align 16 .b8 sm[%d];\n", sharedEnd)
	called := map[*Func]bool{}
	callsOf(k.Nodes, called)
	for _, f := range k.Funcs {
		if called[f] {
			b.WriteString(k.function(f))
		}
	}
	b.WriteString(k.entry())
	return b.String()
}

// callsOf marks the functions that a list calls.
func callsOf(list []*Node, called map[*Func]bool) {
	for _, n := range live(list) {
		for _, f := range n.Funcs {
			called[f] = true
			callsOf(f.Nodes, called)
		}
		for _, arm := range n.Arms {
			callsOf(arm, called)
		}
	}
}

func (k *Kernel) entry() string {
	p := &printer{Kernel: k}
	p.head()
	for i := range dataVars {
		p.line("mad.lo.u32 %s, %%gid, %d, %d;", p.v(i), firstFactor[i], firstAdd[i])
		p.line("mul.lo.u32 %s, %s, 1664525;", p.v(i), p.v(i))
	}
	if !k.Plain {
		p.shared()
	}
	p.list(k.Nodes, site{mask: "-1", constant: ^uint32(0), known: true, last: true})
	p.storeHash("")
	p.put("FIN:")
	if k.Fin {
		p.line("xor.b32 %%hash, %%v0, %s;", p.v(dataVars))
		p.line("st.global.u32 [%s+4], %%hash;", p.own(p.Last))
	}
	p.line("ret;")
	head := ".visible .entry k(.param .u64 out, .param .u64 acc, .param .u64 in)\n"
	if k.Fixed {
		head += fmt.Sprintf(".reqntid %d, %d, 1\n", k.Columns, k.rows())
	}
	return head + p.body()
}

// shared gives what threads share its first values.
func (p *printer) shared() {
	p.line("st.shared.u32 [%%own], %%v0;")
	p.line("setp.ne.u32 %%q, %%id, 0;")
	p.line("@%%q bra READY;")
	for i := range slots {
		p.line("st.shared.u32 [%%sm+%d], 0;", slotsAt+4*i)
	}
	p.put("READY:")
	p.line("bar.sync 0;")
}

func (k *Kernel) function(f *Func) string {
	p := &printer{Kernel: k, inFunc: true}
	p.head()
	p.line("ld.param.b32 %%mask, [mask];")
	p.line("ld.param.b32 %%v0, [x];")
	for i := 1; i < dataVars; i++ {
		p.line("add.u32 %s, %%v0, %%gid;", p.v(i))
		p.line("mad.lo.u32 %s, %s, %d, %d;", p.v(i), p.v(i), firstFactor[i], firstAdd[i])
		p.line("mul.lo.u32 %s, %s, 1664525;", p.v(i), p.v(i))
	}
	if meets(f.Nodes) {
		p.fnMask = "%mask"
	}
	p.list(f.Nodes, site{mask: "%mask"})
	p.put("BACK:")
	p.line("mad.lo.u32 %%v0, %%v0, 5, %%v1;")
	p.line("st.param.b32 [r], %%v0;")
	p.line("ret;")
	return ".func (.param .b32 r) " + f.Name + "(.param .b32 mask, .param .b32 x,\n" +
		"\t.param .b64 out, .param .b64 acc, .param .b64 in)\n" + p.body()
}

// head gives registers that every frame has their values.
func (p *printer) head() {
	id, lane := "mov.u32 %id, %tid.x; mov.u32 %threads, %ntid.x;", "and.b32 %lane, %id, 31;"
	if p.rows() > 1 {
		id = "mov.u32 %id, %tid.y; mov.u32 %threads, %ntid.x; mov.u32 %base, %tid.x;\n" +
			"\tmad.lo.u32 %id, %id, %threads, %base; mov.u32 %base, %ntid.y; mul.lo.u32 %threads, %threads, %base;"
	}
	if p.Fixed {
		lane = "mov.u32 %lane, %laneid;"
	}
	for _, s := range []string{
		"ld.param.u64 %out, [out]; ld.param.u64 %acc, [acc]; ld.param.u64 %in, [in];", id, lane,
		"mov.u32 %cta, %ctaid.x; mov.u32 %grid, %nctaid.x; mad.lo.u32 %gid, %cta, %threads, %id;",
		"mov.u32 %sm, sm; mad.lo.u32 %own, %id, 4, %sm;",
		fmt.Sprintf("mul.wide.u32 %%mine, %%gid, %d; add.u64 %%mine, %%mine, %%out;", 4*p.Slots),
		"mul.lo.u32 %base, %cta, %threads;",
		fmt.Sprintf("mul.wide.u32 %%ctas, %%base, %d; add.u64 %%ctas, %%ctas, %%out;", 4*p.Slots),
		fmt.Sprintf("mad.lo.u32 %%v%d, %%cta, 77, 5; mad.lo.u32 %%v%d, %%grid, 3, %%cta;", dataVars, dataVars+1),
	} {
		p.text.WriteString("\t" + s + "\n")
	}
	for i := range counterVars {
		p.line("mov.u32 %s, 0;", p.v(firstCount+i))
	}
}

// body is what has been written, behind declarations of the registers that have been used.
func (p *printer) body() string {
	return "{\n" + fmt.Sprintf("\t.reg .b32 %%v<%d>, %%t<%d>, %%m<%d>;\n", allVars, p.temps+1, p.masks+1) +
		"\t.reg .b32 %id, %cta, %threads, %grid, %lane, %gid, %sm, %own, %base, %hash, %mask;\n" +
		fmt.Sprintf("\t.reg .b64 %%d<%d>, %%out, %%acc, %%in, %%mine, %%ctas;\n", p.wides+1) +
		fmt.Sprintf("\t.reg .pred %%p<%d>, %%q;\n", p.preds+1) + p.text.String() + "}\n"
}

// list writes nodes.
func (p *printer) list(list []*Node, c site) {
	list = live(list)
	for i, n := range list {
		c = p.node(n, c, c.behind(!waits(list[i+1:])))
	}
}

// node writes one, where its own context is here, and returns the one behind it.
func (p *printer) node(n *Node, c, here site) site {
	switch n.Kind {
	case Meet:
		p.meet(n, c)
	case Barrier:
		p.barrier(n)
	case Exit:
		p.exit(n)
	case Break:
		return p.leave(n, c, p.brk, p.loopMask)
	case Return:
		return p.leave(n, c, "BACK", p.fnMask)
	case If:
		p.branch(n, here)
	case Pair:
		p.pair(n, here)
	case Switch:
		p.choose(n, here)
	case Loop:
		p.loop(n, here)
	case Call:
		p.call(n, c)
	default:
		p.straight(n)
	}
	return c
}

// leave lets lanes with Cond jump to a label; those that are left are taken into a mask register, if there is one.
func (p *printer) leave(n *Node, c site, to, mask string) site {
	q := p.condOf(n)
	if mask != "" {
		t := p.temp()
		p.line("vote.sync.ballot.b32 %s, !%s, %s;", t, q, c.mask)
		p.line("@%s bra %s;", q, to)
		p.line("mov.u32 %s, %s;", mask, t)
		return site{mask: mask}
	}
	p.line("@%s bra %s;", q, to)
	return c
}

// alive writes a ballot of the lanes that are here.
func (p *printer) alive(mask string) string {
	r, q := p.temp(), p.pred()
	p.line("setp.eq.u32 %s, %%id, %%id;", q)
	p.line("vote.sync.ballot.b32 %s, %s, %s;", r, q, mask)
	return r
}

// isThere writes whether a lane is in a ballot.
func (p *printer) isThere(ballot, lane string) string {
	t, q := p.temp(), p.pred()
	p.line("shr.u32 %s, %s, %s;", t, ballot, lane)
	p.line("and.b32 %s, %s, 1;", t, t)
	p.line("setp.ne.u32 %s, %s, 0;", q, t)
	return q
}

// meet writes an operation of a warp with its mask.
func (p *printer) meet(n *Node, c site) {
	op, mask := &meetings[n.Mode], c.mask
	if n.Group {
		t, m := p.temp(), p.maskReg()
		p.line("bfe.u32 %s, %s, %d, 2;", t, p.v(n.B), groupShift)
		p.line("match.any.sync.b32 %s, %s, %s;", m, t, mask)
		mask = m
	}
	if n.Only {
		q, m := p.condOf(n), p.maskReg()
		p.line("vote.sync.ballot.b32 %s, %s, %s;", m, q, mask)
		mask, p.guard = m, "@"+q+" "
	}
	if r := op.print(p, n, mask); !op.silent {
		p.line("mad.lo.u32 %s, %s, %d, %s;", p.v(n.D), p.v(n.D), meetFactor, r)
	}
	p.guard = ""
}
