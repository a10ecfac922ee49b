package doc

// This file reads the statement that is being written at a place: it is rarely one that can be parsed.

import (
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// writing is a statement up to a place.
type writing struct {
	w      *View
	at     syntax.TokenID // the last token before the word, or NoToken
	word   string         // what is being written, up to the place
	start  Pos            // where it begins, in the view
	tokens []syntax.TokenID
	fn     *syntax.Function // nil at module level
	blocks []*syntax.Block  // around the place; nil: not in a body

	// Of an instruction:
	guard    bool          // the word stands behind @
	opcode   int           // index of the opcode among tokens, -1: not there
	mods     []string      // the opcode and its modifiers
	operand  int           // which operand the word is in
	nest     []syntax.Kind // brackets that are open there
	operands [][]syntax.TokenID
}

// isWordByte tells the bytes of names and words; points join modifiers to an opcode.
func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("_$%.:", c) >= 0
}

// writingAt reads back from a place of the text; ok is false in comments and strings.
func (w *View) writingAt(at Pos) (c *writing, ok bool) {
	p := w.Part(at)
	text := w.File.Source.Text
	c = &writing{w: w, opcode: -1}
	c.start = p
	for c.start > 0 && isWordByte(text[c.start-1]) && (text[c.start-1] != ':' || c.start > 1 &&
		text[c.start-2] == ':' || c.start < p && text[c.start] == ':') {
		c.start--
	}
	c.word = string(text[c.start:p])
	last := syntax.TokenID(sortTokens(w.File.Tokens, max(c.start, 1)-1))
	if k := w.File.Kind(last); (k == syntax.Comment || k == syntax.String) && p < w.File.TokenSpan(last).End+1 &&
		!(k == syntax.Comment && w.endedComment(last, p)) {
		return nil, false
	}
	for last > 0 && w.File.Kind(last) <= syntax.Comment {
		last--
	}
	c.at = last
	c.fn, c.blocks = w.blocksAround(c.place())
	c.collect()
	c.read()
	return c, true
}

// endedComment reports whether a comment has an end before a place.
func (w *View) endedComment(t syntax.TokenID, p Pos) bool {
	text := w.File.Text(t)
	return strings.HasPrefix(text, "/*") && strings.HasSuffix(text, "*/") && len(text) > 3 &&
		w.File.TokenSpan(t).End <= p
}

// place is a token at the word, for questions about what is around it.
func (c *writing) place() syntax.TokenID {
	t := syntax.TokenID(sortTokens(c.w.File.Tokens, c.start))
	if c.w.File.Kind(t) == syntax.EOF {
		return c.at
	}
	return t
}

// collect finds the tokens of the statement in front of the word.
func (c *writing) collect() {
	f := c.w.File
	next := syntax.EOF
	line := c.w.lineOf(c.start)
	if c.word != "" {
		next = syntax.Ident
	}
	depth := 0
	for t := c.at; t > 0; t-- {
		k := f.Kind(t)
		if k <= syntax.Comment {
			continue
		}
		if c.ends(t, k, &depth) || c.lacksEnd(k, c.w.lineOf(f.Tokens[t].Off) < line, next) {
			break
		}
		c.tokens = append(c.tokens, t)
		next, line = k, c.w.lineOf(f.Tokens[t].Off)
	}
	slices.Reverse(c.tokens)
}

// lineOf is the line of a place of the view.
func (w *View) lineOf(p Pos) int {
	line, _ := w.File.Source.Position(p)
	return line
}

// ends reports whether a token belongs to what is in front of the statement; depth counts the braces of vectors.
func (c *writing) ends(t syntax.TokenID, k syntax.Kind, depth *int) bool {
	before := c.before(t)
	switch k {
	case syntax.Semicolon:
		return true
	case syntax.LBrace:
		switch c.w.File.Kind(before) {
		case syntax.DotWord, syntax.Comma, syntax.LBracket, syntax.Or, syntax.Assign:
			if c.fn == nil || c.fn.Body == nil || t != c.fn.Body.First {
				*depth--
				return false
			}
		}
		return true
	case syntax.RBrace:
		switch c.w.File.Kind(before) {
		case syntax.Semicolon, syntax.RBrace, syntax.LBrace, syntax.Colon:
			return true
		}
		*depth++
	case syntax.Colon:
		return c.w.File.Kind(before) == syntax.Ident
	}
	return false
}

