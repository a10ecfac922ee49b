package ir

// This file is the one place where ir knows instructions, by their generated ids: how
// control leaves them, how they use the carry flag and their first operand.

import "ptxvm.invalid/ptxvm/internal/isa"

// flow says how control leaves an instruction.
type flow uint8

const (
	flowNext   flow = iota
	flowCall        // comes back
	flowBranch      // one target
	flowTable       // a table of targets
	flowRet         // leaves the function
	flowExit        // ends the lane
	flowTrap        // never comes back
)

// property is what ir knows about an id. The zero value: goes on, writes its first
// operand if that can be written, has the class that its effects imply.
type property struct {
	flow   flow
	rule   rule
	carry  Carry    // beside CarryIn, CarryOut counts only where .cc is written
	reads  bool     // the first operand is a source
	update bool     // the first operand is read and written
	more   uint8    // operands behind the first that are written, too
	also   isa.Role // the operand of this role is written, too
}

// properties lists the ids that need one.
var properties = [...]property{
	isa.Bra:    {flow: flowBranch, reads: true},
	isa.BrxIdx: {flow: flowTable, reads: true},
	isa.Call:   {flow: flowCall},
	isa.Ret:    {flow: flowRet},
	isa.Exit:   {flow: flowExit},
	isa.Trap:   {flow: flowTrap},

	isa.AddCc:   {carry: CarryOut},
	isa.Addc:    {carry: CarryIn | CarryOut},
	isa.SubCc:   {carry: CarryOut},
	isa.Subc:    {carry: CarryIn | CarryOut},
	isa.MadLoCc: {carry: CarryOut},
	isa.MadHiCc: {carry: CarryOut},
	isa.MadcLo:  {carry: CarryIn | CarryOut},
	isa.MadcHi:  {carry: CarryIn | CarryOut},

	isa.BarSync:        {reads: true},
	isa.BarArrive:      {reads: true},
	isa.BarrierSync:    {reads: true},
	isa.BarrierArrive:  {reads: true},
	isa.BarWarpSync:    {reads: true},
	isa.Nanosleep:      {reads: true},
	isa.Stackrestore:   {reads: true},
	isa.Tcgen05Dealloc: {reads: true},

	isa.WgmmaMmaAsync:   {update: true},
	isa.WgmmaMmaAsyncSp: {update: true},
	isa.Tcgen05LdRed:    {more: 1},

	isa.MbarrierTestWait: {also: isa.R_value},
	isa.MbarrierTryWait:  {also: isa.R_value},

	isa.Spcompress:             {more: 1},
	isa.Tcgen05LdSpcompress:    {more: 1},
	isa.Tcgen05LdRedSpcompress: {more: 2},

	isa.Mov:        {rule: ruleMove},
	isa.Cvta:       {rule: ruleMove},
	isa.CvtaTo:     {rule: ruleMove},
	isa.AddInt:     {rule: ruleAdd},
	isa.SubInt:     {rule: ruleAdd},
	isa.MulLo:      {rule: ruleMul},
	isa.MulWide:    {rule: ruleMulWide},
	isa.MadLo:      {rule: ruleMad},
	isa.MadWide:    {rule: ruleMadWide},
	isa.Shl:        {rule: ruleShl},
	isa.Cvt:        {rule: ruleCvt},
	isa.Ld:         {rule: ruleLoad},
	isa.LdNc:       {rule: ruleLoad},
	isa.Ldu:        {rule: ruleLoad},
	isa.Activemask: {rule: ruleVector},
	isa.Stacksave:  {rule: ruleVector},
}

func (in *Inst) property() property { return propertyOf(in.Sel.ID()) }

func propertyOf(id isa.ID) property {
	if int(id) < len(properties) {
		return properties[id]
	}
	return property{}
}

// AccessOf says how a statement of a form touches its operand at a place, from 0, if that is a register, or has registers as a
// vector or pair: what Annotate writes into operands. Registers of addresses are read.
func AccessOf(sel *isa.Sel, operand int) OperandAccess {
	p := propertyOf(sel.ID())
	also := (*isa.RoleAt)(nil)
	if p.also != 0 {
		also = sel.At(p.also)
	}
	switch {
	case operand == 0 && p.update:
		return ReadWrite
	case operand == 0 && !p.reads, 0 < operand && operand <= int(p.more), also != nil && also.Op == operand:
		return OnlyWrite
	}
	return OnlyRead
}

func (in *Inst) flow() flow {
	if in.Inlined {
		return flowNext
	}
	return in.property().flow
}

// endsBlock reports whether control may go elsewhere than to the next instruction and come
// back to this function: a guarded exit only takes lanes away.
func (in *Inst) endsBlock() bool {
	switch in.flow() {
	case flowBranch, flowTable, flowRet:
		return true
	case flowExit, flowTrap:
		return in.Guard.Reg == NoReg
	}
	return false
}

