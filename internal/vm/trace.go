package vm

// This file shows what a CTA executes, instruction by instruction.

import (
	"encoding/binary"
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/findings"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/value"
)

// Trace asks a launch for every instruction that a CTA executes, or one of its threads. Results are
// those of a launch without it.
type Trace struct {
	CTA      Index3
	Thread   *Index3 // the only one to show; nil: all
	From, To int     // lines of the PTX, both included; 0, 0: all
	// Each is called for each step while the kernel runs, one call at a time; the Step is valid until
	// it returns.
	Each func(*Step)
}

// Step is one instruction that lanes of a warp have executed.
type Step struct {
	Kernel string
	CTA    Index3
	Warp   int
	Lanes  uint32 // that executed; a lane that is in Active alone had a false guard
	Active uint32 // that stood at the instruction
	PTX    Location
	Source []Location // by .loc, innermost first
	Calls  int        // calls that led here
	Text   string     // the instruction as written, on one line
	Reads  []Traced
	Writes []Traced // empty if nothing was written, or not yet: see Then
	Then   string   // "", or what came of it: jumps, diverges, waits, yields, exits, faults
	Next   int      // the line that it jumps to; 0 unless Then is jumps
	// Moment is how many warp instructions the launch has executed before, which a debugger goes to; nil where several workers execute
	// clusters at once.
	Moment *uint64
}

// Traced is a register operand with its values, or the address that it is part of.
type Traced struct {
	Name   string // %r1, {}-parts on their own; of an address all of [%rd1+4]
	Type   string // what the form calls it: f32, b64, pred
	values regs.Register
	typ    value.Type
	bits   int
}

// Bits are the low 64 bits of a lane's value.
func (t *Traced) Bits(lane int) uint64 { return t.values.Low[lane&31] }

// Value is a lane's value as text: shortest digits that read back for numbers, hexadecimal for bits.
func (t *Traced) Value(lane int) string {
	lane &= 31
	if t.bits == 1 {
		return string('0' + byte(t.values.Low[lane]))
	}
	data := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, t.values.Low[lane]), t.values.High[lane])
	return t.typ.Format(data[:t.typ.Size()])
}

// Number reports whether values count: integers, whose regular rows are worth seeing as such.
func (t *Traced) Number() bool { return !t.typ.Float() && t.bits > 1 }

// tracer is what a machine gets for a Trace; nil for nil.
func (k *Kernel) tracer(t *Trace, l *machine.Launch) (*machine.Tracer, error) {
	if t == nil || t.Each == nil {
		return nil, nil
	}
	out := &machine.Tracer{Warp: -1, Lanes: ^uint32(0)}
	var inside bool
	if out.CTARank, inside = rankIn(l.Grid, t.CTA); !inside {
		return nil, k.refuse("trace: CTA %s is not in the grid of %v, which counts from 0", t.CTA, Dim3(findings.Point(l.Grid)))
	}
	if t.Thread != nil {
		thread, inside := rankIn(l.Block, *t.Thread)
		if !inside {
			return nil, k.refuse("trace: thread %s is not in the block of %v, which counts from 0", t.Thread, Dim3(findings.Point(l.Block)))
		}
		out.Warp, out.Lanes = int32(thread/32), 1<<(thread%32)
	}
	lines := traceLines{p: k.program, kernel: k.info.Name, at: map[tracedAt]*tracedLine{}}
	out.Step = func(s *machine.Step) {
		line := lines.find(s)
		if n := line.ptx.Line; t.From == 0 && t.To == 0 || t.From <= n && n <= t.To {
			step := lines.step(line, s, out.Lanes)
			if l.Moments != nil {
				step.Moment = &s.Moment
			}
			t.Each(step)
		}
	}
	return out, nil
}

// countMoments lets a traced launch whose order is that of a debugger count its instructions.
func countMoments(l *machine.Launch, workers int) {
	size := uint64(l.Cluster[0]) * uint64(l.Cluster[1]) * uint64(l.Cluster[2])
	if l.Trace != nil && l.Moments == nil && (workers == 1 || l.CTAs() <= size) {
		l.Moments = &machine.Moments{Until: machine.Never}
	}
}

// rankIn is a linear index, x fastest; false outside.
func rankIn(extent [3]uint32, at Index3) (uint64, bool) {
	inside := at.X < extent[0] && at.Y < extent[1] && at.Z < extent[2]
	return uint64(at.X) + uint64(extent[0])*(uint64(at.Y)+uint64(extent[1])*uint64(at.Z)), inside
}

// traceLines remembers where instructions stand.
type traceLines struct {
	p      *Program
	kernel string
	at     map[tracedAt]*tracedLine
}

type tracedAt struct {
	f  *machine.FuncInfo
	pc int32
}

// tracedLine is what does not change from step to step.
type tracedLine struct {
	f      *ir.Func
	in     *ir.Inst
	ptx    Location
	source []Location
	text   string
}

func (t *traceLines) find(s *machine.Step) *tracedLine {
	key := tracedAt{s.Func, s.PC}
	line := t.at[key]
	if line == nil {
		line = &tracedLine{}
		line.ptx, line.source, line.text = findings.Locate(t.p.module, s.Func, s.PC)
		if f := decode.FuncOf(s.Func); f != nil && int(s.PC) < len(f.Insts) {
			line.f, line.in = f, &f.Insts[s.PC]
		}
		t.at[key] = line
	}
	return line
}

