// Package why says where a value comes from. A Record keeps what the warps of a launch have executed: the instructions in their
// order, what their registers held, and which bytes they touched. From it follows who wrote a byte or a register last, and from which
// values; Explain goes back so from one of them.
//
// Whole CTAs are kept in full, of others only what they store to global memory.
package why

import (
	"fmt"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
)

// Record is what a launch has executed. It is for one launch, and not for several workers.
type Record struct {
	launch      *machine.Launch
	limit, used int64
	whole       func(cta uint64) bool

	sites   map[machineSite]*site
	warps   map[warpKey]int32
	steps   []step
	words   []uint64  // what registers held
	touches []touch   // of steps, in their order
	starts  []uint64  // of the lanes of touches that are not regular
	of      [][]int32 // the steps of a warp
	keys    []warpKey // of the warps
	stores  []int32   // steps that write memory
	moves   []move
	pending []touch // of the instruction that is being executed
}

// New returns an empty record of at most so many bytes, of the CTAs, by linear index in the grid, that are to be kept whole.
func New(limit int64, whole func(cta uint64) bool) *Record {
	return &Record{limit: limit, whole: whole, sites: map[machineSite]*site{}, warps: map[warpKey]int32{}}
}

// machineSite is an instruction.
type machineSite struct {
	fn *machine.FuncInfo
	pc int32
}

// warpKey is a warp of the launch.
type warpKey struct {
	cta  uint64
	warp int
}

// step is an instruction that lanes of a warp have executed.
type step struct {
	site    *site
	warp    int32
	lanes   uint32
	depth   int32
	cluster uint64
	values  int    // in Record.words
	equal   uint64 // rows that hold the same in all of the lanes, by their index
	touch   int    // in Record.touches
	touched int
	wrote   bool // there are values behind the instruction
	sources *[32]int8
}

// touch is memory that some lanes of a step touch: Size bytes each, from the start of the first one on at regular distances, or each
// from its own.
type touch struct {
	kind   machine.AccessKind
	space  machine.Space
	async  bool
	one    bool // the lanes together touch one extent
	home   uint64
	lanes  uint32
	size   uint64
	from   uint64
	stride uint64
	own    int // in Record.starts, -1: regular
}

// move is a copy that a call, or a return, makes of what it hands over: of size bytes in the local memory of some lanes.
type move struct {
	step           int // the first step behind it
	home           uint64
	lanes          uint32
	from, to, size uint64
}

// moved notes what a call hands over.
func (r *Record) moved(w *machine.Warp, from, to, size, lanes uint32) {
	if r.used <= r.limit && r.whole(w.Rank()) {
		r.moves = append(r.moves, move{len(r.steps), w.Rank()<<6 | uint64(w.Index()), lanes, uint64(from), uint64(to), uint64(size)})
		r.used += moveBytes
	}
}

// Attach lets the record watch a launch; beside are other observers.
func (r *Record) Attach(l *machine.Launch) {
	r.launch = l
	l.Trace = &machine.Tracer{Every: true, Warp: -1, Lanes: ^uint32(0), Step: r.step, Moved: r.moved}
	l.Wants |= events.WantsAccesses
	l.Observer = &both{r, l.Observer}
}

// both passes events on to another observer, too.
type both struct {
	r    *Record
	then machine.Observer
}

func (b *both) Observe(e *machine.Event) {
	b.r.observe(e)
	if b.then != nil {
		b.then.Observe(e)
	}
}

// Full says that the launch has executed more than the record holds; nil if it has not.
func (r *Record) Full() error {
	if r.used <= r.limit {
		return nil
	}
	return fmt.Errorf("what the launch executes takes more than %d bytes to keep, after %d warp instructions", r.limit, len(r.steps))
}

// observe notes what an instruction is about to touch.
func (r *Record) observe(e *machine.Event) {
	if e.What != events.Touch || r.used > r.limit {
		return
	}
	t := touch{kind: e.Kind, async: e.Async, lanes: e.Lanes, size: uint64(e.Size), own: -1}
	switch {
	case e.Extent != nil:
		x := e.Extent
		if x.Space == machine.Tensor || x.Space == machine.Registers {
			return
		}
		t.space, t.home, t.from, t.size, t.one = x.Space, r.home(e, x), x.From, x.To-x.From, true
	case e.Addr == nil || e.Lanes == 0:
		return
	default:
		first := bits.TrailingZeros32(e.Lanes) & 31
		x := e.On.ExtentAt(e.Space, e.Addr[first], uint64(e.Size))
		t.space, t.home, t.from = x.Space, r.home(e, &x), x.From
		r.regular(&t, e)
	}
	r.pending = append(r.pending, t)
}

// home tells memories of the same space apart: that of a CTA, of a thread's warp.
func (r *Record) home(e *machine.Event, x *machine.Extent) uint64 {
	switch x.Space {
	case machine.Shared:
		return e.Cluster<<8 | uint64(x.CTA)
	case machine.Local:
		return e.CTA<<6 | uint64(e.Warp)
	}
	return 0
}

// Home tells the memory of an extent apart from others of its space, as a warp sees it; of local memory that of a lane.
func Home(w *machine.Warp, x *machine.Extent, lane int) uint64 {
	switch x.Space {
	case machine.Shared:
		return w.CTA().ClusterIndex()<<8 | uint64(x.CTA)
	case machine.Local:
		return (w.Rank()<<6|uint64(w.Index()))<<5 | uint64(lane)
	}
	return 0
}

