package doc

// This file answers where a name is declared and used, and renames it.

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// symbolAt is the name at a place, with a view that has all of its mentions.
func (s *Snapshot) symbolAt(ctx context.Context, at Pos) (*View, syntax.TokenID, symbol, error) {
	w, err := s.View(ctx, at)
	if err != nil {
		return nil, 0, symbol{}, err
	}
	t := w.token(at)
	sym := w.symbol(t)
	if sym.object != nil && local(sym.object) || !sym.ok() {
		return w, t, sym, nil
	}
	if w, err = s.Whole(ctx); err != nil {
		return nil, 0, symbol{}, err
	}
	t = w.token(at)
	return w, t, w.symbol(t), nil
}

// Definition is where the name at a place is declared; ok is false if it is none, or one of the language.
func (s *Snapshot) Definition(ctx context.Context, at Pos) (span Span, ok bool, err error) {
	w, err := s.View(ctx, at)
	if err != nil {
		return Span{}, false, err
	}
	sym := w.symbol(w.token(at))
	if sym.object == nil {
		return Span{}, false, nil
	}
	return w.tokenSpan(sym.object.Tok), true, nil
}

// References lists the mentions of the name at a place, in written order.
func (s *Snapshot) References(ctx context.Context, at Pos) ([]Mention, error) {
	w, t, sym, err := s.symbolAt(ctx, at)
	switch {
	case err != nil || !sym.ok():
		return nil, err
	case sym.object == nil:
		return w.spelled(w.File.Word(t)), nil
	}
	return w.mentions(sym.object), nil
}

// spelled lists the uses of a special register.
func (w *View) spelled(word syntax.Word) (list []Mention) {
	for i := range w.File.Tokens {
		if t := syntax.TokenID(i); w.File.Word(t) == word && w.symbol(t).special != 0 {
			list = append(list, Mention{Span: w.tokenSpan(t), Read: true})
		}
	}
	return list
}

// Renameable is the name at a place that Rename takes: its span, and what to offer as new name. Of a member of %r<10> that is %r:
// the family is renamed with all of its members.
func (s *Snapshot) Renameable(ctx context.Context, at Pos) (span Span, name string, err error) {
	w, err := s.View(ctx, at)
	if err != nil {
		return Span{}, "", err
	}
	t := w.token(at)
	o, err := w.renameable(t)
	if err != nil {
		return Span{}, "", err
	}
	return w.tokenSpan(t), o.Name, nil
}

func (w *View) renameable(t syntax.TokenID) (*check.Object, error) {
	switch sym := w.symbol(t); {
	case sym.object != nil:
		return sym.object, nil
	case sym.special != 0:
		return nil, fmt.Errorf("%v is a special register of PTX and keeps its name", sym.special)
	case t != syntax.NoToken && w.File.Kind(t) == syntax.DotWord:
		return nil, fmt.Errorf("%s is a word of PTX and keeps its name", w.File.Text(t))
	case t != syntax.NoToken && w.File.Kind(t) == syntax.Ident:
		return nil, fmt.Errorf("%s is no name that the module declares", w.File.Text(t))
	}
	return nil, errors.New("there is no name here")
}

// identifier is what the language takes as a name (4.4).
var identifier = regexp.MustCompile(`^(?:[a-zA-Z][a-zA-Z0-9_$]*|[_$%][a-zA-Z0-9_$]+)$`)

// Rename lists the edits that give the object at a place another name. It fails where names would then mean something else.
func (s *Snapshot) Rename(ctx context.Context, at Pos, name string) ([]diag.Edit, error) {
	w, t, _, err := s.symbolAt(ctx, at)
	if err != nil {
		return nil, err
	}
	o, err := w.renameable(t)
	if err != nil {
		return nil, err
	}
	if o.Count > 0 {
		if name, err = familyName(o, w.File.Text(t), name); err != nil {
			return nil, err
		}
	}
	if !identifier.MatchString(name) {
		return nil, fmt.Errorf("%q is no name: want letters, digits, _ and $, with %%, _ or $ at most in front", name)
	}
	if name == o.Name {
		return nil, nil
	}
	var edits []diag.Edit
	for _, m := range w.mentions(o) {
		span := m.Span
		if o.Count > 0 {
			span.End = span.Start + Pos(len(o.Name))
		}
		edits = append(edits, diag.Edit{Span: span, New: name})
	}
	return edits, w.keepsMeaning(o, name, edits)
}

// familyName is the new name of a family; who renames a member may write its number, too.
func familyName(o *check.Object, old, name string) (string, error) {
	number := strings.TrimPrefix(old, o.Name)
	if number != "" && strings.HasSuffix(name, number) {
		name = strings.TrimSuffix(name, number)
	}
	if name != "" && '0' <= name[len(name)-1] && name[len(name)-1] <= '9' {
		return "", fmt.Errorf("%s is one of %s<%d>, which are renamed together: "+
			"want a name without a number at its end", old, o.Name, o.Count)
	}
	return name, nil
}

// member is the number of a family's member.
func member(text string, o *check.Object) (int, bool) {
	digits, ok := strings.CutPrefix(text, o.Name)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && 0 <= n && n < int(o.Count)
}

// keepsMeaning judges the text with the edits made, and fails if a name then stands for something else, or there are more errors.
func (w *View) keepsMeaning(o *check.Object, name string, edits []diag.Edit) error {
	moved := make([]diag.Edit, len(edits))
	for i, e := range edits {
		p := w.Part(e.Span.Start)
		moved[i] = diag.Edit{Span: Span{Start: p, End: p + e.Span.End - e.Span.Start}, New: e.New}
	}
	fix := diag.Fix{Edits: moved}
	text, err := fix.Apply(w.File.Source.Text)
	if err != nil {
		return err
	}
	after := &View{snapshot: w.snapshot, File: syntax.Parse(w.snapshot.Name, text)}
	now := after.judge()
	was := (&View{snapshot: w.snapshot, File: w.File}).judge()
	if slices.Equal(w.meanings(), after.meanings()) && errorsOf(now) <= errorsOf(was) {
		return nil
	}
	if _, ok := isa.LookupSpecial(name); ok {
		return fmt.Errorf("%s is a special register", name)
	}
	for i := range now {
		d := &now[i]
		if d.Code == diag.Redeclared || d.Code == diag.DuplicateLabel || d.Code == diag.ReservedName {
			return fmt.Errorf("%s cannot be called %s: %s", o.Name, name, d.Msg)
		}
	}
	return fmt.Errorf("%s cannot be called %s: another name would then stand for something else", o.Name, name)
}

func errorsOf(list diag.List) (n int) {
	for i := range list {
		if list[i].Severity == diag.Error {
			n++
		}
	}
	return n
}

// meanings says of each token which one declares it, or which special register it is.
func (w *View) meanings() []int {
	list := make([]int, len(w.File.Tokens))
	for i := range list {
		switch sym := w.symbol(syntax.TokenID(i)); {
		case sym.object != nil:
			list[i] = int(sym.object.Tok)
		case sym.special != 0:
			list[i] = -int(sym.special)
		}
	}
	return list
}
