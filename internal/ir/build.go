package ir

// This file turns instructions in written order into a function with blocks in layout
// order and all facts filled.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/quota"
)

// Body is a function's instructions in written order. Their Targets are indexes of Labels.
type Body struct {
	Insts  []Inst
	Labels []Label
}

// Label stands before instruction At, which is len(Insts) for a label at the end.
type Label struct {
	Name string
	At   int32
}

// Options choose how a function is built.
type Options struct {
	OneRowEach bool         // every register has its own row: for debugging and initcheck
	Quota      *quota.Quota // what building may take; nil: no limits
}

// instBytes is about what an instruction takes with its operands, edgeBytes what a way from one block to another does: with many
// branches by one table, all of it.
const instBytes, edgeBytes = 400, 32

// Build fills Insts, Blocks and Rows of a defined function. Blocks that nothing
// reaches are dropped. The body must not be used afterwards.
func (f *Func) Build(body *Body, opt Options) error {
	opt.Quota.Enter("blocks")
	opt.Quota.Take(instBytes * len(body.Insts))
	for i := range body.Insts {
		opt.Quota.Take(edgeBytes * len(body.Insts[i].Targets))
		for _, t := range body.Insts[i].Targets {
			if t < 0 || int(t) >= len(body.Labels) {
				return fmt.Errorf("%s: instruction %d branches to label %d of %d", f.Name, i, t, len(body.Labels))
			}
		}
	}
	f.Defined = true
	f.exitEarly(body)
	f.closeEnd(body)
	raw := splitBlocks(body)
	f.arrange(body, raw)
	f.finish(opt)
	return nil
}

// exitEarly makes `@p bra X`, where X is only an exit, an `@p exit`: the lanes that stay
// are then still all live lanes, and nothing diverges.
func (f *Func) exitEarly(body *Body) {
	for i := range body.Insts {
		in := &body.Insts[i]
		if in.Guard.Reg == NoReg || in.flow() != flowBranch {
			continue
		}
		if at := body.Labels[in.Targets[0]].At; int(at) < len(body.Insts) {
			if to := &body.Insts[at]; to.flow() == flowExit && to.Guard.Reg == NoReg {
				in.Sel, in.Targets = to.Sel, nil
			}
		}
	}
}

// closeEnd adds the return that falling off the end means.
func (f *Func) closeEnd(body *Body) {
	n := len(body.Insts)
	open := n == 0 || !body.Insts[n-1].stops()
	for _, l := range body.Labels {
		open = open || int(l.At) == n
	}
	if !open {
		return
	}
	end := Inst{Sel: retSel(), Guard: Unguarded}
	if f.Entry {
		end.Sel = exitSel()
	}
	if n > 0 {
		end.Pos, end.Loc = body.Insts[n-1].Pos, body.Insts[n-1].Loc
	}
	body.Insts = append(body.Insts, end)
}

// rawBlock is a block in written order; successors are raw block numbers.
type rawBlock struct {
	label      string
	first, end int32
	fall       int32 // raw block behind it, -1 if control cannot fall through
}

// rawBlocks is the function cut into blocks, in written order.
type rawBlocks struct {
	blocks []rawBlock
	at     []int32 // per instruction that starts a block: its number
	g      *graph
}

func splitBlocks(body *Body) *rawBlocks {
	r := &rawBlocks{at: filled(len(body.Insts), -1)}
	label := make(map[int32]string, len(body.Labels))
	for i := len(body.Labels) - 1; i >= 0; i-- { // of several labels the first names the block
		label[body.Labels[i].At] = body.Labels[i].Name
	}
	r.at[0] = 0
	for i := range body.Insts {
		for _, t := range body.Insts[i].Targets {
			r.at[body.Labels[t].At] = 0
		}
		if i+1 < len(body.Insts) && body.Insts[i].endsBlock() {
			r.at[i+1] = 0
		}
	}
	for i := range r.at {
		if r.at[i] < 0 {
			continue
		}
		r.at[i] = int32(len(r.blocks))
		if n := len(r.blocks); n > 0 {
			r.blocks[n-1].end = int32(i)
		}
		r.blocks = append(r.blocks, rawBlock{label: label[int32(i)], first: int32(i)})
	}
	r.blocks[len(r.blocks)-1].end = int32(len(body.Insts))
	r.link(body)
	return r
}

