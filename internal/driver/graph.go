package driver

// This file holds graphs: work with an order, made node by node or by capture (CUDA Programming Guide, "CUDA
// Graphs").

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/san/streams"
)

// NodeKind is what a node does, with CUDA's numbers (cudaGraphNodeType).
type NodeKind int32

// The kinds.
const (
	KernelNode NodeKind = iota
	CopyNode
	FillNode
	HostNode
	ChildNode
	EmptyNode
	WaitNode
	RecordNode
	AllocNode       NodeKind = 10
	FreeNode        NodeKind = 11
	ValuesNode      NodeKind = 12 // made by capture alone
	ConditionalNode NodeKind = 13
)

var nodeNames = map[NodeKind]string{KernelNode: "KERNEL", CopyNode: "MEMCPY", FillNode: "MEMSET", HostNode: "HOST", ChildNode: "GRAPH",
	EmptyNode: "EMPTY", WaitNode: "EVENT_WAIT", RecordNode: "EVENT_RECORD", AllocNode: "MEM_ALLOC", FreeNode: "MEM_FREE", ValuesNode: "BATCH_MEM_OP", ConditionalNode: "CONDITIONAL"}

// graph is nodes; a node comes after others. All graphs of a driver are guarded by Driver.graphs.
type graph struct {
	self   uint64
	nodes  []*node
	made   int              // nodes that were ever added
	origin map[uint64]*node // of a clone: by the node that a node is a copy of
	inside bool             // of a node, which ends it
	execs  int              // that were instantiated from it and have not been destroyed

	objects    map[*userObject]uint64 // references
	conditions []*condition
}

// node is one piece of a graph's work.
type node struct {
	in    *graph
	self  uint64
	id    int // counts in its graph
	work  work
	dev   *device
	after []*node
	says  edges  // what the edges from those in after say
	told  uint64 // address of its arguments, or of its bodies' handles, if it has been asked for them
	hints map[int]AttributeValue
}

// childWork is a graph as a node.
type childWork struct{ graph *graph }

func (w *childWork) do(*device, *streams.Work) {
	panic("driver: a child graph is launched as its nodes")
}

func kindOf(w work) NodeKind {
	switch w.(type) {
	case *kernelWork:
		return KernelNode
	case *copyWork:
		return CopyNode
	case *fillWork:
		return FillNode
	case *hostWork:
		return HostNode
	case *childWork:
		return ChildNode
	case *waitWork:
		return WaitNode
	case *recordWork:
		return RecordNode
	case *allocWork:
		return AllocNode
	case *freeWork:
		return FreeNode
	case *valueWork:
		return ValuesNode
	case *conditionalWork, *conditionalSteps:
		return ConditionalNode
	}
	return EmptyNode
}

// NodeParams says what a node does: those fields count that its kind has.
type NodeParams struct {
	Kind           NodeKind
	Function       uint64 // of a kernel
	Launch         Launch
	To, From       Place // of a copy or fill
	Box            Box
	Direction      CopyKind
	Value          uint32 // of a fill; of a conditional node, its ConditionKind; of a child graph, ChildMoved or 0
	Size           uint64 // of a fill's elements; of an allocation; bodies of a conditional node
	Call, Argument uint64 // of a host function
	Handle         uint64 // of an event, of a child graph, or of a condition
	Addr           uint64 // of an allocation, told; of a free; of a conditional node, where its bodies' handles are, told
}

// ChildMoved makes a graph itself a child, which belongs to its node then; otherwise a copy becomes one.
const ChildMoved = 1

// GraphCreate makes an empty graph.
func (d *Driver) GraphCreate() (h uint64, code Code) {
	if code := d.Sticky(); code != Success {
		return 0, code
	}
	return d.newGraph().self, Success
}

func (d *Driver) newGraph() *graph {
	g := &graph{}
	g.self = d.register(g)
	return g
}

