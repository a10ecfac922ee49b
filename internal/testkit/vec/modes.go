package vec

// The ways to execute a block.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

var (
	masked  = variant{name: "masked"}
	uniform = variant{name: "uniform", uniform: true}
)

// Masks are the sets of lanes that execute the cases of single lanes.
var Masks = []uint32{0xffffffff, 0xaaaa5555, 0x00000001, 0x80000000}

// inPlace lists the kernels in which the result's register is an operand's, of a block of one
// statement.
func (w *Wrapped) inPlace() (list []variant) {
	if len(w.Stmts) != 1 || len(w.out) != 1 || w.Stmts[0].Guard != "" {
		return nil
	}
	d := w.out[0]
	for _, r := range w.in {
		if r.typ == d.typ && d.bits() > 1 {
			list = append(list, variant{name: "inplace_" + r.name, rename: map[string]string{d.name: r.name}})
		}
	}
	return list
}

// constant is a kernel for one case.
type constantVariant struct {
	variant
	c *Case
}

// constants lists the kernels with constants: each operand alone with the first case, then all
// that may be one with the second.
func (w *Wrapped) constants() (list []constantVariant) {
	if len(w.Stmts) != 1 || w.Stmts[0].Guard != "" {
		return nil
	}
	var lane []*Case
	for i := range w.Cases {
		if !w.Cases[i].Warp {
			lane = append(lane, &w.Cases[i])
		}
	}
	if len(lane) == 0 {
		return nil
	}
	last := lane[min(1, len(lane)-1)]
	every := map[string]string{}
	for k, r := range w.in {
		if one := map[string]string{r.name: w.literal(r, lane[0].In[k][0])}; w.takes(one) {
			list = append(list, constantVariant{variant{name: "constant_" + r.name, rename: one}, lane[0]})
			every[r.name] = w.literal(r, last.In[k][0])
		}
	}
	if len(every) > 0 && w.takes(every) {
		list = append(list, constantVariant{variant{name: "constants", rename: every}, last})
	}
	return list
}

// literal writes a value as a constant of the operand's type.
func (w *Wrapped) literal(r *register, v Value) string {
	lo, _ := v.Bits(r.bits())
	at := w.roleOf(r.name)
	switch {
	case at != nil && at.Type != 0 && at.Type.Kind() == isa.Float && at.Type.Bits() == 32:
		return fmt.Sprintf("0f%08x", lo)
	case at != nil && at.Type != 0 && at.Type.Kind() == isa.Float && at.Type.Bits() == 64:
		return fmt.Sprintf("0d%016x", lo)
	case at != nil && at.Type != 0 && at.Type.Kind() == isa.Signed:
		n := max(0, 64-r.bits()) // of a 128-bit register no constant is made
		return fmt.Sprint(int64(lo<<n) >> n)
	}
	return fmt.Sprintf("%#x", lo)
}

// roleOf returns what the only statement says about the operand that is a name alone.
func (w *Wrapped) roleOf(name string) *isa.RoleAt {
	s := w.Stmts[0]
	for i := range s.Sel.Roles {
		if at := &s.Sel.Roles[i]; at.Op < len(s.Operands) && s.Operands[at.Op] == name {
			return at
		}
	}
	return nil
}

// takes reports whether the statement may have constants for these names.
func (w *Wrapped) takes(constants map[string]string) bool {
	s := *w.Stmts[0]
	s.Operands = append([]string(nil), s.Operands...)
	for i, o := range s.Operands {
		c, ok := constants[o]
		if !ok {
			continue
		}
		if r := w.register(o); r == nil || r.bits() > 64 || strings.HasPrefix(o, "!") {
			return false
		}
		s.Operands[i] = c
		delete(constants, o)
		defer func() { constants[o] = c }()
	}
	if len(constants) > 0 { // inside a vector or an address
		return false
	}
	_, fails := isa.Table().Match(w.query(&s))
	return len(fails) == 0
}
