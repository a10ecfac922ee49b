package isa

// This file declares findings: what package check turns into diagnostics.

// Stage is how far a form got.
type Stage uint8

// The stages of matching.
const (
	StageOpcode Stage = iota
	StageModifiers
	StageTable
	StageCount
	StageOperands
	StageRules
	StageGates
	StageChecks
)

// MismatchKind says what is wrong.
type MismatchKind uint8

// The kinds of findings.
const (
	UnknownInstruction MismatchKind = iota
	UnknownModifier
	RepeatedModifier
	NotAllowed      // the modifier does not belong to the form, or not beside Other
	MissingModifier // Want lists the values
	WrongOrder      // the same modifiers in another order match
	NoCombination   // no row of a table
	OperandCount
	OperandMissing // Token needs one more: Want is its role
	OperandKind
	OperandSpace
	OperandLength // of a vector
	OperandType
	OperandWidth
	OperandRange
	OperandSelector
	RuleBroken // Want: the rule
	GateClosed // Gate
	GatePast   // removed from Gate on
	CheckFailed
	NumMismatchKinds
)

var mismatchNames = [NumMismatchKinds]string{
	"unknown instruction", "unknown modifier", "repeated modifier", "not allowed", "missing modifier",
	"wrong order", "no such combination", "operand count", "missing operand", "operand kind", "operand space", "vector length",
	"operand type", "operand width", "operand range", "operand selector", "rule", "gate", "removed", "check",
}

func (k MismatchKind) String() string { return mismatchNames[k] }

// Mismatch is one finding.
type Mismatch struct {
	Stage   Stage
	Kind    MismatchKind
	Token   int    // index in Query.Tokens, -1 if the finding is about something else
	Other   int    // a second token, -1 if none
	Operand int    // index in Query.Operands, -1 if none
	Role    string // of the operand that a rule is about, "" if none
	Part    int    // part of that operand, -1: all of it
	Elem    int    // element of the vector that this is, -1: all of it
	Want    string // what is allowed there
	Have    string // what is there
	Fix     string // a spelling that would do, "" if none is known
	Entry   *Entry // the form it is compared with; nil if none
	Alt     int
	Gate    Gate   // of GateClosed and GatePast
	Relaxed Type   // the type of an operand that may be wider (9.4.1) and does not fit, 0 else
	Why     string // the clause that rejects is one judge's, and why
}

// String gives a finding in few words, for tests and internal messages.
func (m Mismatch) String() string {
	s := m.Kind.String()
	for _, part := range []string{m.Want, m.Have} {
		if part != "" {
			s += ": " + part
		}
	}
	return s
}

// about starts a finding that concerns neither a token nor an operand.
func about(stage Stage, kind MismatchKind, e *Entry, alt int) Mismatch {
	return Mismatch{Stage: stage, Kind: kind, Token: -1, Other: -1, Operand: -1, Part: -1, Elem: -1, Entry: e, Alt: alt}
}

// Form returns the text of the form a finding is about, "" if none.
func (m *Mismatch) Form() string {
	if m.Entry == nil {
		return ""
	}
	return m.Entry.Alts[m.Alt].Text
}