// GraphDestroy ends a graph; what was instantiated from it lives on.
func (d *Driver) GraphDestroy(h uint64) (code Code) {
	defer d.defect(&code)
	d.graphs.Lock()
	defer d.graphs.Unlock()
	g, ok := lookup[*graph](d, h)
	if !ok || g.inside {
		return InvalidValue
	}
	d.endGraph(g)
	return Success
}

func (d *Driver) endGraph(g *graph) {
	forget[*graph](d, g.self)
	for _, n := range g.nodes {
		forget[*node](d, n.self)
		n.forgetTold()
		d.drop(n.work)
	}
	g.nodes = nil
	d.dropObjects(g)
	d.dropConditions(g)
}

// drop ends a node's hold on what its work has.
func (d *Driver) drop(w work) {
	for _, g := range insideOf(w) {
		d.endGraph(g)
	}
	switch w := w.(type) {
	case *allocWork:
		if w.held--; w.held == 0 {
			w.end(d)
		}
	}
}

// hold is drop's opposite, for work that a second node shares.
func hold(w work) {
	if a, ok := w.(*allocWork); ok {
		a.held++
	}
}

// work makes what a node of the device does, as the parameters say.
func (d *Driver) work(dev *device, p *NodeParams) (work, Code) {
	switch p.Kind {
	case KernelNode:
		return d.kernel(dev, p.Function, p.Launch)
	case CopyNode:
		if p.Direction < HostToHost || p.Direction > CopyDefault {
			return nil, InvalidDirection
		}
		return d.copying(p.To, p.From, p.Box, p.Direction)
	case FillNode:
		return d.filling(p.To, p.Value, p.Size, p.Box)
	case HostNode:
		if p.Call == 0 {
			return nil, InvalidValue
		}
		return &hostWork{p.Call, p.Argument}, Success
	case EmptyNode:
		return emptyWork{}, Success
	case ChildNode:
		g, ok := lookup[*graph](d, p.Handle)
		if !ok {
			return nil, InvalidValue
		}
		if p.Value == ChildMoved {
			g.inside = true
			return &childWork{g}, Success
		}
		if g.hasMemory() {
			return nil, NotSupported
		}
		child := d.clone(g)
		child.inside = true
		return &childWork{child}, Success
	case WaitNode, RecordNode:
		e, ok := lookup[*event](d, p.Handle)
		switch {
		case !ok:
			return nil, InvalidHandle
		case p.Kind == WaitNode:
			return &waitWork{e, p.Handle}, Success
		}
		return &recordWork{e, p.Handle}, Success
	case AllocNode:
		w, code := d.allocForGraph(dev, p.Size)
		if code == Success {
			p.Addr = w.addr
		}
		return w, code
	case FreeNode:
		return &freeWork{p.Addr}, Success
	case ConditionalNode:
		return d.conditional(p)
	}
	return nil, NotSupported
}

// GraphAdd adds a node behind others of its graph. Of an allocation it tells the address in p.
func (d *Driver) GraphAdd(dev int, h uint64, after []uint64, p *NodeParams) (self uint64, code Code) {
	defer d.defect(&code)
	v, code := d.device(dev)
	if code != Success {
		return 0, code
	}
	d.graphs.Lock()
	defer d.graphs.Unlock()
	g, ok := lookup[*graph](d, h)
	if !ok {
		return 0, InvalidValue
	}
	deps, code := d.nodesOf(g, after)
	if code != Success {
		return 0, code
	}
	if !d.fits(g, p) {
		return 0, InvalidValue
	}
	w, code := d.work(v, p)
	if code != Success {
		return 0, code
	}
	n := d.addNode(g, v, w, deps)
	if c, ok := w.(*conditionalWork); ok {
		p.Addr, code = n.tellBodies(c)
	}
	return n.self, code
}

func (d *Driver) addNode(g *graph, dev *device, w work, after []*node) *node {
	n := &node{in: g, id: g.made, work: w, dev: dev, after: slices.Clone(after)}
	n.self = d.register(n)
	g.made++
	g.nodes = append(g.nodes, n)
	return n
}

