package check

// This file checks what only the whole module shows, when it is to stand alone: names
// that nothing defines, and memory that does not fit.

import (
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// provided are the functions that exist without a definition, for calls only (ptxas 13.5
// links them; CUDA C++ programming guide: printf, heap, assert).
var provided = map[string]bool{
	"vprintf": true, "malloc": true, "free": true, "__assertfail": true,
	"__cuda_syscall_cp": true, "cudaGraphLaunch": true, "cudaGraphSetConditional": true, "cudaGraphKernelNodeSetParam": true,
	"cudaGraphKernelNodeSetEnabled": true, "cudaGraphKernelNodeSetGridDim": true, "cudaGraphKernelNodeUpdatesApply": true,
}

// What a module may take of memory that is laid out before a launch.
const (
	MaxConstBytes  = 64 << 10
	MaxSharedBytes = 48 << 10
)

// alone judges a valid module as one that no other is linked to, and keeps that apart if others may be.
func (c *checker) alone() {
	judge := c.program
	if c.opt.CompileOnly {
		judge = c.compileOnly
	}
	if (c.opt.WholeProgram || c.opt.CompileOnly) && !c.opt.Apart {
		judge()
		return
	}
	diags, kept, unlisted := c.diags, c.kept, c.unlisted
	c.diags, c.kept = nil, [diag.Remark + 1]int{}
	judge()
	c.diags.Sort()
	c.info.Alone, c.diags, c.kept, c.unlisted = c.diags, diags, kept, unlisted
}

// compileOnly judges the module as ptxas -c does.
func (c *checker) compileOnly() {
	c.undefinedFunctions()
	c.constantMemory()
	c.ignoredMoves()
}

// program judges the module as ptxas does without -c.
func (c *checker) program() {
	for _, tok := range c.unified {
		c.errorf(diag.BadAttribute, c.at(tok), ".unified is for modules that are linked; this one is judged as a whole program")
	}
	c.undefinedFunctions()
	c.unresolvedFunctions()
	c.unresolvedVariables()
	c.constantMemory()
	if !c.diags.HasErrors() {
		c.sharedMemory()
	}
	if c.opt.WholeProgram {
		c.ignoredMoves()
	}
}

// refer notes that the current function, or an initialiser, names an object.
func (c *checker) refer(o *Object, tok syntax.TokenID) {
	if o.Kind == Function || o.Kind == Variable && o.Space == Shared {
		c.refs[c.fn] = append(c.refs[c.fn], reference{object: o, token: tok})
	}
}

// summarize says what the body of a function needs of the rest of the module; declared is what it declares.
func (c *checker) summarize(fn *Func, declared []*Object) {
	for _, r := range c.refs[fn] {
		o := r.object
		fn.Open = fn.Open || o.Kind == Function && o.Linkage == syntax.WordExtern && !(r.called && provided[o.Name])
		fn.Shared = fn.Shared || o.Kind == Variable
	}
	fn.Moves = c.moves[fn] != nil && c.moves[fn].at != syntax.NoToken
	for _, o := range declared {
		fn.Shared = fn.Shared || o.Kind == Variable && o.Space == Shared
	}
}

// calling marks the latest mention of a function as a call.
func (c *checker) calling(tok syntax.TokenID) {
	list := c.refs[c.fn]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].token == tok {
			list[i].called = true
			return
		}
	}
}

// undefinedFunctions: a declared function needs a definition unless it is .extern; an alias is one.
func (c *checker) undefinedFunctions() {
	for _, f := range c.info.Funcs {
		o := f.Object
		if f.Node.Body == nil && o.Alias == nil && o.Linkage != syntax.WordExtern {
			c.errorf(diag.Unresolved, c.at(o.Tok), "%s is declared but not defined; link the module that defines it, or declare it .extern", o.Name)
		}
	}
}

