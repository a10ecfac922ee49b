package check

// This file tells of setmaxnreg that ptxas leaves out of the machine code, with a line of information alone (C7504, C7505, C7506,
// C7508). Its conditions are found by trying ptxas 13.5; what it lets stand, package decode counts. Its text for a minimum of registers
// that has to be kept nothing that was tried brings out.

import (
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// moves is what a function does that matters to setmaxnreg.
type moves struct {
	at       syntax.TokenID // its first setmaxnreg; NoToken: it has none
	indirect bool           // it calls by address
}

// move is the entry of the function that is being checked.
func (c *checker) move() *moves {
	m := c.moves[c.fn]
	if m == nil {
		m = &moves{at: syntax.NoToken}
		c.moves[c.fn] = m
	}
	return m
}

// noteMove takes down an instruction.
func (c *checker) noteMove(s *syntax.Instruction, sel *isa.Sel) {
	if sel.ID() == isa.Setmaxnreg {
		c.moving = true
		if m := c.move(); m.at == syntax.NoToken {
			m.at = s.Opcode
		}
	}
}

// Why ptxas leaves setmaxnreg out.
const (
	whyUnits    = "a module that is compiled apart (-c) does not tell what else runs (C7504)"
	whyDebug    = "code for a debugger keeps its registers (-g, C7505)"
	whyExtern   = "the kernel calls by address, or a function that calls itself, and what is called keeps its registers (C7506)"
	whyNoBounds = "nothing tells how many registers a thread of the kernel begins with (C7508)"
)

// The ways to mend that.
const (
	fixUnits    = "compile the whole program"
	fixDebug    = "compile it without -g"
	fixExtern   = "call functions by name"
	fixNoBounds = "give the kernel .maxnreg, or .minnctapersm with .maxntid or .reqntid (__launch_bounds__ with a number of blocks), or ptxas -maxrregcount"
)

// ignoredMoves remarks on each kernel, or under -c and -g each function, whose setmaxnreg ptxas leaves out.
func (c *checker) ignoredMoves() {
	if !c.moving || c.opt.Judge != isa.Ptxas || c.diags.HasErrors() {
		return
	}
	steps := maxSharedSteps
	for _, f := range c.info.Funcs {
		switch own := c.moves[f]; {
		case c.opt.Debug && own != nil:
			c.ignoredMove(own.at, f, whyDebug, fixDebug)
		case c.opt.CompileOnly && own != nil:
			c.ignoredMove(own.at, f, whyUnits, fixUnits)
		case f.Entry && f.Node.Body != nil && !c.opt.Debug && !c.opt.CompileOnly:
			c.ignoredInKernel(f, &steps)
		}
	}
}

// ignoredInKernel remarks on a kernel of a whole program.
func (c *checker) ignoredInKernel(kernel *Func, steps *int) {
	switch at, outside := c.reached(kernel, steps); {
	case at == syntax.NoToken:
	case !c.opt.BoundRegisters && !c.boundsRegisters(kernel):
		c.ignoredMove(at, kernel, whyNoBounds, fixNoBounds)
	case outside:
		c.ignoredMove(at, kernel, whyExtern, fixExtern)
	}
}

func (c *checker) ignoredMove(at syntax.TokenID, f *Func, why, fix string) {
	if at == syntax.NoToken {
		return
	}
	d := c.reportf(diag.Remark, diag.IgnoredSetmaxnreg, c.at(at), "ptxas ignores setmaxnreg in %s: %s", f.Object.Name, why)
	d.Fixes = append(d.Fixes, diag.Fix{Label: fix})
}

// boundsRegisters reports whether the directives of a kernel tell how many registers a thread may have (11.4).
func (c *checker) boundsRegisters(kernel *Func) bool {
	has := func(words ...syntax.Word) bool {
		for i := range kernel.Node.Directives {
			for _, w := range words {
				if c.file.Word(kernel.Node.Directives[i].Keyword) == w {
					return true
				}
			}
		}
		return false
	}
	return has(syntax.WordMaxNReg) || has(syntax.WordMinNCTAPerSM) && has(syntax.WordMaxNTid, syntax.WordReqNTid)
}

// call is a function whose calls are being followed.
type call struct {
	f    *Func
	next int // of its references
}

// reached is the first setmaxnreg of a kernel and the functions that it calls by name, and whether they call by address or one of them
// comes to call itself. It follows what steps allow.
func (c *checker) reached(kernel *Func, steps *int) (at syntax.TokenID, outside bool) {
	at = syntax.NoToken
	seen, inside := map[*Func]bool{}, map[*Func]bool{}
	var stack []call
	enter := func(f *Func) {
		if outside = outside || inside[f]; seen[f] {
			return
		}
		seen[f], inside[f] = true, true
		stack = append(stack, call{f: f})
		if own := c.moves[f]; own != nil {
			outside = outside || own.indirect
			if at == syntax.NoToken {
				at = own.at
			}
		}
	}
	for enter(kernel); len(stack) > 0 && *steps > 0; *steps-- {
		top := &stack[len(stack)-1]
		if top.next == len(c.refs[top.f]) {
			inside[top.f] = false
			stack = stack[:len(stack)-1]
			continue
		}
		ref := c.refs[top.f][top.next]
		top.next++
		if g := ref.object; ref.called {
			if g.Alias != nil {
				g = g.Alias
			}
			enter(g.Func)
		}
	}
	return at, outside
}
