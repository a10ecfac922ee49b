package doc

// This file lists the names that fit an operand.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// operandItems offers the names whose kind and type fit the operand.
func (l *lister) operandItems() {
	forms := isa.Of(l.w.snapshot.opt.Judge).Forms(l.mods, "")
	if forms.Entry() == nil {
		l.names(func(*check.Object) bool { return true })
		return
	}
	before := l.shapes()
	if forms.Entry().ID == isa.Call {
		l.callItems()
		return
	}
	takes := func(s isa.Shape) bool {
		return slices.ContainsFunc(l.wrapped(s), func(s isa.Shape) bool { return forms.Takes(before, &s) })
	}
	moves := forms.Entry().ID == isa.Mov // ptxas takes functions for numbers elsewhere, too; that is never meant
	l.names(func(o *check.Object) bool { return (o.Kind != check.Function || moves) && takes(o.Shape()) })
	if slices.Contains(l.nest, syntax.LBracket) { // nor are special registers meant as addresses
		return
	}
	for _, sp := range isa.Specials() {
		info := sp.Info()
		shape := isa.Shape{Kind: isa.ShapeSpecial, Special: sp, Type: info.Type}
		if !takes(shape) || !sp.Available(l.w.Info.Version, l.w.Info.Target) {
			continue
		}
		if info.Lanes == 1 {
			l.add(SpecialRegister, info.Name, info.Doc, info.Name)
			continue
		}
		for _, component := range "xyz" {
			l.add(SpecialRegister, info.Name+"."+string(component), info.Doc, info.Name)
		}
	}
}

// callItems: what a call names has no types; functions stand outside of parentheses, arguments in them.
func (l *lister) callItems() {
	l.names(func(o *check.Object) bool {
		if len(l.nest) > 0 {
			return o.Kind == check.Register || o.Space == check.Param
		}
		return o.Kind == check.Function && !o.Func.Entry || o.Kind == check.Prototype || o.Kind == check.CallTargets
	})
}

// visible lists the objects that a name at the word may mean, the nearest first.
func (c *writing) visible() (list []*check.Object) {
	seen := map[string]bool{}
	add := func(t syntax.TokenID) {
		if o := c.w.declared()[t]; o != nil && !seen[o.Name] {
			seen[o.Name] = true
			list = append(list, o)
		}
	}
	for i := len(c.blocks) - 1; i >= 0; i-- {
		for _, s := range c.blocks[i].Stmts {
			switch s := s.(type) {
			case *syntax.Variables:
				if s.First > c.place() {
					continue
				}
				for j := range s.Vars {
					add(s.Vars[j].Name)
				}
			case *syntax.Label:
				add(s.Name)
			case *syntax.Targets:
				add(s.Label)
			case *syntax.Prototype:
				add(s.Label)
			}
		}
	}
	if c.fn != nil {
		for _, params := range []*syntax.Params{c.fn.Params, c.fn.Returns} {
			if params != nil {
				for i := range params.List {
					if len(params.List[i].Vars) > 0 {
						add(params.List[i].Vars[0].Name)
					}
				}
			}
		}
	}
	for _, o := range c.w.Info.Objects {
		if !local(o) && o.Tok < c.place() {
			add(o.Tok)
		}
	}
	return list
}

// named is what a name means at the word.
func (c *writing) named(name string) symbol {
	for _, o := range c.visible() {
		if o.Count == 0 && o.Name == name {
			return symbol{object: o}
		}
		if _, ok := member(name, o); ok && o.Count > 0 {
			return symbol{object: o}
		}
	}
	return symbol{}
}

// registers offers registers that fit, and nothing else.
func (l *lister) registers(fits func(*check.Object) bool) {
	l.names(func(o *check.Object) bool { return o.Kind == check.Register && fits(o) })
}

// itemKinds say what an object is as an item.
var itemKinds = map[check.ObjectKind]ItemKind{
	check.Register: Register, check.Variable: Variable, check.Parameter: Variable, check.Function: Function,
	check.AliasName: Function,
	check.Label:     Label, check.BranchTargets: Label, check.CallTargets: Label, check.Prototype: Label,
}

// names offers visible names that fit; of families the members that are used next to the word, and one that is not used yet.
func (l *lister) names(fits func(*check.Object) bool) {
	for _, o := range l.visible() {
		kind, known := itemKinds[o.Kind]
		if !known || o.Name == "_" || !fits(o) {
			continue
		}
		detail := detailOf(o)
		if o.Count == 0 {
			l.add(kind, o.Name, detail, "")
			continue
		}
		for _, n := range l.members(o) {
			l.add(kind, fmt.Sprintf("%s%d", o.Name, n), detail, "")
		}
	}
}

func detailOf(o *check.Object) string {
	switch o.Kind {
	case check.Register:
		return o.Type.String()
	case check.Variable, check.Parameter:
		return fmt.Sprintf(".%v %v", o.Space, o.Type)
	}
	return o.Kind.String()
}

// members are numbers of a family: of those that stand next to the word, then the least that nothing names.
func (l *lister) members(o *check.Object) (list []int) {
	type use struct {
		number   int
		distance Pos
	}
	const many = 1 << 16
	nearest := make([]Pos, min(int(o.Count), many)) // by number; 0: nothing names it
	here := l.w.Whole(l.start)
	see := func(n int, at Pos) {
		if d := max(at-here, here-at, 1); n < len(nearest) && (nearest[n] == 0 || d < nearest[n]) {
			nearest[n] = d
		}
	}
	r := l.fn.Extent()
	for t := r.First; t <= r.Last; t++ {
		if u, ok := l.w.Info.Use(t); ok && u.Object == o {
			see(int(u.Index), l.w.tokenSpan(t).Start)
		}
	}
	l.w.cutMembers(l.w.span(r), o.Name, see)
	var uses []use
	for n, d := range nearest {
		if d > 0 {
			uses = append(uses, use{n, d})
		}
	}
	slices.SortFunc(uses, func(a, b use) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.number, b.number))
	})
	digits, _ := strings.CutPrefix(l.word, o.Name)
	for _, u := range uses {
		if strings.HasPrefix(fmt.Sprint(u.number), digits) || !strings.HasPrefix(l.word, o.Name) {
			list = append(list, u.number)
		}
		if len(list) == maxMembers {
			break
		}
	}
	if n := slices.Index(nearest, 0); n >= 0 {
		list = append(list, n)
	}
	return list
}
