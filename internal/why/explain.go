package why

// This file goes back from a value to those that it was made of.

import (
	"math/bits"
	"slices"
	"sort"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
)

// At is a lane's part in a step.
type At struct{ Step, Lane int }

// Kind says what a node is.
type Kind uint8

// The kinds of nodes.
const (
	Computed  Kind = iota // an instruction's result, of From
	Stored                // bytes that an instruction has stored, of From
	Copied                // bytes that an asynchronous operation has brought, of From
	Input                 // bytes that the launch has not written before
	Undefined             // a register that nothing has written
	Argument              // a register that a call has written
)

// Bytes is memory of a node.
type Bytes struct {
	Space    machine.Space
	Home     uint64 // tells the shared and local memories apart
	From, To uint64
}

// Node is a value and what it was made of.
type Node struct {
	Kind   Kind
	At     At
	Result int    // Computed: the row of the step's registers; -1: none
	Bytes  Bytes  // Stored, Copied, Input; of a Computed load what it has read
	Lanes  uint32 // that contribute, where more than the node's own do; else 0
	From   []*Node
	Beyond bool // From is not known, since the CTA is not kept whole
	Cut    bool // From is left out: too deep, or too much
}

// Limits bound an explanation.
type Limits struct {
	Depth int // of nodes
	Nodes int
}

// explainer makes the nodes of one explanation, each once.
type explainer struct {
	*Record
	limits Limits
	nodes  map[nodeKey]*Node
}

// nodeKey tells nodes apart.
type nodeKey struct {
	kind   Kind
	at     At
	result int
	bytes  Bytes
}

// Memory explains what bytes of memory hold at the end of the launch; nil where it has not written them.
func (r *Record) Memory(b Bytes, limits Limits) *Node {
	e := &explainer{Record: r, limits: limits, nodes: map[nodeKey]*Node{}}
	list := e.memory(b, len(r.steps), 0)
	if len(list) == 0 || list[0].Kind == Input {
		return nil
	}
	return list[0]
}

// In is where a register is: of a lane of a warp, in the frame that so many others are above.
type In struct {
	CTA   uint64 // linear index in the grid
	Warp  int
	Lane  int
	Depth int
	Row   regs.Row
}

// Register explains what a register holds where the record ends; nil where nothing has written it. Of a warp that is not kept whole
// nothing is known.
func (r *Record) Register(in In, limits Limits) *Node {
	e := &explainer{Record: r, limits: limits, nodes: map[nodeKey]*Node{}}
	warp, known := r.warps[warpKey{in.CTA, in.Warp}]
	if !known {
		return nil
	}
	if list := e.rowBefore(warp, len(r.steps), in.Lane, int32(in.Depth), in.Row, 0); list != nil {
		return list[0]
	}
	return nil
}

// Result explains what a step has left in one of its rows, or, where it is a store, in memory.
func (r *Record) Result(at At, row int, limits Limits) *Node {
	e := &explainer{Record: r, limits: limits, nodes: map[nodeKey]*Node{}}
	return e.computed(at, row, 0)
}

// node returns that of a key, and whether it is new and may have sources.
func (e *explainer) node(n Node, depth int) (*Node, bool) {
	key := nodeKey{n.Kind, n.At, n.Result, n.Bytes}
	if old := e.nodes[key]; old != nil {
		return old, false
	}
	made := &n
	e.nodes[key] = made
	if depth >= e.limits.Depth || len(e.nodes) >= e.limits.Nodes {
		made.Cut = n.Kind != Input && n.Kind != Undefined
		return made, false
	}
	return made, true
}

// computed explains a result of a step.
func (e *explainer) computed(at At, row, depth int) *Node {
	s := &e.steps[at.Step]
	n := Node{Kind: Computed, At: at, Result: row}
	loaded, isLoad := e.loaded(s, at.Lane, row)
	if isLoad {
		n.Bytes = loaded
	}
	made, fresh := e.node(n, depth)
	if !fresh {
		return made
	}
	switch {
	case isLoad:
		made.From = e.memory(loaded, at.Step, depth+1)
		if s.site.atomic() {
			made.Lanes = e.rivals(s, loaded)
		}
	case s.sources != nil:
		from := int(s.sources[at.Lane])
		made.Lanes = 1 << from
		if len(s.site.data) != 0 {
			made.From = e.register(s, at.Step, s.site.data[0], from, depth+1)
		}
	default:
		if s.site.across() {
			made.Lanes = s.lanes
		}
		made.From = e.operands(s, at, depth+1)
	}
	return made
}

// operands explains what a lane of a step has read.
func (e *explainer) operands(s *step, at At, depth int) (list []*Node) {
	for _, row := range s.site.data {
		for _, n := range e.register(s, at.Step, row, at.Lane, depth) {
			if !slices.Contains(list, n) {
				list = append(list, n)
			}
		}
	}
	return list
}

