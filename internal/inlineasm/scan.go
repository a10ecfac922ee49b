package inlineasm

// This file scans what both languages have in common: words, brackets, and the characters of literals.

import (
	"bytes"

	"ptxvm.invalid/ptxvm/diag"
)

// scanner goes through a source. Nothing that it does goes back.
type scanner struct {
	source []byte
	pos    int
}

// done reports whether the source is at its end.
func (s *scanner) done() bool { return s.pos >= len(s.source) }

// peek is the next character, 0 at the end.
func (s *scanner) peek() byte { return s.ahead(0) }

// ahead is the character n behind the next one, 0 beyond the end.
func (s *scanner) ahead(n int) byte {
	if s.pos+n >= len(s.source) {
		return 0
	}
	return s.source[s.pos+n]
}

// has reports whether a text comes next.
func (s *scanner) has(text string) bool { return bytes.HasPrefix(s.source[s.pos:], []byte(text)) }

// skipTo goes behind the next occurrence of a text, or to the end.
func (s *scanner) skipTo(text string) {
	if i := bytes.Index(s.source[s.pos:], []byte(text)); i >= 0 {
		s.pos += i + len(text)
		return
	}
	s.pos = len(s.source)
}

func isWord(b byte) bool {
	return b == '_' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b >= 0x80
}

// word reads letters and digits, "" if none come.
func (s *scanner) word() string {
	start := s.pos
	for !s.done() && isWord(s.peek()) {
		s.pos++
	}
	return string(s.source[start:s.pos])
}

// simpleEscapes are the escapes of one letter that both languages have.
var simpleEscapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'a': 7, 'b': 8, 'f': 12, 'v': 11, '\\': '\\', '\'': '\'', '"': '"', '?': '?'}

// escape reads what follows a backslash, and adds what it means. A line that ends there goes on in the next one. Others, by
// number, stand for no character that PTX has: they are kept as they are.
func (s *scanner) escape(into *text) {
	start := diag.Pos(s.pos)
	s.pos++
	if s.has("\r\n") {
		s.pos++
	}
	b := s.peek()
	if s.done() {
		return
	}
	s.pos++
	if b == '\n' {
		return
	}
	if meant, ok := simpleEscapes[b]; ok {
		into.add(meant, start, diag.Pos(s.pos))
		return
	}
	into.add('\\', start, start+1)
	into.add(b, start+1, diag.Pos(s.pos))
}

// literal reads characters up to a closing quote, which it goes behind; a quote of one character ends with its line at the
// latest. raw literals have no escapes.
func (s *scanner) literal(quote string, raw bool, into *text) {
	for !s.done() && !s.has(quote) {
		switch b := s.peek(); {
		case b == '\\' && !raw:
			s.escape(into)
		case b == '\n' && len(quote) == 1:
			return
		default:
			into.add(b, diag.Pos(s.pos), diag.Pos(s.pos+1))
			s.pos++
		}
	}
	s.pos = min(s.pos+len(quote), len(s.source))
}