// unresolvedFunctions: a function that is .extern and used needs a definition.
func (c *checker) unresolvedFunctions() {
	reported := map[*Object]bool{}
	for _, f := range append([]*Func{nil}, c.info.Funcs...) {
		for _, r := range c.refs[f] {
			o := r.object
			if o.Kind == Function && o.Linkage == syntax.WordExtern && o.Alias == nil && !reported[o] && !(r.called && provided[o.Name]) {
				reported[o] = true
				d := c.errorf(diag.Unresolved, c.at(r.token), "%s is used here, and nothing defines it; link the module that does, or check this one as one of several (check -c, as ptxas -c)", o.Name)
				c.declaredHere(d, o)
			}
		}
	}
}

// unresolvedVariables: what .extern leaves open stays unknown; a variable of known size
// is taken as defined here, with a warning. Open shared arrays get their size at launch.
func (c *checker) unresolvedVariables() {
	for _, o := range c.info.Objects {
		switch {
		case o.Kind != Variable || o.Linkage != syntax.WordExtern:
		case o.Size() > 0:
			c.warnf(diag.Unresolved, c.at(o.Tok), "%s is .extern, and no module defines it; it counts as defined here", o.Name)
		case o.Space != Shared && o.Bank == 0:
			c.errorf(diag.Unresolved, c.at(o.Tok), "%s has no size, and no module defines it", o.Name)
		}
	}
}

func (c *checker) constantMemory() {
	end := int64(0)
	for _, o := range c.info.Objects {
		if o.Kind != Variable || o.Space != isa.ConstSpace {
			continue
		}
		if end = alignUp(end, o.Align) + o.Size(); end > MaxConstBytes {
			c.errorf(diag.TooMuchMemory, c.at(o.Tok), "up to %s the constants take %d bytes; a module has at most %d", o.Name, end, MaxConstBytes)
			return
		}
	}
}

func alignUp(n, align int64) int64 { return (n + align - 1) &^ (align - 1) }

// sharedMemory bounds the static shared memory of each kernel: its own variables, those of
// the functions it calls, and those of the module that either of them name.
func (c *checker) sharedMemory() {
	own := map[*Func][]*Object{}
	total := int64(0)
	for _, o := range c.info.Objects {
		if o.Kind == Variable && o.Space == Shared {
			total += o.Size() + o.Align
			if o.Func != nil {
				own[o.Func] = append(own[o.Func], o)
			}
		}
	}
	if total <= MaxSharedBytes {
		return
	}
	steps := maxSharedSteps
	for _, f := range c.info.Funcs {
		if f.Entry && f.Node.Body != nil {
			if n := c.sharedBytes(f, own, &steps); n > MaxSharedBytes {
				c.errorf(diag.TooMuchMemory, c.at(f.Object.Tok), "%s takes %d bytes of static shared memory; a kernel has at most %d, more is dynamic (.extern .shared)",
					f.Object.Name, n, MaxSharedBytes)
			}
		}
	}
}

// maxSharedSteps bounds the walks through the call graph, which could cost kernels times
// functions. What is left unchecked fails at launch.
const maxSharedSteps = 1 << 24

func (c *checker) sharedBytes(kernel *Func, own map[*Func][]*Object, steps *int) int64 {
	seen := map[*Object]bool{}
	end := int64(0)
	place := func(o *Object) {
		if !seen[o] {
			seen[o] = true
			end = alignUp(end, o.Align) + o.Size()
		}
	}
	visited := map[*Func]bool{kernel: true}
	for work := []*Func{kernel}; len(work) > 0; {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		for _, o := range own[f] {
			place(o)
		}
		for _, r := range c.refs[f] {
			if *steps--; *steps < 0 {
				return end
			}
			if r.object.Kind == Variable {
				place(r.object)
				continue
			}
			g := r.object
			if g.Alias != nil {
				g = g.Alias
			}
			if !visited[g.Func] {
				visited[g.Func] = true
				work = append(work, g.Func)
			}
		}
	}
	return end
}
