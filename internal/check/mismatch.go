package check

// This file turns the matcher's findings into diagnostics that point at the token.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
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
	isa.NoCombination:      {diag.NoSuchCombination, "no form of the instruction takes {opcode} together"},
	isa.OperandCount:       {diag.OperandCount, "{opcode} takes {want}, not {have}"},
	isa.OperandMissing:     {diag.OperandCount, "{token} takes one operand more: {want}"},
	isa.OperandKind:        {diag.OperandKind, "want {want}, have {have}"},
	isa.OperandSpace:       {diag.AddressSpace, "want {want}, have {have}"},
	isa.OperandLength:      {diag.VectorLength, "want {want}, have {have}"},
	isa.OperandType:        {diag.OperandType, "want {want}, have {have}"},
	isa.OperandWidth:       {diag.OperandWidth, "want {want}, have {have}"},
	isa.OperandRange:       {diag.ImmediateRange, "want {want}, have {have}"},
	isa.OperandSelector:    {diag.BadComponent, "want {want}, have {have}"},
	isa.RuleBroken:         {diag.NoSuchCombination, "no form of the instruction takes {opcode} together"},
	isa.GateClosed:         {diag.NeedsVersion, "{feature} needs {gate}"},
	isa.GatePast:           {diag.Removed, "{feature} is gone since {gate}"},
	isa.CheckFailed:        {diag.NotAllowedWith, "{want}"},
}

// mismatch reports the first finding for an instruction; one error is enough for one line.
func (c *checker) mismatch(s *syntax.Instruction, fails []isa.Mismatch) {
	m := &fails[0]
	c.decisive(m)
	f := findings[m.Kind]
	span := c.mismatchSpan(s, m)
	d := c.errorf(c.mismatchCode(m, f.code), span, "%s", c.fill(f.text, s, m))
	if m.Kind == isa.NotAllowed && m.Other >= 0 { // two of one group
		d.Code = diag.RepeatedModifier
	}
	if m.Other >= 0 && !aboutGate(m) && c.queryToken(m.Other) != c.queryToken(m.Token) {
		d.Msg += " with " + c.queryToken(m.Other)
	} else if m.Kind == isa.NotAllowed && m.Want != "" {
		d.Msg += "; want " + m.Want
	}
	if m.Entry != nil {
		d.Form, d.Spec = m.Form(), section(m.Entry)
	} else {
		c.citing(d)
	}
	c.mismatchFix(d, s, m)
	switch {
	case m.Kind == isa.UnknownInstruction && c.isName(d, s):
	case aboutModifiers(m):
		if !c.misspelled(d, s, m) {
			c.repairModifiers(d, s, m)
		}
	case m.Kind == isa.OperandMissing:
		c.dispensable(d, s, m)
	case m.Operand >= 0 && !aboutGate(m):
		c.operandFinding(d, s, m)
		c.relaxedFinding(d, m)
		c.exchanged(d, s, m)
	}
	c.hint(d, s, m)
	c.otherJudge(d, s, m)
}

// isName says what a name is that stands in an instruction's place. Then no instruction is likely to be meant.
func (c *checker) isName(d *diag.Diagnostic, s *syntax.Instruction) bool {
	u, ok := c.use(s.Opcode)
	switch {
	case !ok || u.poisoned():
		return false
	case u.Object == nil:
		d.Msg = c.text(s.Opcode) + " is a special register; an instruction stands here"
	default:
		d.Msg = fmt.Sprintf("%s is a %v; an instruction stands here", c.text(s.Opcode), u.Object.Kind)
	}
	d.Fixes = nil
	return true
}

// aboutGate tells findings that a newer or older module would settle.
func aboutGate(m *isa.Mismatch) bool { return m.Kind == isa.GateClosed || m.Kind == isa.GatePast }

// decisive puts that one of two modifiers first without which the statement is legal.
func (c *checker) decisive(m *isa.Mismatch) {
	without := func(i int) bool { return c.matches(slices.Delete(slices.Clone(c.tokens), i, i+1)) }
	if aboutGate(m) && m.Token > 0 && m.Other > 0 && m.Other < len(c.tokens) && !without(m.Token) && without(m.Other) {
		m.Token, m.Other = m.Other, m.Token
	}
}

