// Package syntax reads and prints the text of PTX modules: tokens, tree, constant
// expressions and layout (chapters 4, 5, 7, 11 and 12 of the manual). It knows no
// instruction: opcodes and modifiers stay words. Names, types and state spaces are
// package check's business.
package syntax

// This file defines tokens. They cover every byte of a file, so that writing them
// one after the other gives the file back, whatever it contains.

import "ptxvm.invalid/ptxvm/diag"

// Kind is the lexical class of a token.
type Kind uint8

// The kinds. White space and comments are tokens too; they are called trivia and
// come first, so that one compare recognises them.
const (
	Space Kind = iota
	Comment
	EOF
	BadToken // bytes that begin no token; already reported

	Ident    // add, foo, %r1, $L1, _
	DotWord  // .s32, .shared::cta, .L2::128B, .64x128b: from the point through all :: parts
	Int      // 42, 0x2aU, 052, 0b101010
	Float    // 1.5, 5., .5, 1e9
	HexFloat // 0f3f800000, 0d3ff0000000000000
	String   // "…", without escapes, may hold line breaks
	RawText  // what stands between .source_begin and .source_end
	Data     // of a packed file: lines of bytes behind their first .b8
	LocData  // of a packed file: what stands behind .loc

	Comma
	Semicolon
	Colon
	LParen
	RParen
	LBrace
	RBrace
	LBracket
	RBracket
	At
	Assign
	Question

	// Operators, for which binaryPrecedence has a table.
	Plus
	Minus
	Star
	Slash
	Percent
	Tilde
	Not
	And
	Or
	Xor
	AndAnd
	OrOr
	Shl
	Shr
	Less
	Greater
	LessEqual
	GreaterEqual
	Equal
	NotEqual

	kindCount
)

var kindNames = [kindCount]string{
	Space: "white space", Comment: "comment", EOF: "end of file", BadToken: "bad token",
	Ident: "name", DotWord: "word", Int: "integer", Float: "float", HexFloat: "exact float",
	String: "string", RawText: "raw text", Data: "bytes", LocData: "place",
	Comma: ",", Semicolon: ";", Colon: ":", LParen: "(", RParen: ")", LBrace: "{", RBrace: "}",
	LBracket: "[", RBracket: "]", At: "@", Assign: "=", Question: "?",
	Plus: "+", Minus: "-", Star: "*", Slash: "/", Percent: "%", Tilde: "~", Not: "!",
	And: "&", Or: "|", Xor: "^", AndAnd: "&&", OrOr: "||", Shl: "<<", Shr: ">>",
	Less: "<", Greater: ">", LessEqual: "<=", GreaterEqual: ">=", Equal: "==", NotEqual: "!=",
}

// String returns the spelling of punctuation and a description of everything else.
func (k Kind) String() string { return kindNames[k] }

// TokenID is the index of a token in its file.
type TokenID int32

// NoToken marks the absence of a token. Token 0 of every file is empty white space, so
// that no token of the grammar has its number.
const NoToken TokenID = 0

// Token is one token, in 8 bytes. It ends where the next begins, but for a little white space behind it,
// which most tokens have: that is no token of its own.
type Token struct {
	Off  diag.Pos // first byte
	bits uint32   // from the low end: kind, bytes of white space behind it, payload
}

const (
	kindBits  = 6
	spaceBits = 2
	maxBehind = 1<<spaceBits - 1 // longer white space is a token
	maxWord   = 1<<(32-kindBits-spaceBits) - 1
)

// makeToken returns a token with a payload: a Word, or for an Int what small gives.
func makeToken(off int, k Kind, payload Word) Token {
	return Token{diag.Pos(off), uint32(payload)<<(kindBits+spaceBits) | uint32(k)}
}

// small is the payload of an integer that Token.Small returns; 0 stands for any other.
func small(n int) Word {
	if n < maxWord {
		return Word(n + 1)
	}
	return 0
}

// Kind returns the lexical class.
func (t Token) Kind() Kind { return Kind(t.bits & (1<<kindBits - 1)) }

// behind is the white space that follows the token, in bytes.
func (t Token) behind() diag.Pos { return diag.Pos(t.bits >> kindBits & maxBehind) }

// payload is what makeToken was given.
func (t Token) payload() Word { return Word(t.bits >> (kindBits + spaceBits)) }

// Word returns the number of the word for Ident and DotWord tokens, else 0.
func (t Token) Word() Word {
	if k := t.Kind(); k != Ident && k != DotWord {
		return 0
	}
	return Word(t.bits >> (kindBits + spaceBits))
}

// Small returns the value of an Int token that is written in decimal and is not large, as most are.
func (t Token) Small() (n int64, ok bool) {
	if t.Kind() != Int {
		return 0, false
	}
	n = int64(t.bits>>(kindBits+spaceBits)) - 1
	return n, n >= 0
}

func (t Token) trivia() bool { return t.Kind() <= Comment }