// register is the name of the register whose row has an index among those of an instruction's registers; empty if there is none.
func (l *tracedLine) register(row int) (name string) {
	if l.in == nil || row < 0 {
		return ""
	}
	l.f.EachReg(l.in, func(r ir.Reg, _ ir.Access) {
		if row--; row == -1 {
			name = l.f.Regs[r].Name
		}
	})
	return name
}

// step puts a machine's step into the terms of the source. lanes are those that are to be shown.
func (t *traceLines) step(line *tracedLine, s *machine.Step, lanes uint32) *Step {
	out := &Step{Kernel: t.kernel, CTA: findings.Point(s.CTA), Warp: s.Warp, Lanes: s.Lanes & lanes, Active: s.Active & lanes,
		PTX: line.ptx, Source: line.source, Calls: s.Depth, Text: line.text, Then: thenWords[s.Then]}
	if s.Then == machine.Jump {
		ptx, _, _ := findings.Locate(t.p.module, s.Func, s.Target)
		out.Next = ptx.Line
	}
	if line.in != nil && out.Lanes != 0 {
		v := tracedOperands{line: line, step: s}
		v.reads(line.in)
		v.writes(line.in)
		out.Reads, out.Writes = v.in, v.out
	}
	return out
}

// thenWords say what a state means to a reader.
var thenWords = map[machine.State]string{
	machine.Jump: "jumps", machine.Diverge: "diverges", machine.Wait: "waits", machine.Again: "yields",
	machine.Exited: "exits", machine.Faulted: "faults",
}

// tracedOperands walks an instruction's operands as ir.Func.EachReg walks its registers, which is the
// order of a step's rows.
type tracedOperands struct {
	line    *tracedLine
	step    *machine.Step
	in, out []Traced
}

// reads lists what is read: guards are in the masks, and so are left out.
func (v *tracedOperands) reads(in *ir.Inst) {
	held := map[ir.Reg]*regs.Register{}
	i := 0
	v.line.f.EachReg(in, func(r ir.Reg, a ir.Access) {
		if a == ir.Read && i < len(v.step.Before) {
			held[r] = &v.step.Before[i]
			i++
		}
	})
	v.walk(in.Ops, held, false)
	if in.Call != nil {
		v.walk(in.Call.Args, held, false)
		if in.Call.Callee == nil {
			v.add(&in.Call.Target, held, false)
		}
	}
	if in.Carry&ir.CarryIn != 0 {
		v.register(v.line.f.CC, isa.Type(0), held, false)
	}
}

// writes lists what was written.
func (v *tracedOperands) writes(in *ir.Inst) {
	held := map[ir.Reg]*regs.Register{}
	i := 0
	v.line.f.EachReg(in, func(r ir.Reg, a ir.Access) {
		if a == ir.Write && i < len(v.step.After) {
			held[r] = &v.step.After[i]
			i++
		}
	})
	v.walk(in.Ops, held, true)
	if in.Carry&ir.CarryOut != 0 {
		v.register(v.line.f.CC, isa.Type(0), held, true)
	}
}

func (v *tracedOperands) walk(ops []ir.Operand, held map[ir.Reg]*regs.Register, written bool) {
	for i := range ops {
		v.add(&ops[i], held, written)
	}
}

// add shows an operand: a register's value, an address.
func (v *tracedOperands) add(o *ir.Operand, held map[ir.Reg]*regs.Register, written bool) {
	switch o.Kind {
	case ir.OpReg:
		if o.Access == ir.ReadWrite || (o.Access == ir.OnlyWrite) == written {
			v.register(o.Reg, v.roleType(o), held, written)
		}
	case ir.OpMem:
		if !written && o.Reg != ir.NoReg {
			v.address(o, held)
		}
		v.walk(o.Elems, held, written)
	case ir.OpVec, ir.OpPair:
		v.walk(o.Elems, held, written)
	}
}

// roleType is the type that the form gives an operand.
func (v *tracedOperands) roleType(o *ir.Operand) isa.Type {
	if at := v.line.in.Sel.At(o.Role); at != nil && o.Role != 0 {
		return at.Type
	}
	return o.Type
}

// register shows a register's row, as the type says if that is one of values and no wider than the
// register, else as bits.
func (v *tracedOperands) register(r ir.Reg, typ isa.Type, held map[ir.Reg]*regs.Register, written bool) {
	row := held[r]
	if row == nil {
		return
	}
	info := &v.line.f.Regs[r]
	t := Traced{Name: info.Name, bits: int(info.Bits), values: *row}
	var err error
	if t.typ, err = value.ParseType(strings.TrimPrefix(typ.String(), ".")); err != nil || t.typ.Bits() > t.bits {
		t.typ = value.BitsType(t.bits)
	}
	if t.Type = t.typ.Name(); t.bits == 1 {
		t.Type = "pred"
	}
	v.append(t, written)
}

// address shows what an address operand comes to.
func (v *tracedOperands) address(o *ir.Operand, held map[ir.Reg]*regs.Register) {
	row := held[o.Reg]
	if row == nil {
		return
	}
	info := &v.line.f.Regs[o.Reg]
	t := Traced{Name: addressText(info.Name, o.Disp()), bits: int(info.Bits), values: *row}
	for i := range t.values.Low {
		t.values.Low[i] += uint64(o.Disp())
	}
	t.typ = value.BitsType(t.bits)
	t.Type = t.typ.Name()
	v.append(t, false)
}

func addressText(base string, disp int64) string {
	if disp == 0 {
		return "[" + base + "]"
	}
	return fmt.Sprintf("[%s%+d]", base, disp)
}

func (v *tracedOperands) append(t Traced, written bool) {
	if written {
		v.out = append(v.out, t)
		return
	}
	v.in = append(v.in, t)
}