// dispensable offers to leave out the modifier that an operand is missing for.
func (c *checker) dispensable(d *diag.Diagnostic, s *syntax.Instruction, m *isa.Mismatch) {
	if i := m.Token; i > 0 && c.matches(slices.Delete(slices.Clone(c.tokens), i, i+1)) {
		d.Fixes = append(d.Fixes, diag.Fix{Label: "remove " + c.tokens[i], Edits: []diag.Edit{{Span: c.at(s.Mods[i-1])}}})
	}
}

// aboutModifiers tells findings that another choice of modifiers may settle.
func aboutModifiers(m *isa.Mismatch) bool {
	switch m.Kind {
	case isa.RepeatedModifier, isa.NotAllowed, isa.MissingModifier, isa.WrongOrder, isa.NoCombination, isa.RuleBroken,
		isa.UnknownInstruction, isa.UnknownModifier, isa.GatePast:
		return true
	}
	return false
}

// operandFinding sharpens a finding about one operand: what it is decides the code.
func (c *checker) operandFinding(d *diag.Diagnostic, s *syntax.Instruction, m *isa.Mismatch) {
	shape := c.operandShape(m)
	if shape == nil {
		return
	}
	what := c.file.RangeText(c.operandRange(s, m))
	destination := m.Operand == 0 && !strings.Contains(m.Want, "constant") && strings.Contains(m.Want, "register")
	switch kind := shape.Kind; {
	case m.Kind == isa.OperandType && kind == isa.ShapeImm:
		d.Code, d.Msg = diag.FloatConstant, constantMessage(shape, what, m)
	case m.Kind == isa.OperandWidth && kind == isa.ShapeAddr, m.Kind == isa.OperandWidth && strings.HasPrefix(m.Want, "address"):
		d.Code, d.Msg = diag.AddressWidth, fmt.Sprintf("%s has %d bits; an %s takes %s", what, c.addressBits(shape), m.Want, otherWidth(c.addressBits(shape)))
	case kind == isa.ShapeReg && shape.Lanes > 1 && !strings.HasPrefix(m.Want, "vector"):
		d.Msg = fmt.Sprintf("%s is a vector of %d; name one component, as in %s.x", what, shape.Lanes, what)
	case m.Kind != isa.OperandKind:
	case kind == isa.ShapeAddr && strings.HasPrefix(m.Want, "address"):
		d.Msg = what + " has brackets inside of brackets"
	case c.inBranch && kind == isa.ShapeFunc:
		d.Code, d.Msg = diag.BranchOutside, what+" is a function; call it, or branch to a label"
	case c.inCall && kind == isa.ShapeReg:
		d.Code, d.Msg = diag.MissingPrototype, "an indirect call names a .callprototype or .calltargets last"
	case kind == isa.ShapePair:
		d.Code, d.Msg = diag.PairNotAllowed, c.tokens[0]+" has one result here, not two"
	case kind == isa.ShapeVec && slices.ContainsFunc(shape.Elems, func(e isa.Shape) bool { return e.Kind == isa.ShapeSink }) && !strings.Contains(m.Want, "_"):
		d.Code, d.Msg = diag.SinkNotAllowed, "_ cannot stand in this vector; want "+typeFirst(m.Want)
	case kind == isa.ShapeSink:
		d.Code, d.Msg = diag.SinkNotAllowed, "_ cannot stand here; want "+typeFirst(m.Want)
	case kind == isa.ShapeSpecial && shape.Lanes > 1 && shape.Offset:
		d.Code, d.Msg = diag.OperandKind, "nothing can be added to a vector such as "+what+"; move a component into a register first"
	case kind == isa.ShapeSpecial && shape.Lanes > 1:
		d.Code, d.Msg = diag.BadComponent, what+" is a vector; name one component, as in "+what+".x"
	case shape.Neg:
		d.Code, d.Msg = diag.NegationNotAllowed, what+" cannot be negated here"
	case destination && kind != isa.ShapeReg && kind != isa.ShapeVec && kind != isa.ShapeAddr:
		d.Code, d.Msg = diag.ReadOnlyOperand, fmt.Sprintf("%s is a %v and cannot be written; want a %s", what, kind, typeFirst(m.Want))
	case kind == isa.ShapeSpecial:
		d.Code, d.Msg = diag.SpecialRegisterNotAllowed, what+" is a special register; move it into a register first"
	}
}

