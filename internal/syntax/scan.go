package syntax

// This file turns bytes into tokens.

import (
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/quota"
)

// class is what a byte can begin or continue.
type class uint8

const (
	classBad class = iota
	classSpace
	classLetter // begins and continues a name
	classDigit
	classMark   // _ and $: continue a name, begin one of at least two characters
	classSingle // punctuation that is a token by itself
	classPunct  // punctuation that may begin a longer token
)

var classes = makeClasses()

func makeClasses() (c [256]class) {
	for i := range c {
		switch b := byte(i); {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z':
			c[i] = classLetter
		case b >= '0' && b <= '9':
			c[i] = classDigit
		case b == '_' || b == '$':
			c[i] = classMark
		case strings.IndexByte(" \t\r\n\f\v", b) >= 0:
			c[i] = classSpace
		case strings.IndexByte(",;:(){}[]@?+-*~^", b) >= 0:
			c[i] = classSingle
		case strings.IndexByte("=/%!&|<>.\"#", b) >= 0:
			c[i] = classPunct
		}
	}
	return c
}

// followsym holds the bytes that continue a name (4.4).
var followsym = makeFollowsym()

func makeFollowsym() (f [256]bool) {
	for i, k := range classes {
		f[i] = k >= classLetter && k <= classMark
	}
	return f
}

func follows(b byte) bool { return followsym[b] }

var singles = [256]Kind{
	',': Comma, ';': Semicolon, ':': Colon, '(': LParen, ')': RParen, '{': LBrace, '}': RBrace,
	'[': LBracket, ']': RBracket, '@': At, '=': Assign, '?': Question, '+': Plus, '-': Minus,
	'*': Star, '/': Slash, '%': Percent, '~': Tilde, '!': Not, '&': And, '|': Or, '^': Xor,
	'<': Less, '>': Greater,
}

type scanner struct {
	quota  *quota.Quota
	src    *diag.Source
	text   string
	pos    int
	words  *wordTable
	tokens []Token
	report func(diag.Diagnostic)

	pack       bool        // lines that say little become one token
	packed     bool        // some did
	packedLocs []PackedLoc // by the payload of a LocData
}

// scan covers the text with tokens and ends them with EOF.
func (s *scanner) scan() {
	if want := len(s.text)/3 + minChunk; cap(s.tokens) < want {
		s.tokens = make([]Token, 0, want)
	}
	s.tokens = append(s.tokens[:0], makeToken(0, Space, 0)) // NoToken
	for s.pos < len(s.text) {
		if len(s.tokens)+1 >= cap(s.tokens) { // a packed line is two
			s.grow()
		}
		s.quota.Spend(1)
		start := s.pos
		kind, payload := s.token()
		t := makeToken(start, kind, payload)
		if kind == DotWord && payload == WordSourceBegin {
			s.tokens = append(s.tokens, t)
			s.rawText()
			continue
		}
		t.bits |= s.behind() << kindBits
		s.tokens = append(s.tokens, t)
		if s.pack && kind == DotWord {
			s.packedWord(payload)
		}
	}
	s.tokens = append(s.tokens, makeToken(len(s.text), EOF, 0))
}

// grow makes room for as many tokens as the text has if it goes on as it began.
func (s *scanner) grow() {
	perByte := float64(len(s.tokens)) / float64(s.pos)
	s.tokens = slices.Grow(s.tokens, int(1.05*perByte*float64(len(s.text)-s.pos))+minChunk)
}

// behind skips white space behind a token, if it is short enough to belong to it.
func (s *scanner) behind() uint32 {
	text := s.text[s.pos:]
	if len(text) == 0 || classes[text[0]] != classSpace {
		return 0
	}
	for n := range min(len(text), maxBehind+1) {
		if classes[text[n]] != classSpace {
			s.pos += n
			return uint32(n)
		}
	}
	if len(text) <= maxBehind {
		s.pos += len(text)
		return uint32(len(text))
	}
	return 0
}

