package build

import "ptxvm.invalid/ptxvm/internal/jit/ssa"

// This file has tests that stay where the code runs, since what they are about is not known in front of the hot copy: that strided values
// of a loop do not wrap. They leave where they fail, in front of the running instruction. (Those of a loop's addresses are package opt's.)

// hereTested is a number that a block has a test of.
type hereTested struct {
	block *ssa.Block
	cond  ssa.Value
}

// require makes the code leave in front of the running instruction where a number does not hold; it tells whether it can.
func (p *path) require(v ssa.Value) bool {
	if p.front == nil || p.group != nil || !p.isFull(p.mask) || p.opt.Without["wraps"] {
		return false
	}
	if key := (hereTested{p.block, v}); !p.tests[key] {
		p.tests[key] = true
		p.block.Add(&ssa.Effect{Kind: ssa.Leave, Mask: p.Not(v), State: p.state(p.at), PC: p.at})
	}
	return true
}
