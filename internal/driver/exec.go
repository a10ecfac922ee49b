package driver

// This file holds executable graphs: nodes in an order, which a launch runs as one item of a stream.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/san/streams"
)

// Flags of instantiation.
const (
	InstantiateAutoFree     = 1
	InstantiateUpload       = 2
	InstantiateDeviceLaunch = 4
	InstantiatePriority     = 8
)

// exec is a graph that can be launched. It has a copy of the graph: changes of that do not reach it.
type exec struct {
	self   uint64
	flags  uint64
	from   *graph // that it was instantiated from
	copied *graph
	steps  []*step
	clones map[uint64]*node // nodes of the copy, by those that they were copied from
	of     map[*node]*step  // by nodes of the copy
	last   *item            // its launches run one after another
	memory bool             // nodes allocate or free it
}

// step is a node in the order of an executable graph.
type step struct {
	work   work
	dev    *device
	off    bool
	number int
	after  []int        // numbers of steps
	loose  map[int]bool // of them, those before whose ends it may begin
}

// launchWork runs the steps that a graph had when it was launched.
type launchWork struct {
	begin []assignment
	steps []step
}

func (w *launchWork) do(_ *device, at *streams.Work) {
	for _, a := range w.begin {
		a.do()
	}
	places := make([]*streams.Work, len(w.steps))
	runSteps(w.steps, func(i int) *streams.Work {
		places[i] = at.Step(i, places, w.steps[i].after, w.steps[i].loose)
		return places[i]
	})
}

// runSteps runs the steps that are on, each at its place in the order of all streams.
func runSteps(steps []step, place func(i int) *streams.Work) {
	for i, s := range steps {
		if s.dev.d.Sticky() != Success {
			return
		}
		at := place(i)
		if !s.off {
			s.work.do(s.dev, at)
		}
		at.End(nil, 0)
	}
}

// launched are the steps as they are now.
func launched(steps []*step) (list []step) {
	for _, s := range steps {
		now := *s
		if c, ok := s.work.(*conditionalSteps); ok {
			now.work = c.launched()
		}
		list = append(list, now)
	}
	return list
}

// GraphInstantiate makes an executable graph, or tells the node at which the graph cannot be one, if there is such a node.
func (d *Driver) GraphInstantiate(h, flags uint64) (self, at uint64, code Code) {
	defer d.defect(&code)
	d.graphs.Lock()
	defer d.graphs.Unlock()
	g, ok := lookup[*graph](d, h)
	switch {
	case !ok || flags >= 2*InstantiatePriority || flags&InstantiateDeviceLaunch != 0 && flags&InstantiateAutoFree != 0:
		return 0, 0, InvalidValue
	case flags&InstantiateDeviceLaunch != 0:
		d.warn("graphs that kernels launch are not supported")
		return 0, 0, NotSupported
	}
	memory := g.hasMemory()
	if memory && g.execs != 0 {
		return 0, 0, NotSupported
	}
	if n := d.unfit(g, false, map[*condition]bool{}); n != nil {
		return 0, n.self, InvalidValue
	}
	g.execs++
	x := &exec{flags: flags, from: g, memory: memory, copied: d.clone(g), clones: map[uint64]*node{}, of: map[*node]*step{}}
	x.copied.inside = true
	x.flatten(x.copied, &x.steps, nil)
	x.self = d.register(x)
	return x.self, 0, Success
}

// flatten appends the steps of a copied graph, which come behind others, and returns the numbers of all that what comes behind the
// graph is to wait for.
func (x *exec) flatten(g *graph, steps *[]*step, before []int) (all []int) {
	for source, n := range g.origin {
		x.clones[source] = n
	}
	ends := map[*node][]int{}
	nodes, _ := g.order() // that no node waits for itself is known
	for _, n := range nodes {
		after, loose := slices.Clone(before), map[int]bool{}
		for _, dep := range n.after {
			after = append(after, ends[dep]...)
			if n.says[dep].programmatic() {
				loose[ends[dep][0]] = true // of a kernel, which is one step
			}
		}
		if child, ok := n.work.(*childWork); ok {
			ends[n] = x.flatten(child.graph, steps, after)
		} else {
			ends[n] = []int{x.step(n, steps, after, loose)}
		}
		all = append(all, ends[n]...)
	}
	if len(all) == 0 {
		return before
	}
	return all
}

