// Package generate makes PTX statements from the ISA's data: legal ones, and ones that are a
// single change away from legal. It is the project's only generator of PTX.
//
// A statement is drawn form first, then rows of tables, classes and optional parts
// (isa.Entry.Sample), then its operands; everything follows from a seed.
package generate

import (
	"math/rand/v2"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Statement is one instruction with what it needs around it.
type Statement struct {
	Entry    *isa.Entry // the form it was drawn from
	Tokens   []string   // opcode, modifiers with their dots
	Suffix   string     // behind the first address
	Operands []Operand
	Version  isa.Version // a module in which the gates pass
	Target   isa.Target
	Device   bool    // stands in a device function, else in a kernel
	Mutation string  // what was changed; "" for a legal statement
	Class    Class   // of the change
	Gate     int     // 1 + index of the gate of the entry that the module is at, or one step below; 0 if none
	callee   *callee // of a call
}

// Operand is an operand as text and as the matcher sees it.
type Operand struct {
	Text  string
	Shape isa.Shape
	spec  isa.OperandSpec
}

// Query is the statement as a question to the matcher.
func (s *Statement) Query() *isa.Query {
	q := &isa.Query{Tokens: s.Tokens, Suffix: s.Suffix, Version: s.Version, Target: s.Target, Entry: !s.Device}
	for i := range s.Operands {
		q.Operands = append(q.Operands, s.Operands[i].Shape)
	}
	return q
}

// Text is the statement in PTX.
func (s *Statement) Text() string {
	var b strings.Builder
	b.WriteString(strings.Join(s.Tokens, ""))
	suffix := s.Suffix
	for i := range s.Operands {
		b.WriteString([]string{" ", ", "}[min(i, 1)])
		b.WriteString(s.Operands[i].Text)
		if suffix != "" && s.Operands[i].Shape.Kind == isa.ShapeAddr {
			b.WriteString(suffix)
			suffix = ""
		}
	}
	return b.String() + ";"
}

// Generator draws statements of one instruction set.
type Generator struct {
	r       *rand.Rand
	entries []*isa.Entry
	targets []isa.Target // of modules
	limit   int          // draws for one statement
}

// New returns a generator whose draws follow from seed. It draws from entries, all of the
// instruction set if nil, for the given targets, all known ones if nil.
func New(seed uint64, entries []*isa.Entry, targets []isa.Target) *Generator {
	if entries == nil {
		entries = isa.Table().Entries()
	}
	if targets == nil {
		targets = isa.Targets()
	}
	return &Generator{rand.New(rand.NewPCG(seed, 0)), entries, targets, drawLimit}
}

// drawLimit bounds the draws for one statement.
const drawLimit = 20000

// Legal draws a legal statement of the entry, for a module of a random target that it may
// stand in, at the latest version or the first in which it may. It returns nil if none can be
// written for these targets, or if the entry's operands need declarations that the generator
// does not make.
func (g *Generator) Legal(e *isa.Entry) *Statement {
	for range g.limit {
		sample := e.Sample(g.r, isa.Any)
		if sample == nil {
			continue
		}
		if s := g.statement(sample); s != nil {
			return s
		}
		if !writable(sample) {
			return nil
		}
	}
	return nil
}

// LegalOf draws a legal statement with what a choice of its entry fixes; nil if it finds none.
func (g *Generator) LegalOf(e *isa.Entry, c isa.Choice) *Statement {
	for range choiceDraws {
		if sample := e.Sample(g.r, c); sample != nil {
			if s := g.statement(sample); s != nil {
				return s
			}
		}
	}
	return nil
}

// choiceDraws bounds the draws for one choice.
const choiceDraws = 200

func (g *Generator) statement(sample *isa.Sample) *Statement {
	v, t, ok := g.module(sample)
	if !ok {
		return nil
	}
	s := g.statementIn(sample, v, t)
	if s == nil {
		return nil
	}
	if _, fails := isa.Table().Match(s.Query()); fails != nil {
		return nil // a check, or a register type that the module does not have
	}
	return s
}

// statementIn writes the sample for a module in which its gates may be closed.
func (g *Generator) statementIn(sample *isa.Sample, v isa.Version, t isa.Target) *Statement {
	s := &Statement{Entry: sample.Sel.Entry, Tokens: slices.Clone(sample.Sel.Entry.Opcode), Version: v, Target: t}
	for _, m := range sample.Sel.Mods() {
		if m == sample.Suffix {
			s.Suffix = m.String()
			continue
		}
		s.Tokens = append(s.Tokens, m.String())
	}
	s.Device = slices.Contains(s.Tokens, ".param::func")
	d := drawer{g: g, s: s, used: map[string]int{}}
	if s.Entry.Effects.Has(isa.Calls) {
		d.drawCallee(sample.Operands)
	}
	for i, spec := range sample.Operands {
		d.first = i == 0
		o, ok := d.operand(spec)
		if !ok {
			return nil
		}
		s.Operands = append(s.Operands, o)
	}
	return s
}

// module chooses a version and a target in which the sample's gates pass.
func (g *Generator) module(sample *isa.Sample) (isa.Version, isa.Target, bool) {
	for _, i := range g.r.Perm(len(g.targets)) {
		var open []isa.Version
		for v := isa.TargetSince(g.targets[i]); v <= isa.Latest; v++ {
			if v.Known() && gatesPass(sample, v, g.targets[i]) {
				open = append(open, v)
			}
		}
		if open == nil {
			continue
		}
		if g.r.IntN(2) == 0 {
			return open[0], g.targets[i], true
		}
		return open[len(open)-1], g.targets[i], true
	}
	return 0, isa.Target{}, false
}

// gatesPass reports whether the sample's gates pass in a module.
func gatesPass(sample *isa.Sample, v isa.Version, t isa.Target) bool {
	for _, gate := range sample.Since {
		if !gate.Passes(v, t) {
			return false
		}
	}
	for _, gate := range sample.Until {
		if gate.Passes(v, t) {
			return false
		}
	}
	return true
}

// writable reports whether the generator can write operands for the sample.
func writable(sample *isa.Sample) bool {
	for _, o := range sample.Operands {
		for _, part := range o.Parts {
			if !slices.ContainsFunc(part.Kinds, func(k isa.KindSpec) bool { return len(writableKinds(&k)) > 0 }) {
				return false
			}
		}
	}
	return true
}

// firstMutant numbers the registers that mutations add, above all that a statement has.
const firstMutant = 40

func registerPrefix(t isa.Type) string { return "%" + t.String()[1:] + "_" }
