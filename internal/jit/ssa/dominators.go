package ssa

import "slices"

// Dominators are the blocks that can be reached, in reverse post-order, and their immediate dominators.
type Dominators struct {
	Blocks []*Block // loops are contiguous
	Preds  [][]*Block
	idom   []*Block // by ID; nil for the first block, and for what cannot be reached
	number []int    // by ID: place in Blocks, -1
	depth  []int
}

// FindDominators computes them by the iterative algorithm (Cooper, Harvey, Kennedy).
func FindDominators(f *Func) *Dominators {
	n := len(f.Blocks)
	d := &Dominators{Preds: make([][]*Block, n), idom: make([]*Block, n), number: make([]int, n), depth: make([]int, n)}
	for i := range d.number {
		d.number[i] = -1
	}
	if n == 0 {
		return d
	}
	d.visit(f.Blocks[0])
	slices.Reverse(d.Blocks)
	for i, b := range d.Blocks {
		d.number[b.ID] = i
		for _, e := range b.Out {
			d.Preds[e.To.ID] = append(d.Preds[e.To.ID], b)
		}
	}
	for d.improve() {
	}
	for _, b := range d.Blocks[1:] {
		d.depth[b.ID] = d.depth[d.idom[b.ID].ID] + 1
	}
	return d
}

// visit goes to the blocks behind one, to those of lower level first: so a loop is contiguous in reverse order.
func (d *Dominators) visit(b *Block) {
	d.number[b.ID] = 0
	out := slices.Clone(b.Out)
	slices.SortStableFunc(out, func(x, y *Edge) int {
		if x.To.Cold != y.To.Cold {
			return map[bool]int{true: -1, false: 1}[x.To.Cold]
		}
		return int(x.To.Level) - int(y.To.Level)
	})
	for _, e := range out {
		if d.number[e.To.ID] < 0 {
			d.visit(e.To)
		}
	}
	d.Blocks = append(d.Blocks, b)
}

func (d *Dominators) improve() (changed bool) {
	for _, b := range d.Blocks[1:] {
		var best *Block
		for _, p := range d.Preds[b.ID] {
			switch {
			case p != d.Blocks[0] && d.idom[p.ID] == nil:
			case best == nil:
				best = p
			default:
				best = d.Common(best, p)
			}
		}
		if d.idom[b.ID] != best {
			d.idom[b.ID], changed = best, true
		}
	}
	return changed
}

// Common is the nearest block that dominates two.
func (d *Dominators) Common(a, b *Block) *Block {
	for a != b {
		if d.number[a.ID] > d.number[b.ID] {
			a = d.idom[a.ID]
		} else {
			b = d.idom[b.ID]
		}
	}
	return a
}

// Above is the immediate dominator, nil for the first block.
func (d *Dominators) Above(b *Block) *Block { return d.idom[b.ID] }

// Reached tells whether a block can be reached.
func (d *Dominators) Reached(b *Block) bool { return d.number[b.ID] >= 0 }

// Depth is how many blocks dominate one, itself not included.
func (d *Dominators) Depth(b *Block) int { return d.depth[b.ID] }

// Dominates tells whether every way to b goes through a.
func (d *Dominators) Dominates(a, b *Block) bool {
	for d.depth[b.ID] > d.depth[a.ID] {
		b = d.idom[b.ID]
	}
	return a == b
}
