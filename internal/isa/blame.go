package isa

// This file finds the tokens that a broken rule is about, for its diagnostic.

// blame returns the tokens that a rule names and the statement has: that which asks for
// something first, then that which stands against it; -1 for none.
func (x *explainer) blame(r *rule) (token, other int) {
	var found []int
	for _, c := range []cond{r.when, r.needs} {
		eachRef(c, func(ref valueRef, class int) {
			if t := x.refToken(ref, class); t >= 0 && !containsInt(found, t) {
				found = append(found, t)
			}
		})
	}
	found = append(found, -1, -1)
	return found[0], found[1]
}

// refToken returns the token of the statement that a reference or the class it is compared
// with stands for.
func (x *explainer) refToken(ref valueRef, class int) int {
	for i := x.glued; i < len(x.q.Tokens); i++ {
		m := x.t.knownMod(x.q.Tokens[i])
		switch {
		case class >= 0 && !x.e.classes[class].has(m):
		case class >= 0, ref.mod == m, ref.class >= 0 && x.e.classes[ref.class].has(m):
			return i
		}
	}
	return -1
}

// eachRef visits the modifiers and classes of a condition; class is the one that is compared,
// -1 if the condition only asks whether something is there.
func eachRef(c cond, visit func(ref valueRef, class int)) {
	switch c := c.(type) {
	case andCond:
		eachRef(c.a, visit)
		eachRef(c.b, visit)
	case orCond:
		eachRef(c.a, visit)
		eachRef(c.b, visit)
	case notCond:
		eachRef(c.a, visit)
	case hasCond:
		for _, r := range c.any {
			visit(r, -1)
		}
	case isCond:
		visit(valueRef{class: -1}, c.class)
	}
}
