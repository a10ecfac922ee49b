package jit

// Values that memory holds once for all lanes, in registers that are no slots because lanes write others there
// elsewhere: up to the end of the segment, code for full warps keeps them as numbers beside their rows.

import (
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// readAt is an instruction that reads a register.
type readAt struct {
	pc  int32
	reg ir.Reg
}

// loadsOne tells whether an instruction loads one value for all lanes into a row.
func (r *region) loadsOne(pc int32) bool {
	s := &r.steps[pc]
	if s.leaves || s.op.Kind != sem.OpLoad || r.insts[pc].Guard != machine.NoGuard || s.op.Memory.Strong || len(s.op.Memory.At) != 1 {
		return false
	}
	a := accessed{s: s, src: s.in, m: &s.op.Memory}
	return a.uniform() && !s.in[1].slot && s.in[1].off != machine.NoGuard
}

// findLoaded notes who reads such a value in its segment.
func (f *finder) findLoaded(s *segment) {
	now := map[ir.Reg]bool{}
	for pc := s.first; pc < s.end; pc++ {
		one := f.loadsOne(pc)
		if len(now) > 0 {
			for _, g := range f.live.uses.reads(pc) {
				if now[g] && f.uses(Loaded) {
					f.from[readAt{pc, g}] = true
				}
			}
		}
		for _, g := range f.live.uses.writes(pc) {
			if one {
				now[g] = true
			} else if len(now) > 0 {
				delete(now, g)
			}
		}
	}
}

// loadedPattern is what such a load makes of a register.
func (f *finder) loadedPattern(pc int32, g ir.Reg) *pattern {
	d := &f.steps[pc].in[1]
	return &pattern{stride: everyLane, reg: g, typ: d.typ, off: d.off, home: true}
}

// keepLoaded keeps the value in R8, which a load gives to all lanes, as a number if it is wanted.
func (a *accessed) keepLoaded() {
	if p := a.s.loaded; p != nil && !a.masked {
		a.c.MR(x86.MOV, p.typ.size(), p.number(0), x86.R8)
	}
}

// wantCompared keeps patterns that decide branches and cost little: those that follow from others that are kept.
func (f *finder) wantCompared() {
	for pc := range f.steps {
		s := &f.steps[pc]
		if s.leaves || s.op.Kind != sem.OpLane || s.dst.typ != tM {
			continue
		}
		for k := range s.full {
			if p := s.full[k].pat; p != nil && !p.wanted && f.follows(p) {
				f.want(p)
			}
		}
	}
}

// follows tells whether a pattern is computed from kept ones and from what all lanes share.
func (f *finder) follows(p *pattern) bool {
	for _, pc := range p.from {
		for k := range f.steps[pc].full {
			src := &f.steps[pc].full[k]
			if src.pat == nil && !src.shared() || src.pat != nil && !src.pat.wanted {
				return false
			}
		}
	}
	return true
}