// loaded is the bytes that a result of a load was read from.
func (e *explainer) loaded(s *step, lane, row int) (b Bytes, ok bool) {
	place, isDest := s.site.dest[row]
	if !isDest || !s.site.loads() && !s.site.atomic() {
		return b, false
	}
	for i := range e.touches[s.touch : s.touch+s.touched] {
		t := &e.touches[s.touch+i]
		if t.kind == machine.Store || t.async || t.lanes>>lane&1 == 0 {
			continue
		}
		each := t.size / uint64(max(1, s.site.elems))
		from := e.start(t, lane) + uint64(place)*each
		return Bytes{t.space, e.homeOf(t, lane), from, from + each}, true
	}
	return b, false
}

// rivals is the lanes of an atomic operation that change the same bytes, if they are several: one may read what another has left.
func (e *explainer) rivals(s *step, b Bytes) (lanes uint32) {
	for i := range s.touched {
		if t := &e.touches[s.touch+i]; t.kind == machine.Atomic && t.space == b.Space {
			lanes |= e.meet(t, b)
		}
	}
	if lanes&(lanes-1) == 0 {
		return 0
	}
	return lanes
}

// homeOf is that of a touch, of local memory that of the lane.
func (e *explainer) homeOf(t *touch, lane int) uint64 {
	if t.space == machine.Local {
		return t.home<<5 | uint64(lane)
	}
	return t.home
}

// register explains what a row held that a lane has read in a step.
func (e *explainer) register(s *step, before, row, lane, depth int) []*Node {
	if list := e.rowBefore(s.warp, before, lane, s.depth, s.site.rows[row], depth); list != nil {
		return list
	}
	n, _ := e.node(Node{Kind: Undefined, At: At{before, lane}, Result: row}, depth)
	return []*Node{n}
}

// rowBefore explains what a row of a frame held before a step; nil where nothing has written it.
func (e *explainer) rowBefore(warp int32, before, lane int, level int32, want regs.Row, depth int) []*Node {
	list := e.of[warp]
	from := sort.Search(len(list), func(i int) bool { return int(list[i]) >= before })
	for i := from - 1; i >= 0; i-- {
		at := int(list[i])
		t := &e.steps[at]
		switch {
		case t.lanes>>lane&1 == 0 || t.depth > level:
			continue
		case t.depth < level:
			n, _ := e.node(Node{Kind: Argument, At: At{at, lane}, Result: -1}, depth)
			return []*Node{n}
		}
		for k := t.site.reads; k < len(t.site.rows); k++ {
			if w := t.site.rows[k]; w.Off != want.Off || w.Width != want.Width {
				continue
			}
			return []*Node{e.computed(At{at, lane}, k, depth)}
		}
	}
	return nil
}

// memory explains what bytes held before a step: by the stores that wrote them last.
func (e *explainer) memory(b Bytes, before, depth int) (list []*Node) {
	left := []Bytes{b}
	i := sort.Search(len(e.stores), func(i int) bool { return int(e.stores[i]) >= before })
	next := 0
	if b.Space == machine.Local {
		next = sort.Search(len(e.moves), func(i int) bool { return e.moves[i].step > before })
	}
	handOver := func(after int) {
		for ; next > 0 && e.moves[next-1].step > after; next-- {
			left = e.handedOver(&e.moves[next-1], left, depth, &list)
		}
	}
	for i--; i >= 0 && len(left) != 0; i-- {
		at := int(e.stores[i])
		handOver(at)
		s := &e.steps[at]
		for k := s.touched - 1; k >= 0; k-- {
			t := &e.touches[s.touch+k]
			if t.kind == machine.Load || t.space != b.Space {
				continue
			}
			left = e.storedBy(at, t, left, depth, &list)
		}
	}
	handOver(-1)
	for _, rest := range left {
		n, _ := e.node(Node{Kind: Input, Result: -1, Bytes: rest}, depth)
		list = append(list, n)
	}
	return list
}

// handedOver explains those of some bytes of local memory that a call has handed over, and returns the others.
func (e *explainer) handedOver(m *move, left []Bytes, depth int, list *[]*Node) (others []Bytes) {
	for _, b := range left {
		from, to := max(b.From, m.to), min(b.To, m.to+m.size)
		if b.Home>>5 != m.home || m.lanes>>(b.Home&31)&1 == 0 || from >= to {
			others = append(others, b)
			continue
		}
		there := Bytes{b.Space, b.Home, from - m.to + m.from, to - m.to + m.from}
		*list = append(*list, e.memory(there, m.step, depth)...)
		if b.From < from {
			others = append(others, Bytes{b.Space, b.Home, b.From, from})
		}
		if to < b.To {
			others = append(others, Bytes{b.Space, b.Home, to, b.To})
		}
	}
	return others
}

