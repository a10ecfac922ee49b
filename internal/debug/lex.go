package debug

// This file divides expressions into tokens.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// tokenKind tells tokens apart.
type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenNumber
	tokenName     // a variable, a parameter, a type, a space
	tokenRegister // %r1, %tid.x
	tokenHistory  // $1, $
	tokenOperator
)

// token is a piece of an expression.
type token struct {
	kind tokenKind
	text string
	at   int // byte in the expression
}

// operators are those of two characters and one, the longer ones first.
var operators = []string{"&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "&^", "+", "-", "*", "/", "%", "&", "|", "^", "<", ">", "!", "~",
	"(", ")", "[", "]", ":", "@", ",", "=", "."}

// scan divides an expression into tokens; the last one is tokenEnd.
func scan(text string) (list []token, err error) {
	for at := 0; ; {
		for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
			at++
		}
		if at == len(text) {
			return append(list, token{kind: tokenEnd, at: at}), nil
		}
		t, err := next(text, at)
		if err != nil {
			return nil, err
		}
		list = append(list, t)
		at += len(t.text)
	}
}

// next reads the token at a byte that is no blank.
func next(text string, at int) (token, error) {
	rest, c := text[at:], text[at]
	switch {
	case c == '%' && len(rest) > 1 && nameStart(rest[1]):
		return token{tokenRegister, rest[:1+nameEnd(rest[1:])], at}, nil
	case nameStart(c):
		return token{tokenName, rest[:nameEnd(rest)], at}, nil
	case c == '$':
		n := 1
		for n < len(rest) && digit(rest[n]) {
			n++
		}
		if n == 1 && len(rest) > 1 && nameStart(rest[1]) { // a PTX name may begin with it
			return token{tokenName, rest[:1+nameEnd(rest[1:])], at}, nil
		}
		return token{tokenHistory, rest[:n], at}, nil
	case digit(c) || c == '.' && len(rest) > 1 && digit(rest[1]):
		return token{tokenNumber, rest[:numberEnd(rest)], at}, nil
	}
	if i := slices.IndexFunc(operators, func(o string) bool { return strings.HasPrefix(rest, o) }); i >= 0 {
		return token{tokenOperator, operators[i], at}, nil
	}
	return token{}, &SyntaxError{Text: text, At: at, Msg: fmt.Sprintf("Invalid character %s in expression.", strconv.QuoteRune([]rune(rest)[0]))}
}

func digit(c byte) bool     { return '0' <= c && c <= '9' }
func nameStart(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

// nameEnd is the end of a name of PTX (4.4), which may have $ in it.
func nameEnd(s string) (n int) {
	for n < len(s) && (nameStart(s[n]) || digit(s[n]) || s[n] == '$') {
		n++
	}
	return n
}

// numberEnd is the end of a number in Go's or PTX's spelling: 12, 0x1f, 1e-3, 0x1p-2, 0f3F800000.
func numberEnd(s string) (n int) {
	hex := strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X")
	bits := strings.HasPrefix(s, "0f") || strings.HasPrefix(s, "0d") || strings.HasPrefix(s, "0F") || strings.HasPrefix(s, "0D")
	for n < len(s) {
		switch c := s[n]; {
		case digit(c), nameStart(c), c == '.':
		case c == '+' || c == '-':
			before := s[n-1] | 0x20
			if !(before == 'e' && !hex && !bits || before == 'p' && hex) {
				return n
			}
		default:
			return n
		}
		n++
	}
	return n
}

// SyntaxError is an expression or a location that cannot be read.
type SyntaxError struct {
	Text string
	At   int // byte in Text
	Msg  string
}

func (e *SyntaxError) Error() string { return e.Msg }
