package ir

// This file declares the module: everything of one translation unit, or of several linked ones.

import (
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
)

// Module is one translation unit after lowering, or several after linking.
type Module struct {
	Name    string // of the source, for messages
	Version isa.Version
	Target  isa.Target
	Vars    []*Var  // module scope, and shared variables of functions hoisted there
	Funcs   []*Func // definitions and declarations in written order
	Aliases []Alias
	Sources []*diag.Source // of the units, in link order; Func.Unit indexes it
	Files   []string       // names of .file directives; Loc.File indexes it
	Locs    []Loc          // Locs[0] is "no location"
	Pragmas []string       // module-scope .pragma strings, kept
}

// Alias makes a function name stand for another function (11.6.5).
type Alias struct {
	Name string
	To   *Func
}

// LocID indexes Module.Locs. 0 means that no .loc applies.
type LocID int32

// Loc is one source location as .loc gives it (11.5.3).
type Loc struct {
	File      int32 // index into Module.Files
	Line, Col int32 // from 1; 0 unknown
	Function  string
	InlinedAt LocID // the call that was inlined here, 0 if none
}

// Func returns the function of a name, nil if there is none. Aliases count.
func (m *Module) Func(name string) *Func {
	for _, f := range m.Funcs {
		if f.Name == name {
			return f
		}
	}
	for _, a := range m.Aliases {
		if a.Name == name {
			return a.To
		}
	}
	return nil
}

// Var returns the module-scope variable of a name, nil if there is none.
func (m *Module) Var(name string) *Var {
	for _, v := range m.Vars {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// Chain returns a location and the calls it was inlined through, innermost first.
// It ends after 64 links, so a cyclic table is harmless.
func (m *Module) Chain(id LocID) []Loc {
	var chain []Loc
	for len(chain) < 64 && id > 0 && int(id) < len(m.Locs) {
		chain = append(chain, m.Locs[id])
		id = m.Locs[id].InlinedAt
	}
	return chain
}