// step appends a node's step.
func (x *exec) step(n *node, steps *[]*step, after []int, loose map[int]bool) (number int) {
	s := &step{work: n.work, dev: n.dev, number: len(*steps), after: after, loose: loose}
	if w, ok := n.work.(*conditionalWork); ok {
		inner := &conditionalSteps{on: w.on, kind: w.kind, bodies: make([][]*step, len(w.bodies))}
		for i, body := range w.bodies {
			x.flatten(body, &inner.bodies[i], nil)
		}
		s.work = inner
	}
	*steps = append(*steps, s)
	x.of[n] = s
	return s.number
}

// assignments are the values that a launch of a graph begins with.
func assignments(g *graph) (list []assignment) {
	for _, c := range g.conditions {
		if c.assign {
			list = append(list, assignment{c.addr, c.value})
		}
	}
	for _, n := range g.nodes {
		for _, in := range insideOf(n.work) {
			list = append(list, assignments(in)...)
		}
	}
	return list
}

// ExecDestroy ends an executable graph after its launches.
func (d *Driver) ExecDestroy(h uint64) (code Code) {
	defer d.defect(&code)
	d.graphs.Lock()
	defer d.graphs.Unlock()
	x, ok := forget[*exec](d, h)
	if !ok {
		return InvalidValue
	}
	x.from.execs--
	if x.last == nil || x.last.over.Load() {
		d.endGraph(x.copied)
		return d.Sticky()
	}
	go func() {
		<-x.last.done
		d.graphs.Lock()
		defer d.graphs.Unlock()
		d.endGraph(x.copied)
	}()
	return d.Sticky()
}

// ExecFlags are those of instantiation that change what is made.
func (d *Driver) ExecFlags(h uint64) (uint64, Code) {
	x, ok := lookup[*exec](d, h)
	if !ok {
		return 0, InvalidValue
	}
	return x.flags &^ InstantiateUpload, Success
}

// GraphLaunch runs an executable graph in the order of a stream. While that is being captured, the graph becomes
// a node.
func (d *Driver) GraphLaunch(dev int, stream, h uint64) (code Code) {
	defer d.defect(&code)
	s, code := d.streamOf(dev, stream)
	if code != Success {
		return code
	}
	d.graphs.Lock()
	x, ok := lookup[*exec](d, h)
	switch {
	case !ok:
		code = InvalidValue
	case s.capture != nil && x.memory:
		code = NotSupported // it would be a child, which is a copy
	case s.capture != nil:
		child := d.clone(x.copied)
		child.inside = true
		code = s.capture.add(s, &childWork{child})
	case x.memory && !d.allocates(x):
		code = InvalidValue
	default:
		w := &launchWork{begin: assignments(x.copied), steps: launched(x.steps)}
		var after []*item
		if x.last != nil && (d.races != nil || !x.last.over.Load()) {
			after = []*item{x.last}
		}
		x.last = s.enqueue(w, after...)
	}
	d.graphs.Unlock()
	return code
}

// ExecSet changes what a node of an executable graph does.
func (d *Driver) ExecSet(h, node uint64, p *NodeParams) (code Code) {
	defer d.defect(&code)
	d.graphs.Lock()
	defer d.graphs.Unlock()
	x, ok := lookup[*exec](d, h)
	if !ok {
		return InvalidValue
	}
	if p.Kind == ChildNode {
		if p.Value == ChildMoved {
			return InvalidValue
		}
		return d.setChild(x, node, p.Handle)
	}
	s := x.of[x.clones[node]]
	if s == nil || kindOf(s.work) != p.Kind || fixed(p.Kind) {
		return InvalidValue
	}
	w, code := d.work(s.dev, p)
	if code == Success {
		s.work = w
	}
	return code
}

// setChild gives the steps of a child graph what a graph of the same form does.
func (d *Driver) setChild(x *exec, h, with uint64) Code {
	n := x.clones[h]
	g, ok := lookup[*graph](d, with)
	if !ok || n == nil {
		return InvalidValue
	}
	child, ok := n.work.(*childWork)
	if !ok {
		return InvalidValue
	}
	if reason, _, _ := x.update(child.graph, g, false); reason != UpdateSuccess {
		return UpdateFailure
	}
	x.update(child.graph, g, true)
	return Success
}

