package cc

// This file prints a function as C.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// Entry is the name of the C function: void kernel(char *state, u64 how).
const Entry = "kernel"

// Techniques are classes of accesses that can be left out, by name: they are printed lane by lane then, or element by element.
var Techniques = []string{
	"masked",     // lanes that follow each other, some of which are on
	"contiguous", // loads that follow each other, by a step or an index
	"gathers",    // loads by an index of 32 bits, with one test of vectors
	"wide",       // loads by an index of 64 bits, likewise
	"shuffles",   // lanes a few bytes apart
	"groups",     // several elements of each lane
}

// Options say how functions are printed.
type Options struct {
	Without map[string]bool // techniques that are left out
	Forced  bool            // the code leaves with the state whose number is in the first word of abi.State's Save: tests
}

// Print writes a function as freestanding C, for gcc and clang on amd64 with AVX2.
func Print(f *ssa.Func, o Options) (string, error) {
	p := &printer{f: f, off: o.Without, forced: o.Forced, dom: ssa.FindDominators(f), exits: map[ssa.StateID][]ssa.Value{}, placed: make([]*ssa.Block, len(f.Ops)), printed: make([]bool, len(f.Ops))}
	p.WriteString(prelude(f.Waits))
	p.linef("__attribute__((visibility(\"default\"))) void %s(char *s, u64 how) {", Entry)
	p.declare()
	for _, b := range p.dom.Blocks {
		for _, i := range b.Items() {
			p.placed[i.Value] = b
		}
	}
	for _, b := range p.dom.Blocks {
		p.print(b)
	}
	for i := 0; i < len(p.states); i++ {
		p.exit(p.states[i])
	}
	p.linef("done:\n\tU64(STEPS) += steps; U64(OPS) += ops; leavebatch(s, &b);\n}")
	return p.String(), p.err
}

type printer struct {
	strings.Builder
	f       *ssa.Func
	off     map[string]bool // techniques
	forced  bool            // exits
	dom     *ssa.Dominators
	block   *ssa.Block    // that is printed
	states  []ssa.StateID // whose exits are to be printed
	exits   map[ssa.StateID][]ssa.Value
	placed  []*ssa.Block // by value: that computes it
	printed []bool
	err     error
}

func (p *printer) linef(format string, a ...any) {
	fmt.Fprintf(p, format, a...)
	p.WriteByte('\n')
}

func (p *printer) failf(format string, a ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("printing %s: "+format, append([]any{p.f.Name}, a...)...)
	}
}

// partsOf is how many variables of C a value has: of 8 lanes each, of 4 if they have 64 bits. What is the same in all lanes
// has one.
func (p *printer) partsOf(v ssa.Value) int {
	if p.f.Info[v].Uni {
		return 1
	}
	return p.lanesParts(p.f.LanesOf(v), p.f.TypeOf(v))
}

func (p *printer) lanesParts(lanes int, t ssa.Type) int {
	if t == ssa.X {
		return lanes / 4
	}
	return lanes / 8
}

// declare declares the variables of all values, and what does not change while the code runs.
func (p *printer) declare() {
	p.linef("\tu64 steps = 0, ops = 0, steps0 = 0, ops0 = 0; u32 fuel = 0, fuel0 = 0, looped = 0, poll = U32(POLL);")
	p.linef("\tstruct batch b = enter(s, how);")
	if p.forced {
		p.linef("\tconst u32 forced = U32(FORCED);")
	}
	p.linef("\tconst u64 G = U64(GLOBAL), K = G + U64(PARAMS);")
	bounds := map[int32]bool{}
	for _, c := range p.f.Checks[1:] {
		bounds[c.Bounds] = true
	}
	for _, b := range p.f.Blocks {
		for _, e := range b.Effects {
			if e.Access != nil {
				bounds[e.Access.Bounds] = true
			}
		}
	}
	delete(bounds, ssa.LocalBounds)
	for k := int32(0); len(bounds) > 0; k++ {
		if !bounds[k] {
			continue
		}
		delete(bounds, k)
		p.linef("\tconst u64 B%d = U64(BOUNDS) + %d*BSIZE, start%d = *(u64m *)(B%d + BSTART), size%d = size(B%d, BEND), wsize%d = size(B%d, BWRITE);", k, k, k, k, k, k, k, k)
	}
	for v := range p.f.Ops {
		if c := p.f.Ops[v].Code; c != ssa.Invalid && c != ssa.Each && c != ssa.Const && c != ssa.Strided && c != ssa.Bcast {
			p.variable(ssa.Value(v))
		}
	}
}

func (p *printer) variable(v ssa.Value) {
	typ := map[ssa.Type]string{ssa.W: "w8", ssa.X: "x4", ssa.M: "w8"}[p.f.TypeOf(v)]
	if p.f.IsNum(v) {
		typ = map[ssa.Type]string{ssa.W: "u32", ssa.X: "u64", ssa.M: "u32"}[p.f.TypeOf(v)]
	}
	fmt.Fprintf(p, "\t%s ", typ)
	for i := range p.partsOf(v) {
		fmt.Fprintf(p, "%sv%d_%d", comma(i), v, i)
	}
	p.linef(";")
}

