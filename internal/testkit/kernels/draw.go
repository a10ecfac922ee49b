package kernels

// What kernels are drawn of, but for memory (memory.go).

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// span is what values an index may have; a span that is not known is not read.
type span struct {
	lo, hi int64
	known  bool
}

// writer draws a kernel. A value of an index register is known to be in its span whatever way control took.
type writer struct {
	r     *rand.Rand
	k     *Kernel
	spans [indices]span
	loop  []loopVar // the loops around, outermost first
	parts int       // branches around that not all lanes of a CTA take alike
	left  int       // nodes to draw
	areas int       // of out that stores have taken
	names int       // of labels
	ahead bool      // the kernel has neither loops nor barriers
	walks []walk    // pointers that move in the loops around
}

// loopVar counts the turns of a loop.
type loopVar struct {
	name string
	span span
}

// walk is a pointer register in a loop: what it moves by in a turn, and what it is a multiple of.
type walk struct {
	reg    int
	stride int64
	align  int
}

// New draws the kernel of a seed.
func New(seed uint64) *Kernel {
	r := rand.New(rand.NewPCG(seed, 77))
	w := &writer{r: r, k: &Kernel{head: head, tail: tail, own: ownBytes, Warps: r.IntN(4) == 0, Local: r.IntN(4) == 0}, left: 8 + r.IntN(40), ahead: r.IntN(4) == 0}
	for i := range 6 {
		w.spans[i] = []span{{0, maxX - 1, true}, {0, threads - 1, true}, {0, threads*gridX*gridY - 1, true}, {0, maxYZ - 1, true}, {3, 3, true}, {0, 31, true}}[i]
	}
	if !w.k.Warps && r.IntN(3) == 0 {
		w.k.Nodes = append(w.k.Nodes, w.early())
	}
	w.k.Nodes = append(w.k.Nodes, w.block(0)...)
	return w.k
}

