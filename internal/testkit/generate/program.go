package generate

// This file makes runnable programs: kernels of random legal statements that are executed,
// straight on, in branches and in bounded loops. What a lane computes does not depend on how
// lanes are laid out in blocks, but for the warp operations that a program may have.

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Program is a kernel
//
//	run(.param .u64 in, .param .u64 out, .param .align 16 .b8 same[RowBytes])
//
// Each lane reads a row of in, at its linear index in the grid times RowBytes, and writes the
// final value of every register to the same place in out. The registers of the second half
// begin with values from same in all lanes.
type Program struct {
	Target isa.Target
	Warp   bool // it has warp operations: results depend on which lanes share a warp
	Nodes  []*Node

	Functions []*ProgramFunction // each calls those before it, and perhaps itself
}

// Node is a part of a program: statements, a branch or a loop.
type Node struct {
	Text    string // statements; of a branch its predicate, of a loop its number of turns
	Kind    NodeKind
	Then    []*Node // of a branch, and the body of a loop
	Else    []*Node
	Dropped bool // by minimisation
	Bare    bool // only its Then is left, by minimisation
}

// NodeKind says what a node is.
type NodeKind uint8

// The kinds of nodes.
const (
	Straight NodeKind = iota
	Branch
	Loop
)

// RowBytes is what a lane reads and writes.
const RowBytes = 2048

// Registers of one type are numbered by what their values have in common.
const (
	laneRegisters    = 4                                    // 1 to 4: another value in each lane
	uniformRegisters = 4                                    // 5 to 8: one value
	affineSource     = laneRegisters + uniformRegisters + 1 // 9: the lane's index; only read
	affineResult     = affineSource + 1                     // 10: computed from it and from uniform values
)

// programTargets are the targets that programs are for.
var programTargets = []string{"sm_75", "sm_90", "sm_100a", "sm_120a"}

// NewProgram makes the program of a seed. executed tells which statements can run.
func NewProgram(seed uint64, executed func(*isa.Sel) bool) *Program {
	r := rand.New(rand.NewPCG(seed, 1))
	p := &Program{Target: isa.MustTarget(programTargets[r.IntN(len(programTargets))]), Warp: r.IntN(3) == 0}
	w := &writer{
		r: r, p: p, g: New(seed, nil, []isa.Target{p.Target}), executed: executed,
	}
	w.choose()
	w.functions()
	w.left = 10 + r.IntN(40)
	p.Nodes = w.block(0, true)
	return p
}

// writer draws the nodes of a program.
type writer struct {
	r        *rand.Rand
	p        *Program
	g        *Generator
	executed func(*isa.Sel) bool
	pure     []*isa.Entry
	carry    []*isa.Entry
	warp     []*isa.Entry
	left     int // statements still to write
	calls    int // calls still to write
	inside   *ProgramFunction
}

// carrySection is the chapter of statements that pass a carry from one to the next.
const carrySection = "9.7.2."

// choose sorts the entries by what programs do with them.
func (w *writer) choose() {
	for _, e := range available(w.p.Target) {
		chapter, _ := strconv.Atoi(strings.SplitN(e.Section+".", ".", 4)[2])
		switch {
		case strings.HasPrefix(e.Section, carrySection):
			w.carry = append(w.carry, e)
		case e.Effects.Bits == 0 && chapter >= 1 && chapter <= 9:
			w.pure = append(w.pure, e)
		case e.Effects.Bits == isa.Gathers|isa.Masked:
			w.warp = append(w.warp, e)
		}
	}
}

var (
	availableMu sync.Mutex
	availableOn = map[isa.Target][]*isa.Entry{}
)

// available lists the entries with statements for a target; those that hardly ever have one
// do not count.
func available(t isa.Target) []*isa.Entry {
	availableMu.Lock()
	defer availableMu.Unlock()
	if list := availableOn[t]; list != nil {
		return list
	}
	g := New(0, nil, []isa.Target{t})
	g.limit = 100
	var list []*isa.Entry
	for _, e := range g.entries {
		if g.Legal(e) != nil {
			list = append(list, e)
		}
	}
	availableOn[t] = list
	return list
}

// maskRole is the operand that says which lanes take part in a warp operation.
const maskRole = "membermask"

const maxDepth = 3

