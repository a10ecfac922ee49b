package build

import (
	"maps"
	"slices"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// This file has the fuel of lanes that wait for others of their warp. The interpreter's fragments have fuel each: who waits keeps what it had
// when it parted, and where lanes meet they have the least of theirs. For instance
//
//	if (lane == 0) while (flag == old) ;    // volatile
//	__syncthreads();
//
// in which lane 0 uses up its turn, and the turns of the others are as long as ever.
//
// The code has one count of fuel, that of the lanes that run. Where a loop begins while others wait, what these have is noted, and it is the
// count's again where those go on. A loop that lanes leave one by one has for each place that they leave for a parameter: the fuel of those
// who wait there. In a kernel none of whose loops may wait for another thread all this is left out: no loop of it goes round more often
// because of how long a turn is, and turns are 16384 rounds.

// findPolls tells whether a loop may wait for another thread, beside those of its warp, and otherwise than at a barrier.
func findPolls(code *machine.Code, fn *ir.Func) bool {
	for pc := range code.Insts {
		in := &code.Insts[pc]
		if sem.OperationOf(in).Kind != sem.OpBranch || in.Flags&machine.QuietLoop != 0 {
			continue
		}
		for at := int(in.Imm); at < pc; at++ {
			x := &fn.Insts[at]
			if x.Waits() && !x.Sel.Entry.Effects.Has(isa.CrossLane) && sem.OperationOf(&code.Insts[at]).Kind != sem.OpBarrier {
				return true
			}
		}
	}
	return false
}

// noFuel is what lanes have where none waits.
func (b *builder) noFuel() ssa.Value { return b.Word(ssa.NoFuel) }

// keepFuel notes what all who wait have, in front of what uses fuel up.
func (p *path) keepFuel() {
	if !p.polls {
		return
	}
	for _, id := range p.waitingAt() {
		if p.fuels[id] == 0 {
			p.setFuel(id, p.waiting[id], p.noFuel())
		}
	}
}

// waitingAt lists where lanes wait, in order.
func (p *path) waitingAt() []ir.BlockID { return slices.Sorted(maps.Keys(p.waiting)) }

// setFuel notes what lanes that wait at a block have, some of which begin to, and others had before.
func (p *path) setFuel(id ir.BlockID, lanes, had ssa.Value) {
	e := p.block.Add(&ssa.Effect{Kind: ssa.KeepFuel, Mask: lanes, Args: []ssa.Value{had}})
	if p.fuels == nil {
		p.fuels = map[ir.BlockID]ssa.Value{}
	}
	p.fuels[id] = p.NewResult(p.block, e, ssa.W, true)
}

// alsoFuel notes that more lanes wait at a block.
func (p *path) alsoFuel(id ir.BlockID, lanes ssa.Value) {
	if had := p.fuels[id]; had != 0 {
		p.setFuel(id, lanes, had)
	}
}

// joinFuel gives those that run the fuel of lanes that have waited at a block, which they go on with.
func (p *path) joinFuel(id ir.BlockID) {
	had := p.fuels[id]
	if had == 0 {
		return
	}
	delete(p.fuels, id)
	p.keepFuel() // of those who have as much as is left
	running := p.mask
	if p.dead {
		running = p.Truth(false)
	}
	p.block.Add(&ssa.Effect{Kind: ssa.JoinFuel, Mask: running, Args: []ssa.Value{had}})
}

// enterFuels makes parameters of what lanes have that leave a loop one by one; it returns what those have that have left before.
func (p *path) enterFuels(l *loop) (args []ssa.Value) {
	if !p.polls {
		return nil
	}
	for _, out := range l.outs {
		had := p.fuels[out]
		if had == 0 {
			had = p.noFuel()
		}
		args = append(args, had)
		if p.fuels == nil {
			p.fuels = map[ir.BlockID]ssa.Value{}
		}
		p.fuels[out] = p.NewParam(l.head, ssa.W, true)
	}
	return args
}

// againFuels are the same where the loop goes round.
func (p *path) againFuels(l *loop) (args []ssa.Value) {
	if !p.polls || !l.divergent {
		return nil
	}
	for _, out := range l.outs {
		args = append(args, p.fuels[out])
	}
	return args
}
