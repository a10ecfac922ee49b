package ssa

import "strings"

// Line is what stands in the text of a function for an operation or an effect.
func (f *Func) Line(i Item) string {
	p := printer{f: f}
	if i.Effect != nil {
		p.effect(i.Effect)
	} else {
		p.op(i.Value)
	}
	return strings.TrimSpace(p.String())
}
