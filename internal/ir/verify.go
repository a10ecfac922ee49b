package ir

// This file checks the invariants of a module: what every later stage relies on. Tests run
// it between stages; a finding is a defect of the stage before, never of the input.

import "fmt"

// Verify returns the first broken invariant of m, nil if there is none.
func Verify(m *Module) error {
	for _, f := range m.Funcs {
		if err := f.Verify(); err != nil {
			return err
		}
	}
	for _, v := range m.Vars {
		if err := v.verify(); err != nil {
			return err
		}
	}
	return nil
}

// Verify returns the first broken invariant of f.
func (f *Func) Verify() error {
	if !f.Defined {
		if len(f.Insts) > 0 {
			return fmt.Errorf("%s: declaration with instructions", f.Name)
		}
		return nil
	}
	for _, check := range []func() error{f.verifyShape, f.verifyRegs, f.verifyEdges, f.verifyInsts, f.verifyRows} {
		if err := check(); err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// verifyShape: blocks cover the instructions, end where control may leave, and nowhere else.
func (f *Func) verifyShape() error {
	if len(f.Blocks) == 0 {
		return fmt.Errorf("defined without blocks")
	}
	at := int32(0)
	for i := range f.Blocks {
		b := &f.Blocks[i]
		if b.First != at || b.End <= b.First || int(b.End) > len(f.Insts) {
			return fmt.Errorf("b%d is [%d,%d), want it to start at %d and end behind that", i, b.First, b.End, at)
		}
		at = b.End
		for pc := b.First; pc < b.End; pc++ {
			if f.Insts[pc].Sel == nil {
				return fmt.Errorf("pc %d has no form", pc)
			}
		}
		for pc := b.First; pc < b.End; pc++ {
			if pc < b.End-1 && f.Insts[pc].endsBlock() {
				return fmt.Errorf("pc %d leaves b%d in its middle", pc, i)
			}
			for _, t := range f.Insts[pc].Targets {
				if t < 0 || int(t) >= len(f.Blocks) {
					return fmt.Errorf("pc %d branches to b%d", pc, t)
				}
			}
		}
	}
	if int(at) != len(f.Insts) {
		return fmt.Errorf("instructions behind the last block")
	}
	if !f.Insts[at-1].stops() {
		return fmt.Errorf("control falls off the end")
	}
	return nil
}

func (f *Func) verifyRegs() error {
	seen := make(map[string]bool, len(f.Regs))
	for i := range f.Regs {
		r := &f.Regs[i]
		if seen[r.Name] {
			return fmt.Errorf("register %s stands twice", r.Name)
		}
		seen[r.Name] = true
		if int(r.Bits) != r.Type.Bits() || r.Bits == 0 {
			return fmt.Errorf("register %s has %d bits, its type %d", r.Name, r.Bits, r.Type.Bits())
		}
	}
	return nil
}

// verifyEdges: successors and predecessors mirror each other and agree with the code.
func (f *Func) verifyEdges() error {
	preds := make([]int, len(f.Blocks))
	for i := range f.Blocks {
		b := &f.Blocks[i]
		last := &f.Insts[b.End-1]
		want := map[BlockID]bool{}
		for _, t := range last.Targets {
			want[t] = true
		}
		if !last.stops() {
			want[BlockID(i+1)] = true
		}
		if len(want) != len(b.Succs) {
			return fmt.Errorf("b%d has successors %v, its code %d", i, b.Succs, len(want))
		}
		for _, s := range b.Succs {
			if !want[s] {
				return fmt.Errorf("b%d has a successor %v that its code lacks", i, s)
			}
			preds[s]++
		}
	}
	for i := range f.Blocks {
		if len(f.Blocks[i].Preds) != preds[i] {
			return fmt.Errorf("b%d has %d predecessors, want %d", i, len(f.Blocks[i].Preds), preds[i])
		}
		if i > 0 && preds[i] == 0 {
			return fmt.Errorf("b%d is unreachable", i)
		}
	}
	return nil
}

func (f *Func) verifyInsts() error {
	for pc := range f.Insts {
		in := &f.Insts[pc]
		if err := f.verifyInst(in); err != nil {
			return fmt.Errorf("pc %d (%s): %w", pc, in.Sel.Text(), err)
		}
	}
	return nil
}

func (f *Func) verifyInst(in *Inst) error {
	if g := in.Guard.Reg; g != NoReg && (int(g) >= len(f.Regs) || f.Regs[g].Width() != WPred) {
		return fmt.Errorf("guard is no predicate")
	}
	if in.Carry != 0 && f.CC == NoReg {
		return fmt.Errorf("uses CC.CF, which the function has no register for")
	}
	if err := f.verifyOps(in.Ops); err != nil {
		return err
	}
	branch := in.flow() == flowBranch
	if branch != (len(in.Targets) == 1) && in.flow() != flowTable {
		return fmt.Errorf("%d targets", len(in.Targets))
	}
	if (in.Call != nil) != (in.flow() == flowCall) {
		return fmt.Errorf("call site %v", in.Call != nil)
	}
	if in.Call == nil {
		return nil
	}
	if in.Call.Callee == nil && in.Call.Target.Kind != OpReg {
		return fmt.Errorf("call of nothing")
	}
	if err := f.verifyOps(in.Call.Args); err != nil {
		return err
	}
	return f.verifyOps(in.Call.Rets)
}

func (f *Func) verifyOps(ops []Operand) error {
	for i := range ops {
		o := &ops[i]
		if o.Kind >= NumOperandKinds {
			return fmt.Errorf("operand %d: kind %d", i, o.Kind)
		}
		if o.Kind == OpReg && (o.Reg < 0 || int(o.Reg) >= len(f.Regs)) ||
			o.Kind == OpMem && (o.Reg < NoReg || int(o.Reg) >= len(f.Regs)) {
			return fmt.Errorf("operand %d: register %d of %d", i, o.Reg, len(f.Regs))
		}
		if o.Kind == OpReg && o.Type != f.Regs[o.Reg].Type {
			return fmt.Errorf("operand %d: type %v, register %v", i, o.Type, f.Regs[o.Reg].Type)
		}
		if o.Kind == OpSym && (o.Var == nil) == (o.Func == nil) {
			return fmt.Errorf("operand %d: symbol of nothing", i)
		}
		if o.Kind == OpMem && o.Var != nil && o.Reg != NoReg {
			return fmt.Errorf("operand %d: address with two bases", i)
		}
		if o.Kind == OpPair && len(o.Elems) != 2 {
			return fmt.Errorf("operand %d: pair of %d", i, len(o.Elems))
		}
		if err := f.verifyOps(o.Elems); err != nil {
			return err
		}
	}
	return nil
}

// verifyRows: no two registers that are live together, or of which one is written while
// the other lives, share a row. It walks liveness, not the intervals that colour used.
func (f *Func) verifyRows() error {
	if len(f.Rows.Of) != len(f.Regs) {
		return fmt.Errorf("%d rows for %d registers", len(f.Rows.Of), len(f.Regs))
	}
	for i := range f.Blocks {
		b := &f.Blocks[i]
		live := NewBits(len(f.Regs))
		f.EachLiveOut(BlockID(i), func(r Reg) { live.Set(int(r)) })
		v := rowCheck{f: f, live: live, owner: map[rowKey]Reg{}}
		var err error
		live.Each(func(r int) { err = firstError(err, v.occupy(Reg(r))) })
		for pc := b.End - 1; pc >= b.First && err == nil; pc-- {
			err = v.step(&f.Insts[pc])
		}
		if i == 0 {
			err = firstError(err, v.params())
		}
		if err != nil {
			return fmt.Errorf("b%d: %w", i, err)
		}
	}
	return nil
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

type rowKey struct {
	set Width
	row int32
}

// rowCheck walks a block backward with the owner of every row.
type rowCheck struct {
	f     *Func
	live  Bits
	owner map[rowKey]Reg
}

func (v *rowCheck) rows(r Reg, visit func(rowKey)) {
	set, n := home(v.f.Regs[r].Width())
	for k := range n {
		visit(rowKey{set, v.f.Rows.Of[r] + k})
	}
}

func (v *rowCheck) occupy(r Reg) (err error) {
	v.rows(r, func(k rowKey) {
		if o, taken := v.owner[k]; k.row < 0 || taken && o != r {
			err = fmt.Errorf("%s has row %d, which holds %s", v.f.Regs[r].Name, k.row, v.f.Regs[o].Name)
		}
		v.owner[k] = r
	})
	return err
}

// params: the call writes every register parameter while what is live on entry lives.
func (v *rowCheck) params() (err error) {
	for _, q := range v.f.Params {
		if q.Reg != NoReg {
			err = firstError(err, v.occupy(q.Reg))
		}
	}
	return err
}

func (v *rowCheck) step(in *Inst) (err error) {
	var writes []Reg
	v.f.EachReg(in, func(r Reg, a Access) {
		if a == Write {
			writes = append(writes, r)
			err = firstError(err, v.occupy(r))
		}
	})
	for _, r := range writes {
		if in.kills() || !v.live.Has(int(r)) {
			v.live.Clear(int(r))
			if in.Elementwise() {
				v.release(r)
			}
		}
	}
	v.f.EachReg(in, func(r Reg, a Access) {
		if a == Read {
			v.live.Set(int(r))
			err = firstError(err, v.occupy(r))
		}
	})
	for _, r := range writes {
		if !v.live.Has(int(r)) {
			v.release(r)
		}
	}
	return err
}

func (v *rowCheck) release(r Reg) {
	v.rows(r, func(k rowKey) {
		if v.owner[k] == r {
			delete(v.owner, k)
		}
	})
}

func (v *Var) verify() error {
	switch {
	case v.Align <= 0 || v.Align&(v.Align-1) != 0:
		return fmt.Errorf("%s: alignment %d", v.Name, v.Align)
	case int64(len(v.Init)) > v.Size && v.Linkage != Extern:
		return fmt.Errorf("%s: %d initial bytes for %d", v.Name, len(v.Init), v.Size)
	}
	for _, r := range v.Relocs {
		if r.Off < 0 || r.Off+int64(r.Bytes) > int64(len(v.Init)) || (r.Var == nil) == (r.Func == nil) {
			return fmt.Errorf("%s: relocation at %d", v.Name, r.Off)
		}
	}
	return nil
}
