package check

// This file checks accesses to .param space, whose rules depend on whose parameter it
// is (5.1.6, 7.1).

import (
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// paramAccess checks one access to a parameter or a body .param variable.
func (c *checker) paramAccess(s *syntax.Instruction, o *Object, name syntax.TokenID, store bool) {
	switch {
	case o.Kind == Variable && o.Space == Param && s.Guard != syntax.NoToken:
		c.errorf(diag.GuardNotAllowed, c.at(s.Guard), "arguments and results of a call cannot be accessed under a guard")
	case o.Kind == Variable && !store && !c.returned[o]:
		c.errorf(diag.ReadOnlyOperand, c.at(name), "%s holds no result yet; a call has to name it as its return value first", o.Name)
	case o.Kind != Parameter:
	case store && isInput(o):
		c.errorf(diag.ReadOnlyOperand, c.at(name), "%s is an input parameter; it cannot be written", o.Name)
	case !store && !isInput(o):
		c.errorf(diag.ReadOnlyOperand, c.at(name), "%s is a return parameter; it cannot be read", o.Name)
	}
}

// isInput tells a function's input parameters from its return parameters.
func isInput(o *Object) bool {
	for _, r := range o.Func.Sig.rets() {
		if r == o {
			return false
		}
	}
	return true
}

// rets is safe while the signature is still being read.
func (s *Signature) rets() []*Object {
	if s == nil {
		return nil
	}
	return s.Rets
}
