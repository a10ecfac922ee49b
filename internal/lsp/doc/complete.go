package doc

// This file lists what can stand at a place: what still fits there, and no more.

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// ItemKind says what an item is.
type ItemKind uint8

// The kinds of items.
const (
	Opcode ItemKind = iota
	Modifier
	Register
	Variable
	Label
	Function
	SpecialRegister
	Directive
	TypeName
	TargetName
)

// Item is something that can stand at a place.
type Item struct {
	Text   string // in the place of Span
	Kind   ItemKind
	Detail string // in a few words
	Name   string // for Explain; "": there is no more to say
	Span   Span
}

// maxMembers is how many members of a family are offered: those that are used next to the place, and the first that is not.
const maxMembers = 12

// Completions lists what can stand at a place, the likeliest first, and nothing that cannot.
func (s *Snapshot) Completions(ctx context.Context, at Pos) ([]Item, error) {
	w, err := s.nearView(ctx, at)
	if err != nil {
		return nil, err
	}
	c, ok := w.writingAt(at)
	if !ok {
		return nil, nil
	}
	l := &lister{writing: c, span: Span{Start: w.Whole(c.start), End: at}}
	switch {
	case c.guard:
		l.registers(func(o *check.Object) bool { return o.Type == isa.PredType() })
	case len(c.blocks) == 0:
		l.outside()
	case c.opcode >= 0 && c.continued():
		l.modifiers(c.mods, c.word)
	case c.opcode >= 0:
		l.operandItems()
	case len(c.tokens) > 0 && w.File.Kind(c.tokens[0]) == syntax.DotWord:
		l.declaration()
	case strings.HasPrefix(c.word, "."):
		l.directives("body", "declaration")
	case strings.Contains(c.word, "."):
		list := strings.Split(c.word, ".")
		for i := range list[1:] {
			list[i+1] = "." + list[i+1]
		}
		l.modifiers(list[:len(list)-1], list[len(list)-1])
	default:
		l.opcodes()
	}
	return l.items, nil
}

// continued reports whether the word goes on with the opcode.
func (c *writing) continued() bool {
	return len(c.tokens) == c.opcode+len(c.mods) && strings.HasPrefix(c.word, ".") &&
		c.w.File.TokenSpan(c.at).End == c.start
}

// lister collects items.
type lister struct {
	*writing
	span  Span
	items []Item
}

// add offers a text if what is written begins it, in any case.
func (l *lister) add(kind ItemKind, text, detail, name string) {
	written := l.span.End - l.span.Start
	word := l.word[len(l.word)-int(written):]
	if len(text) >= len(word) && strings.EqualFold(text[:len(word)], word) {
		l.items = append(l.items, Item{text, kind, detail, name, l.span})
	}
}

// opcodeTable are the opcodes of one version and target.
type opcodeTable struct {
	names   []string
	details map[string]string
}

// openOpcodes remembers them, since gates of all entries are asked.
var openOpcodes sync.Map // of opcodeKey to opcodeTable

type opcodeKey struct {
	version isa.Version
	target  isa.Target
}

func opcodesOf(v isa.Version, t isa.Target) opcodeTable {
	if known, ok := openOpcodes.Load(opcodeKey{v, t}); ok {
		return known.(opcodeTable)
	}
	names, entries := isa.Table().Opcodes(v, t)
	table := opcodeTable{names, map[string]string{}}
	for name, list := range entries {
		table.details[name] = list[0].Doc
		if len(list) > 1 {
			table.details[name] += " … (" + strconv.Itoa(len(list)) + " instructions)"
		}
	}
	openOpcodes.Store(opcodeKey{v, t}, table)
	return table
}

func (l *lister) opcodes() {
	table := opcodesOf(l.w.Info.Version, l.w.Info.Target)
	for _, name := range table.names {
		l.add(Opcode, name, table.details[name], name)
	}
}

// modifiers offers what may follow tokens; of the word only what is behind its last point is replaced.
func (l *lister) modifiers(tokens []string, word string) {
	l.span.Start = l.span.End - Pos(len(word))
	for _, name := range isa.Of(l.w.snapshot.opt.Judge).Continuations(tokens, l.w.Info.Version, l.w.Info.Target) {
		whole := strings.Join(tokens, "") + name
		l.add(Modifier, name, whole, whole)
	}
}

// directives offers those of places that the module may have.
func (l *lister) directives(places ...string) {
	for _, d := range isa.Directives() {
		if d.IsPragma() || !d.Available(l.w.Info.Version, l.w.Info.Target) {
			continue
		}
		if slices.ContainsFunc(places, d.In) {
			l.add(Directive, d.Name, d.Doc, d.Name)
		}
	}
}

// declaration offers types and specifiers behind the first word of a directive.
func (l *lister) declaration() {
	f := l.w.File
	switch f.Text(l.tokens[0]) {
	case ".pragma":
		return
	case ".loc", ".branchtargets", ".calltargets":
		l.names(func(o *check.Object) bool { return o.Kind == check.Label || o.Kind == check.Function })
		return
	}
	if l.word != "" && l.word[0] != '.' {
		return
	}
	l.directives("declaration", "attribute")
	for _, t := range isa.Types() {
		if t.Parsed() && !t.Since().Passes(l.w.Info.Version, l.w.Info.Target) {
			continue
		}
		l.add(TypeName, t.String(), "type", "")
	}
}

// outside offers what stands at module level, or in the head of a function.
func (l *lister) outside() {
	first := ""
	if len(l.tokens) > 0 {
		first = l.w.File.Text(l.tokens[0])
	}
	switch {
	case first == ".target":
		for _, t := range isa.Targets() {
			if isa.TargetSince(t) <= l.w.Info.Version {
				l.add(TargetName, t.String(), "target", t.String())
			}
		}
		l.directives("target")
	case first == "":
		l.directives("module", "header", "linkage", "declaration")
	case l.inHead():
		l.directives("kernel", "function")
	default:
		l.declaration()
		if len(l.tokens) == 1 {
			l.directives("module")
		}
	}
}

// inHead reports whether the parameters of a function are closed before the word.
func (l *lister) inHead() bool {
	depth, closed, function := 0, false, false
	for _, t := range l.tokens {
		switch l.w.File.Kind(t) {
		case syntax.LParen:
			depth++
		case syntax.RParen:
			depth--
			closed = true
		case syntax.DotWord:
			text := l.w.File.Text(t)
			function = function || text == ".entry" || text == ".func"
		}
	}
	return function && depth == 0 && closed
}
