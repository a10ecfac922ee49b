package ir

// This file finds what vector loads bring that nothing reads. Compilers widen loads, three of 4 bytes to one of 16, and
// let the last elements go; such an element is `_`, as if the text said so, and no part of the access (RATIONALE.md).

// dropUnread makes the last elements of vector loads that nothing reads before it is written again `_`. The first
// elements are aligned like the whole and stay: what allocates keeps to that alignment. A load of which nothing is
// read at all stays as it is: it was written to touch memory.
func (f *Func) dropUnread() {
	var c *liveCursor
	for b := range f.Blocks {
		if first := f.firstVectorLoad(BlockID(b)); first >= 0 {
			if c == nil {
				c = &liveCursor{f: f, known: make([]liveNote, len(f.Regs))}
			}
			c.enter(BlockID(b))
			c.dropUnread(first)
		}
	}
}

// firstVectorLoad is the pc of a block's first vector load, -1 if it has none.
func (f *Func) firstVectorLoad(b BlockID) int32 {
	for pc := f.Blocks[b].First; pc < f.Blocks[b].End; pc++ {
		if f.Insts[pc].loadsVector() {
			return pc
		}
	}
	return -1
}

// dropUnread is that for the instructions of a block from a pc on.
func (c *liveCursor) dropUnread(first int32) {
	f := c.f
	for pc := f.Blocks[c.block].End - 1; pc >= first; pc-- {
		in := &f.Insts[pc]
		if in.loadsVector() {
			in.Ops[0].Elems = wanted(in.Ops[0].Elems, c.has)
		}
		c.pass(in)
	}
}

func (in *Inst) loadsVector() bool {
	return in.property().rule == ruleLoad && in.Ops[0].Kind == OpVec
}

// wanted is the elements of a load of which the last ones are `_` if they do not live behind it.
func wanted(elems []Operand, lives func(Reg) bool) []Operand {
	n := len(elems)
	for n > 0 && (elems[n-1].Kind != OpReg || !lives(elems[n-1].Reg)) {
		n--
	}
	if n == 0 || n == len(elems) {
		return elems
	}
	out := append([]Operand(nil), elems[:n]...)
	for range elems[n:] {
		out = append(out, Operand{Kind: OpSink, Access: OnlyWrite})
	}
	return out
}
