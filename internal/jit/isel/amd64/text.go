package amd64

import (
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/jit/isel"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
)

// This file writes instructions as text (isel.Func.Text), each with what it was selected for.

// Text is the instruction with names for what it reads.
func (o *op) Text(uses []string) string {
	uses = slices.Clone(uses)
	if o.form == formRun {
		return fmt.Sprintf("%s(%s)", o.name, strings.Join(uses, ", "))
	}
	under := ""
	if last := len(uses) - 1; o.masked {
		under, uses = " under "+uses[last], uses[:last]
		if o.zero {
			under += ", else 0"
		}
	}
	if o.tied() {
		uses[0] += "(tied)"
	}
	if o.mem.kind != noMem {
		uses = o.mem.among(uses, o.form == formStore || o.form == formStoreI)
	}
	if o.form == formFMA {
		return fmt.Sprintf("%s %s · %s + %s", [...]string{"vfmaddps", "vfmaddpd"}[o.imm], uses[0], uses[2], uses[1]) + under
	}
	switch o.form {
	case formVI, formLoadVI, formStoreI, formRRI, formKI, formKVI, formLoadKVI:
		uses = append(uses, fmt.Sprint(o.imm))
	case formALU, formCmp:
		if o.has {
			uses = append(uses, fmt.Sprint(o.imm))
		}
	}
	text := strings.TrimSpace(o.code.String()+" "+strings.Join(uses, ", ")) + under
	switch o.form {
	case formJump:
		return "jmp"
	case formCmp:
		text += "; j" + o.cond.String()
	}
	return text
}

// tied tells whether an instruction changes its first operand to its result. A sum of numbers may be a lea.
func (o *op) tied() bool {
	return o.form == formTied || o.form == formALU && o.code != x86.ADD && !(o.has && o.code == x86.IMUL)
}

// among puts the operand in memory where its register stands among what is read, or the only one: in front of what is stored,
// else behind the others.
func (m *mem) among(uses []string, first bool) []string {
	text := [...]string{atHost: "[global", atFrame: "[frame", atState: "[state"}[m.kind]
	if at := int(m.use); at >= 0 {
		text += "+" + uses[at]
		uses = slices.Delete(uses, at, at+1)
	}
	if m.disp != 0 {
		text += fmt.Sprintf("%+d", m.disp)
	}
	at := len(uses)
	if first {
		at = 0
	}
	return slices.Insert(uses, at, text+"]")
}

// cause is what instructions are selected for: part of a value, an effect, or the exit of a state.
type cause struct {
	value  ssa.Value
	part   int16
	effect *ssa.Effect
	state  ssa.StateID
}

// because says what the next instructions are selected for; it returns what was said before.
func (s *selector) because(c cause) (before cause) {
	before, s.cause = s.cause, c
	return before
}

// reasons are the causes of the instructions of a function as text; nil where nothing asks for them.
type reasons map[*isel.Inst]string

// reason is what the running instruction is selected for.
func (s *selector) reason() string {
	switch c := s.cause; {
	case c.state != 0:
		return fmt.Sprintf("state %d", c.state)
	case c.effect != nil:
		return s.f.Line(ssa.Item{Effect: c.effect})
	case c.value != 0:
		name := fmt.Sprintf("v%d", c.value)
		text := strings.TrimPrefix(s.f.Line(ssa.Item{Value: c.value}), name)
		if e := s.loads[c.value]; e != nil {
			_, text, _ = strings.Cut(s.f.Line(ssa.Item{Effect: e}), " =")
			text = ":" + text
		}
		if !s.f.IsNum(c.value) && s.partsOf(c.value) > 1 {
			name += fmt.Sprintf("[%d]", c.part)
		}
		return name + text
	}
	return ""
}

// Text is what was selected, with what it was selected for if there is a trace.
func (o *Code) Text() string { return o.Func.Text(func(i *isel.Inst) string { return o.reasons[i] }) }
