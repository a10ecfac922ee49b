package amd64

import (
	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file ends blocks: a condition that nothing else wants is compared and jumped on at once, through and, or and
// not.

// target is where a branch leads, with the registers for its parameters; or an exit.
type target struct {
	to   *block
	args []isel.VReg
	exit *exit
}

// exit is one that several instructions of a block lead to.
type exit struct {
	state  ssa.StateID
	missed int32
	to     *isel.Block // from the first of them on
}

// lead makes an instruction the one that goes to a target: at the end of the block, or to an exit from where it is.
func (s *selector) lead(i *isel.Inst, t target) {
	if t.exit == nil {
		i.To, i.Args = t.to.Block, t.args
		s.end(i)
		return
	}
	s.emit(i)
	if t.exit.to == nil {
		s.exit(i, t.exit.state, t.exit.missed)
		t.exit.to = i.To
	}
	i.To = t.exit.to
}

// terminate ends the running block.
func (s *selector) terminate() {
	b := s.ssa
	if n := len(b.Effects); n > 0 && protocol[b.Effects[n-1].Kind] != nil {
		s.flush()
		s.next(b.Effects[n-1], target{to: s.blocks[b.Out[1].To.ID], args: s.arguments(b.Out[1])})
		s.jump(target{to: s.blocks[b.Out[0].To.ID], args: s.arguments(b.Out[0])})
		return
	}
	targets := make([]target, len(b.Out))
	for n, e := range b.Out {
		targets[n] = target{to: s.blocks[e.To.ID], args: s.arguments(e)}
	}
	s.takeLoads()
	s.flush()
	switch {
	case len(b.Out) == 0:
		s.end(&isel.Inst{Op: &op{name: "done", run: (*code).noneRuns}})
	case b.Cond == 0:
		s.jump(targets[0])
	default:
		s.branch(b.Cond, targets[0], targets[1])
	}
}

// arguments are the registers for the parameters of an edge's target, part after part.
func (s *selector) arguments(e *ssa.Edge) []isel.VReg {
	to := s.blocks[e.To.ID]
	args := make([]isel.VReg, len(to.Params))
	if s.together(e) {
		s.want(e.Args...)
	}
	for part := range 8 {
		at := 0
		for k, p := range e.To.Params {
			n := s.partsOf(p)
			switch {
			case s.f.IsNum(p) && part == 0:
				args[at] = s.num(e.Args[k])
			case !s.f.IsNum(p) && part < n:
				args[at+part] = s.part(e.Args[k], part)
			}
			at += n
		}
	}
	return args
}

// together tells whether the arguments of an edge are few enough to be computed for all parts at once.
func (s *selector) together(e *ssa.Edge) bool {
	lanes := 0
	for k, p := range e.To.Params {
		if !s.f.IsNum(p) && s.open(e.Args[k]) {
			lanes++
		}
	}
	return lanes <= 2
}

// end adds an instruction behind all that other blocks want of this one.
func (s *selector) end(i *isel.Inst) { s.tail = append(s.tail, i) }

func (s *selector) jump(t target) {
	s.end(&isel.Inst{Op: &op{form: formJump, code: x86.JMP, has: false}, To: t.to.Block, Args: t.args})
}

// branch goes to yes where a number holds, else to no.
func (s *selector) branch(cond ssa.Value, yes, no target) {
	if k, ok := s.f.Known(cond); ok {
		if k == 0 {
			yes = no
		}
		s.jump(yes)
		return
	}
	o := &s.f.Ops[cond]
	switch fused := s.fused(cond); {
	case fused && o.Code == ssa.Not:
		s.branch(o.A, no, yes)
	case fused && o.Code == ssa.And:
		s.either(o.A, false, no)
		s.branch(o.B, yes, no)
	case fused && o.Code == ssa.Or:
		s.either(o.A, true, yes)
		s.branch(o.B, yes, no)
	case no.to.Cold && !yes.to.Cold:
		s.either(cond, false, no)
		s.jump(yes)
	default:
		s.either(cond, true, yes)
		s.jump(no)
	}
}

// fused tells whether a condition is wanted by the branch alone.
func (s *selector) fused(v ssa.Value) bool {
	if s.uses[v] > 1 || s.f.Ops[v].Code <= ssa.Const {
		return false
	}
	_, there := s.look(key{v: v, kind: asNum})
	return !there && (s.placed[v] == s.ssa || s.placed[v] == nil)
}

// either goes to a target where a number is as it says, and on where it is not.
func (s *selector) either(v ssa.Value, is bool, t target) {
	o := &s.f.Ops[v]
	switch fused := s.fused(v); {
	case !fused:
	case o.Code == ssa.Not:
		s.either(o.A, !is, t)
		return
	case o.Code == ssa.Or && is, o.Code == ssa.And && !is:
		s.either(o.A, is, t)
		s.either(o.B, is, t)
		return
	case conditions[o.Code] != 0:
		s.compareAndJump(o, is, t)
		return
	case o.Code == ssa.Any || o.Code == ssa.All:
		s.lanesAndJump(o, is, t)
		return
	case o.Code == ssa.Inside && !is:
		s.outsideAndJump(o, t)
		return
	}
	r, cond := s.num(v), conditionIf(x86.NE, is)
	run := func(c *code) {
		c.RR(x86.TEST, x86.S32, c.u(0), c.u(0))
		c.leave(cond)
	}
	s.lead(&isel.Inst{Op: &op{name: "jump if", run: run}, Uses: []isel.VReg{r}}, t)
}

func conditionIf(c x86.Cond, is bool) x86.Cond {
	if is {
		return c
	}
	return c.Not()
}

// compareAndJump compares numbers.
func (s *selector) compareAndJump(o *ssa.Op, is bool, t target) {
	size, cond := sizeOf(s.f.TypeOf(o.A)), conditionIf(conditions[o.Code], is)
	i := &isel.Inst{Uses: []isel.VReg{s.num(o.A)}}
	k, ok := s.small(o.B)
	if !ok {
		i.Uses, i.Fold = append(i.Uses, s.num(o.B)), 2
	}
	i.Op = &op{form: formCmp, code: x86.CMP, size: uint8(size), cond: cond, has: ok, imm: k}
	s.lead(i, t)
}

// lanesAndJump looks at a mask.
func (s *selector) lanesAndJump(o *ssa.Op, is bool, t target) {
	i := &isel.Inst{}
	if s.isa.Has(Masks) {
		i.Uses = s.maskParts(o.A)
		flags := flagsOf(o.Code, len(i.Uses))
		i.Op = &op{name: "jump if " + o.Code.String(), run: func(c *code) { c.leave(conditionIf(flags(c), is)) }}
		s.lead(i, t)
		return
	}
	if o.Code == ssa.Any {
		cond := conditionIf(x86.NE, is)
		i.Uses = []isel.VReg{s.joined(o.A, x86.VPOR)}
		i.Op = &op{name: "jump if any", run: func(c *code) {
			c.VV(x86.VPTEST, x86.W256, c.uv(0), c.uv(0))
			c.leave(cond)
		}}
	} else {
		cond := conditionIf(x86.E, is)
		i.Uses, i.Temps = []isel.VReg{s.joined(o.A, x86.VPAND)}, s.temps(1, 0)
		i.Op = &op{name: "jump if all", run: func(c *code) {
			c.RV(x86.VMOVMSKPS, x86.W256, c.t(0), c.uv(0))
			c.RI(x86.CMP, x86.S32, c.t(0), 0xff)
			c.leave(cond)
		}}
	}
	s.lead(i, t)
}

// outsideAndJump goes to a block where a check does not hold of an address.
func (s *selector) outsideAndJump(o *ssa.Op, t target) {
	test := s.testOf(o)
	run := func(c *code) { c.test(&test, c.u(0), c.t(0), c.exit()) }
	s.lead(&isel.Inst{Op: &op{name: "jump if outside", run: run}, Uses: []isel.VReg{s.num(o.A)}, Temps: s.temps(1, 0)}, t)
}