// block draws a few nodes. uniform tells whether all lanes are there.
func (w *writer) block(depth int, uniform bool) (nodes []*Node) {
	for n := 2 + w.r.IntN(6); (n > 0 || depth == 0) && w.left > 0; n-- {
		w.left--
		switch k := w.r.IntN(12); {
		case k == 0 && depth < maxDepth:
			nodes = append(nodes, w.branch(depth, uniform))
		case k == 1 && depth < maxDepth:
			nodes = append(nodes, w.loop(depth, uniform))
		case k == 2:
			nodes = append(nodes, w.chain(uniform))
		case k == 5 && w.mayCall(depth):
			nodes = append(nodes, w.call(uniform))
		case k == 6 && w.inside != nil && w.r.IntN(4) == 0:
			nodes = append(nodes, w.early())
		case k <= 4 && w.p.Warp && uniform && w.inside == nil:
			nodes = append(nodes, w.warpOperation())
		default:
			nodes = append(nodes, w.straight(uniform))
		}
	}
	return nodes
}

func (w *writer) branch(depth int, uniform bool) *Node {
	first := 1
	if uniform && w.r.IntN(2) == 0 {
		first += laneRegisters
	} else {
		uniform = false
	}
	n := &Node{Kind: Branch, Text: fmt.Sprintf("%%pred_%d", first+w.r.IntN(4)), Then: w.block(depth+1, uniform)}
	if w.r.IntN(2) == 0 {
		n.Else = w.block(depth+1, uniform)
	}
	return n
}

// loop turns up to four times: as often in all lanes, or as a lane's register says.
func (w *writer) loop(depth int, uniform bool) *Node {
	n := &Node{Kind: Loop, Text: strconv.Itoa(w.r.IntN(4))}
	if w.r.IntN(2) == 0 {
		n.Text, uniform = fmt.Sprintf("%%b32_%d", 1+w.r.IntN(laneRegisters)), false
	}
	n.Then = w.block(depth+1, uniform)
	return n
}

// warpOperation draws one, in which all lanes take part and get different results.
func (w *writer) warpOperation() *Node {
	s, _ := w.statement(w.warp)
	return &Node{Text: w.rename(s, lanes)}
}

// straight draws one statement, now and then under a guard.
func (w *writer) straight(uniform bool) *Node {
	s, _ := w.statement(w.pure)
	m := w.mode(uniform)
	text := w.rename(s, m)
	if w.r.IntN(6) == 0 {
		text = "@" + []string{"", "!"}[w.r.IntN(2)] + fmt.Sprintf("%%pred_%d ", m.source(w.r)) + text
	}
	return &Node{Text: text}
}

// chain is a statement that sets the carry, and some that use it.
func (w *writer) chain(uniform bool) *Node {
	m := w.mode(uniform)
	var lines []string
	for starts := true; len(lines) < 2 || w.r.IntN(3) == 0; {
		s, sel := w.statement(w.carry)
		if sel.Fixed(carryMod()) != starts {
			continue
		}
		lines = append(lines, w.rename(s, m))
		if !sel.Has(carryMod()) {
			break
		}
		starts = false
	}
	return &Node{Text: strings.Join(lines, "\n")}
}

// carryMod is .cc.
func carryMod() isa.Mod {
	for m := range isa.NumMods() {
		if isa.Mod(m).String() == ".cc" {
			return isa.Mod(m)
		}
	}
	panic("BUG: no .cc")
}

// statement draws one that is executed and works on registers alone.
func (w *writer) statement(entries []*isa.Entry) (*Statement, *isa.Sel) {
	for {
		s := w.g.Legal(entries[w.r.IntN(len(entries))])
		if s == nil {
			continue
		}
		s.Version = isa.Latest
		sel, fails := isa.Table().Match(s.Query())
		if fails != nil || !w.executed(sel) || !s.registersOnly() {
			continue
		}
		for i := range sel.Roles {
			if at := &sel.Roles[i]; at.Role.String() == maskRole {
				s.Operands[at.Op].Text = "-1"
			}
		}
		return s, sel
	}
}

// registersOnly reports whether all operands are registers and constants.
func (s *Statement) registersOnly() bool {
	var plain func(s *isa.Shape) bool
	plain = func(s *isa.Shape) bool {
		switch s.Kind {
		case isa.ShapeReg, isa.ShapeImm, isa.ShapeSink, isa.ShapeVec, isa.ShapePair:
			return !slices.ContainsFunc(s.Elems, func(e isa.Shape) bool { return !plain(&e) })
		}
		return false
	}
	return !slices.ContainsFunc(s.Operands, func(o Operand) bool { return !plain(&o.Shape) || len(o.Shape.Elems) > laneRegisters })
}

// mode says which registers a statement has.
type mode uint8

const (
	lanes  mode = iota // it reads any and writes those that differ by lane
	same               // it reads and writes uniform ones
	affine             // it reads uniform ones and the lane's index
)

func (w *writer) mode(uniform bool) mode {
	if !uniform {
		return lanes
	}
	return []mode{lanes, lanes, same, affine}[w.r.IntN(4)]
}

