package doc

// This file lets a long function be judged again by what stands around an edit. What is said of a plain instruction depends on the
// declarations of its names and on nothing else. Those of which there is nothing to say are left out of the text in chunks, but for
// those beside the edit; all other statements stay, and as long as those that declare something are the same, there is nothing to
// say of the chunks, either. The reference implementation judges the function whole.

import (
	"bytes"
	"context"
	"hash/fnv"
	"io"
	"slices"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// The sizes of functions and chunks, in statements. Tests have smaller ones.
var (
	longFunction = 1000 // from which on a function has chunks
	maxChunk     = 64
	minChunk     = 4
)

// chunk is a run of plain instructions, with .loc between, from the first to the end of the last. Places count from the body.
type chunk struct {
	at    Span
	dirty bool // an edit has touched it, or what is next to it

	names uint64 // what stands for the declarations in front of it
}

// cut is a stretch of a text that a view lacks.
type cut struct {
	Span
	chunk bool
	names uint64 // of a chunk
}

// movedChunks are the chunks of a body in which a part was replaced by text of another length. One that the edit has cut is none;
// those on both sides are dirty, too.
func movedChunks(old []chunk, at Span, grown Pos) (list []chunk) {
	list = make([]chunk, 0, len(old))
	for i, c := range old {
		touched := c.at.Start <= at.End && at.Start <= c.at.End
		switch {
		case c.at.Start >= at.End:
			c.at.Start, c.at.End = c.at.Start+grown, c.at.End+grown
		case touched && c.at.Start <= at.Start && at.End <= c.at.End:
			if at.Start < c.at.End {
				c.at.End += grown
			}
		case touched:
			continue
		}
		before := c.at.End <= at.Start && (i+1 == len(old) || old[i+1].at.End > at.Start)
		behind := old[i].at.Start >= at.End && (i == 0 || old[i-1].at.Start < at.End)
		c.dirty = c.dirty || touched || before || behind
		list = append(list, c)
	}
	return list
}

// cuts are the stretches that are left out to judge some functions again: bodies of the others, and, where near says so, chunks.
func (v *verdict) cuts(dirty []int, near bool) (list []cut, chunks bool) {
	for i, f := range v.funcs {
		switch {
		case !slices.Contains(dirty, i):
			list = append(list, cut{Span: Span{Start: f.body.Start + 1, End: f.body.End - 1}})
		case near:
			for j, c := range f.chunks {
				beside := c.dirty || j > 0 && f.chunks[j-1].dirty || j+1 < len(f.chunks) && f.chunks[j+1].dirty
				if !beside {
					list = append(list, cut{Span{Start: f.body.Start + c.at.Start, End: f.body.Start + c.at.End}, true, c.names})
					chunks = true
				}
			}
		}
	}
	return list, chunks
}

// cutAt is the stretch that was left out and has a place, in places of the text.
func (w *View) cutAt(p Pos) bool {
	i, found := slices.BinarySearchFunc(w.cuts, p, func(c cut, p Pos) int { return int(c.Start - p) })
	if !found {
		i--
	}
	return i >= 0 && p < w.cuts[i].End
}

// cutMembers visits the members of a family that what was left out of a part of the text names, and where; in comments, too.
func (w *View) cutMembers(within Span, family string, visit func(number int, at Pos)) {
	for _, cut := range w.cuts {
		if cut.Start <= within.Start || cut.End >= within.End {
			continue
		}
		text := w.snapshot.Text[cut.Start:cut.End]
		for at := 0; ; {
			i := bytes.Index(text[at:], []byte(family))
			if i < 0 {
				break
			}
			name := at + i
			at = name + len(family)
			n, end := 0, at
			for end < len(text) && end < at+9 && '0' <= text[end] && text[end] <= '9' {
				n = 10*n + int(text[end]-'0')
				end++
			}
			whole := end > at && (end == len(text) || text[end] == '.' || !isWordByte(text[end])) && (name == 0 || !isWordByte(text[name-1]))
			if at = end; whole {
				visit(n, cut.Start+Pos(name))
			}
		}
	}
}

// nearView is a view for what is being written at a place: what is around it, and all declarations.
func (s *Snapshot) nearView(ctx context.Context, at Pos) (*View, error) {
	if _, err := s.verdict(ctx); err != nil {
		return nil, err
	}
	if w := s.near; w != nil && !w.cutAt(at) { // said once the verdict is there
		return w, nil
	}
	return s.View(ctx, at)
}

// chunker finds the chunks of a function.
type chunker struct {
	w       *View
	body    Pos       // where it begins
	said    diag.List // sorted, in places of the view
	inlines bool
	left    []cut // chunks that the view lacks
	cuts    []cut // those that come next
	list    []chunk
	run     Span // of the chunk that is being made
	n       int  // its statements
	total   int
	names   interface {
		io.Writer
		Sum64() uint64
	}
	before  syntax.Stmt // the statement in front
	inlined bool        // the .loc in front says that code is inlined
	astray  bool        // a statement goes over a cut, or may not have ended before it
}

// chunksOf are the chunks of a function, nil if it is short, and what its other statements declare, in a number. ok is false if what
// was left out is not between statements.
func (w *View) chunksOf(f *syntax.Function, said diag.List, inlines bool) (list []chunk, names uint64, ok bool) {
	body := w.span(f.Body.Range)
	c := chunker{w: w, body: body.Start, said: said, inlines: inlines, names: fnv.New64a()}
	for _, cut := range w.cuts {
		if cut.chunk && body.Start < cut.Start && cut.End < body.End {
			c.cuts = append(c.cuts, cut)
		}
	}
	c.left = c.cuts
	if c.cuts == nil && int(f.Body.Last-f.Body.First) < longFunction*4 { // tokens
		return nil, 0, true
	}
	c.stmts(f.Body)
	c.pass(body.End)
	c.end()
	if c.total < longFunction {
		return nil, 0, !c.astray
	}
	return c.list, c.names.Sum64(), !c.astray
}

func (c *chunker) stmts(b *syntax.Block) {
	c.before = nil
	for _, s := range b.Stmts {
		at := c.w.span(s.Extent())
		c.pass(at.Start)
		c.total++
		switch s := s.(type) {
		case *syntax.Instruction:
			c.instruction(s, at)
		case *syntax.Loc:
			if c.inlined = s.Inlined != nil; !c.inlines {
				c.add(at)
			} else {
				c.end()
			}
		case *syntax.Block:
			c.end()
			_, _ = io.WriteString(c.names, "{")
			c.stmts(s)
			c.pass(at.End)
			c.end()
			_, _ = io.WriteString(c.names, "}")
		case *syntax.Bad:
			c.end()
		default:
			c.end()
			_, _ = io.WriteString(c.names, c.w.File.RangeText(s.Extent())+"\n")
		}
		c.before = s
		c.astray = c.astray || c.maybeLabel(s.Extent().First) || len(c.cuts) > 0 && c.cuts[0].Start < at.End
	}
}

func (c *chunker) instruction(s *syntax.Instruction, at Span) {
	if c.inlined || !c.w.plain(s) || c.anyOf(s) {
		c.end()
	} else {
		c.add(at)
	}
	c.inlined = false
}

// anyOf reports whether there is something to say of a statement, or right behind it.
func (c *chunker) anyOf(s *syntax.Instruction) bool {
	at := c.w.File.Span(s.Range)
	i, _ := slices.BinarySearchFunc(c.said, at.Start, func(d diag.Diagnostic, p Pos) int { return int(d.Span.Start - p) })
	return i < len(c.said) && c.said[i].Span.Start <= at.End
}

// maybeLabel reports whether a statement begins with a word alone on its line that what was left out may have as an operand: the
// parser takes it for a label without its colon then.
func (c *chunker) maybeLabel(first syntax.TokenID) bool {
	f := c.w.File
	next := f.Next(first)
	if len(c.left) == 0 || f.Kind(first) != syntax.Ident || c.w.lineOf(f.Tokens[next].Off) == c.w.lineOf(f.Tokens[first].Off) {
		return false
	}
	word := []byte(f.Text(first))
	return slices.ContainsFunc(c.left, func(cut cut) bool { return hasOperand(c.w.snapshot.Text[cut.Start:cut.End], word) })
}

// hasOperand reports whether a word stands in a text, and does not begin an opcode with modifiers.
func hasOperand(text, word []byte) bool {
	for {
		i := bytes.Index(text, word)
		if i < 0 {
			return false
		}
		if text = text[i+len(word):]; len(text) == 0 || text[0] != '.' {
			return true
		}
	}
}

// add makes a statement the last of the chunk.
func (c *chunker) add(at Span) {
	if c.n == 0 {
		c.run.Start = at.Start
	}
	c.run.End = at.End
	if c.n++; c.n == maxChunk {
		c.end()
	}
}

// end ends the chunk.
func (c *chunker) end() {
	if c.n >= minChunk {
		c.list = append(c.list, chunk{at: Span{Start: c.run.Start - c.body, End: c.run.End - c.body}, names: c.names.Sum64()})
	}
	c.n = 0
}

// pass goes over what the view lacks in front of a place.
func (c *chunker) pass(to Pos) {
	for len(c.cuts) > 0 && c.cuts[0].Start < to {
		c.end()
		c.list = append(c.list, chunk{at: Span{Start: c.cuts[0].Start - c.body, End: c.cuts[0].End - c.body}, names: c.cuts[0].names})
		c.astray = c.astray || c.cuts[0].names != c.names.Sum64() // a declaration has gone to the other side
		c.total += maxChunk
		c.cuts = c.cuts[1:]
		switch s := c.before.(type) {
		case *syntax.Bad:
			c.astray = true
		case *syntax.Instruction:
			c.astray = c.astray || c.w.File.Kind(s.Last) != syntax.Semicolon
		}
	}
}

// plain reports whether what is said of an instruction depends on the declarations of its names alone, and nothing else on it.
func (w *View) plain(in *syntax.Instruction) bool {
	sel := w.Info.Sel(in)
	if sel == nil || sel.ID() == isa.Call || sel.ID() == isa.Setmaxnreg || len(sel.Entry.Unique()) > 0 {
		return false
	}
	for i := range sel.Roles {
		if sel.Roles[i].Space == isa.ParamSpace { // what a call has filled can be read behind it
			return false
		}
	}
	for t := in.First; t <= in.Last; t++ {
		if t == in.Opcode || w.File.Kind(t) != syntax.Ident {
			continue
		}
		u, ok := w.Info.Use(t)
		switch {
		case !ok:
			return false
		case u.Object == nil, u.Object.Kind == check.Register, u.Object.Kind == check.Label:
		default: // functions and shared memory count for the whole program
			return false
		}
	}
	return true
}
