package check

// This file checks the directives of a function: where they stand, their values, and
// which exclude or demand each other. The rules stand in the ISA data.

import (
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// Places of directives, as the ISA data names them.
const (
	placeKernel    = "kernel"
	placeFunction  = "function"
	placePrototype = "prototype"
	placeModule    = "module"
	placeBody      = "body"
)

// placeWords name places in messages.
var placeWords = map[string]string{
	placeKernel: "kernels", placeFunction: "device functions", placePrototype: "prototypes",
	placeModule: "module scope", placeBody: "bodies of functions",
}

func placeNames(places []string) string {
	var words []string
	for _, p := range places {
		words = append(words, placeWords[p])
	}
	return strings.Join(words, " and ")
}

// headPlace is the place of the directives between a function's head and its body.
func headPlace(fn *Func) string {
	if fn.Entry {
		return placeKernel
	}
	return placeFunction
}

// directives checks the directives of a function's head, or of a prototype.
func (c *checker) directives(list []syntax.Directive, fn *Func, place string) {
	if len(list) == 0 {
		return
	}
	seen := map[string]*syntax.Directive{}
	for i := range list {
		d := &list[i]
		seen[c.text(d.Keyword)] = d
		c.directive(d, fn, place)
	}
	for i := range list {
		c.companions(&list[i], seen)
	}
	if place != placeKernel {
		c.directiveOrder(list)
	}
}

// directiveOrder: in the head of a function directives have an order, and stand once (11.2.2).
func (c *checker) directiveOrder(list []syntax.Directive) {
	var last *isa.Directive
	seen := map[*isa.Directive]bool{}
	for i := range list {
		tok := list[i].Keyword
		rule := isa.LookupDirective(c.text(tok))
		switch {
		case rule == nil:
			continue
		case seen[rule]:
			c.badDirective(tok, rule, "%s is there twice", rule.Name)
		case last != nil && rule.Order < last.Order:
			c.badDirective(tok, rule, "%s stands before %s", rule.Name, last.Name)
		}
		last, seen[rule] = rule, true
	}
}

// companions checks directives that cannot stand together, and those that mean nothing, or
// nothing legal, alone.
func (c *checker) companions(d *syntax.Directive, seen map[string]*syntax.Directive) {
	rule := isa.LookupDirective(c.text(d.Keyword))
	if rule == nil {
		return
	}
	for _, other := range rule.Excludes {
		if o := seen[other]; o != nil && o.Keyword < d.Keyword {
			c.badDirective(d.Keyword, rule, "%s and %s cannot both be given", other, rule.Name)
		}
	}
	for _, other := range rule.Needs {
		if seen[other] == nil {
			c.badDirective(d.Keyword, rule, "%s needs %s", rule.Name, strings.Join(rule.Needs, " and "))
			break
		}
	}
	if len(rule.Wants) > 0 && !anySeen(rule.Wants, seen) {
		c.warnf(diag.BadPerformanceDirective, c.at(d.Keyword), "%s has no effect without %s", rule.Name, strings.Join(rule.Wants, " or "))
	}
}

func anySeen(names []string, seen map[string]*syntax.Directive) bool {
	for _, name := range names {
		if seen[name] != nil {
			return true
		}
	}
	return false
}

func (c *checker) badDirective(tok syntax.TokenID, rule *isa.Directive, format string, args ...any) {
	d := c.errorf(diag.BadPerformanceDirective, c.at(tok), format, args...)
	d.Spec = directiveSection(rule)
}

func (c *checker) directive(d *syntax.Directive, fn *Func, place string) {
	rule := isa.LookupDirective(c.text(d.Keyword))
	if rule == nil {
		return // reported by the parser
	}
	if !rule.In(place) {
		c.badDirective(d.Keyword, rule, "%s is for %s, not for %s", rule.Name, placeNames(rule.Places), placeWords[place])
		return
	}
	c.directiveValues(d, rule)
	c.admitAs(d.Keyword, rule)
	switch c.file.Word(d.Keyword) {
	case syntax.WordLanguage:
		if place == placeFunction && fn.Node.Body == nil {
			c.badDirective(d.Keyword, rule, "%s stands where the function is defined", rule.Name)
		}
	case syntax.WordNoReturn:
		fn.Sig.NoReturn = true
		if len(fn.Sig.Rets) > 0 {
			c.errorf(diag.NoReturnReturns, c.at(d.Keyword), "a .noreturn function has no return value")
		}
	case syntax.WordPragma:
		c.pragmas(d.Args, place)
	}
}

// directiveValues checks how many values there are, and each.
func (c *checker) directiveValues(d *syntax.Directive, rule *isa.Directive) {
	switch a := &rule.Args; {
	case len(d.Args) < a.Least:
		c.badDirective(d.Keyword, rule, "%s needs a value: %s", rule.Name, rule.Form)
	case len(d.Args) > a.Most:
		c.badDirective(d.Args[a.Most], rule, "%s takes no more than %s", rule.Name, count(a.Most, "value"))
	default:
		for _, tok := range d.Args {
			c.directiveValue(tok, rule)
		}
	}
}

func (c *checker) directiveValue(tok syntax.TokenID, rule *isa.Directive) {
	if a := &rule.Args; len(a.Names) > 0 && c.file.Kind(tok) == syntax.String {
		if !a.Named(c.text(tok)) {
			c.badDirective(tok, rule, "%s is no name that %s knows; it knows %s", c.text(tok), rule.Name, strings.Join(a.Names, ", "))
		}
	} else if (c.file.Kind(tok) == syntax.String) != a.Strings {
		want := map[bool]string{true: "strings", false: "numbers"}[a.Strings]
		c.badDirective(tok, rule, "%s takes %s, not %s", rule.Name, want, c.text(tok))
	} else if n, ok := c.literal(tok); a.Strings || ok && uint64(n) >= a.Lo && uint64(n) <= a.Hi {
		return
	} else if n == 0 {
		c.badDirective(tok, rule, "%s needs positive numbers, not %s", rule.Name, c.text(tok))
	} else {
		c.badDirective(tok, rule, "%s takes numbers from %d to %d, not %s", rule.Name, a.Lo, a.Hi, c.text(tok))
	}
}