// link adds the edges; the fall-through comes first so that it stays adjacent in layout
// where it can.
func (r *rawBlocks) link(body *Body) {
	r.g = newGraph(len(r.blocks))
	linked := filled(len(r.blocks), -1) // stamp: the block that has an edge to this one already
	for i := range r.blocks {
		b := &r.blocks[i]
		last := &body.Insts[b.end-1]
		if b.fall = -1; !last.stops() {
			b.fall = int32(i) + 1
			r.g.edge(int32(i), b.fall)
			linked[b.fall] = int32(i)
		}
		for _, t := range last.Targets {
			if to := r.at[body.Labels[t].At]; linked[to] != int32(i) {
				linked[to] = int32(i)
				r.g.edge(int32(i), to)
			}
		}
	}
}

// arrange emits the blocks in layout order, with jumps where a fall-through is torn apart.
func (f *Func) arrange(body *Body, raw *rawBlocks) {
	d := search(raw.g.succs, 0)
	order := layout(d, findLoops(raw.g, d))
	e := emitter{f: f, body: body, raw: raw, id: filled(len(raw.blocks), -1)}
	f.Insts = make([]Inst, 0, len(body.Insts))
	for i, v := range order {
		next := int32(-1)
		if i+1 < len(order) {
			next = order[i+1]
		}
		e.block(v, next)
	}
	e.retarget()
}

// emitter writes blocks in layout order. Until retarget, Targets are label indexes, or raw
// block numbers in the jumps it adds.
type emitter struct {
	f     *Func
	body  *Body
	raw   *rawBlocks
	id    []int32 // raw block → Block
	jumps []int32 // pcs of added or inverted branches
}

func (e *emitter) block(v, next int32) {
	f, b := e.f, &e.raw.blocks[v]
	e.id[v] = int32(len(f.Blocks))
	first := int32(len(f.Insts))
	f.Insts = append(f.Insts, e.body.Insts[b.first:b.end]...)
	f.Blocks = append(f.Blocks, Block{Label: b.label, First: first, End: int32(len(f.Insts))})
	if b.fall < 0 || b.fall == next {
		return
	}
	last := &f.Insts[len(f.Insts)-1]
	switch {
	case last.flow() == flowBranch && e.raw.at[e.body.Labels[last.Targets[0]].At] == next:
		last.Guard.Neg = !last.Guard.Neg // swap the arms
		e.jumpTo(last, b.fall)
	case last.endsBlock():
		f.Blocks = append(f.Blocks, Block{First: int32(len(f.Insts)), End: int32(len(f.Insts)) + 1})
		e.addJump(last, b.fall)
	default:
		f.Blocks[len(f.Blocks)-1].End++
		e.addJump(last, b.fall)
	}
}

func (e *emitter) addJump(after *Inst, to int32) {
	in := Inst{Sel: braSel(), Guard: Unguarded, Pos: after.Pos, Loc: after.Loc}
	e.f.Insts = append(e.f.Insts, in)
	e.jumpTo(&e.f.Insts[len(e.f.Insts)-1], to)
}

func (e *emitter) jumpTo(in *Inst, raw int32) {
	in.Targets = []BlockID{BlockID(raw)}
	e.jumps = append(e.jumps, int32(len(e.f.Insts))-1)
}

// retarget turns labels and raw block numbers into block ids.
func (e *emitter) retarget() {
	for pc := range int32(len(e.f.Insts)) {
		in := &e.f.Insts[pc]
		if len(e.jumps) > 0 && e.jumps[0] == pc {
			e.jumps = e.jumps[1:]
			in.Targets[0] = BlockID(e.id[in.Targets[0]])
			continue
		}
		if len(in.Targets) == 0 {
			continue
		}
		to := make([]BlockID, len(in.Targets)) // tables may be shared between instructions
		for i, t := range in.Targets {
			to[i] = BlockID(e.id[e.raw.at[e.body.Labels[t].At]])
		}
		in.Targets = to
	}
}
