package opt

import (
	"ptxvm.invalid/ptxvm/internal/jit/analysis"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// This pass takes canon out of loops: a sum that a loop adds up has any NaN in it, and PTX's behind it. Arithmetic cannot tell one NaN from
// another, so only what sees bits wants the canonical one.
//
//	b1 level 3(v1 w):               b1 level 3(v9 w):
//	  v2 = fadd.w v1, v7       →      v2 = fadd.w v9, v7
//	  v3 = canon.w v2
//	  if … b1(v3) else b2()           if … b1(v2) else b2()
//	b2: … v1 …                      b2: … v1 = canon.w v9 …
//
// It applies to parameters in loops that are given what canon has made, constants, selections of these, or each other. It does not where
// something in the loop sees the bits: there canon is wanted in each turn anyway.

func nan(f *ssa.Func, _ *analysis.Cache, _ *Knobs) bool {
	p := &nans{f: f, raw: map[ssa.Value]ssa.Value{}, blocks: map[ssa.Value]*ssa.Block{}, args: map[ssa.Value][]ssa.Value{}}
	for _, b := range f.Blocks {
		for _, v := range b.Params {
			if b.Level > warpLevel && f.TypeOf(v) == ssa.W && !f.IsNum(v) {
				p.raw[v], p.blocks[v] = 0, b
			}
		}
	}
	for _, b := range f.Blocks {
		for _, e := range b.Out {
			for i, v := range e.To.Params {
				p.args[v] = append(p.args[v], e.Args[i])
			}
		}
	}
	for changed := true; changed && len(p.raw) > 0; {
		p.findLevels()
		changed = false
		for v := range p.raw {
			if !p.holds(v) {
				delete(p.raw, v)
				changed = true
			}
		}
	}
	p.replace()
	return false
}

// warpLevel is the level of what a warp does once.
const warpLevel = 2

// nans knows which parameters may have any NaN.
type nans struct {
	f      *ssa.Func
	raw    map[ssa.Value]ssa.Value   // by parameter: the one in its place
	blocks map[ssa.Value]*ssa.Block  // of them
	args   map[ssa.Value][]ssa.Value // what parameters are given
	uses   []int8                    // by value: the highest level of what hot code uses it for
	bits   []int8                    // so of what sees its bits
}

// findLevels finds where values are used.
func (p *nans) findLevels() {
	p.uses, p.bits = make([]int8, len(p.f.Ops)), make([]int8, len(p.f.Ops))
	for _, b := range p.f.Blocks {
		if b.Cold {
			continue
		}
		seen := func(v ssa.Value) { p.uses[v], p.bits[v] = max(p.uses[v], b.Level), max(p.bits[v], b.Level) }
		for _, e := range b.Effects {
			for _, v := range e.Reads() {
				seen(v)
			}
		}
		seen(b.Cond)
		for _, e := range b.Out {
			for i, v := range e.Args {
				if _, any := p.raw[e.To.Params[i]]; any {
					p.uses[v] = max(p.uses[v], b.Level)
				} else {
					seen(v)
				}
			}
		}
	}
	for v := len(p.f.Ops) - 1; v > 0; v-- { // users have larger numbers than operands
		o := &p.f.Ops[v]
		for i, a := range o.Operands() {
			p.uses[a] = max(p.uses[a], p.uses[v])
			switch {
			case anyNaN(o.Code):
			case o.Code == ssa.Select && i > 0:
				p.bits[a] = max(p.bits[a], p.bits[v])
			default:
				p.bits[a] = max(p.bits[a], p.uses[v])
			}
		}
	}
}

// anyNaN tells whether an operation does the same for any NaN.
func anyNaN(c ssa.Code) bool { return c >= ssa.FAdd && c <= ssa.Canon }

// holds tells whether a parameter may have any NaN, if the others may, and gains by it.
func (p *nans) holds(v ssa.Value) bool {
	if p.bits[v] >= p.blocks[v].Level {
		return false
	}
	gains := false
	for _, a := range p.args[v] {
		ok, canon := p.bare(a)
		if !ok {
			return false
		}
		gains = gains || canon
	}
	return gains
}

// bare tells whether it is known of a value what it is but for the bits of NaNs, and whether canon makes it.
func (p *nans) bare(v ssa.Value) (ok, canon bool) {
	_, any := p.raw[v]
	switch o := &p.f.Ops[v]; {
	case o.Code == ssa.Canon:
		return true, true
	case o.Code == ssa.Select && o.Type == ssa.W:
		a, x := p.bare(o.B)
		b, y := p.bare(o.C)
		return a && b, x || y
	default:
		return any || o.Code == ssa.Const, any
	}
}

// replace puts a parameter that may have any NaN into the place of each that may: what it was is canon of that.
func (p *nans) replace() {
	for _, b := range p.f.Blocks {
		for i, v := range b.Params {
			if _, any := p.raw[v]; any {
				o := p.f.Ops[v]
				q := p.f.NewParam(b, ssa.W, false)
				p.f.Ops[q].Copy, p.raw[v] = o.Copy, q
				b.Params = b.Params[:len(b.Params)-1]
				b.Params[i] = q
				p.f.Ops[v] = ssa.Op{Code: ssa.Canon, Type: ssa.W, N: 1, A: q, Copy: o.Copy}
				p.f.Info[v].Block = -1
			}
		}
	}
	for v := range p.f.Ops {
		if o := &p.f.Ops[v]; anyNaN(o.Code) {
			*o = o.Map(func(a ssa.Value) ssa.Value {
				if q := p.raw[a]; q != 0 {
					return q
				}
				return a
			})
		}
	}
	done := map[ssa.Value]bool{}
	for _, q := range p.raw {
		done[q] = true
	}
	for _, b := range p.f.Blocks {
		for _, e := range b.Out {
			for i, v := range e.To.Params {
				if done[v] {
					e.Args[i] = p.strip(e.Args[i])
				}
			}
		}
	}
}

// strip is a value but for the bits of NaNs.
func (p *nans) strip(v ssa.Value) ssa.Value {
	o := p.f.Ops[v]
	switch q := p.raw[v]; {
	case q != 0:
		return q
	case o.Code == ssa.Canon:
		return o.A
	case o.Code == ssa.Select:
		o.B, o.C = p.strip(o.B), p.strip(o.C)
		return p.f.Clone(o, o.Copy)
	}
	return v
}
