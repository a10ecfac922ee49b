package check

// This file checks declarations that declare nothing: .reg .u32; (ptxas 13.5 has them everywhere).

import (
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// emptyDeclaration checks a declaration without a name, and tells whether s is one. ptxas asks neither whether the place has
// such a space, nor whether the space has such a type; what a vector, an alignment and an attribute can be counts.
func (c *checker) emptyDeclaration(s *syntax.Variables, space Space) bool {
	if len(s.Vars) > 0 || space == SReg {
		return false
	}
	t, known := isa.LookupType(c.text(s.Type))
	switch {
	case !known || !declarable(t) && !t.Parsed():
		c.errorf(diag.UnknownType, c.at(s.Type), "%s is no type that a variable can have", c.text(s.Type))
		return true
	case t.Opaque() && c.fn != nil:
		c.errorf(diag.WrongSpace, c.at(s.Type), "%s variables stand at module scope or are parameters of kernels", c.text(s.Type))
	case declarable(t) && t.Kind() == isa.Packed:
		c.typeGate(s, t)
	}
	c.linkage(s.Linkage)
	if s.Vector != syntax.NoToken {
		c.vector(s, t)
	}
	if s.Bank != syntax.NoToken {
		c.bank(s.Bank)
	}
	if s.Align != syntax.NoToken {
		c.alignments(s)
	}
	c.attributes(s, &Object{Space: Global}) // .managed is known, whatever the space
	return true
}
