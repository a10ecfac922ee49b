// Package build makes ssa of decoded code: of kernels with straight code, branches, loops, barriers, and accesses to global, shared and local
// memory. What it does not know it refuses, with the reason: such a kernel stays with the old compiler.
//
// A warp's way through the kernel is built twice. The hot copy is for warps all of whose lanes run, whose addresses are in bounds
// and whose strided values do not wrap: tests in front say so. The other copy runs any lanes, under masks; each access tests
// itself. Where lanes part in the hot copy and meet again, a cold copy of what lies between runs some lanes.
package build

import (
	"fmt"
	"maps"
	"math/bits"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// Refusal is why a kernel is not taken.
type Refusal string

func (r Refusal) Error() string { return "not taken: " + string(r) }

func refuse(format string, a ...any) { panic(Refusal(fmt.Sprintf(format, a...))) }

// Options are for tests.
type Options struct {
	Rest  bool                // the copy for any lanes alone
	Waits bool                // kernels whose warps wait at barriers
	Leave func(pc int32) bool // accesses at which code leaves
	Lanes int                 // of groups, wherever a region may run in groups; 0: as many as are best
	Some  bool                // what is not known is no reason to refuse a kernel: code leaves in front of it

	Helpers bool                // what there is no operation for the interpreter executes in the middle of the code
	Help    func(pc int32) bool // and these, if it can
	Vector  int                 // lanes of a vector, 8 if it is 0: groups have no fewer
	Without map[string]bool     // techniques that are left out
}

// Techniques are those of this package that can be left out, by name.
var Techniques = []string{
	"coherent", // where lanes part a copy for those of which none does, or all
	"arms",     // tests of what such a copy relies on only where it begins
	"indices",  // tests in front of the least and the largest lane of an index
	"runs",     // one load where the lanes of such an index follow each other
	"wraps",    // tests in loops that strided values do not wrap
	"restart",  // a warp that has stored nothing is left at its start

	"loops of all lanes",  // of those that lanes leave one by one a copy for as long as none has
	"induction",           // variables of such loops by the lanes that enter and a number that grows
	"stores of all lanes", // stores to shared memory under masks store what is there for the other lanes
	"groups of lanes",     // regions run in groups of fewer lanes than a warp has
}

// Built is what comes of a kernel.
type Built struct {
	Func      *ssa.Func
	Bounds    []int32 // by pc: entry of the table of bounds, -1 for none
	NumBounds int
	Free      []bool             // by pc: lanes that wait there meet others only where pcs agree
	Entries   map[int32][2]int32 // by pc of a barrier, behind it: of warps of which nothing is known, and of those that the code has left
	Shared    int                // 1 + the entry for shared memory; 0: none
	Unknown   map[int32]bool     // pcs in front of which code leaves, as Options.Some says; whether handlers could execute them
}

// retry says which assumptions about variables do not hold, and what is to be assumed instead.
type retry map[assumed]differs

// assumed is a variable at the start of a loop, or at an instruction where a region begins.
type assumed struct {
	at  int32
	off uint32
	cut bool
}

// Build builds a kernel.
func Build(code *machine.Code, o Options) (out *Built, err error) {
	fn := decode.FuncOf(code.Func)
	classes, ok := decode.ClassesOf(code.Func)
	if fn == nil || !ok || code.Insts == nil || code.Interpreted {
		return nil, Refusal("there is no converged code")
	}
	assume, found := map[assumed]differs{}, &plan{lanes: map[int32]int{}, idle: map[int32]bool{}}
	for {
		b := newBuilder(code, fn, classes.Shape, o, assume)
		b.plan = found
		again, err := b.attempt()
		switch {
		case err != nil:
			return nil, err
		case !again:
			b.Func.Shared, b.Func.Chosen = b.shared, b.chosen()
			return &Built{Func: b.Func, Entries: b.entriesAt(), Bounds: b.boundsAt, NumBounds: int(b.numBounds), Shared: int(b.shared), Free: b.free(), Unknown: b.unknown}, nil
		}
	}
}

// builder builds one kernel.
type builder struct {
	*ssa.Func
	code  *machine.Code
	fn    *ir.Func
	shape ir.LaunchShape
	opt   Options

	variables
	assumed map[assumed]differs // what is assumed of variables
	unknown map[int32]bool      // Built.Unknown
	plan    *plan
	exits   exits
	tally   tally

	ctaid, tid [3]ssa.Value
	warp       ssa.Value
	end        *ssa.Block   // where a warp ends
	turn       *ssa.Block   // where it waits, and another goes on; nil: none waits
	barriers   []int32      // pcs
	polls      bool         // a loop may wait for another thread
	togethers  []ir.BlockID // heads of loops that all lanes are assumed to be in
	cuts       []*cut
	numbers    int32 // of those at barriers
	copies     int
	tests      map[hereTested]bool
	running    *path               // while an instruction is built
	at         int32               // which
	freely     map[ir.BlockID]bool // whether lanes wait there freely

	boundsAt  []int32
	numBounds int32
	local     ssa.CheckID // of the running warp's local memory; 0: no instruction names it
	shared    int32       // 1 + the entry of the table for shared memory; 0: there is none so far
	byRoot    map[ssa.Value]int32
}

func newBuilder(code *machine.Code, fn *ir.Func, shape ir.LaunchShape, o Options, assume map[assumed]differs) *builder {
	b := &builder{Func: ssa.New(fn.Name, 32), code: code, fn: fn, shape: shape, opt: o, assumed: assume,
		byRoot: map[ssa.Value]int32{}, tests: map[hereTested]bool{}, freely: map[ir.BlockID]bool{}, unknown: map[int32]bool{},
		exits: exits{map[int32]bool{}, map[int32]bool{}}}
	b.Func.Without(o.Without)
	b.boundsAt = make([]int32, len(code.Insts))
	for i := range b.boundsAt {
		b.boundsAt[i] = -1
	}
	b.variables.fill(code, fn)
	b.barriers, b.polls = findBarriers(code), findPolls(code, fn)
	return b
}

// attempt builds; again says that less is to be assumed.
func (b *builder) attempt() (again bool, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case Refusal:
			if again = b.dropTogether() || b.foundIdle(); !again {
				err = p
			}
		case notIdle:
			b.plan.idle[int32(p)], again = false, true
		case helps:
			b.plan.handlers, again = true, true
		case retry:
			for at, to := range p {
				if b.assumed[at] >= to {
					panic("BUG: an assumption that was dropped does not hold")
				}
				b.assumed[at] = to
			}
			again = true
		default:
			panic(p)
		}
	}()
	b.skeleton()
	return b.foundIdle(), nil
}

