package opt

import (
	"ptxvm.invalid/ptxvm/internal/jit/analysis"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// This pass gives each pure operation that is used a block: gvn (each operation is made once), licm, sinking and dce in one.
//
//	early  the deepest of the blocks of its operands
//	late   the common dominator of the blocks that use it
//
// Between them the block of the least level is taken, of these the latest; nothing leaves cold blocks upwards. Within a block an
// operation stands in front of its first user, or, where it is the only user of lanes that are there, behind what has made them: a sum
// of loads takes each as it comes.
//
// It does not apply to constants, and to what is used by states alone, or as an index that was extended: exits, and accesses that go
// lane by lane, compute that.

type placing struct {
	f     *ssa.Func
	dom   *ssa.Dominators
	early []*ssa.Block
	at    []*ssa.Block
	late  []*ssa.Block // of the uses so far
	done  []bool       // placed; of effects' results: the effect is
	knobs *Knobs
	of    [][]ssa.Value // by block
	uses  []int
	users [][]ssa.Value // operations
}

// Place runs the pass alone.
func Place(f *ssa.Func) { place(f, analysis.NewCache(f), &Knobs{}) }

func place(f *ssa.Func, c *analysis.Cache, k *Knobs) bool {
	n := len(f.Ops)
	p := &placing{f: f, knobs: k, dom: c.Dominators(), early: make([]*ssa.Block, n), at: make([]*ssa.Block, n), late: make([]*ssa.Block, n), done: make([]bool, n),
		of: make([][]ssa.Value, len(f.Blocks)), uses: make([]int, n), users: make([][]ssa.Value, n)}
	p.findEarly()
	for _, b := range p.dom.Blocks {
		p.usesOf(b)
	}
	for v := n - 1; v > 0; v-- { // users have larger numbers than operands
		p.choose(ssa.Value(v))
	}
	for _, b := range p.dom.Blocks {
		p.schedule(b)
	}
	return false
}

func (p *placing) findEarly() {
	for v := range p.f.Ops {
		p.early[v] = p.dom.Blocks[0]
		if b := p.f.Info[v].Block; b >= 0 {
			p.early[v] = p.f.Blocks[b]
		}
	}
	for v := range p.f.Ops {
		if p.f.Info[v].Block >= 0 {
			continue
		}
		for _, a := range p.f.Ops[v].Operands() {
			if e := p.early[a]; p.dom.Depth(e) > p.dom.Depth(p.early[v]) {
				p.early[v] = e
			}
		}
	}
}

// use notes that a block uses a value.
func (p *placing) use(v ssa.Value, b *ssa.Block) {
	if v == 0 {
		return
	}
	p.uses[v]++
	if p.late[v] == nil {
		p.late[v] = b
	} else {
		p.late[v] = p.dom.Common(p.late[v], b)
	}
}

func (p *placing) usesOf(b *ssa.Block) {
	for _, e := range b.Effects {
		for _, v := range e.Reads() {
			if a := e.Access; a != nil && v == a.Index {
				if word, _, _ := p.f.Extended(v); word != 0 { // who goes lane by lane extends it there
					v = word
				}
			}
			p.use(v, b)
		}
	}
	p.use(b.Cond, b)
	for _, e := range b.Out {
		for _, v := range e.Args {
			p.use(v, b)
		}
	}
}

// choose gives a value its block, and so its operands a use.
func (p *placing) choose(v ssa.Value) {
	late := p.late[v]
	if late == nil || p.f.Ops[v].Code <= ssa.Const {
		return
	}
	best := late
	for b := late; b != p.early[v] && b != nil && !p.knobs.Off["hoist"]; {
		up := p.dom.Above(b)
		if up == nil || b.Cold && !up.Cold {
			break
		}
		if b = up; b.Level < best.Level {
			best = b
		}
	}
	p.at[v] = best
	p.of[best.ID] = append(p.of[best.ID], v)
	for _, a := range p.f.Ops[v].Operands() {
		p.use(a, best)
		p.users[a] = append(p.users[a], v)
	}
}

// schedule orders what a block does.
func (p *placing) schedule(b *ssa.Block) {
	b.Order = nil
	for _, e := range b.Effects {
		for _, v := range e.Reads() {
			if p.need(v, b); e.Access != nil && v == e.Access.Index {
				word, _, _ := p.f.Extended(v)
				p.need(word, b)
			}
		}
		b.Order = append(b.Order, ssa.Item{Effect: e})
		for _, v := range e.Results {
			p.done[v] = true
		}
		for _, v := range e.Results {
			p.consume(v, b)
		}
	}
	p.need(b.Cond, b)
	for _, e := range b.Out {
		for _, v := range e.Args {
			p.need(v, b)
		}
	}
	for _, v := range p.of[b.ID] { // what only other blocks use
		p.need(v, b)
	}
}

// need places a value with its operands, if it is of a block.
func (p *placing) need(v ssa.Value, b *ssa.Block) {
	if v == 0 || p.at[v] != b || p.done[v] {
		return
	}
	p.done[v] = true
	for _, a := range p.f.Ops[v].Operands() {
		p.need(a, b)
	}
	b.Order = append(b.Order, ssa.Item{Value: v})
}

// consume places the operation that alone uses lanes which are there now, and what uses that one alone.
func (p *placing) consume(v ssa.Value, b *ssa.Block) {
	for !p.knobs.Off["sums"] && p.uses[v] == 1 && len(p.users[v]) == 1 && !p.f.Info[v].Uni {
		v = p.users[v][0]
		if p.at[v] != b || p.done[v] || !p.ready(v, b, 3) {
			return
		}
		p.need(v, b)
	}
}

// ready tells whether a value can be computed from what is there, with not too many operations in between.
func (p *placing) ready(v ssa.Value, b *ssa.Block, depth int) bool {
	for _, a := range p.f.Ops[v].Operands() {
		later := p.f.Ops[a].Code == ssa.Result && p.f.Info[a].Block == int32(b.ID) || p.at[a] == b
		if later && !p.done[a] && (depth == 0 || p.at[a] != b || !p.ready(a, b, depth-1)) {
			return false
		}
	}
	return true
}