// source draws the number of a register that is read.
func (m mode) source(r *rand.Rand) int {
	switch {
	case m == lanes:
		return 1 + r.IntN(affineSource)
	case m == affine && r.IntN(2) == 0:
		return affineSource + r.IntN(2)
	}
	return 1 + laneRegisters + r.IntN(uniformRegisters)
}

// result draws the number of a register that is written.
func (m mode) result(r *rand.Rand) int {
	switch m {
	case lanes:
		return 1 + r.IntN(laneRegisters)
	case same:
		return 1 + laneRegisters + r.IntN(uniformRegisters)
	}
	return affineResult
}

// rename gives the statement registers of its mode. The elements of one operand are different
// registers, so results that have many need those that differ by lane.
func (w *writer) rename(s *Statement, m mode) string {
	if len(s.Operands) > 0 && len(s.Operands[0].Shape.Elems) > 1 && m == affine {
		m = lanes
	}
	for i := range s.Operands {
		taken := map[string]bool{}
		s.Operands[i].Text = registerName.ReplaceAllStringFunc(s.Operands[i].Text, func(name string) string {
			for {
				n := m.source(w.r)
				if i == 0 {
					n = m.result(w.r)
				}
				out := fmt.Sprintf("%s%d", name[:strings.LastIndexByte(name, '_')+1], n)
				if !taken[out] {
					taken[out] = true
					return out
				}
			}
		})
	}
	return s.Text()
}

// Size counts the nodes that are not dropped, and of which more is left than what is in them.
func (p *Program) Size() (n int) {
	p.Each(func(node *Node) {
		if !node.Bare {
			n++
		}
	})
	return n
}

// Each visits the nodes that are not dropped, outer ones first.
func (p *Program) Each(visit func(*Node)) {
	var walk func(list []*Node)
	walk = func(list []*Node) {
		for _, n := range list {
			if n.Dropped {
				continue
			}
			visit(n)
			walk(n.Then)
			walk(n.Else)
		}
	}
	walk(p.Nodes)
	for _, f := range p.Functions {
		walk(f.Nodes)
	}
}

// Minimise drops every node without which the program still fails, and takes branches and
// loops away from around their bodies.
func (p *Program) Minimise(fails func() bool) {
	for again := true; again; {
		again = false
		p.Each(func(n *Node) {
			again = try(&n.Dropped, fails) || again
			if n.Kind != Straight && !n.Bare && !n.Dropped {
				again = try(&n.Bare, fails) || again
			}
		})
	}
}

// try sets a switch that makes the program smaller, and takes it back if it fails no more.
func try(smaller *bool, fails func() bool) bool {
	*smaller = true
	*smaller = fails()
	return *smaller
}

// String prints the program as a module, with those functions that are called.
func (p *Program) String() string {
	t, names := printNodes(p.Nodes)
	text := t.b.String()
	var functions []string
	for _, f := range slices.Backward(p.Functions) {
		if strings.Contains(text, f.Name) {
			own := f.String()
			functions = append(functions, own)
			text += own
		}
	}
	slices.Reverse(functions)
	var b strings.Builder
	fmt.Fprintf(&b, ".version %v\n.target %v\n.address_size 64\n%s", isa.Latest, p.Target, strings.Join(functions, ""))
	fmt.Fprintf(&b, ".visible .entry run(.param .u64 in, .param .u64 out, .param .align 16 .b8 same[%d])\n{\n%s", RowBytes, t.declarations(names))
	b.WriteString(".reg .u64 %out, %row;\n")
	b.WriteString(programHead)
	for i, name := range names {
		b.WriteString(initialise(name, 16*i))
	}
	b.WriteString(t.b.String())
	for i, name := range names {
		b.WriteString(finalise(name, 16*i))
	}
	b.WriteString("ret;\n}\n")
	return b.String()
}

// printNodes prints the nodes of a body, and names the registers that they use.
func printNodes(nodes []*Node) (t *programText, names []string) {
	t = &programText{used: map[string]bool{}}
	t.block(nodes)
	return t, slices.Sorted(maps.Keys(t.used))
}

// declarations are those of a body.
func (t *programText) declarations(names []string) string {
	f := Function{Text: t.b.String() + " " + strings.Join(names, " ")}
	return strings.Join(f.registers(), "\n") + fmt.Sprintf(
		"\n.reg .u32 %%x<8>, %%turn<%d>, %%turns<%d>, %%byte, %%left, %%depth;\n.reg .u64 %%in, %%function, %%other;\n.reg .pred %%again, %%last;\n", t.loops+1, t.loops+1) +
		prototypes(t.b.String())
}