// storedBy explains those of some bytes that a touch has written, and returns the others.
func (e *explainer) storedBy(at int, t *touch, left []Bytes, depth int, list *[]*Node) (others []Bytes) {
	for _, b := range left {
		lane, hit, ok := e.writer(t, b)
		if !ok {
			others = append(others, b)
			continue
		}
		*list = append(*list, e.stored(At{at, lane}, t, hit, depth))
		if b.From < hit.From {
			others = append(others, Bytes{b.Space, b.Home, b.From, hit.From})
		}
		if hit.To < b.To {
			others = append(others, Bytes{b.Space, b.Home, hit.To, b.To})
		}
	}
	return others
}

// writer is the last lane of a touch that covers some of the bytes, and which of them.
func (e *explainer) writer(t *touch, b Bytes) (lane int, hit Bytes, ok bool) {
	for m := t.lanes; m != 0; {
		lane = bits.Len32(m) - 1
		m &^= 1 << lane
		from := e.start(t, lane)
		to := from + t.size
		if e.homeOf(t, lane) == b.Home && from < b.To && b.From < to {
			return lane, Bytes{b.Space, b.Home, max(from, b.From), min(to, b.To)}, true
		}
	}
	return 0, b, false
}

// stored explains bytes that a lane has written.
func (e *explainer) stored(at At, t *touch, b Bytes, depth int) *Node {
	s := &e.steps[at.Step]
	n := Node{Kind: Stored, At: at, Result: -1, Bytes: b}
	if t.async {
		n.Kind = Copied
	}
	made, fresh := e.node(n, depth)
	switch {
	case !fresh:
		return made
	case t.async:
		made.From = e.copied(s, t, b, at.Step, depth+1)
		return made
	case !e.whole(e.keys[s.warp].cta):
		made.Beyond = true
		return made
	}
	rows := s.site.data
	if n := len(s.site.values); n > 1 && !s.site.atomic() {
		if k := int((b.From - e.start(t, at.Lane)) / (t.size / uint64(n))); k < n {
			if rows = nil; s.site.values[k] >= 0 {
				rows = []int{s.site.values[k]}
			}
		}
	}
	lanes := uint32(1) << at.Lane
	switch {
	case s.site.atomic(): // each lane that meets the bytes has changed what the one before has left
		if lanes = e.meet(t, b); lanes&(lanes-1) != 0 {
			made.Lanes = lanes
		}
	case s.site.across():
		made.Lanes = s.lanes
	}
	for m := lanes; m != 0; m &= m - 1 {
		for _, row := range rows {
			made.From = append(made.From, e.register(s, at.Step, row, bits.TrailingZeros32(m)&31, depth+1)...)
		}
	}
	if s.site.atomic() {
		made.From = append(made.From, e.memory(b, at.Step, depth+1)...)
	}
	return made
}

// meet is the lanes whose part of a touch has bytes in common with others.
func (e *explainer) meet(t *touch, b Bytes) (lanes uint32) {
	for m := t.lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		from := e.start(t, lane)
		if e.homeOf(t, lane) == b.Home && from < b.To && b.From < from+t.size {
			lanes |= 1 << lane
		}
	}
	return lanes
}

// copied explains bytes that an asynchronous copy has brought, where it copies as many as it reads, in their order.
func (e *explainer) copied(s *step, to *touch, b Bytes, before, depth int) []*Node {
	var from *touch
	for i := range s.touched {
		t := &e.touches[s.touch+i]
		if t.kind != machine.Load || t.lanes != to.lanes {
			continue
		}
		if from != nil || t.size != to.size {
			return nil
		}
		from = t
	}
	if from == nil {
		return nil
	}
	at := from.from + b.From - to.from
	return e.memory(Bytes{from.space, from.home, at, at + b.To - b.From}, before, depth)
}

// FirstLast looks among bytes of global memory for the one whose last writer comes first, and returns that and its address.
func (r *Record) FirstLast(wanted func(addr uint64) bool) (at At, addr uint64, ok bool) {
	seen := map[uint64]bool{}
	for i := len(r.stores) - 1; i >= 0; i-- {
		s := &r.steps[r.stores[i]]
		for k := s.touched - 1; k >= 0; k-- {
			t := &r.touches[s.touch+k]
			if t.kind == machine.Load || t.space != machine.Global {
				continue
			}
			for m := t.lanes; m != 0; { // the last lane first: it has written last, and the lowest of several is the answer
				lane := bits.Len32(m) - 1
				m &^= 1 << lane
				from := r.start(t, lane)
				for a := from + t.size - 1; a >= from && a != ^uint64(0); a-- {
					if wanted(a) && !seen[a] {
						seen[a], ok = true, true
						at, addr = At{int(r.stores[i]), lane}, a
					}
				}
			}
		}
	}
	return at, addr, ok
}