// relaxedFinding tells of a register that table 27 or 28 has no room for which ones it has (9.4.1).
func (c *checker) relaxedFinding(d *diag.Diagnostic, m *isa.Mismatch) {
	shape := c.operandShape(m)
	if m.Relaxed == 0 || shape == nil || shape.Kind != isa.ShapeReg && shape.Kind != isa.ShapeVec {
		return
	}
	table := 27
	if m.Operand == 0 {
		table = 28
	}
	var legal []string
	for _, r := range m.Relaxed.WiderRegisters() {
		legal = append(legal, r.String())
	}
	d.Msg += fmt.Sprintf("; by table %d (9.4.1) type %v goes with registers %s", table, m.Relaxed, strings.Join(legal, " "))
}

func constantMessage(s *isa.Shape, what string, m *isa.Mismatch) string {
	if s.Float {
		return what + " is a floating-point constant; want " + typeFirst(m.Want)
	}
	return what + " is a whole number; write it with a point, or its bits as 0f and 8 digits or 0d and 16"
}

// otherWidth is that of addresses which one of another width stands for: generic and global ones have 64 bits, those
// of tensor memory 32.
func otherWidth(bits int) string {
	switch bits {
	case 32:
		return "64"
	case 64:
		return "32"
	}
	return "another width"
}

// addressBits is the width of the register that an address is made of.
func (c *checker) addressBits(s *isa.Shape) int {
	if s.Kind == isa.ShapeAddr && len(s.Elems) > 0 {
		s = &s.Elems[0]
	}
	return s.Type.Bits()
}

// operandShape is the operand, or the part of it, that a finding is about.
func (c *checker) operandShape(m *isa.Mismatch) *isa.Shape {
	if m.Operand >= len(c.query.Operands) {
		return nil
	}
	s := &c.query.Operands[m.Operand]
	for _, i := range []int{m.Part, m.Elem} {
		if i >= 0 && i < len(s.Elems) {
			s = &s.Elems[i]
		}
	}
	return s
}

func (c *checker) operandRange(s *syntax.Instruction, m *isa.Mismatch) syntax.Range {
	o := &s.Operands[m.Operand]
	for _, i := range []int{m.Part, m.Elem} {
		if i >= 0 && i < len(o.Elems) {
			o = &o.Elems[i]
		}
	}
	return o.Range
}

// section cites an entry: the 9.1 manual's number, or the manual that has it.
func section(e *isa.Entry) string {
	if e.Manual == 0 {
		return e.Section
	}
	return fmt.Sprintf("%v: %s", e.Manual, e.Section)
}

// citing cites the section of the instruction, if it is known.
func (c *checker) citing(d *diag.Diagnostic) {
	if e := c.isa.First(c.tokens); e != nil {
		d.Spec = section(e)
	}
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
	token := strings.Join(c.tokens, "")
	if m.Token >= 0 {
		token = c.queryToken(m.Token)
	}
	want := typeFirst(m.Want)
	if n, err := strconv.Atoi(m.Want); err == nil {
		want = count(n, "operand")
	}
	return strings.NewReplacer("{have}", m.Have, "{want}", want, "{gate}", c.gateText(m), "{token}", token,
		"{opcode}", strings.Join(c.tokens, ""), "{feature}", c.feature(s, m)).Replace(text)
}

// feature names what a gate is about: the instruction, or what of it the gate's condition asks for.
func (c *checker) feature(s *syntax.Instruction, m *isa.Mismatch) string {
	name := strings.Join(c.tokens, "")
	switch {
	case !aboutGate(m):
	case m.Token > 0:
		first, second := m.Token, m.Other
		if second > 0 && second < first {
			first, second = second, first
		}
		name = strings.Join(m.Entry.Opcode, "") + " with " + c.queryToken(first)
		if second > 0 && c.queryToken(second) != c.queryToken(first) {
			name += " and " + c.queryToken(second)
		}
	case m.Operand >= 0:
		name += " with " + c.file.RangeText(c.operandRange(s, m))
	}
	return name
}