// nodesOf finds nodes of a graph, each once.
func (d *Driver) nodesOf(g *graph, handles []uint64) (list []*node, code Code) {
	for _, h := range handles {
		n, ok := lookup[*node](d, h)
		if !ok || n.in != g || slices.Contains(list, n) {
			return nil, InvalidValue
		}
		list = append(list, n)
	}
	return list, Success
}

// clone copies a graph and the graphs inside it.
func (d *Driver) clone(g *graph) *graph {
	c := d.newGraph()
	c.made, c.origin = g.made, map[uint64]*node{}
	for _, n := range g.nodes {
		w := n.work
		switch of := w.(type) {
		case *childWork:
			inner := d.clone(of.graph)
			inner.inside = true
			w = &childWork{inner}
		case *conditionalWork:
			w = d.cloneConditional(of)
		}
		hold(w)
		m := &node{in: c, id: n.id, work: w, dev: n.dev, hints: maps.Clone(n.hints)}
		m.self = d.register(m)
		c.nodes = append(c.nodes, m)
		c.origin[n.self] = m
	}
	for i, n := range g.nodes {
		for _, dep := range n.after {
			c.nodes[i].after = append(c.nodes[i].after, c.origin[dep.self])
			c.nodes[i].says.say(c.origin[dep.self], n.says[dep])
		}
	}
	for o, n := range g.objects {
		c.hold(o, n)
	}
	for _, of := range g.conditions {
		c.holdCondition(of)
	}
	return c
}

// GraphClone copies a graph.
func (d *Driver) GraphClone(h uint64) (clone uint64, code Code) {
	defer d.defect(&code)
	d.graphs.Lock()
	defer d.graphs.Unlock()
	g, ok := lookup[*graph](d, h)
	if !ok {
		return 0, InvalidValue
	}
	if g.hasMemory() {
		return 0, NotSupported
	}
	return d.clone(g).self, Success
}

// NodeInClone finds a node's copy in a clone of its graph.
func (d *Driver) NodeInClone(h, clone uint64) (uint64, Code) {
	d.graphs.Lock()
	defer d.graphs.Unlock()
	g, ok := lookup[*graph](d, clone)
	if !ok || g.origin[h] == nil {
		return 0, InvalidValue
	}
	return g.origin[h].self, Success
}

// NodeDestroy takes a node out of its graph.
func (d *Driver) NodeDestroy(h uint64) (code Code) {
	defer d.defect(&code)
	d.graphs.Lock()
	defer d.graphs.Unlock()
	n, ok := lookup[*node](d, h)
	switch {
	case !ok:
		return InvalidValue
	case n.in.hasMemory():
		return NotSupported
	}
	forget[*node](d, h)
	n.in.nodes = slices.DeleteFunc(n.in.nodes, func(m *node) bool { return m == n })
	for _, m := range n.in.nodes {
		m.after = slices.DeleteFunc(m.after, func(dep *node) bool { return dep == n })
		m.says.say(n, 0)
	}
	n.forgetTold()
	d.drop(n.work)
	return Success
}

// GraphLink lets nodes come after others, pair by pair, or no longer. Says is what the edges say (EdgeData); nil: nothing.
func (d *Driver) GraphLink(h uint64, from, to, says []uint64, remove bool) (code Code) {
	defer d.defect(&code)
	d.graphs.Lock()
	defer d.graphs.Unlock()
	g, ok := lookup[*graph](d, h)
	switch {
	case !ok || len(from) != len(to):
		return InvalidValue
	case remove && g.hasMemory():
		return NotSupported
	}
	for i := range from {
		a, okA := lookup[*node](d, from[i])
		b, okB := lookup[*node](d, to[i])
		if !okA || !okB || a.in != g || b.in != g || a == b || slices.Contains(b.after, a) != remove {
			return InvalidValue
		}
		if remove {
			b.after = slices.DeleteFunc(b.after, func(n *node) bool { return n == a })
			b.says.say(a, 0)
			continue
		}
		if says != nil {
			if !EdgeData(says[i]).fits(a, b) {
				return InvalidValue
			}
			b.says.say(a, EdgeData(says[i]))
		}
		b.after = append(b.after, a)
	}
	return Success
}