// early ends some threads at once, as kernels do whose grid is larger than their data.
func (w *writer) early() *Node {
	return &Node{Before: fmt.Sprintf("setp.ge.u32 %%q, %%g, %d;\n@%%q exit;\n", 1+w.r.IntN(threads*gridX*gridY))}
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// block draws nodes.
func (w *writer) block(depth int) (nodes []*Node) {
	for n := 2 + w.r.IntN(5); (n > 0 || depth == 0) && w.left > 0; n-- {
		w.left--
		switch k := w.r.IntN(20); {
		case k < 2 && depth < 3:
			nodes = append(nodes, w.branch(depth))
		case k < 4 && depth < 3 && len(w.loop) < 2 && !w.ahead:
			nodes = append(nodes, w.turns(depth))
		case k < 8:
			nodes = append(nodes, w.index())
		case k < 11:
			nodes = append(nodes, w.load())
		case k < 13:
			nodes = append(nodes, w.store())
		case k < 14 && w.k.Local:
			nodes = append(nodes, w.local())
		case k < 16 && w.parts == 0 && !w.ahead:
			nodes = append(nodes, w.exchange())
		case k < 17 && w.parts == 0 && w.k.Warps:
			nodes = append(nodes, w.across())
		case k < 18:
			nodes = append(nodes, w.atomic())
		default:
			nodes = append(nodes, w.compute())
		}
	}
	return nodes
}

func (w *writer) line(format string, args ...any) *Node {
	return &Node{Before: fmt.Sprintf(format, args...) + "\n"}
}

func (w *writer) reg(kind string) string {
	n := map[string]int{"v": values, "w": wides, "f": singles, "e": doubles, "p": preds}[kind]
	return fmt.Sprintf("%%%s%d", kind, w.r.IntN(n))
}

// source is a register or constant of 32 bits.
func (w *writer) source() string {
	switch w.r.IntN(6) {
	case 0:
		return fmt.Sprint(pick(w.r, 0, 1, 2, 3, 7, 31, 32, -1, 255, 65535))
	case 1:
		name, _ := w.known()
		return name
	}
	return w.reg("v")
}

// compute draws arithmetic on values.
func (w *writer) compute() *Node {
	v, f := func() string { return w.reg("v") }, func() string { return w.reg("f") }
	text := ""
	switch w.r.IntN(12) {
	case 0, 1, 2:
		text = fmt.Sprintf("%s %s, %s, %s;", pick(w.r, "add.u32", "sub.s32", "mul.lo.u32", "xor.b32", "and.b32", "or.b32", "min.s32", "max.u32", "mul.hi.s32", "shl.b32", "shr.u32", "shr.s32", "div.u32", "rem.s32"), v(), v(), w.source())
	case 3:
		text = fmt.Sprintf("%s %s, %s, %s, %s;", pick(w.r, "mad.lo.s32", "prmt.b32", "bfe.u32", "lop3.b32", "shf.l.wrap.b32", "sad.u32"), v(), v(), v(), v())
		if strings.HasPrefix(text, "lop3") {
			text = strings.TrimSuffix(text, ";") + fmt.Sprintf(", %d;", w.r.IntN(256))
		}
	case 4, 5:
		text = fmt.Sprintf("%s %s, %s, %s;", pick(w.r, "add.f32", "mul.rn.f32", "sub.rn.f32", "min.f32", "max.f32", "div.rn.f32"), f(), f(), f())
	case 6:
		text = fmt.Sprintf("fma.rn.f32 %s, %s, %s, %s;", f(), f(), f(), f())
	case 7:
		text = fmt.Sprintf("%s %s, %s, %s;", pick(w.r, "add.f64", "mul.rn.f64"), w.reg("e"), w.reg("e"), w.reg("e"))
	case 8:
		text = fmt.Sprintf("%s %s, %s, %s;", pick(w.r, "add.u64", "xor.b64", "mul.lo.u64", "sub.s64"), w.reg("w"), w.reg("w"), w.reg("w"))
	case 9:
		text = pick(w.r, fmt.Sprintf("cvt.rn.f32.s32 %s, %s;", f(), v()), fmt.Sprintf("cvt.rzi.s32.f32 %s, %s;", v(), f()), fmt.Sprintf("cvt.u64.u32 %s, %s;", w.reg("w"), v()),
			fmt.Sprintf("cvt.u32.u64 %s, %s;", v(), w.reg("w")), fmt.Sprintf("cvt.s32.s8 %s, %s;", v(), v()), fmt.Sprintf("mov.b32 %s, %s;", v(), f()), fmt.Sprintf("popc.b32 %s, %s;", v(), v()), fmt.Sprintf("clz.b32 %s, %s;", v(), v()))
	case 10:
		return w.line("%s", w.setp(w.reg("p")))
	default:
		text = fmt.Sprintf("selp.b32 %s, %s, %s, %s;", v(), v(), w.source(), w.reg("p"))
	}
	return w.line("%s%s", w.guard(), text)
}

// setp sets a predicate by indices, special registers or values.
func (w *writer) setp(p string) string {
	a, s := w.known()
	b := fmt.Sprint(s.lo + w.r.Int64N(s.hi-s.lo+1))
	if w.r.IntN(4) == 0 {
		b, _ = w.known()
	}
	if w.r.IntN(4) == 0 {
		a, b = w.reg("v"), w.reg("v")
	}
	text := fmt.Sprintf("setp.%s.s32 %s, %s, %s;", pick(w.r, "lt", "le", "gt", "ge", "eq", "ne"), p, a, b)
	if w.r.IntN(4) == 0 {
		return fmt.Sprintf("and.b32 %%s3, %s, %d; setp.%s.u32 %s, %%s3, 0;", a, pick(w.r, 1, 2, 7, 16), pick(w.r, "eq", "ne"), p)
	}
	return text
}

// guard is empty more often than not.
func (w *writer) guard() string {
	if w.r.IntN(6) != 0 {
		return ""
	}
	return "@" + pick(w.r, "", "!") + w.reg("p") + " "
}

// special registers with their spans.
var specials = []loopVar{
	{"%tx", span{0, maxX - 1, true}}, {"%ty", span{0, maxYZ - 1, true}}, {"%tz", span{0, maxYZ - 1, true}}, {"%id", span{0, threads - 1, true}},
	{"%g", span{0, threads*gridX*gridY - 1, true}}, {"%cx", span{0, gridX - 1, true}}, {"%cy", span{0, gridY - 1, true}}, {"%nx", span{1, maxX, true}},
	{"%ny", span{1, maxYZ, true}}, {"%n", span{turns, turns, true}}, {"%lane", span{0, 31, true}}, {"%cta", span{0, gridX*gridY - 1, true}},
}

// known draws an index: a special register, the turn of a loop, or a register whose span is known.
func (w *writer) known() (name string, s span) {
	for {
		switch w.r.IntN(3) {
		case 0:
			x := pick(w.r, specials...)
			return x.name, x.span
		case 1:
			if len(w.loop) > 0 {
				x := pick(w.r, w.loop...)
				return x.name, x.span
			}
		default:
			if i := w.r.IntN(indices); w.spans[i].known {
				return fmt.Sprintf("%%i%d", i), w.spans[i]
			}
		}
	}
}

// target draws an index register that may be written here: each depth of loops has its own, so that what a
// turn reads is of the same turn, or of outside.
func (w *writer) target() int {
	return []int{0, 6, 9}[len(w.loop)] + w.r.IntN([]int{6, 3, 3}[len(w.loop)])
}

// index draws arithmetic on indices whose result stays small.
func (w *writer) index() *Node {
	for {
		a, x := w.known()
		b, y := w.known()
		text, s := w.combine(a, b, x, y)
		if s.lo < -(1<<17) || s.hi > 1<<17 {
			continue
		}
		d := w.target()
		s.known = true
		if guard := w.guard(); guard != "" {
			if !w.spans[d].known {
				continue
			}
			w.spans[d] = union(w.spans[d], s)
			text = guard + text
		} else {
			w.spans[d] = s
		}
		return w.line("%s", strings.ReplaceAll(text, "DST", fmt.Sprintf("%%i%d", d)))
	}
}

// combine draws an instruction on indices that writes DST, and what its values may be.
func (w *writer) combine(a, b string, x, y span) (text string, s span) {
	c := int64(pick(w.r, 1, 2, 3, 4, 7, 8, 16, 18, 31, 32, 33, 64, 100))
	switch w.r.IntN(11) {
	case 0, 1:
		return fmt.Sprintf("add.s32 DST, %s, %s;", a, b), span{lo: x.lo + y.lo, hi: x.hi + y.hi}
	case 2:
		return fmt.Sprintf("sub.s32 DST, %s, %s;", a, b), span{lo: x.lo - y.hi, hi: x.hi - y.lo}
	case 3:
		return fmt.Sprintf("add.s32 DST, %s, %d;", a, -c), span{lo: x.lo - c, hi: x.hi - c}
	case 4:
		return fmt.Sprintf("mul.lo.s32 DST, %s, %d;", a, c), span{lo: x.lo * c, hi: x.hi * c}
	case 5, 6:
		return fmt.Sprintf("mad.lo.s32 DST, %s, %d, %s;", a, c, b), span{lo: x.lo*c + y.lo, hi: x.hi*c + y.hi}
	case 7:
		p := products(x, y)
		return fmt.Sprintf("mul.lo.s32 DST, %s, %s;", a, b), span{lo: slices.Min(p), hi: slices.Max(p)}
	case 8:
		c = int64(pick(w.r, 1, 3, 7, 15, 31, 63, 255))
		return fmt.Sprintf("and.b32 DST, %s, %d;", a, c), span{lo: 0, hi: c}
	case 9:
		if x.lo >= 0 {
			return fmt.Sprintf("%s DST, %s, %d;", pick(w.r, "div.u32", "rem.u32", "shr.u32"), a, 1+c%17), span{lo: 0, hi: max(x.hi, 17)}
		}
		return fmt.Sprintf("neg.s32 DST, %s;", a), span{lo: -x.hi, hi: -x.lo}
	}
	return fmt.Sprintf("selp.b32 DST, %s, %s, %s;", a, b, w.reg("p")), union(x, y)
}

func products(x, y span) []int64 { return []int64{x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi} }

func union(a, b span) span {
	return span{min(a.lo, b.lo), max(a.hi, b.hi), a.known && b.known}
}

// label draws a name.
func (w *writer) label() int {
	w.names++
	return w.names
}

// branch draws one, by a predicate that is the same for a whole CTA now and then.
func (w *writer) branch(depth int) *Node {
	l, cond, some := w.label(), w.setp("%q"), 1
	if w.r.IntN(4) == 0 {
		cond, some = fmt.Sprintf("setp.%s.u32 %%q, %s, 1;", pick(w.r, "eq", "ne", "lt"), pick(w.r, "%cx", "%cy", "%cta")), 0
	}
	w.parts += some
	before := w.spans
	n := &Node{Before: fmt.Sprintf("%s\n@%s%%q bra ELSE%d;\n", cond, pick(w.r, "", "!"), l)}
	if w.r.IntN(4) == 0 {
		n.Before = cond + "\n" + table(w.r, pick(w.r, "%cta", w.source(), w.source()), "%s3", l)
	}
	n.Between, n.After = fmt.Sprintf("bra END%d;\nELSE%d:\n", l, l), fmt.Sprintf("END%d:\n", l)
	n.Body = w.block(depth + 1)
	after := w.spans
	w.spans = before
	if w.r.IntN(2) == 0 {
		n.Other = w.block(depth + 1)
	}
	for i := range w.spans {
		w.spans[i] = union(w.spans[i], after[i])
	}
	w.parts -= some
	return n
}

// table draws a branch by a table, guarded by %q or not, to BODY, which follows, to ELSE and to END. Its index is in a scratch register.
func table(r *rand.Rand, value, scratch string, label int) string {
	names := make([]string, pick(r, 2, 4, 8, 16))
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", pick(r, "BODY", "ELSE", "ELSE", "END"), label)
	}
	return fmt.Sprintf("and.b32 %[1]s, %[2]s, %[3]d;\nTABLE%[4]d: .branchtargets %[5]s;\n%[6]sbrx.idx %[1]s, TABLE%[4]d;\nBODY%[4]d:\n",
		scratch, value, len(names)-1, label, strings.Join(names, ", "), pick(r, "", "", "@%q ", "@!%q "))
}