// typeFirst turns "register or constant .u32" round and shortens its ranges.
func typeFirst(s string) string {
	if head, ranges, ok := strings.Cut(s, " in "); ok && strings.Contains(ranges, "..") {
		return typeFirst(head) + " in " + shortRanges(ranges)
	}
	if n, elements, ok := strings.Cut(strings.TrimPrefix(s, "vector of "), ": "); ok && strings.HasPrefix(s, "vector of ") {
		return "a vector of " + n + ": each " + typeFirst(elements)
	}
	head, tail, ok := strings.Cut(s, " .")
	if !ok || strings.Contains(head, ":") {
		return s
	}
	typ, rest, _ := strings.Cut(tail, " ")
	if rest != "" {
		rest = " " + rest
	}
	if cut, list := strings.CutSuffix(typ, ","); list { // selectors follow
		typ, rest = cut, ","+rest
	}
	return "." + typ + " " + head + rest
}

// shortRanges writes 4..4 as 4, and leaves out the middle of long lists.
func shortRanges(s string) string {
	list := strings.Split(s, " or ")
	for i, r := range list {
		if low, high, _ := strings.Cut(r, ".."); low == high {
			list[i] = low
		}
	}
	if n := len(list); n > maxOffers {
		list = []string{list[0], list[1], "…", list[n-1]}
	}
	return strings.Join(list, " or ")
}

// gateText says what of a gate the module lacks, and what it has.
func (c *checker) gateText(m *isa.Mismatch) string {
	if len(m.Gate) == 0 {
		return ""
	}
	alt := m.Gate.Nearest(c.info.Target)
	var need, have []string
	if alt.Version != 0 && (m.Kind == isa.GatePast || c.info.Version.Before(alt.Version)) {
		need, have = append(need, ".version "+alt.Version.String()), append(have, c.written.String())
	}
	if len(alt.Targets) > 0 && (m.Kind == isa.GatePast || !c.passesAny(alt.Targets)) {
		var names []string
		for _, t := range alt.Targets {
			names = append(names, t.String())
		}
		need, have = append(need, ".target "+oneOf(names)), append(have, c.info.Target.String())
	}
	return strings.Join(need, " and ") + "; the module has " + strings.Join(have, " and ")
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
		return c.file.Span(c.operandRange(s, m))
	case m.Kind == isa.OperandCount:
		if want, err := strconv.Atoi(m.Want); err == nil && want < len(s.Operands) { // the surplus ones
			return c.file.Span(syntax.Range{First: s.Operands[want].First, Last: s.Operands[len(s.Operands)-1].Last})
		}
	}
	span, last := c.at(s.Opcode), len(s.Mods)
	if aboutGate(m) { // of the whole instruction: what names it
		last = len(m.Entry.Opcode) - 1
	}
	if last > 0 {
		span.End = c.at(s.Mods[last-1]).End
	}
	return span
}

// mismatchFix offers an edit where the finding names a spelling that would do.
func (c *checker) mismatchFix(d *diag.Diagnostic, s *syntax.Instruction, m *isa.Mismatch) {
	if m.Fix == "" {
		return
	}
	fix := diag.Fix{Label: "write " + m.Fix}
	if at, ok := c.misspelling(s, m); ok {
		fix.Edits = []diag.Edit{{Span: at, New: m.Fix}}
	}
	d.Fixes = append(d.Fixes, fix)
}

// misspelling is the word that is nearly the finding's spelling.
func (c *checker) misspelling(s *syntax.Instruction, m *isa.Mismatch) (diag.Span, bool) {
	switch {
	case m.Kind == isa.UnknownInstruction && m.Fix != "" && !strings.Contains(m.Fix, "."):
		return c.at(s.Opcode), true
	case m.Kind == isa.UnknownModifier && m.Fix != "" && m.Token > 0 && m.Token <= len(s.Mods):
		return c.at(s.Mods[m.Token-1]), true
	}
	return diag.Span{}, false
}

// misspelled reports whether a word is a slip of the pen, and the known spelling makes the statement legal as it stands. Then
// that is what was meant, and no other change of the modifiers is worth a word. A type is written by its author: in .bf16x the slip
// may be a letter too many or a digit too few.
func (c *checker) misspelled(d *diag.Diagnostic, s *syntax.Instruction, m *isa.Mismatch) bool {
	at, ok := c.misspelling(s, m)
	if i := max(m.Token, 0); !ok || !isa.Misspelled(c.tokens[i], m.Fix) || !c.matches(replaced(c.tokens, i, m.Fix)) {
		return false
	}
	d.Fixes = []diag.Fix{{Label: "write " + m.Fix, Mechanical: !isType(m.Fix), Edits: []diag.Edit{{Span: at, New: m.Fix}}}}
	return true
}