// token consumes one token, and returns its kind and payload; it always consumes at least one byte.
func (s *scanner) token() (Kind, Word) {
	c := s.text[s.pos]
	switch classes[c] {
	case classSpace:
		return s.space(), 0
	case classSingle:
		s.pos++
		return singles[c], 0
	case classLetter:
		return s.name()
	case classDigit:
		return s.number()
	case classPunct:
		return s.punct(c)
	case classMark:
		return s.marked()
	}
	return s.bad(), 0
}

func (s *scanner) space() Kind {
	i := s.pos + 1
	for text := s.text; i < len(text) && classes[text[i]] == classSpace; {
		i++
	}
	s.pos = i
	return Space
}

// name scans an identifier whose first character is already known to begin one.
func (s *scanner) name() (Kind, Word) {
	start := s.pos
	s.pos = s.endOfName(start + 1)
	return s.word(Ident, start)
}

func (s *scanner) endOfName(i int) int {
	for text := s.text; i < len(text) && followsym[text[i]]; {
		i++
	}
	return i
}

func (s *scanner) word(kind Kind, start int) (Kind, Word) {
	w := s.words.intern(s.text, start, s.pos)
	if w == 0 {
		s.errorf(start, diag.FileTooLarge, "more than %d distinct words", maxWord)
		return BadToken, 0
	}
	return kind, w
}

// marked scans what begins with _ or $. The sink _ is a name, $ alone is not (4.4).
func (s *scanner) marked() (Kind, Word) {
	if s.text[s.pos] == '_' || s.pos+1 < len(s.text) && follows(s.text[s.pos+1]) {
		return s.name()
	}
	return s.bad(), 0
}

func (s *scanner) at(i int) byte {
	if i < len(s.text) {
		return s.text[i]
	}
	return 0
}

func (s *scanner) punct(c byte) (Kind, Word) {
	next := s.at(s.pos + 1)
	switch c {
	case '.':
		if classes[next] == classLetter {
			return s.dotWord()
		}
		return s.point()
	case '%':
		if follows(next) {
			return s.name()
		}
	case '/':
		if next == '/' || next == '*' {
			return s.comment(next), 0
		}
	case '"':
		return s.str(), 0
	case '#':
		return s.hash(), 0
	}
	return s.operator(c, next), 0
}

func (s *scanner) operator(c, next byte) Kind {
	if k := double(c, next); k != Space {
		s.pos += 2
		return k
	}
	s.pos++
	return singles[c]
}

// double returns the kind of a two-character operator, Space if there is none.
func double(c, next byte) Kind {
	switch {
	case next == '=':
		switch c {
		case '<':
			return LessEqual
		case '>':
			return GreaterEqual
		case '=':
			return Equal
		case '!':
			return NotEqual
		}
	case c == next:
		switch c {
		case '<':
			return Shl
		case '>':
			return Shr
		case '&':
			return AndAnd
		case '|':
			return OrOr
		}
	}
	return Space
}

// point scans what begins with a point: a dot-word, or a float such as .5. A word may
// begin with digits (.1d, .64x128b), so digits alone make a float.
func (s *scanner) point() (Kind, Word) {
	start := s.pos
	if !follows(s.at(start + 1)) {
		s.pos++
		s.errorf(start, diag.LonePoint, "a word must follow the point at once")
		return BadToken, 0
	}
	if classes[s.text[start+1]] == classDigit {
		if end := s.endOfExponent(s.endOfDigits(start + 1)); !follows(s.at(end)) && s.at(end) != ':' {
			s.pos = end
			return Float, 0
		}
	}
	return s.dotWord()
}

// dotWord scans a word whose first part is not empty. Behind a double colon a part may be a ratio:
// .sp::2:4.
func (s *scanner) dotWord() (Kind, Word) {
	start := s.pos
	s.pos = s.endOfName(start + 2)
	for s.at(s.pos) == ':' && s.at(s.pos+1) == ':' && follows(s.at(s.pos+2)) {
		s.pos = s.endOfName(s.pos + 2)
		if s.at(s.pos) == ':' && classes[s.at(s.pos+1)] == classDigit {
			s.pos = s.endOfName(s.pos + 1)
		}
	}
	return s.word(DotWord, start)
}