// Listing is what a graph or node is asked for.
type Listing int32

// The listings: the nodes of a graph, those behind no other, the first and second ends of all edges; what a node
// comes after, and what comes after it.
const (
	AllNodes Listing = iota
	RootNodes
	EdgeFrom
	EdgeTo
	Before
	After
)

// GraphList lists nodes by their handles, and what the edges say (EdgeData) whose first ends are listed, or all from or to a node.
func (d *Driver) GraphList(h uint64, what Listing) (list, says []uint64, code Code) {
	defer d.defect(&code)
	d.graphs.Lock()
	defer d.graphs.Unlock()
	if what == Before || what == After {
		n, ok := lookup[*node](d, h)
		switch {
		case !ok:
			return nil, nil, InvalidValue
		case what == Before:
			return handles(n.after), n.says.of(n.after), Success
		}
		list, says = n.followed()
		return list, says, Success
	}
	g, ok := lookup[*graph](d, h)
	if !ok {
		return nil, nil, InvalidValue
	}
	for _, n := range g.nodes {
		switch {
		case what == AllNodes, what == RootNodes && len(n.after) == 0:
			list = append(list, n.self)
		case what == EdgeFrom:
			list, says = append(list, handles(n.after)...), append(says, n.says.of(n.after)...)
		case what == EdgeTo:
			list = append(list, slices.Repeat([]uint64{n.self}, len(n.after))...)
		}
	}
	return list, says, Success
}

func handles(nodes []*node) (list []uint64) {
	for _, n := range nodes {
		list = append(list, n.self)
	}
	return list
}

// followed lists the nodes that come after n, and what the edges to them say.
func (n *node) followed() (list, says []uint64) {
	for _, m := range n.in.nodes {
		if slices.Contains(m.after, n) {
			list, says = append(list, m.self), append(says, uint64(m.says[n]))
		}
	}
	return list, says
}

// NodeGet tells what a node does, its graph, and its number in it. Arguments of kernels lie in memory that is the
// program's until the next call for the same node.
func (d *Driver) NodeGet(h uint64) (p NodeParams, in uint64, id int, code Code) {
	defer d.defect(&code)
	d.graphs.Lock()
	defer d.graphs.Unlock()
	n, ok := lookup[*node](d, h)
	if !ok {
		return p, 0, 0, InvalidValue
	}
	p.Kind = kindOf(n.work)
	switch w := n.work.(type) {
	case *kernelWork:
		p.Function, p.Launch = w.fn, w.launch
		p.Launch.Arguments, code = n.tell(w)
	case *copyWork:
		p.To, p.From, p.Box, p.Direction = w.dst.Place, w.src.Place, w.box, w.kind
	case *fillWork:
		p.To, p.Box, p.Value, p.Size = w.dst.Place, w.box, w.value, w.size
	case *hostWork:
		p.Call, p.Argument = w.fn, w.argument
	case *childWork:
		p.Handle = w.graph.self
	case *waitWork:
		p.Handle = w.handle
	case *recordWork:
		p.Handle = w.handle
	case *allocWork:
		p.Addr, p.Size = w.addr, w.size
	case *freeWork:
		p.Addr = w.addr
	case *conditionalWork:
		p.Handle, p.Value, p.Size = w.on.addr, uint32(w.kind), uint64(len(w.bodies))
		p.Addr, code = n.tellBodies(w)
	}
	return p, n.in.self, n.id, code
}

