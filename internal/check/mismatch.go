package check

// This file turns the matcher's findings into diagnostics that point at the token.

import (
	"fmt"
	"strings"

	"ptxvm/internal/diag"
	"ptxvm/internal/isa"
	"ptxvm/internal/syntax"
)

// finding says how one kind of mismatch is reported: {have} and {want} are filled in.
type finding struct {
	code diag.Code
	text string
}

var findings = [isa.NumMismatchKinds]finding{
	isa.UnknownInstruction: {diag.UnknownInstruction, "{have} is no instruction"},
	isa.UnknownModifier:    {diag.UnknownModifier, "{token} is no modifier"},
	isa.RepeatedModifier:   {diag.RepeatedModifier, "{token} is given twice"},
	isa.NotAllowed:         {diag.NotAllowedWith, "{token} is not allowed"},
	isa.MissingModifier:    {diag.MissingModifier, "{opcode} needs {want}"},
	isa.WrongOrder:         {diag.TypeOrder, "the types of {opcode} are in the wrong order"},
	isa.NoCombination:      {diag.NoSuchCombination, "{opcode} has no such combination"},
	isa.OperandCount:       {diag.OperandCount, "{opcode} takes {want} operands, not {have}"},
	isa.OperandKind:        {diag.OperandKind, "want {want}, have {have}"},
	isa.OperandSpace:       {diag.AddressSpace, "want {want}, have {have}"},
	isa.OperandLength:      {diag.VectorLength, "want {want}, have {have}"},
	isa.OperandType:        {diag.OperandType, "want {want}, have {have}"},
	isa.OperandWidth:       {diag.OperandWidth, "want {want}, have {have}"},
	isa.OperandRange:       {diag.ImmediateRange, "want {want}, have {have}"},
	isa.RuleBroken:         {diag.NotAllowedWith, "{opcode}: {want}"},
	isa.GateClosed:         {diag.NeedsVersion, "this form needs {want}; the module has .version {version} and .target {target}"},
	isa.GatePast:           {diag.Removed, "this form is gone since {want}; the module has .version {version} and .target {target}"},
	isa.CheckFailed:        {diag.NotAllowedWith, "{want}"},
}

// mismatch reports the first finding for an instruction; one error is enough for one line.
func (c *checker) mismatch(s *syntax.Instruction, sel *isa.Sel, fails []isa.Mismatch) {
	m := &fails[0]
	f := findings[m.Kind]
	span := c.mismatchSpan(s, m)
	d := c.errorf(c.mismatchCode(m, f.code), span, "%s", c.fill(f.text, s, m))
	if m.Other >= 0 {
		d.Msg += " with " + c.queryToken(m.Other)
	} else if m.Kind == isa.NotAllowed && m.Want != "" {
		d.Msg += "; want " + m.Want
	}
	if m.Entry != nil {
		d.Form, d.Spec = m.Form(), section(m.Entry)
	} else if sel != nil {
		d.Spec = section(sel.Entry)
	}
	c.mismatchFix(d, s, m)
}

// section cites an entry: the 9.1 manual's number, or the manual that has it.
func section(e *isa.Entry) string {
	if e.Manual == 0 {
		return e.Section
	}
	return fmt.Sprintf("%v: %s", e.Manual, e.Section)
}

// mismatchCode tells a version gate from a target gate.
func (c *checker) mismatchCode(m *isa.Mismatch, code diag.Code) diag.Code {
	if m.Kind != isa.GateClosed {
		return code
	}
	for _, alt := range m.Gate {
		if alt.Version != 0 && c.info.Version.Before(alt.Version) && (len(alt.Targets) == 0 || c.passesAny(alt.Targets)) {
			return diag.NeedsVersion
		}
	}
	for _, alt := range m.Gate {
		for _, t := range alt.Targets {
			if t.Suffix != 0 && t.Arch <= c.info.Target.Arch {
				return diag.NeedsArchTarget
			}
		}
	}
	return diag.NeedsTarget
}

func (c *checker) passesAny(targets []isa.Target) bool {
	for _, t := range targets {
		if c.info.Target.Satisfies(t) {
			return true
		}
	}
	return false
}

// fill puts the particulars into a finding's text.
func (c *checker) fill(text string, s *syntax.Instruction, m *isa.Mismatch) string {
	token := ""
	if m.Token >= 0 {
		token = c.queryToken(m.Token)
	}
	return strings.NewReplacer("{have}", m.Have, "{want}", m.Want, "{token}", token,
		"{opcode}", strings.Join(c.tokens, ""), "{version}", c.info.Version.String(), "{target}", c.info.Target.String()).Replace(text)
}

// queryToken is the spelling of a token of the query; the suffix stands behind the modifiers.
func (c *checker) queryToken(i int) string {
	if i < len(c.tokens) {
		return c.tokens[i]
	}
	return c.query.Suffix
}

// mismatchSpan is what a finding points at: a modifier, an operand or one part of it, else the opcode.
func (c *checker) mismatchSpan(s *syntax.Instruction, m *isa.Mismatch) diag.Span {
	switch {
	case m.Token == 0:
		return c.at(s.Opcode)
	case m.Token > 0 && m.Token <= len(s.Mods):
		return c.at(s.Mods[m.Token-1])
	case m.Operand >= 0 && m.Operand < len(s.Operands):
		return c.operandSpan(&s.Operands[m.Operand], m.Part)
	}
	span := c.at(s.Opcode)
	if n := len(s.Mods); n > 0 {
		span.End = c.at(s.Mods[n-1]).End
	}
	return span
}

func (c *checker) operandSpan(o *syntax.Operand, part int) diag.Span {
	if part >= 0 && part < len(o.Elems) {
		return c.file.Span(o.Elems[part].Range)
	}
	return c.file.Span(o.Range)
}

// mismatchFix offers an edit where the finding names a spelling that would do.
func (c *checker) mismatchFix(d *diag.Diagnostic, s *syntax.Instruction, m *isa.Mismatch) {
	switch {
	case m.Kind == isa.UnknownInstruction && m.Fix != "" && !strings.Contains(m.Fix, "."):
		d.Fixes = append(d.Fixes, diag.Fix{Label: "write " + m.Fix, Edits: []diag.Edit{{Span: c.at(s.Opcode), New: m.Fix}}})
	case m.Kind == isa.UnknownModifier && m.Fix != "" && m.Token > 0 && m.Token <= len(s.Mods):
		d.Fixes = append(d.Fixes, diag.Fix{Label: "write " + m.Fix, Edits: []diag.Edit{{Span: c.at(s.Mods[m.Token-1]), New: m.Fix}}})
	case (m.Kind == isa.NotAllowed || m.Kind == isa.RepeatedModifier) && m.Token > 0 && m.Token <= len(s.Mods):
		d.Fixes = append(d.Fixes, diag.Fix{Label: "remove " + c.tokens[m.Token], Edits: []diag.Edit{{Span: c.at(s.Mods[m.Token-1])}}})
	case m.Fix != "":
		d.Fixes = append(d.Fixes, diag.Fix{Label: "write " + m.Fix})
	}
}