func (s *scanner) comment(second byte) Kind {
	rest := s.text[s.pos:]
	if second == '/' {
		if i := strings.IndexByte(rest, '\n'); i >= 0 {
			s.pos += i
		} else {
			s.pos = len(s.text)
		}
		return Comment
	}
	if i := strings.Index(rest[2:], "*/"); i >= 0 {
		s.pos += i + 4
		return Comment
	}
	s.errorAt(diag.Span{Start: diag.Pos(s.pos), End: diag.Pos(s.pos + 2)}, diag.UnterminatedComment, "comment is not closed")
	s.pos = len(s.text)
	return Comment
}

// str scans a string. There are no escapes, and line breaks are part of it.
func (s *scanner) str() Kind {
	if i := strings.IndexByte(s.text[s.pos+1:], '"'); i >= 0 {
		s.pos += i + 2
		return String
	}
	s.errorAt(diag.Span{Start: diag.Pos(s.pos), End: diag.Pos(s.pos + 1)}, diag.UnterminatedString, "string is not closed")
	s.pos = len(s.text)
	return BadToken
}

// hash skips a line marker (# 1 "file.cu", anywhere in a line, as ptxas 13.5 does) or another preprocessor
// line; elsewhere # is a stray character.
func (s *scanner) hash() Kind {
	start := s.pos
	if n := lineMarker(s.text[start:]); n > 0 {
		s.pos += n
		return Comment
	}
	if !s.beginsLine() {
		return s.bad()
	}
	s.pos = s.endOfLine(start)
	s.errorf(start, diag.PreprocessorLine, "lines of the C preprocessor are not PTX; run the file through cpp -P first")
	return BadToken
}

// beginsLine reports whether only white space stands before the position in its line. It
// looks at one token, so that a line of # characters costs linear time.
func (s *scanner) beginsLine() bool {
	n := len(s.tokens)
	last := s.tokens[n-1]
	space := s.text[s.pos-int(last.behind()) : s.pos]
	if last.Kind() == Space {
		space = s.text[last.Off:s.pos]
	}
	return n == 1 || n == 2 && last.Kind() == Space || strings.Contains(space, "\n")
}

// bad takes a run of bytes that begin no token as one token, with one report. A
// character constant of C is one such token.
func (s *scanner) bad() Kind {
	start := s.pos
	s.pos++
	if s.text[start] == '\'' && s.at(start+2) == '\'' {
		s.pos += 2
	}
	for s.pos < len(s.text) && classes[s.text[s.pos]] == classBad {
		s.pos++
	}
	if start == 0 && s.text[:s.pos] == byteOrderMark {
		s.errorf(start, diag.UnexpectedCharacter, "the file begins with a byte order mark, which PTX has none of; save it as UTF-8 without one")
		return BadToken
	}
	s.errorf(start, diag.UnexpectedCharacter, "unexpected character %s", quote(s.text[start:s.pos]))
	return BadToken
}

// byteOrderMark is what some editors write in front of UTF-8.
const byteOrderMark = "\ufeff"

// rawText takes everything up to a line that holds .source_end alone (9.4: 11.5.6).
func (s *scanner) rawText() {
	start, i := s.pos, s.pos
	for i < len(s.text) {
		end := s.endOfLine(i)
		if strings.TrimSpace(s.text[i:end]) == grammarWords[WordSourceEnd] {
			i += strings.IndexByte(s.text[i:end], '.')
			break
		}
		i = min(end+1, len(s.text))
	}
	if i > start {
		s.tokens = append(s.tokens, makeToken(start, RawText, 0))
		s.pos = i
	}
}

// errorf reports an error from start to the current position.
func (s *scanner) errorf(start int, code diag.Code, format string, args ...any) {
	s.errorAt(diag.Span{Start: diag.Pos(start), End: diag.Pos(s.pos)}, code, format, args...)
}

func (s *scanner) errorAt(span diag.Span, code diag.Code, format string, args ...any) {
	s.report(newError(s.src, span, code, format, args...))
}

func (s *scanner) endOfLine(i int) int {
	if n := strings.IndexByte(s.text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(s.text)
}
