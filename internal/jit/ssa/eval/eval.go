package eval

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// Error is what is wrong with a function, found while it was executed.
type Error string

func (e Error) Error() string { return string(e) }

// Options say how functions are executed.
type Options struct {
	Forced bool       // code leaves with the state whose number is in the first word of abi.State's Save
	Exited func(Exit) // called wherever a warp leaves, if not nil
	Most   int        // items that are executed without fuel, a function that executes more goes round for ever; 0: mostItems
}

// Code is a function that can be executed. It is safe for concurrent use.
type Code struct {
	fence  atomic.Uint32 // what orders memory for other threads
	f      *ssa.Func
	opt    Options
	dom    *ssa.Dominators
	at     []position  // of values, where they are computed
	newest []ssa.Value // of what a value follows from, what gets its value last; 0: it does not change while the code runs

	mu    sync.Mutex
	kept  map[uintptr]*run // by Help.Stack: calls that have returned for the interpreter
	calls uintptr          // that have
}

// position is where a value gets its value: an item of a block, -1 for parameters. Without a block it is computed where it is read.
type position struct {
	block *ssa.Block
	index int
}

// New looks for what it does not know.
func New(f *ssa.Func, o Options) (*Code, error) {
	c := &Code{f: f, opt: o, dom: ssa.FindDominators(f), at: make([]position, len(f.Ops)), newest: make([]ssa.Value, len(f.Ops)), kept: map[uintptr]*run{}}
	for _, b := range c.dom.Blocks {
		for _, v := range b.Params {
			c.at[v] = position{b, -1}
		}
		for i, item := range b.Items() {
			if item.Effect == nil {
				c.at[item.Value] = position{b, i}
				continue
			}
			if int(item.Effect.Kind) >= len(effects) || effects[item.Effect.Kind] == nil {
				return nil, fmt.Errorf("eval does not know effect %v", item.Effect.Kind)
			}
			for _, v := range item.Effect.Results {
				c.at[v] = position{b, i}
			}
		}
	}
	for v := range f.Ops {
		if o := &f.Ops[v]; o.Code != ssa.Invalid && !knows(o.Code) {
			return nil, fmt.Errorf("eval does not know operation %v", o.Code)
		}
		c.findNewest(ssa.Value(v))
	}
	return c, nil
}

// findNewest finds the leaf of a value that gets its value last. All of them dominate each place where the value is read, so they are on one
// way down the tree of dominators, and who is deepest there has its value since the others have theirs.
func (c *Code) findNewest(v ssa.Value) {
	if isLeaf(c.f.Ops[v].Code) {
		c.newest[v] = v
		return
	}
	for _, a := range c.f.Ops[v].Operands() {
		if n := c.newest[a]; n != 0 && (c.newest[v] == 0 || c.deeper(c.at[n], c.at[c.newest[v]])) {
			c.newest[v] = n
		}
	}
}

// deeper compares places of leaves of which one dominates the other.
func (c *Code) deeper(a, b position) bool {
	switch {
	case a.block == nil || b.block == nil: // nothing leads there, nor to who reads it
		return false
	case a.block == b.block:
		return a.index > b.index
	}
	return c.dom.Depth(a.block) > c.dom.Depth(b.block)
}

func isLeaf(c ssa.Code) bool { return c == ssa.Param || c == ssa.Result }

// Len is how much memory of machine code it takes: none.
func (c *Code) Len() int { return 0 }

// Free gives that back.
func (c *Code) Free() error { return nil }

// lanes are those of a value. A number is the same in all.
type lanes [32]uint64

// run is a call: what machine code has in registers and in its frame.
type run struct {
	*Code
	s      *abi.State
	rng    *rand.Rand
	values []lanes
	since  []uint64 // the time of a value; 0: it has none
	now    uint64
	tested [3]map[tests]extent

	block *ssa.Block
	index int // of the running item
	items int // since a warp has begun or has taken fuel

	warp                  int
	runs                  bool // a warp does
	steps, ops            uint64
	steps0, ops0          uint64 // when the warp began
	fuel, fuel0           int32
	looped, left, returns bool
}

// mostItems is enough for what a warp does with its fuel, all of which it may take at once.
const mostItems = 1 << 24

// Call runs the code; how says where it is entered.
func (c *Code) Call(s *abi.State, how uintptr) error {
	r := c.enter(s, how)
	for !r.left && !r.returns {
		r.step()
	}
	if r.left {
		r.finish()
	}
	return nil
}

// enter begins a call, or goes on with one behind an instruction that the interpreter has executed, or in front of it.
func (c *Code) enter(s *abi.State, how uintptr) *run {
	if how == abi.ByBack || how == abi.ByLeave {
		c.mu.Lock()
		r := c.kept[s.Help.Stack]
		delete(c.kept, s.Help.Stack)
		c.mu.Unlock()
		s.Help.Stack = 0
		r.helped(how == abi.ByBack)
		return r
	}
	n := len(c.f.Ops)
	r := &run{Code: c, s: s, rng: rand.New(rand.NewPCG(uint64(n), s.Batch.Place[0])), values: make([]lanes, n), since: make([]uint64, n), now: 1}
	r.forget(0)
	if how == abi.ByCTA {
		r.beginCTA()
	}
	r.goTo(c.dom.Blocks[0])
	return r
}

// step executes an item, or goes to the next block.
func (r *run) step() {
	items := r.block.Items()
	if r.items++; r.items > cmp.Or(r.opt.Most, mostItems) {
		r.failf("it does not end")
	}
	if r.index < len(items) {
		if e := items[r.index].Effect; e == nil {
			r.put(items[r.index].Value)
		} else {
			effects[e.Kind](r, e)
		}
		r.index++
		return
	}
	switch out := r.block.Out; {
	case len(out) == 0:
		r.left = true
	case r.block.Cond == 0 || r.truth(r.block.Cond):
		r.follow(out[0])
	default:
		r.follow(out[1])
	}
}

// follow goes to a block; its parameters get their values at once.
func (r *run) follow(e *ssa.Edge) {
	args := make([]lanes, len(e.Args))
	for i, a := range e.Args {
		args[i] = *r.get(a)
	}
	r.goTo(e.To)
	for i, p := range e.To.Params {
		r.set(p, &args[i])
	}
}

func (r *run) goTo(b *ssa.Block) {
	r.block, r.index = b, 0
	r.now++
}

// failf ends the launch.
func (r *run) failf(format string, a ...any) {
	where := fmt.Sprintf("eval of %s, item %d of b%d", r.f.Name, r.index, r.block.ID)
	if items := r.block.Items(); r.index < len(items) {
		where += fmt.Sprintf(" (%s)", r.f.Line(items[r.index]))
	}
	panic(Error(where + ": " + fmt.Sprintf(format, a...)))
}
