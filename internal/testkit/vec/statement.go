package vec

// Statements of a block: guard, opcode with modifiers, operands, and the names in them.

import (
	"regexp"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Statement is one statement of a block, its names without types.
type Statement struct {
	Text     string // as PTX has it, without the semicolon
	Label    string // in front, with its colon
	Guard    string // @p, "" if none
	Tokens   []string
	Suffix   string // of an address operand
	Operands []string
	Sel      *isa.Sel // the form; nil for a declaration
}

// nameRE finds registers in operands: not special registers, labels, numbers or modifiers.
var nameRE = regexp.MustCompile(`[.%$\w]+(?::\w+)?`)

// isName tells registers of the block from the rest of what nameRE finds.
func isName(word string) bool { return word[0] >= 'a' && word[0] <= 'z' }

// parseStatement cuts a statement into its parts.
func parseStatement(text string) *Statement {
	s := &Statement{Text: nameRE.ReplaceAllStringFunc(text, untyped)}
	rest := s.Text
	if rest[0] == '$' {
		label, after, _ := strings.Cut(rest, ":")
		s.Label, rest = label+":", strings.TrimSpace(after)
	}
	if strings.HasPrefix(rest, "@") {
		s.Guard, rest, _ = strings.Cut(rest, " ")
		rest = strings.TrimSpace(rest)
	}
	s.Text = rest
	if rest == "" || rest[0] == '.' {
		return s
	}
	opcode, operands, _ := strings.Cut(rest, " ")
	s.Tokens = splitOpcode(opcode)
	s.Operands = splitOperands(operands)
	for i, o := range s.Operands {
		if at := strings.LastIndexByte(o, ']'); at >= 0 && at < len(o)-1 {
			s.Operands[i], s.Suffix = o[:at+1], o[at+1:]
		}
	}
	return s
}

// untyped takes the type off a name; labels and modifiers keep their colons.
func untyped(word string) string {
	if !isName(word) || strings.Contains(word, ".") {
		return word
	}
	name, _, _ := strings.Cut(word, ":")
	return name
}

// splitOpcode returns the opcode and its modifiers with their dots.
func splitOpcode(opcode string) []string {
	tokens := strings.Split(opcode, ".")
	for i := 1; i < len(tokens); i++ {
		tokens[i] = "." + tokens[i]
	}
	return tokens
}

// splitOperands cuts at commas outside braces, brackets and parentheses.
func splitOperands(s string) (parts []string) {
	depth, from := 0, 0
	for i, c := range s {
		switch c {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	if rest := strings.TrimSpace(s[from:]); rest != "" {
		parts = append(parts, rest)
	}
	return parts
}

// String is the statement in PTX.
func (s *Statement) String() string {
	return strings.TrimSpace(s.Label + " " + s.Guard + " " + s.Text + ";")
}

// With returns the statement with other modifiers behind its opcode.
func (s *Statement) With(tokens []string, suffix string) *Statement {
	c := *s
	c.Tokens, c.Suffix = tokens, suffix
	c.Text = strings.Join(tokens, "") + " "
	for i, o := range c.Operands {
		if i > 0 {
			c.Text += ", "
		}
		c.Text += o
		if suffix != "" && strings.HasPrefix(o, "[") {
			c.Text += suffix
			suffix = ""
		}
	}
	return &c
}
