package inlineasm

// This file finds asm("…" : outputs : inputs : clobbers) in C++ (the NVIDIA document "Inline PTX Assembly in CUDA").

import (
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
)

// asmWords begin inline assembly, and asmQualifiers may stand behind them.
var (
	asmWords      = map[string]bool{"asm": true, "__asm__": true, "__asm": true}
	asmQualifiers = map[string]bool{"volatile": true, "__volatile__": true, "__volatile": true, "inline": true, "__inline__": true, "goto": true}
)

// cpp reads C++ as far as it has to be read.
type cpp struct{ scanner }

func findCPP(source []byte) (all []Asm) {
	c := &cpp{scanner{source: source}}
	for !c.done() {
		start := c.pos
		if word := c.word(); word != "" {
			if asmWords[word] {
				if a, ok := c.asm(diag.Span{Start: diag.Pos(start), End: diag.Pos(c.pos)}); ok {
					all = append(all, a)
				}
			} else if c.peek() == '"' && strings.HasSuffix(word, "R") {
				c.rawString(&text{})
			}
			continue
		}
		c.token()
	}
	return all
}

// blank skips blanks, comments, and ends of lines with those that a backslash hides.
func (c *cpp) blank() {
	for !c.done() {
		switch b := c.peek(); {
		case b == ' ' || b == '\t' || b == '\n' || b == '\r' || b == '\f' || b == '\v':
			c.pos++
		case b == '\\' && (c.ahead(1) == '\n' || c.ahead(1) == '\r'):
			c.pos += 2
		case c.has("//"):
			c.skipTo("\n")
		case c.has("/*"):
			c.pos += 2
			c.skipTo("*/")
		default:
			return
		}
	}
}

// token goes over one token that is no word, or over blanks.
func (c *cpp) token() {
	start := c.pos
	if c.blank(); c.pos > start {
		return
	}
	switch b := c.peek(); b {
	case '"', '\'':
		c.pos++
		c.literal(string(b), false, &text{})
	default:
		c.pos++
	}
}

// asm reads what is behind the word asm; false if that is not assembly, as in asm(name) of a register.
func (c *cpp) asm(span diag.Span) (Asm, bool) {
	for {
		c.blank()
		before := c.pos
		if word := c.word(); asmQualifiers[word] {
			continue
		}
		c.pos = before
		break
	}
	if c.peek() != '(' {
		return Asm{}, false
	}
	c.pos++
	a := Asm{Span: span, language: CPP, bare: true}
	c.template(&a)
	for part := 0; c.peek() == ':' && part < 2; part++ {
		a.bare = false
		c.pos++
		for c.operands(&a) {
		}
	}
	c.rest()
	a.resolveTies()
	return a, len(a.text.bytes) > 0 || a.Unknown != ""
}

// template reads the literals that make the text, up to the first colon or the end.
func (c *cpp) template(a *Asm) {
	for {
		c.blank()
		before := c.pos
		word := c.word()
		switch {
		case asmWords[word]: // the one before is being written
			c.pos = before
			return
		case c.peek() == '"' && strings.HasSuffix(word, "R"):
			c.rawString(&a.text)
		case word != "" && c.peek() != '"', word == "" && c.peek() == '#':
			a.Unknown = "a macro stands in its text"
			c.pos = max(c.pos, before+1)
		case c.peek() == '"':
			c.pos++
			c.literal(`"`, false, &a.text)
		case c.peek() == '(':
			a.Unknown = "a macro stands in its text"
			c.pos++
			c.rest()
		default:
			return
		}
	}
}

// operands reads one operand, [name] "constraint" (expression), and reports whether another one of the same part follows.
func (c *cpp) operands(a *Asm) (more bool) {
	var o Operand
	c.blank()
	if c.peek() == '[' {
		c.pos++
		c.blank()
		o.Name = c.word()
		c.skipTo("]")
		c.blank()
	}
	if c.peek() == ':' || c.peek() == ')' || c.done() {
		return false
	}
	var constraint text
	for c.blank(); c.peek() == '"'; c.blank() {
		c.pos++
		c.literal(`"`, false, &constraint)
	}
	o.Constraint = strings.Trim(string(constraint.bytes), "=+&% ")
	if c.peek() != '(' || o.Constraint == "" {
		a.Unknown = "a macro stands among its operands"
	} else {
		c.pos++
		start := c.pos
		c.rest()
		o.Value = strings.TrimSpace(string(c.source[start:max(start, c.pos-1)]))
	}
	a.Operands = append(a.Operands, o)
	c.toComma()
	if c.peek() != ',' {
		return false
	}
	c.pos++
	return true
}

// toComma goes to what ends an operand: a comma, colon or bracket outside of brackets.
func (c *cpp) toComma() {
	for !c.done() {
		switch c.blank(); c.peek() {
		case ',', ':', ')', ';', '}':
			return
		case '(':
			c.pos++
			c.rest()
		default:
			if !c.over() {
				return
			}
		}
	}
}

// over goes over a word or token; false, and nowhere, where the next assembly begins.
func (c *cpp) over() bool {
	before := c.pos
	switch word := c.word(); {
	case asmWords[word]:
		c.pos = before
		return false
	case word == "":
		c.token()
	}
	return true
}

// rest goes behind the bracket that closes the one which is open, or to a semicolon or the next assembly: the text is being
// written there.
func (c *cpp) rest() {
	for depth := 1; !c.done() && depth > 0; {
		switch c.peek() {
		case ';':
			return
		case '(':
			depth++
			c.pos++
		case ')':
			depth--
			c.pos++
		default:
			if !c.over() {
				return
			}
		}
	}
}

// rawString reads "delimiter(characters)delimiter" behind an R.
func (c *cpp) rawString(into *text) {
	c.pos++
	start := c.pos
	for !c.done() && c.peek() != '(' && c.peek() != '\n' && c.pos-start <= 16 {
		c.pos++
	}
	delimiter := string(c.source[start:c.pos])
	if c.peek() != '(' {
		return
	}
	c.pos++
	c.literal(")"+delimiter+`"`, true, into)
}

// resolveTies gives operands that are tied to another, "0", its constraint.
func (a *Asm) resolveTies() {
	for i := range a.Operands {
		if n, err := strconv.Atoi(a.Operands[i].Constraint); err == nil && n >= 0 && n < i {
			a.Operands[i].Constraint = a.Operands[n].Constraint
		}
	}
}
