package vec

// Wrapping a block into kernels: the register types of its names, from the forms.

import (
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// register is a name of a block.
type register struct {
	name string
	typ  string // register type with its dot
	role nameRole

	param bool // it is a .param variable for calls, no register
}

type nameRole uint8

const (
	operandName nameRole = iota
	resultName
	temporaryName
)

// bits is the width of the register, 1 of a predicate.
func (r *register) bits() int {
	t, _ := isa.LookupType(r.typ)
	return t.Bits()
}

// Wrapped is a block whose statements are matched with their forms.
type Wrapped struct {
	*Block
	Target  isa.Target
	Version isa.Version
	Stmts   []*Statement

	names   []*register
	in, out []*register
}

// targets are tried in turn until one has the forms.
var targets = []string{"sm_90a", "sm_100a", "sm_103a", "sm_120a", "sm_107a", "sm_60"}

// Wrap matches the statements and finds the register types of the names.
func Wrap(b *Block) (*Wrapped, error) {
	w := &Wrapped{Block: b, Version: isa.Latest}
	for _, s := range strings.Split(b.Text, ";") {
		if s = strings.TrimSpace(s); s != "" {
			stmt := parseStatement(s)
			w.addNames(s, stmt)
			w.Stmts = append(w.Stmts, stmt)
		}
	}
	if err := w.match(); err != nil {
		return nil, fmt.Errorf("%s:%d: %s: %w", b.File, b.Line, b.Text, err)
	}
	for _, r := range w.names {
		switch r.role {
		case resultName:
			w.out = append(w.out, r)
		case operandName:
			w.in = append(w.in, r)
		}
	}
	return w, nil
}

// addNames collects the names of a statement's guard and operands.
func (w *Wrapped) addNames(text string, s *Statement) {
	if len(s.Tokens) == 0 {
		for _, word := range nameRE.FindAllString(s.Text, -1) {
			if isName(word) {
				param := strings.HasPrefix(s.Text, ".param")
				w.names = append(w.names, &register{name: word, typ: ".b32", role: temporaryName, param: param})
			}
		}
		return
	}
	if s.Guard != "" {
		w.addName(strings.TrimLeft(s.Guard, "@!"), ".pred", false)
	}
	types := map[string]string{}
	for _, word := range nameRE.FindAllString(text, -1) {
		if name, typ, ok := strings.Cut(word, ":"); ok && isName(word) {
			types[name] = "." + typ
		}
	}
	for i, o := range s.Operands {
		for _, word := range nameRE.FindAllString(o, -1) {
			if isName(word) {
				name := unselected(word)
				w.addName(name, types[name], i == 0 && o[0] != '[')
			}
		}
	}
}

func (w *Wrapped) addName(name, typ string, first bool) {
	if r := w.register(name); r != nil {
		return
	}
	r := &register{name: name, typ: typ}
	switch {
	case name[0] == 't':
		r.role = temporaryName
	case first && strings.IndexByte("depq", name[0]) >= 0:
		r.role = resultName
	}
	w.names = append(w.names, r)
}

// unselected takes the selector of a part off a register's name.
func unselected(word string) string {
	name, _, _ := strings.Cut(word, ".")
	return name
}

func (w *Wrapped) register(name string) *register {
	for _, r := range w.names {
		if r.name == name {
			return r
		}
	}
	return nil
}

// match finds a target in which every statement has a form.
func (w *Wrapped) match() (err error) {
	if w.Block.Version != "" {
		if w.Version, err = isa.ParseVersion(w.Block.Version); err != nil {
			return err
		}
	}
	try := targets
	if w.Arch != "" {
		try = []string{w.Arch}
	}
	for _, name := range try {
		if w.Target, err = isa.ParseTarget(name); err != nil {
			return err
		}
		if err = w.matchAll(); err == nil {
			return nil
		}
	}
	return err
}

func (w *Wrapped) matchAll() error {
	for _, s := range w.Stmts {
		if len(s.Tokens) == 0 {
			continue
		}
		sel, err := w.Match(s)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Text, err)
		}
		s.Sel = sel
	}
	return nil
}

// Match finds the form of a statement over the block's names. Names without a type get that
// of the first reading of the modifiers whose operands are as written.
func (w *Wrapped) Match(s *Statement) (*isa.Sel, error) {
	forms := isa.Table().Forms(s.Tokens, s.Suffix)
	var fails []isa.Mismatch
	for _, reading := range forms.Readings() {
		open := w.assign(s, reading)
		var sel *isa.Sel
		if sel, fails = isa.Table().Match(w.query(s)); len(fails) == 0 {
			return sel, nil
		}
		for _, r := range open {
			r.typ = ""
		}
	}
	if fails == nil {
		_, fails = isa.Table().Match(w.query(s))
	}
	return nil, fmt.Errorf("no form: %v", fails)
}

// assign gives the open names of a statement the types of a reading.
func (w *Wrapped) assign(s *Statement, reading *isa.Sample) (open []*register) {
	for i, o := range s.Operands {
		for j, part := range strings.Split(o, "|") {
			for _, word := range nameRE.FindAllString(part, -1) {
				r := w.register(unselected(word))
				if r == nil || r.typ != "" {
					continue
				}
				r.typ = ".b32"
				if o[0] == '[' {
					r.typ = ".b64"
				} else if i < len(reading.Operands) && j < len(reading.Operands[i].Parts) {
					r.typ = registerType(&reading.Operands[i].Parts[j], part[0] == '{')
				}
				open = append(open, r)
			}
		}
	}
	return open
}

// registerType is the narrowest register that a role takes.
func registerType(p *isa.PartSpec, vector bool) string {
	kinds := p.Kinds
	k := &kinds[0]
	for i := range kinds {
		if slices.Contains(kinds[i].Kinds, isa.ShapeReg) && kinds[i].Vector >= 0 == vector {
			k = &kinds[i]
			break
		}
	}
	switch {
	case k.Pred:
		return ".pred"
	case k.Type == 0:
		return ".b32"
	}
	switch n := k.Type.Storage().Bits(); n {
	case 1:
		return ".pred"
	case 8:
		if k.Wider {
			return ".b32"
		}
		return ".b8"
	default:
		return fmt.Sprintf(".b%d", n)
	}
}

// query is a statement as a question to the matcher.
func (w *Wrapped) query(s *Statement) *isa.Query {
	q := &isa.Query{Tokens: s.Tokens, Suffix: s.Suffix, Version: w.Version, Target: w.Target, Entry: true, Guarded: s.Guard != ""}
	for _, o := range s.Operands {
		shape := w.shape(o)
		if shape.Kind == isa.ShapeLabel && s.Tokens[0] == "call" {
			shape.Kind = isa.ShapeFunc
		}
		q.Operands = append(q.Operands, shape)
	}
	return q
}