func comma(i int) string {
	if i > 0 {
		return ", "
	}
	return ""
}

// num is a number in C.
func (p *printer) num(v ssa.Value) string {
	if k, ok := p.f.Known(v); ok {
		if p.f.TypeOf(v) == ssa.X {
			return fmt.Sprintf("%dul", k)
		}
		return fmt.Sprintf("%du", k)
	}
	if !p.f.IsNum(v) {
		p.failf("v%d is no number", v)
	}
	return fmt.Sprintf("v%d_0", v)
}

// part is part i of a value in lanes, in C.
func (p *printer) part(v ssa.Value, i int) string {
	if k, ok := p.f.Known(v); ok {
		switch p.f.TypeOf(v) {
		case ssa.X:
			return fmt.Sprintf("splatx((s64)%dul)", k)
		case ssa.M:
			return fmt.Sprintf("splat(%d)", -int64(k))
		}
		return fmt.Sprintf("splat((s32)%du)", k)
	}
	if p.f.IsNum(v) {
		return p.spread(v)
	}
	switch o := &p.f.Ops[v]; o.Code {
	case ssa.Each:
		return p.each(o, i)
	case ssa.Strided:
		return p.strided(o, i)
	case ssa.Bcast:
		return p.spread(o.A)
	}
	if p.f.Info[v].Uni {
		i = 0
	}
	return fmt.Sprintf("v%d_%d", v, i)
}

// spread is a number in each lane of a vector.
func (p *printer) spread(v ssa.Value) string {
	switch p.f.TypeOf(v) {
	case ssa.X:
		return fmt.Sprintf("xu(%s)", p.num(v))
	case ssa.M:
		return fmt.Sprintf("wu(-%s)", p.num(v))
	}
	return fmt.Sprintf("wu(%s)", p.num(v))
}

// wide is part i of a mask for lanes of 64 bits.
func (p *printer) wide(v ssa.Value, i int) string {
	if i%2 == 0 || p.f.Info[v].Uni {
		return fmt.Sprintf("sextw(low(%s))", p.part(v, i/2))
	}
	return fmt.Sprintf("sextw(high(%s))", p.part(v, i/2))
}

// bitsOf is a mask as bits of its lanes.
func (p *printer) bitsOf(v ssa.Value) string {
	if k, ok := p.f.Known(v); ok {
		return fmt.Sprintf("%du", uint32(-int64(k)))
	}
	if p.f.IsNum(v) {
		return fmt.Sprintf("-%s", p.num(v))
	}
	if p.f.LanesOf(v) == 32 && !p.f.Info[v].Uni {
		return fmt.Sprintf("bits32(%s)", p.joined(v, ", "))
	}
	var list []string
	for i := range p.f.LanesOf(v) / 8 {
		list = append(list, fmt.Sprintf("bits(%s) << %d", p.part(v, i), 8*i))
	}
	return "(" + strings.Join(list, " | ") + ")"
}

// anyOf tells in C whether a mask has a lane.
func (p *printer) anyOf(v ssa.Value) string {
	if p.f.IsNum(v) {
		return p.num(v)
	}
	return fmt.Sprintf("(bits(%s) != 0)", p.joined(v, " | "))
}

// joined combines the parts of a mask.
func (p *printer) joined(v ssa.Value, op string) string {
	var list []string
	for i := range p.partsOf(v) {
		list = append(list, p.part(v, i))
	}
	return strings.Join(list, op)
}

func (p *printer) print(b *ssa.Block) {
	p.block = b
	p.linef("L%d:;", b.ID)
	for _, i := range b.Items() {
		if i.Effect != nil {
			p.effect(i.Effect)
		} else {
			p.op(i.Value)
			p.printed[i.Value] = true
		}
	}
	switch {
	case len(b.Out) == 0:
		p.linef("\tgoto done;")
	case b.Cond == 0:
		p.edge(b.Out[0])
	default:
		cond := p.num(b.Cond)
		if b.Out[0].To.Cold != b.Out[1].To.Cold {
			cond = fmt.Sprintf("__builtin_expect(%s, %d)", cond, map[bool]int{true: 0, false: 1}[b.Out[0].To.Cold])
		}
		p.linef("\tif (%s) {", cond)
		p.edge(b.Out[0])
		p.linef("\t}")
		p.edge(b.Out[1])
	}
}

// edge goes to a block; its parameters get their values at once.
func (p *printer) edge(e *ssa.Edge) {
	var early, late strings.Builder
	for k, to := range e.To.Params {
		if from := e.Args[k]; from != to {
			p.move(&early, &late, from, to)
		}
	}
	if early.Len() > 0 {
		p.linef("\t{ %s%s}", early.String(), late.String())
	}
	p.linef("\tgoto L%d;", e.To.ID)
}

func (p *printer) move(early, late *strings.Builder, from, to ssa.Value) {
	for i := range p.partsOf(to) {
		text := ""
		if p.f.IsNum(to) {
			text = p.num(from)
		} else {
			text = p.part(from, i)
		}
		fmt.Fprintf(early, "__typeof__(v%d_%d) t%d_%d = %s; ", to, i, to, i, text)
		fmt.Fprintf(late, "v%d_%d = t%d_%d; ", to, i, to, i)
	}
}