// before is the token in front of another, trivia left out.
func (c *writing) before(t syntax.TokenID) syntax.TokenID {
	for t--; t > 0 && c.w.File.Kind(t) <= syntax.Comment; t-- {
	}
	return max(t, 0)
}

// lacksEnd reports whether the line above ends a statement whose semicolon is missing: what follows does not go on with it.
func (c *writing) lacksEnd(k syntax.Kind, lineEnd bool, next syntax.Kind) bool {
	if !lineEnd {
		return false
	}
	switch next {
	case syntax.Comma, syntax.LParen, syntax.RParen, syntax.RBracket, syntax.RBrace, syntax.Or:
		return false
	}
	switch k {
	case syntax.Ident, syntax.Int, syntax.Float, syntax.HexFloat, syntax.String, syntax.RBracket, syntax.RBrace,
		syntax.RParen:
		return true
	}
	return false
}

// read finds opcode, modifiers and operands.
func (c *writing) read() {
	f := c.w.File
	i := 0
	if len(c.tokens) > 0 && f.Kind(c.tokens[0]) == syntax.At {
		i++
		if i < len(c.tokens) && f.Kind(c.tokens[i]) == syntax.Not {
			i++
		}
		if i == len(c.tokens) {
			c.guard = true
			return
		}
		i++
	}
	if i == len(c.tokens) || f.Kind(c.tokens[i]) != syntax.Ident || len(c.blocks) == 0 {
		return
	}
	c.opcode = i
	c.mods = append(c.mods, f.Text(c.tokens[i]))
	for i++; i < len(c.tokens) && f.Kind(c.tokens[i]) == syntax.DotWord; i++ {
		c.mods = append(c.mods, f.Text(c.tokens[i]))
	}
	c.operands = [][]syntax.TokenID{nil}
	for _, t := range c.tokens[i:] {
		switch k := f.Kind(t); k {
		case syntax.LBrace, syntax.LBracket, syntax.LParen:
			c.nest = append(c.nest, k)
		case syntax.RBrace, syntax.RBracket, syntax.RParen:
			c.nest = c.nest[:max(0, len(c.nest)-1)]
		case syntax.Comma:
			if len(c.nest) == 0 {
				c.operands = append(c.operands, nil)
				continue
			}
		}
		c.operands[len(c.operands)-1] = append(c.operands[len(c.operands)-1], t)
	}
	c.operand = len(c.operands) - 1
}

// shapes are the operands in front of the word; what is no plain name stays unknown.
func (c *writing) shapes() []isa.Shape {
	list := make([]isa.Shape, c.operand)
	for i, tokens := range c.operands[:c.operand] {
		if len(tokens) == 1 && c.w.File.Kind(tokens[0]) == syntax.Ident {
			if sym := c.named(c.w.File.Text(tokens[0])); sym.object != nil {
				list[i] = sym.object.Shape()
			}
		}
	}
	return list
}

// wrapped puts a shape where the word is: into the brackets that are open, behind what stands in them.
func (c *writing) wrapped(s isa.Shape) []isa.Shape {
	for i := len(c.nest) - 1; i >= 0; i-- {
		switch c.nest[i] {
		case syntax.LBracket:
			s = isa.Shape{Kind: isa.ShapeAddr, Elems: []isa.Shape{s}}
		case syntax.LParen:
			s = isa.Shape{Kind: isa.ShapeParams, Elems: []isa.Shape{s}}
		case syntax.LBrace:
			if i == 0 {
				return vectors(s)
			}
		}
	}
	return []isa.Shape{s}
}

// vectors are vectors of all lengths of one element.
func vectors(s isa.Shape) (list []isa.Shape) {
	for n := 1; n <= maxVector; n *= 2 {
		elems := make([]isa.Shape, n)
		for i := range elems {
			elems[i] = s
		}
		list = append(list, isa.Shape{Kind: isa.ShapeVec, Elems: elems})
	}
	return list
}

// maxVector is the longest list in braces that is tried.
const maxVector = 128