// programHead computes the lane's linear index in the grid, %x0, and its rows.
var programHead = fmt.Sprintf(`mov.u32 %%x0, %%ctaid.x;
mov.u32 %%x1, %%ntid.x;
mov.u32 %%x2, %%ntid.y;
mov.u32 %%x3, %%ntid.z;
mul.lo.u32 %%x4, %%x2, %%x3;
mov.u32 %%x5, %%tid.z;
mov.u32 %%x6, %%tid.y;
mad.lo.u32 %%x5, %%x5, %%x2, %%x6;
mov.u32 %%x6, %%tid.x;
mad.lo.u32 %%x5, %%x5, %%x1, %%x6;
mul.lo.u32 %%x4, %%x4, %%x1;
mad.lo.u32 %%x0, %%x0, %%x4, %%x5;
mul.wide.u32 %%row, %%x0, %d;
ld.param.u64 %%in, [in];
ld.param.u64 %%out, [out];
add.u64 %%in, %%in, %%row;
add.u64 %%out, %%out, %%row;
`, RowBytes)

// programText prints nodes and collects the registers that they use.
type programText struct {
	b             strings.Builder
	used          map[string]bool
	labels, loops int
}

func (t *programText) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, name := range registerName.FindAllString(text, -1) {
		t.used[name] = true
	}
	t.b.WriteString(text + "\n")
}

func (t *programText) block(nodes []*Node) {
	for _, n := range nodes {
		switch {
		case n.Dropped:
		case n.Bare:
			t.block(n.Then)
		case n.Kind == Branch:
			t.branch(n)
		case n.Kind == Loop:
			t.loop(n)
		default:
			t.line("%s", n.Text)
		}
	}
}

func (t *programText) branch(n *Node) {
	t.labels++
	l := t.labels
	t.line("@!%s bra ELSE%d;", n.Text, l)
	t.block(n.Then)
	t.line("bra END%d;\nELSE%d:", l, l)
	t.block(n.Else)
	t.line("END%d:", l)
}

func (t *programText) loop(n *Node) {
	l := t.loops
	t.loops++
	t.line("mov.u32 %%turn%d, 0;\nmov.b32 %%turns%d, %s;\nand.b32 %%turns%d, %%turns%d, 3;\nLOOP%d:", l, l, n.Text, l, l, l)
	t.block(n.Then)
	t.line("add.u32 %%turn%d, %%turn%d, 1;\nsetp.le.u32 %%again, %%turn%d, %%turns%d;\n@%%again bra LOOP%d;", l, l, l, l, l)
}

var registerParts = regexp.MustCompile(`^%([a-z0-9]+)_(\d+)$`)

// registerOf is the type and the number of a register.
func registerOf(name string) (t isa.Type, n int) {
	m := registerParts.FindStringSubmatch(name)
	t, _ = isa.LookupType("." + m[1])
	n, _ = strconv.Atoi(m[2])
	return t, n
}

// initialise gives a register its first value.
func initialise(name string, offset int) string {
	if _, n := registerOf(name); n > laneRegisters {
		return initial(name, fmt.Sprintf("param.b%%d %%s, [same+%d]", offset))
	}
	return initial(name, fromRow(offset))
}

// fromRow is the form of a load from the lane's row.
func fromRow(offset int) string { return fmt.Sprintf("global.b%%d %%s, [%%%%in+%d]", offset) }

// initial gives a register the lane's index, or a value that is loaded.
func initial(name, from string) string {
	t, n := registerOf(name)
	kind, bits := t.Kind(), t.Bits()
	whole := kind == isa.Bits || kind == isa.Unsigned || kind == isa.Signed
	switch {
	case t == isa.PredType():
		return fmt.Sprintf("ld."+from+";\nand.b32 %%byte, %%byte, 1;\nsetp.ne.u32 %s, %%byte, 0;\n", 32, "%byte", name)
	case n >= affineSource && whole && bits == 32:
		return fmt.Sprintf("mov.b32 %s, %%x0;\n", name)
	case n >= affineSource && whole && bits == 64:
		return fmt.Sprintf("cvt.u64.u32 %s, %%x0;\n", name)
	case n >= affineSource && whole && bits == 16:
		return fmt.Sprintf("cvt.u16.u32 %s, %%x0;\n", name)
	}
	return fmt.Sprintf("ld."+from+";\n", bits, name)
}

// finalise stores a register.
func finalise(name string, offset int) string {
	t, _ := registerOf(name)
	if t == isa.PredType() {
		return fmt.Sprintf("selp.u32 %%byte, 1, 0, %s;\nst.global.u32 [%%out+%d], %%byte;\n", name, offset)
	}
	return fmt.Sprintf("st.global.b%d [%%out+%d], %s;\n", t.Bits(), offset, name)
}
