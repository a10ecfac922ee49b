package build

import "ptxvm.invalid/ptxvm/internal/jit/ssa"

// This file has tests that stay where the code runs, since what they are about is not known in front of the hot copy: of a loop's addresses
// in each turn. They leave where they fail. Accesses of a block by one base have one test.

// hereTested is a base that a block has a test of.
type hereTested struct {
	block *ssa.Block
	tested
}

// require makes the code leave in front of the running instruction where a number does not hold; it tells whether it can.
func (p *path) require(v ssa.Value) bool {
	if p.front == nil || !p.isFull(p.mask) {
		return false
	}
	key := hereTested{p.block, tested{base: v}}
	if _, known := p.tests[key]; !known {
		p.tests[key] = 0
		p.block.Add(&ssa.Effect{Kind: ssa.Leave, Mask: p.Not(v), State: p.state(p.at), PC: p.at})
	}
	return true
}

// coverHere makes a test in the block cover an access of all lanes, if it can. The first access tests for those that follow.
func (p *path) coverHere(e *ssa.Effect) bool {
	a := e.Access
	align := int64(max(a.Align, 1))
	if p.front == nil || !p.isFull(e.Mask) || a.Index != 0 || a.Disp%align != 0 || a.Step%align != 0 {
		return false
	}
	span := 31 * a.Step
	lo, hi := a.Disp+min(span, 0), a.Disp+max(span, 0)+a.Bytes()
	const most = 1 << 20
	if a.Step > most || a.Step < -most || lo < -most || hi > most {
		return false
	}
	key := hereTested{p.block, tested{a.Base, a.Bounds}}
	id, known := p.tests[key]
	if !known {
		p.Checks = append(p.Checks, ssa.Check{Bounds: a.Bounds, Lo: lo, Hi: hi, Align: 1})
		id = ssa.CheckID(len(p.Checks) - 1)
		p.tests[key] = id
		inside := p.Make(ssa.Inside, ssa.M, uint64(id), a.Base)
		p.block.Add(&ssa.Effect{Kind: ssa.Leave, N: 1, Mask: p.Not(inside), State: p.stateOfAccess(e.PC), PC: e.PC})
	}
	p.widen(id, lo, hi, e)
	a.Check = id
	return true
}
