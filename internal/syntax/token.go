// Package syntax reads and prints the text of PTX modules: tokens, tree, constant
// expressions and layout (chapters 4, 5, 7, 11 and 12 of the manual). It knows no
// instruction: opcodes and modifiers stay words. Names, types and state spaces are
// package check's business.
package syntax

// This file defines tokens. They cover every byte of a file, so that writing them
// one after the other gives the file back, whatever it contains.

import "ptxvm/internal/diag"

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
	String: "string", RawText: "raw text",
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

// Token is one token, in 8 bytes. It ends where the next begins.
type Token struct {
	Off  diag.Pos // first byte
	bits uint32   // kind in the low 8 bits, Word above
}

const maxWord = 1<<24 - 1

func makeToken(off int, k Kind, w Word) Token {
	return Token{diag.Pos(off), uint32(w)<<8 | uint32(k)}
}

// Kind returns the lexical class.
func (t Token) Kind() Kind { return Kind(t.bits) }

// Word returns the number of the word for Ident and DotWord tokens, else 0.
func (t Token) Word() Word { return Word(t.bits >> 8) }

func (t Token) trivia() bool { return t.Kind() <= Comment }
