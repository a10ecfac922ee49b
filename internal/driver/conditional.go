package driver

// This file holds conditional nodes: graphs that run if, as often as, or which of them as a value says that kernels set (CUDA
// Programming Guide, "Conditional Graph Nodes").

import (
	"encoding/binary"
	"slices"

	"ptxvm.invalid/ptxvm/internal/san/streams"
)

// ConditionKind is what a conditional node does with its value, with CUDA's numbers (cudaGraphConditionalNodeType).
type ConditionKind uint32

// The kinds: the first body if the value is not 0, else the second, if there is one; the only one as long as it is not 0; the one
// with that number.
const (
	ConditionIf ConditionKind = iota
	ConditionWhile
	ConditionSwitch
)

// ConditionAssign sets the value at each launch of the graph.
const ConditionAssign = 1

// maxBodies bounds the bodies of a switch.
const maxBodies = 1 << 16

// condition is a value of which a conditional node depends: a word of memory whose address is its handle, which kernels get.
// All are guarded by Driver.graphs.
type condition struct {
	addr   uint64
	value  uint32 // at each launch
	assign bool   // it is then set
	held   int    // by graphs
}

// ConditionCreate makes a value for a conditional node of a graph.
func (d *Driver) ConditionCreate(dev int, h uint64, value, flags uint32) (handle uint64, code Code) {
	defer d.defect(&code)
	v, code := d.device(dev)
	if code != Success {
		return 0, code
	}
	d.graphs.Lock()
	defer d.graphs.Unlock()
	g, ok := lookup[*graph](d, h)
	if !ok || flags > ConditionAssign {
		return 0, InvalidValue
	}
	addr, code := d.ownWords(v, 4)
	if code != Success {
		return 0, code
	}
	if d.conditions == nil {
		d.conditions = map[uint64]*condition{}
	}
	c := &condition{addr: addr, value: value, assign: flags&ConditionAssign != 0}
	d.conditions[addr] = c
	g.holdCondition(c)
	return addr, Success
}

// ownWords allocates memory that both sides reach and that no program may free.
func (d *Driver) ownWords(dev *device, size uint64) (addr uint64, code Code) {
	if addr, code = d.allocate(dev, size, MemoryManaged); code == Success {
		d.mu.Lock()
		d.memory.holding(addr).graph = true
		d.mu.Unlock()
	}
	return addr, code
}

func (g *graph) holdCondition(c *condition) {
	c.held++
	g.conditions = append(g.conditions, c)
}

func (d *Driver) dropConditions(g *graph) {
	for _, c := range g.conditions {
		if c.held--; c.held == 0 {
			delete(d.conditions, c.addr)
			d.releaseBlock(c.addr)
		}
	}
	g.conditions = nil
}

// conditionalWork is a conditional node.
type conditionalWork struct {
	on     *condition
	kind   ConditionKind
	bodies []*graph
}

func (w *conditionalWork) do(*device, *streams.Work) {
	panic("driver: a conditional node is launched as its bodies' nodes")
}

// conditional makes a conditional node with empty bodies.
func (d *Driver) conditional(p *NodeParams) (work, Code) {
	c, kind, most := d.conditions[p.Handle], ConditionKind(p.Value), uint64(maxBodies)
	switch kind {
	case ConditionIf:
		most = 2
	case ConditionWhile:
		most = 1
	}
	if c == nil || kind > ConditionSwitch || p.Size < 1 || p.Size > most {
		return nil, InvalidValue
	}
	w := &conditionalWork{on: c, kind: kind}
	for range p.Size {
		body := d.newGraph()
		body.inside = true
		w.bodies = append(w.bodies, body)
	}
	return w, Success
}

// tellBodies puts the bodies' handles where the program can read them as long as there is the node.
func (n *node) tellBodies(w *conditionalWork) (addr uint64, code Code) {
	if n.told == 0 {
		if n.told, code = n.dev.d.ownWords(n.dev, uint64(len(w.bodies))*8); code != Success {
			return 0, code
		}
		for i, body := range w.bodies {
			binary.NativeEndian.PutUint64(hostBytes(n.told+uint64(i)*8, 8), body.self)
		}
	}
	return n.told, Success
}

// cloneConditional copies the bodies, which depend of the same value.
func (d *Driver) cloneConditional(w *conditionalWork) *conditionalWork {
	c := &conditionalWork{on: w.on, kind: w.kind}
	for _, body := range w.bodies {
		inner := d.clone(body)
		inner.inside = true
		c.bodies = append(c.bodies, inner)
	}
	return c
}

// allowedInside are the kinds of nodes that bodies may have.
var allowedInside = []NodeKind{KernelNode, CopyNode, FillNode, ChildNode, EmptyNode, ConditionalNode}

// unfit finds a node that keeps a graph from being launched; nil if there is none. Nodes have an order; conditional ones have
// each a value of its own, and bodies of the kinds of nodes that a body may have.
func (d *Driver) unfit(g *graph, inside bool, seen map[*condition]bool) *node {
	if _, n := g.order(); n != nil {
		return n
	}
	for _, n := range g.nodes {
		kind := kindOf(n.work)
		if inside && !slices.Contains(allowedInside, kind) {
			d.warn("a node of the kind %s in the body of a conditional node: kernels, copies, fills, graphs, empty and conditional nodes may be there", nodeNames[kind])
			return n
		}
		inner, body := insideOf(n.work), inside || kind == ConditionalNode
		if c, ok := n.work.(*conditionalWork); ok {
			if seen[c.on] {
				d.warn("two conditional nodes have one handle")
				return n
			}
			seen[c.on] = true
		}
		for _, in := range inner {
			if m := d.unfit(in, body, seen); m != nil {
				return m
			}
		}
	}
	return nil
}

// insideOf are the graphs in a node.
func insideOf(w work) []*graph {
	switch w := w.(type) {
	case *childWork:
		return []*graph{w.graph}
	case *conditionalWork:
		return w.bodies
	}
	return nil
}

// conditionalSteps is a conditional node of an executable graph, whose bodies' steps can be changed until it is launched.
type conditionalSteps struct {
	on     *condition
	kind   ConditionKind
	bodies [][]*step
}

func (w *conditionalSteps) do(*device, *streams.Work) {
	panic("driver: steps are launched as they are")
}

// conditionalRun is a conditional node of a launch.
type conditionalRun struct {
	addr   uint64
	kind   ConditionKind
	bodies [][]step
}

func (w *conditionalSteps) launched() *conditionalRun {
	r := &conditionalRun{addr: w.on.addr, kind: w.kind}
	for _, body := range w.bodies {
		r.bodies = append(r.bodies, launched(body))
	}
	return r
}

func (w *conditionalRun) do(dev *device, at *streams.Work) {
	part := func(int) *streams.Work { return at.Part() }
	value := hostWord32(w.addr)
	switch n := value.Load(); {
	case w.kind == ConditionWhile:
		for value.Load() != 0 && dev.d.Sticky() == Success {
			runSteps(w.bodies[0], part)
		}
	case w.kind == ConditionSwitch && uint64(n) < uint64(len(w.bodies)):
		runSteps(w.bodies[n], part)
	case w.kind == ConditionIf && n != 0:
		runSteps(w.bodies[0], part)
	case w.kind == ConditionIf && len(w.bodies) == 2:
		runSteps(w.bodies[1], part)
	}
}

// assignment is the value of a condition at the begin of a launch.
type assignment struct {
	addr  uint64
	value uint32
}

func (a assignment) do() { hostWord32(a.addr).Store(a.value) }
