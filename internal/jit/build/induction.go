package build

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// This file has variables of loops that lanes leave one by one, as lanes that the loop does not change and a number that it adds to:
//
//	for (; some lanes; p += 512) s += *p    →    for (n = 0; some lanes; n += 512) s += *(p0 + n)
//
// All lanes that are in the loop have made as many turns. What is strided where the loop begins stays so, and of anything else an access
// has an index that is the same in all turns. It does not apply to what lives where lanes leave: these keep what they had. That all that is
// written is such a sum is an assumption, which is dropped where a back edge differs.

// inductionOf is the key of that assumption, in place of the variable's own.
func inductionOf(l *loop, off uint32) assumed { return assumed{at: int32(l.first), off: off | 1} }

// mayBeInduction tells whether a loop may do nothing to a variable but add to it.
func (p *path) mayBeInduction(l *loop, off uint32, v ssa.Value) bool {
	return p.TypeOf(v) != ssa.M && !p.opt.Without["induction"] && p.assumed[inductionOf(l, off)] == known && p.onlyAdds(l, off)
}

// onlyAdds tells whether what writes a variable in a loop are sums, and moves.
func (p *path) onlyAdds(l *loop, off uint32) bool {
	for id := l.first; id <= l.last; id++ {
		if !p.onlyAddsIn(id, off) {
			return false
		}
	}
	return true
}

func (p *path) onlyAddsIn(id ir.BlockID, off uint32) bool {
	for pc := p.fn.Blocks[id].First; pc < p.fn.Blocks[id].End; pc++ {
		for _, to := range p.writes(pc) {
			if to == off && !adds(p.code.Insts[pc].Op) && sem.OperationOf(&p.code.Insts[pc]).Kind != sem.OpMove {
				return false
			}
		}
	}
	return true
}

func adds(op uop.Op) bool {
	return op == uop.Add32 || op == uop.Add64 || op == uop.Sub32 || op == uop.Sub64
}

// inductionVariable makes a parameter of what is added to a variable.
func (p *path) inductionVariable(l *loop, off uint32, v ssa.Value) (arg ssa.Value) {
	core, n := p.coreOf(v)
	param := p.NewParam(l.head, p.TypeOf(v), true)
	l.offs, l.steps, l.cores = append(l.offs, off), append(l.steps, 0), append(l.cores, core)
	p.env[off] = p.Bin(ssa.Add, core, param)
	return n
}

// coreOf parts a value into lanes and a number.
func (p *path) coreOf(v ssa.Value) (core, n ssa.Value) {
	t := p.TypeOf(v)
	n = p.Const(t, 0)
	for {
		if base, step, ok := p.AsStrided(v); ok {
			return p.Strided(p.Const(t, 0), step), p.Bin(ssa.Add, n, base)
		}
		o := p.Ops[v]
		if o.Code != ssa.Add {
			return v, n
		}
		x, y := o.A, o.B
		if p.Ops[x].Code == ssa.Bcast {
			x, y = y, x
		}
		if _, known := p.Known(y); !known {
			if p.Ops[y].Code != ssa.Bcast {
				return v, n
			}
			y = p.Ops[y].A
		}
		v, n = x, p.Bin(ssa.Add, n, y)
	}
}
