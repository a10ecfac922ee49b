package check

// This file keeps one mistake from causing many messages: a name whose declaration was
// rejected is known, and what uses it is not judged.

import (
	"strings"

	"ptxvm.invalid/ptxvm/internal/syntax"
)

// poison enters the names of a rejected declaration.
func (c *checker) poison(s *syntax.Variables) {
	for i := range s.Vars {
		c.poisonName(&s.Vars[i])
	}
}

func (c *checker) poisonName(v *syntax.Declarator) {
	o := &Object{Kind: poisoned, Name: c.text(v.Name), Tok: v.Name, Var: v}
	if v.Name == syntax.NoToken || c.clash(o) != nil {
		return
	}
	if v.Count != syntax.NoToken {
		o.Count = maxFamily
	}
	c.scopes.declare(c.file.Word(v.Name), o)
}

// poisoned reports whether a name's declaration was rejected.
func (u Use) poisoned() bool { return u.Object != nil && u.Object.Kind == poisoned }

// brokenName reports whether an undeclared name stands in a statement that could not be
// parsed, which may have been its declaration or that of its family.
func (c *checker) brokenName(name syntax.TokenID) bool {
	if c.broken == nil {
		c.broken = map[string]bool{}
		c.breakNames(c.file.Stmts)
	}
	text := c.text(name)
	return c.broken[text] || c.broken[strings.TrimRight(text, "0123456789")]
}

func (c *checker) breakNames(stmts []syntax.Stmt) {
	for _, s := range stmts {
		switch s := s.(type) {
		case *syntax.Bad:
			for t := s.First; t <= s.Last; t++ {
				if c.file.Kind(t) == syntax.Ident {
					c.broken[c.text(t)] = true
				}
			}
		case *syntax.Block:
			c.breakNames(s.Stmts)
		case *syntax.Function:
			if s.Body != nil {
				c.breakNames(s.Body.Stmts)
			}
		}
	}
}
