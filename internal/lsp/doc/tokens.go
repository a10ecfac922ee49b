package doc

// This file says what the words of a text are, for colours.

import (
	"context"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// Class is what a word is.
type Class uint8

// The classes of words.
const (
	NoClass Class = iota
	OpcodeWord
	ModifierWord
	TypeWord
	DirectiveWord
	RegisterName
	SpecialName
	VariableName
	ParameterName
	FunctionName
	LabelName
	Number
	StringText
	CommentText
)

// Word is a word with its class.
type Word struct {
	Span  Span
	Class Class
	Decl  bool
}

// Words lists the words in a part of the text, in written order. Of a part within a function the function alone is read.
func (s *Snapshot) Words(ctx context.Context, within Span) (list []Word, err error) {
	w, err := s.viewOf(ctx, within)
	if err != nil {
		return nil, err
	}
	opcodes := map[syntax.TokenID]bool{}
	first, last := w.between(within)
	w.eachInstruction(first, last, func(in *syntax.Instruction) { opcodes[in.Opcode] = true })
	for t := first; t <= last; t++ {
		class, decl := w.class(t, opcodes)
		span := w.tokenSpan(t)
		if class != NoClass && span.End > within.Start && span.Start < within.End {
			list = append(list, Word{span, class, decl})
		}
	}
	return list, nil
}

// viewOf is a view that has all of a part of the text.
func (s *Snapshot) viewOf(ctx context.Context, within Span) (*View, error) {
	v, err := s.verdict(ctx)
	if err != nil {
		return nil, err
	}
	if v.in(within) >= 0 {
		return s.View(ctx, within.Start)
	}
	return s.Whole(ctx)
}

func (w *View) class(t syntax.TokenID, opcodes map[syntax.TokenID]bool) (c Class, decl bool) {
	switch w.File.Kind(t) {
	case syntax.Comment:
		return CommentText, false
	case syntax.Int, syntax.Float, syntax.HexFloat:
		return Number, false
	case syntax.String:
		return StringText, false
	case syntax.DotWord:
		return w.dotClass(t), false
	case syntax.Ident:
		if opcodes[t] {
			return OpcodeWord, false
		}
		sym := w.symbol(t)
		if sym.special != 0 {
			return SpecialName, false
		}
		if sym.object != nil {
			return objectClasses[sym.object.Kind], w.declared()[t] == sym.object
		}
	}
	return NoClass, false
}

var objectClasses = map[check.ObjectKind]Class{
	check.Register: RegisterName, check.Variable: VariableName, check.Parameter: ParameterName,
	check.Function: FunctionName, check.AliasName: FunctionName,
	check.Label: LabelName, check.BranchTargets: LabelName, check.CallTargets: LabelName, check.Prototype: LabelName,
}

func (w *View) dotClass(t syntax.TokenID) Class {
	text := w.File.Text(t)
	if _, ok := isa.LookupType(text); ok {
		return TypeWord
	}
	if isa.LookupDirective(text) != nil && !w.behindOpcode(t) {
		return DirectiveWord
	}
	return ModifierWord
}

// behindOpcode reports whether a word is joined to the one in front of it, as modifiers are.
func (w *View) behindOpcode(t syntax.TokenID) bool {
	before := w.File.Kind(t - 1)
	return (before == syntax.Ident || before == syntax.DotWord) && w.File.Behind(t-1) == ""
}