// stops reports whether control never reaches the next instruction.
func (in *Inst) stops() bool { return in.endsBlock() && in.Guard.Reg == NoReg }

// IsCall, IsBranch and IsReturn tell how control leaves the instruction.
func (in *Inst) IsCall() bool { return in.flow() == flowCall }

// IsBranch is true for branches with one target and with a table.
func (in *Inst) IsBranch() bool { return in.flow() == flowBranch || in.flow() == flowTable }

// IsReturn is true for returns from a function.
func (in *Inst) IsReturn() bool { return in.flow() == flowRet }

// LeaveKernel turns a return into an exit, which is what it means in a kernel (9.7.12.6).
func (in *Inst) LeaveKernel() { in.Sel = exitSel() }

// pure reports whether an instruction only computes its results from its operands.
func (in *Inst) pure() bool { return in.Sel.Entry.Effects.Bits == 0 && in.flow() == flowNext }

// Elementwise reports whether a handler may write the result of one lane before it reads the
// operands of the next, so that the result can have the row of an operand that dies here:
// a pure instruction with one result of one row and no vector operands.
func (in *Inst) Elementwise() bool {
	if !in.pure() || in.Carry != 0 {
		return false
	}
	for i := range in.Ops {
		switch o := &in.Ops[i]; {
		case len(o.Elems) > 0, o.Kind == OpReg && o.Type.Bits() > 64:
			return false
		}
	}
	return true
}

// Annotate fills what the chosen form says about the operands: roles, access, the types of
// all operands, and the use of the carry flag.
func (in *Inst) Annotate(regs []RegInfo) {
	p := in.property()
	in.Carry = p.carry & CarryIn
	if p.carry == CarryOut || p.carry&CarryOut != 0 && in.Sel.Has(isa.M_cc) {
		in.Carry |= CarryOut // glued to the opcode, or an optional modifier
	}
	if len(in.Ops) > 0 && !p.reads {
		access := OnlyWrite
		if p.update {
			access = ReadWrite
		}
		in.Ops[0].write(access)
	}
	for i := 1; i <= int(p.more) && i < len(in.Ops); i++ {
		in.Ops[i].write(OnlyWrite)
	}
	for i := range in.Sel.Roles {
		in.annotate(&in.Sel.Roles[i])
	}
	if p.also != 0 {
		if o := in.Op(p.also); o != nil {
			o.write(OnlyWrite)
		}
	}
	setTypes(in.Ops, regs)
	if c := in.Call; c != nil {
		c.annotate(regs)
	}
}

func (c *Call) annotate(regs []RegInfo) {
	setTypes(c.Rets, regs)
	setTypes(c.Args, regs)
	if c.Target.Kind == OpReg {
		c.Target.Type = regs[c.Target.Reg].Type
	}
	for i := range c.Rets {
		c.Rets[i].write(OnlyWrite)
	}
}

// annotate gives one operand its role, and constants their type.
func (in *Inst) annotate(at *isa.RoleAt) {
	if at.Op >= len(in.Ops) {
		return // labels, targets and the parts of a call are not operands here
	}
	o := &in.Ops[at.Op]
	if at.Part > 0 && o.Kind == OpMem {
		o = o.part(at.Part - 1)
	} else if at.Part >= 0 && o.Kind == OpPair {
		o = o.part(at.Part)
	}
	if o == nil {
		return
	}
	o.Role = at.Role
	o.typeConstants(at.Type)
}

func (o *Operand) part(i int) *Operand {
	if i < len(o.Elems) {
		return &o.Elems[i]
	}
	return nil
}

func (o *Operand) typeConstants(t isa.Type) {
	switch o.Kind {
	case OpImm:
		o.Type = t
	case OpVec:
		for i := range o.Elems {
			o.Elems[i].typeConstants(t)
		}
	}
}

// setTypes gives operands the types that their registers, variables and special registers
// were declared with.
func setTypes(ops []Operand, regs []RegInfo) {
	for i := range ops {
		switch o := &ops[i]; {
		case o.Kind == OpReg:
			o.Type = regs[o.Reg].Type
		case o.Kind == OpSpec:
			o.Type = o.Special.Info().Type
		case o.Kind == OpSym && o.Var != nil:
			o.Type = o.Var.Type
		}
		setTypes(ops[i].Elems, regs)
	}
}

// write marks the registers of a destination.
func (o *Operand) write(access OperandAccess) {
	switch o.Kind {
	case OpReg, OpSpec, OpSink:
		o.Access = access
	case OpVec, OpPair:
		for i := range o.Elems {
			o.Elems[i].write(access)
		}
	}
}