// tell puts a kernel's arguments where the program can read them: addresses, one a parameter, and the parameters.
func (n *node) tell(w *kernelWork) (addr uint64, code Code) {
	params := w.on.kernel.Info().Params
	if n.told != 0 || len(params) == 0 {
		return n.told, Success
	}
	d, table := n.dev.d, uint64(len(params))*8
	if n.told, code = d.allocate(n.dev, table+uint64(len(w.params)), MemoryPinned); code != Success {
		return 0, code
	}
	copy(hostBytes(n.told+table, uint64(len(w.params))), w.params)
	for i, p := range params {
		binary.NativeEndian.PutUint64(hostBytes(n.told+uint64(i)*8, 8), n.told+table+uint64(p.Offset))
	}
	return n.told, Success
}

// forgetTold ends what tell has allocated.
func (n *node) forgetTold() {
	if n.told != 0 {
		n.dev.d.releaseBlock(n.told)
		n.told = 0
	}
}

// fixed reports whether nodes of a kind stay what they are.
func fixed(kind NodeKind) bool {
	return kind == AllocNode || kind == FreeNode || kind == ValuesNode || kind == ConditionalNode
}

// NodeSet changes what a node does; its kind stays.
func (d *Driver) NodeSet(h uint64, p *NodeParams) (code Code) {
	defer d.defect(&code)
	d.graphs.Lock()
	defer d.graphs.Unlock()
	n, ok := lookup[*node](d, h)
	if !ok || kindOf(n.work) != p.Kind || fixed(p.Kind) || p.Kind == ChildNode && p.Value == ChildMoved {
		return InvalidValue
	}
	w, code := d.work(n.dev, p)
	if code != Success {
		return code
	}
	n.forgetTold() // not before: the arguments may have come from there
	d.drop(n.work)
	n.work = w
	return Success
}

// order lists the nodes so that each comes behind those that it waits for, else in the order in which they were added. Where a
// node waits for itself by way of others, there is no list, and it is named.
func (g *graph) order() (list []*node, circular *node) {
	const open, done = 1, 2
	state := make(map[*node]int, len(g.nodes))
	var visit func(n *node) *node
	visit = func(n *node) *node {
		switch state[n] {
		case open:
			return n
		case done:
			return nil
		}
		state[n] = open
		for _, dep := range n.after {
			if found := visit(dep); found != nil {
				return found
			}
		}
		state[n] = done
		list = append(list, n)
		return nil
	}
	for _, n := range g.nodes {
		if found := visit(n); found != nil {
			return nil, found
		}
	}
	return list, nil
}

// GraphDot writes a graph in the language of Graphviz.
func (d *Driver) GraphDot(h uint64, to io.Writer) (code Code) {
	defer d.defect(&code)
	d.graphs.Lock()
	defer d.graphs.Unlock()
	g, ok := lookup[*graph](d, h)
	if !ok {
		return InvalidValue
	}
	var b strings.Builder
	b.WriteString("digraph graph_1 {\n")
	for _, n := range g.nodes {
		fmt.Fprintf(&b, "\tn%d [label=%q];\n", n.id, n.label())
		for _, dep := range n.after {
			fmt.Fprintf(&b, "\tn%d -> n%d;\n", dep.id, n.id)
		}
	}
	b.WriteString("}\n")
	if _, err := io.WriteString(to, b.String()); err != nil {
		return FileNotFound
	}
	return Success
}

func (n *node) label() string {
	name := nodeNames[kindOf(n.work)]
	if k, ok := n.work.(*kernelWork); ok {
		return fmt.Sprintf("%s %s %s", name, k.on.kernel.Info().Demangled, dims(k.launch))
	}
	return name
}

func dims(l Launch) string {
	return fmt.Sprintf("<<<(%d,%d,%d),(%d,%d,%d),%d>>>", l.Grid.X, l.Grid.Y, l.Grid.Z, l.Block.X, l.Block.Y, l.Block.Z, l.Shared)
}