// Update says why an executable graph cannot do what a graph does, with CUDA's numbers (cudaGraphExecUpdateResult).
type Update int32

// The answers.
const (
	UpdateSuccess         Update = 0
	UpdateError           Update = 1 // no such graph
	UpdateTopologyChanged Update = 2
	UpdateKindChanged     Update = 3
)

// ExecUpdate gives an executable graph what another graph of the same form does. What does not fit is the node of
// that graph, and, of an edge, where it comes from.
func (d *Driver) ExecUpdate(h, with uint64) (reason Update, at, from uint64, code Code) {
	defer d.defect(&code)
	d.graphs.Lock()
	defer d.graphs.Unlock()
	x, okX := lookup[*exec](d, h)
	g, okG := lookup[*graph](d, with)
	if !okX || !okG {
		return UpdateError, 0, 0, InvalidValue
	}
	if reason, at, from = x.update(x.copied, g, false); reason != UpdateSuccess {
		return reason, at, from, UpdateFailure
	}
	x.update(x.copied, g, true)
	return UpdateSuccess, 0, 0, Success
}

// update pairs the nodes of two graphs in the order of their making; write takes over what those of g do.
func (x *exec) update(old, g *graph, write bool) (reason Update, at, from uint64) {
	if len(old.nodes) != len(g.nodes) {
		return UpdateTopologyChanged, 0, 0
	}
	for i, n := range g.nodes {
		m := old.nodes[i]
		if kindOf(m.work) != kindOf(n.work) {
			return UpdateKindChanged, n.self, 0
		}
		if at, same := sameEdges(old, m, g, n); !same {
			return UpdateTopologyChanged, n.self, at
		}
		switch w := n.work.(type) {
		case *childWork:
			if reason, at, from = x.update(m.work.(*childWork).graph, w.graph, write); reason != UpdateSuccess {
				return reason, at, from
			}
		case *conditionalWork:
			if reason, at, from = x.updateConditional(m, n, w, write); reason != UpdateSuccess {
				return reason, at, from
			}
		case *allocWork, *freeWork: // addresses stay
		default:
			if write {
				x.of[m].work = n.work
			}
		}
	}
	return UpdateSuccess, 0, 0
}

// updateConditional is update of a node n with bodies, in the place of m.
func (x *exec) updateConditional(m, n *node, w *conditionalWork, write bool) (reason Update, at, from uint64) {
	was := m.work.(*conditionalWork)
	if was.kind != w.kind || len(was.bodies) != len(w.bodies) {
		return UpdateTopologyChanged, n.self, 0
	}
	for i, body := range w.bodies {
		if reason, at, from = x.update(was.bodies[i], body, write); reason != UpdateSuccess {
			return reason, at, from
		}
	}
	if write && was.on != w.on { // kernels have the other handle now
		x.copied.holdCondition(w.on)
		was.on = w.on
		x.of[m].work.(*conditionalSteps).on = w.on
	}
	return UpdateSuccess, 0, 0
}

// sameEdges compares what two nodes come after; at is what only n has.
func sameEdges(old *graph, m *node, g *graph, n *node) (at uint64, same bool) {
	for _, dep := range n.after {
		j := slices.Index(g.nodes, dep)
		if !slices.Contains(m.after, old.nodes[j]) || m.says[old.nodes[j]] != n.says[dep] {
			return dep.self, false
		}
	}
	return 0, len(m.after) == len(n.after)
}

// ExecEnable turns a node of an executable graph on or off: kernels, copies and fills.
func (d *Driver) ExecEnable(h, node uint64, on bool) (code Code) {
	defer d.defect(&code)
	d.graphs.Lock()
	defer d.graphs.Unlock()
	s := d.stepOf(h, node)
	if s == nil || kindOf(s.work) > FillNode {
		return InvalidValue
	}
	s.off = !on
	return Success
}

// ExecEnabled tells whether a node is on.
func (d *Driver) ExecEnabled(h, node uint64) (on bool, code Code) {
	d.graphs.Lock()
	defer d.graphs.Unlock()
	s := d.stepOf(h, node)
	if s == nil || kindOf(s.work) > FillNode {
		return false, InvalidValue
	}
	return !s.off, Success
}

func (d *Driver) stepOf(h, node uint64) *step {
	x, ok := lookup[*exec](d, h)
	if !ok {
		return nil
	}
	return x.of[x.clones[node]]
}