// turns draws a loop: as many turns in all threads, or as many as a value says.
func (w *writer) turns(depth int) *Node {
	l := w.label()
	k := fmt.Sprintf("%%k%d", l%40)
	limit, some := int64(1+w.r.IntN(5)), 0
	count := fmt.Sprint(limit)
	before := ""
	switch w.r.IntN(4) {
	case 0:
		limit, count = turns, "%n"
	case 1:
		limit, some = 4, 1
		count, before = "%s2", fmt.Sprintf("and.b32 %%s2, %s, 3; add.u32 %%s2, %%s2, 1;\n", w.source())
	}
	if some == 1 && len(w.loop) > 0 { // %s2 is the outer loop's
		count, before, some = fmt.Sprint(limit), "", 0
	}
	outer := w.walks
	before += w.walk(limit)
	n := &Node{Before: fmt.Sprintf("%smov.u32 %s, 0;\nLOOP%d:\n", before, k, l)}
	w.parts += some
	w.loop = append(w.loop, loopVar{k, span{0, limit - 1, true}})
	for i := []int{0, 6, 9}[len(w.loop)]; i < indices; i++ {
		w.spans[i].known = false
	}
	n.Body = w.block(depth + 1)
	w.loop = w.loop[:len(w.loop)-1]
	w.parts -= some
	n.After = w.step(len(outer)) + fmt.Sprintf("add.u32 %s, %s, 1;\nsetp.lt.u32 %%r, %s, %s;\n@%%r bra LOOP%d;\n", k, k, k, count, l)
	w.walks = outer
	return n
}