// skeleton builds the loops over CTAs and warps around the kernel.
func (b *builder) skeleton() {
	b.refuseWide()
	b.useLocal()
	entry, cta, warp := b.NewBlock(0), b.NewBlock(1), b.NewBlock(2)
	b.end = b.NewBlock(2)
	nextCTA, done := b.NewBlock(1), b.NewBlock(0)
	for i := range b.ctaid {
		b.ctaid[i] = b.NewParam(cta, ssa.W, true)
	}
	begins := []ssa.Value{b.NewParam(cta, ssa.W, true)}
	b.warp = b.NewParam(warp, ssa.W, true)
	start := warp
	var at ssa.Value
	if b.Waits = len(b.barriers) > 0; b.Waits && !b.opt.Waits {
		refuse("warps wait at barriers") // the old compiler is faster there
	}
	if b.Waits {
		at, start, b.turn = b.NewParam(warp, ssa.W, true), b.NewBlock(2), b.NewBlock(2)
		begins = append(begins, b.NewParam(cta, ssa.W, true))
	}
	cta.Jump(warp, begins...)
	b.Warp, b.Warps = b.warp, int(b.shape.BlockX*b.shape.BlockY*b.shape.BlockZ+31)/32
	b.next(entry, ssa.Begin, cta, done)
	b.another(b.end, ssa.EndWarp, warp, nextCTA)
	b.next(nextCTA, ssa.EndCTA, cta, done)
	b.placeThreads()
	p := b.newPath(start)
	p.clearLocal()
	p.starts = true
	p.begin()
	if b.Waits {
		b.another(b.turn, ssa.Turn, warp, nextCTA)
		b.regions()
		b.dispatch(warp, start, at)
	}
}

