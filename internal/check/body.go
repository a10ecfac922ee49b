package check

// This file walks the body of a function: labels first, since branches go forward,
// then statements in order, since registers must be declared before they are used.

import (
	"strconv"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// body checks the outermost block, which shares its scope with the parameters.
func (c *checker) body(b *syntax.Block) {
	clear(c.unique)
	clear(c.returned)
	c.stmts(b)
}

// block checks an inner block in a scope of its own.
func (c *checker) block(b *syntax.Block) {
	c.scopes.push()
	c.stmts(b)
	c.scopes.pop()
}

func (c *checker) stmts(b *syntax.Block) {
	c.labels(b)
	for _, s := range b.Stmts {
		c.opt.Quota.Spend(stmtSteps)
		c.stmt(s)
	}
}

// stmtSteps is about what a statement takes, in steps of a quota.
const stmtSteps = 128

// labels declares the labels of one block, and the lists and prototypes that are labels, too.
func (c *checker) labels(b *syntax.Block) {
	for _, s := range b.Stmts {
		switch s := s.(type) {
		case *syntax.Label:
			c.label(s.Name, Label, s)
		case *syntax.Targets:
			kind := BranchTargets
			if c.file.Word(s.Keyword) == syntax.WordCallTargets {
				kind = CallTargets
			}
			c.label(s.Label, kind, s)
		case *syntax.Prototype:
			if o := c.label(s.Label, Prototype, s); o != nil {
				c.scopes.push()
				c.prototype = true
				o.Sig = c.signature(s.Returns, s.Params, false)
				c.prototype = false
				c.scopes.pop()
				c.prototypeDirectives(s, o)
			}
		}
	}
}

// prototypeDirectives allows .noreturn and the .abi_preserve family on a .callprototype (11.3.3).
func (c *checker) prototypeDirectives(s *syntax.Prototype, o *Object) {
	c.admit(s.Keyword)
	c.directives(s.Directives, &Func{Sig: o.Sig, Object: o}, placePrototype)
}

func (c *checker) label(name syntax.TokenID, kind ObjectKind, s syntax.Stmt) *Object {
	o := Object{Kind: kind, Name: c.text(name), Tok: name, Func: c.fn, Stmt: s}
	if other := c.clash(&o); other != nil {
		d := c.errorf(diag.DuplicateLabel, c.at(name), "%s is already declared as a %v", o.Name, other.Kind)
		c.declaredHere(d, other)
		return nil
	}
	return c.enter(&o)
}

func (c *checker) stmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.Variables:
		c.bodyVariables(s)
	case *syntax.Block:
		c.block(s)
	case *syntax.Instruction:
		c.inlinedHere()
		c.instruction(s)
	case *syntax.Targets:
		c.admit(s.Keyword)
		c.targets(s)
	case *syntax.Loc:
		c.loc(s)
	case *syntax.DwarfLine:
		c.dwarfLine(s)
	case *syntax.Pragma:
		c.pragma(s, placeBody)
	}
}

// targets resolves the names of a .branchtargets or .calltargets list (11.3.1, 11.3.2).
func (c *checker) targets(s *syntax.Targets) {
	list := c.scopes.open[len(c.scopes.open)-1].names[c.file.Word(s.Label)]
	if list == nil {
		return // a duplicate, reported by labels
	}
	want := Label
	if list.Kind == CallTargets {
		want = Function
	}
	for _, n := range s.Names {
		if n.Count == syntax.NoToken {
			c.targetName(list, n.Name, want)
		} else {
			c.targetFamily(list, n, want)
		}
	}
}

// targetFamily resolves name<n>: the labels name0 to name(n-1).
func (c *checker) targetFamily(list *Object, n syntax.TargetName, want ObjectKind) {
	count, ok := c.literal(n.Count)
	if !ok || count < 0 {
		return
	}
	for i := range count {
		if c.listed++; c.listed > maxListed {
			c.errorf(diag.FileTooLarge, c.at(n.Name), "the lists of targets of this module have more than %d names", maxListed)
			return
		}
		name := c.text(n.Name) + strconv.FormatInt(i, 10)
		o := c.scopes.named(name)
		if o == nil || o.Kind != want {
			c.errorf(diag.UndefinedLabel, c.at(n.Name), "%v %s is not defined", want, name)
			return
		}
		list.List = append(list.List, o)
	}
}

// maxListed bounds what the families of one module's lists hold; a few bytes of text could name millions.
const maxListed = 1 << 20

func (c *checker) targetName(list *Object, name syntax.TokenID, want ObjectKind) {
	u, ok := c.use(name)
	switch {
	case !ok && want == Label:
		c.errorf(diag.UndefinedLabel, c.at(name), "label %s is not defined", c.text(name))
	case !ok:
		c.undeclared(name)
	case u.poisoned():
	case u.Object == nil || u.Object.Kind != want:
		c.errorf(diag.BadTargetList, c.at(name), "%s is no %v", c.text(name), want)
	default:
		list.List = append(list.List, u.Object)
	}
}
