// Package lower turns checked syntax into ir, and links several ir modules into one. It
// relies on what check proved: it is never run on a module with errors.
package lower

// This file lowers a module: functions, aliases, files and what joins objects to ir.

import (
	"strconv"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/quota"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// Options choose how functions are built.
type Options struct {
	OneRowEach bool         // -G, initcheck, stepping: every register has its own row
	Quota      *quota.Quota // what lowering may take; nil: no limits
}

// Module lowers one checked module. The only errors are of the checker's making and are
// reported as such: a module that check accepted always lowers.
func Module(info *check.Info, opt Options) (*ir.Module, error) {
	l := &lowerer{info: info, file: info.File, opt: opt,
		vars: make([]*ir.Var, len(info.Objects)), funcs: make([]*ir.Func, len(info.Objects)),
		names: map[string]int{}, declared: make(map[syntax.TokenID]*check.Object, len(info.Objects)),
		cached: make([]cachedReg, len(info.File.Words)),
		m: &ir.Module{Name: info.File.Source.Name, Version: info.Version, Target: info.Target,
			Sources: []*diag.Source{info.File.Source}}}
	l.locs.init(l)
	l.declare()
	for _, s := range l.file.Stmts {
		if p, ok := s.(*syntax.Pragma); ok {
			l.m.Pragmas = append(l.m.Pragmas, l.strings(p.Strings)...)
		}
	}
	for _, f := range info.Funcs {
		opt.Quota.Prepare(kindOf(f), f.Object.Name)
		opt.Quota.Enter("lower")
		if err := l.function(f); err != nil {
			return nil, err
		}
	}
	opt.Quota.Prepare("module", l.m.Name)
	opt.Quota.Enter("initialisers")
	l.initialisers()
	l.aliases()
	return l.m, nil
}

func kindOf(f *check.Func) string {
	if f.Entry {
		return "kernel"
	}
	return "function"
}

// lowerer holds one module's lowering.
type lowerer struct {
	info  *check.Info
	file  *syntax.File
	opt   Options
	m     *ir.Module
	vars  []*ir.Var  // by Object.ID
	funcs []*ir.Func // by Object.ID
	names map[string]int
	locs  locTable

	shares bool // kernels and functions share registers and local memory of the module
	thread area // where they lie

	declared map[syntax.TokenID]*check.Object // by the token of the declaration
	cached   []cachedReg                      // by Word: the register that the name was last
}

// declare makes the variables of the module and all functions, so that any body may name them.
func (l *lowerer) declare() {
	for _, o := range l.info.Objects {
		l.declared[o.Tok] = o
		if o.Kind == check.Variable && o.Space != check.Local && (o.Func == nil || o.Space != check.Param) {
			l.moduleVar(o)
		}
	}
	l.shareThread()
	for _, f := range l.info.Funcs {
		g := ir.NewFunc(f.Object.Name)
		g.Entry, g.Linkage = f.Entry, linkages[f.Object.Linkage]
		g.Pos = l.at(f.Object.Tok)
		l.funcs[f.Object.ID] = g
		l.m.Funcs = append(l.m.Funcs, g)
	}
}

var linkages = map[syntax.Word]ir.Linkage{
	syntax.WordVisible: ir.Visible, syntax.WordExtern: ir.Extern,
	syntax.WordWeak: ir.Weak, syntax.WordCommon: ir.Common,
}

func (l *lowerer) aliases() {
	for _, o := range l.info.Objects {
		if o.Alias != nil {
			l.m.Aliases = append(l.m.Aliases, ir.Alias{Name: o.Name, To: l.funcs[o.Alias.ID]})
		}
	}
}

// at is the position of a token.
func (l *lowerer) at(t syntax.TokenID) diag.Pos { return l.file.TokenSpan(t).Start }

// unique returns name, or name~2, name~3 … if it was given out before.
func unique(given map[string]int, name string) string {
	given[name]++
	if n := given[name]; n > 1 {
		return unique(given, name+"~"+strconv.Itoa(n))
	}
	return name
}

// integer reads an Int token.
func (l *lowerer) integer(t syntax.TokenID) int32 {
	if text := l.file.Text(t); len(text) > 0 && len(text) < 9 && text[0] != '0' { // most are short and decimal
		n := int32(0)
		for i := range len(text) {
			n = n*10 + int32(text[i]-'0')
		}
		return n
	}
	n, _ := strconv.ParseInt(l.file.Text(t), 0, 32)
	return int32(n)
}

func (l *lowerer) strings(toks []syntax.TokenID) []string {
	var out []string
	for _, t := range toks {
		if l.file.Kind(t) == syntax.String {
			out = append(out, unquote(l.file.Text(t)))
		}
	}
	return out
}

// unquote strips the quotes; PTX strings have no escapes.
func unquote(s string) string {
	if len(s) >= 2 {
		return s[1 : len(s)-1]
	}
	return s
}