// newPath begins in a block with all lanes.
func (b *builder) newPath(at *ssa.Block) *path {
	p := &path{builder: b, block: at, env: map[uint32]ssa.Value{}, mask: b.Truth(true), waiting: map[ir.BlockID]ssa.Value{},
		joins: map[ir.BlockID][]join{}, opens: map[ir.BlockID][]ir.BlockID{}, head: ir.NoBlock}
	p.specials()
	p.pure = maps.Clone(p.env)
	return p
}

// another ends a block with an effect that goes on to another warp.
func (b *builder) another(from *ssa.Block, k ssa.Kind, warp, none *ssa.Block) {
	e := from.Add(&ssa.Effect{Kind: k})
	from.Cond = b.NewResult(from, e, ssa.M, true)
	args := []ssa.Value{b.NewResult(from, e, ssa.W, true)}
	if b.Waits {
		args = append(args, b.NewResult(from, e, ssa.W, true))
	}
	from.Jump(warp, args...)
	from.Jump(none)
}

// next ends a block with an effect that begins a CTA.
func (b *builder) next(from *ssa.Block, k ssa.Kind, cta, done *ssa.Block) {
	e := from.Add(&ssa.Effect{Kind: k})
	from.Cond = b.NewResult(from, e, ssa.M, true)
	first := b.NewResult(from, e, ssa.W, true)
	var args []ssa.Value
	for range 3 {
		args = append(args, b.NewResult(from, e, ssa.W, true))
	}
	if args = append(args, first); b.Waits {
		args = append(args, b.NewResult(from, e, ssa.W, true))
	}
	from.Jump(cta, args...)
	from.Jump(done)
}

// placeThreads finds the thread index of the lanes of a warp. It is strided where rows of the block are whole warps; of shorter rows lanes
// have the bits of what is: groups of as many lanes as a row has, or fewer, are strided again.
func (b *builder) placeThreads() {
	x, y, z := uint32(b.shape.BlockX), uint32(b.shape.BlockY), uint32(b.shape.BlockZ)
	if x*y*z%32 != 0 || b.shape.Clusters {
		refuse("blocks of %d, %d, %d threads", x, y, z)
	}
	if y*z == 1 {
		b.tid = [3]ssa.Value{b.Strided(b.Bin(ssa.Shl, b.warp, b.Word(5)), 1), b.Word(0), b.Word(0)}
		return
	}
	var row ssa.Value
	if x%32 == 0 {
		b.tid[0], row = b.split(b.warp, x/32)
		b.tid[0] = b.Strided(b.Bin(ssa.Shl, b.tid[0], b.Word(5)), 1)
	} else {
		b.tid[0], row = b.split(b.Strided(b.Bin(ssa.Shl, b.warp, b.Word(5)), 1), x)
	}
	if z == 1 {
		b.tid[1], b.tid[2] = row, b.Word(0)
		return
	}
	b.tid[1], b.tid[2] = b.split(row, y)
}

// split is a value modulo a number, and divided by it.
func (b *builder) split(v ssa.Value, n uint32) (rest, quotient ssa.Value) {
	if n&(n-1) == 0 {
		return b.Bin(ssa.And, v, b.Word(n-1)), b.Bin(ssa.Shr, v, b.Word(uint32(bits.TrailingZeros32(n))))
	}
	return b.Bin(ssa.RemU, v, b.Word(n)), b.Bin(ssa.DivU, v, b.Word(n))
}