// regular notes where each lane begins.
func (r *Record) regular(t *touch, e *machine.Event) {
	rest := e.Lanes & (e.Lanes - 1)
	first := bits.TrailingZeros32(e.Lanes) & 31
	if rest == 0 {
		return
	}
	at := e.Addr[first]
	t.stride = e.Addr[bits.TrailingZeros32(rest)&31] - at
	for m := e.Lanes; m != 0; m &= m - 1 {
		if e.Addr[bits.TrailingZeros32(m)&31] != at {
			t.stride, t.own = 0, len(r.starts)
			for m := e.Lanes; m != 0; m &= m - 1 {
				a := e.Addr[bits.TrailingZeros32(m)&31]
				x := e.On.ExtentAt(e.Space, a, uint64(e.Size))
				r.starts = append(r.starts, x.From)
				r.used += 8
			}
			return
		}
		at += t.stride
	}
}

// start is where a lane of a touch begins.
func (r *Record) start(t *touch, lane int) uint64 {
	n := bits.OnesCount32(t.lanes & (1<<lane - 1))
	switch {
	case t.one:
		return t.from
	case t.own >= 0:
		return r.starts[t.own+n]
	}
	return t.from + uint64(n)*t.stride
}

// What a step takes, about.
const stepBytes, touchBytes, moveBytes = 112, 72, 48

// step keeps an instruction that has run.
func (r *Record) step(s *machine.Step) {
	pending := r.pending
	r.pending = r.pending[:0]
	if r.used > r.limit || s.Lanes == 0 || s.Then == machine.Wait || s.Then == machine.Faulted || !r.whole(s.CTARank) && !storesGlobal(pending) {
		return
	}
	at := int32(len(r.steps))
	one := step{site: r.site(s), lanes: s.Lanes, depth: int32(s.Depth), cluster: s.Cluster, values: len(r.words), touch: len(r.touches), touched: len(pending),
		wrote: s.After != nil, sources: s.Sources}
	one.warp = r.warp(s)
	before, after := 0, 0
	for i, row := range s.Rows {
		switch {
		case !row.Write:
			r.keep(&one, i, &s.Before[before], row.Wide)
			before++
		case s.After != nil:
			r.keep(&one, i, &s.After[after], row.Wide)
			after++
		}
	}
	r.touches = append(r.touches, pending...)
	r.steps = append(r.steps, one)
	r.of[one.warp] = append(r.of[one.warp], at)
	for i := range pending {
		if pending[i].kind != machine.Load {
			r.stores = append(r.stores, at)
			break
		}
	}
	r.used += int64(stepBytes + touchBytes*len(pending) + 8*(len(r.words)-one.values))
}

// storesGlobal reports whether something is stored where other CTAs may read it.
func storesGlobal(list []touch) bool {
	for i := range list {
		if list[i].kind != machine.Load && (list[i].space == machine.Global || list[i].async) {
			return true
		}
	}
	return false
}

// keep keeps what a register holds in the lanes of a step: one word where that is the same in all of them.
func (r *Record) keep(s *step, row int, v *regs.Register, wide bool) {
	first := bits.TrailingZeros32(s.lanes) & 31
	same := row < 64
	for m := s.lanes; m != 0 && same; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		same = v.Low[i] == v.Low[first] && (!wide || v.High[i] == v.High[first])
	}
	lanes := s.lanes
	if same {
		s.equal |= 1 << row
		lanes = 1 << first
	}
	for m := lanes; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		if r.words = append(r.words, v.Low[i]); wide {
			r.words = append(r.words, v.High[i])
		}
	}
}

// register is what a row of a step held; nothing is known of lanes that have not executed.
func (r *Record) register(s *step, row int) (out regs.Register) {
	at, wide := s.values, false
	each := bits.OnesCount32(s.lanes)
	for i := range row + 1 {
		here := s.site.rows[i]
		if here.Write && !s.wrote {
			continue
		}
		n := each
		if s.equal>>i&1 != 0 && i < 64 {
			n = 1
		}
		if wide = here.Wide; wide {
			n *= 2
		}
		if i == row {
			break
		}
		at += n
	}
	same := row < 64 && s.equal>>row&1 != 0
	for m := s.lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & 31
		out.Low[lane] = r.words[at]
		n := 1
		if wide {
			out.High[lane], n = r.words[at+1], 2
		}
		if !same {
			at += n
		}
	}
	return out
}

// warp is the number of a step's warp.
func (r *Record) warp(s *machine.Step) int32 {
	key := warpKey{s.CTARank, s.Warp}
	n, ok := r.warps[key]
	if !ok {
		n = int32(len(r.of))
		r.warps[key] = n
		r.of, r.keys = append(r.of, nil), append(r.keys, key)
	}
	return n
}

// Place is where a lane has executed a step.
func (r *Record) Place(at At) machine.Place {
	s := &r.steps[at.Step]
	key := r.keys[s.warp]
	return r.launch.PlaceOf(key.cta, key.warp, 1<<at.Lane, s.site.fn, s.site.pc)
}

// Step is a step of the record as a tracer has seen it.
func (r *Record) Step(i int) *machine.Step {
	s := &r.steps[i]
	key := r.keys[s.warp]
	out := &machine.Step{Active: s.lanes, Depth: int(s.depth), Cluster: s.cluster, Rows: s.site.rows, Sources: s.sources}
	out.Place = r.launch.PlaceOf(key.cta, key.warp, s.lanes, s.site.fn, s.site.pc)
	for i, row := range s.site.rows {
		switch {
		case !row.Write:
			out.Before = append(out.Before, r.register(s, i))
		case s.wrote:
			out.After = append(out.After, r.register(s, i))
		}
	}
	return out
}

// Len is the number of steps.
func (r *Record) Len() int { return len(r.steps) }
