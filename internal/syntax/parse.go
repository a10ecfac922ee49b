package syntax

// This file holds the parser's machinery: the current token, errors, recovery and memory.

import (
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/quota"
)

// maxNesting bounds blocks, vectors, initialisers and parentheses, and so the stack.
const maxNesting = 200

// maxOperands bounds one list of operands, and so the memory for a statement that nothing accepts.
const maxOperands = 1 << 16

// Parse reads a module. It always returns a tree, with Bad nodes where the text does not
// follow the grammar; File.Errors says what is wrong. It accepts a larger language than
// PTX: package check rejects the rest with better words. Time and memory are linear in
// the text. The text must not change while the file is in use.
func Parse(name string, text []byte) *File { return ParseWithin(nil, name, text) }

// ParseWithin is Parse with limits.
func ParseWithin(q *quota.Quota, name string, text []byte) *File {
	return parse(q, diag.NewSource(name, text), false)
}

// stmtSteps is about what a statement takes, in steps of a quota.
const stmtSteps = 64

// treeBytes is about what a byte of text takes as tokens and tree.
const treeBytes = 12

func parse(q *quota.Quota, src *diag.Source, pack bool) *File {
	q.Prepare("module", src.Name)
	q.Enter("parse")
	f := &File{Source: src}
	if d, ok := refuse(f.Source); ok {
		f.refused(d)
		return f
	}
	q.Take(treeBytes * len(src.Text))
	f.text = sameText(src.Text)
	f.arena = arenas.Get().(*arena)
	p := &parser{f: f, quota: q, arena: f.arena}
	s := &scanner{src: f.Source, text: f.text, words: p.table(len(f.text) / bytesPerWord), tokens: p.spareTokens, report: p.report, quota: q,
		pack: pack, packedLocs: p.packedLocs[:0]}
	s.scan()
	f.Tokens, f.Words, f.packed, p.packedLocs = s.tokens, s.words.words, s.packed, s.packedLocs
	p.module()
	f.Errors.Sort()
	return f
}

// refused makes f a file of one bad token, without copying a text that may be huge.
func (f *File) refused(d diag.Diagnostic) {
	f.Errors.Add(d)
	if len(f.Source.Text) <= MaxSource {
		f.text = sameText(f.Source.Text)
	}
	f.Tokens = []Token{makeToken(0, Space, 0), makeToken(0, BadToken, 0), makeToken(len(f.text), EOF, 0)}
	f.Words = grammarTable().words
}

type parser struct {
	f      *File
	quota  *quota.Quota
	tok    TokenID // the current token, never trivia
	kind   Kind    // its kind
	word   Word    // its word
	prev   TokenID // the last consumed token, never trivia
	depth  int     // nesting of recursive constructs
	failed bool    // the current statement was reported; what follows in it is skipped

	labelSearches int     // for uses of what may be labels
	body          TokenID // where the body of the function begins

	inParameter bool    // the specifiers being read are a parameter's
	suffix      TokenID // behind the first address with one, of the current instruction

	*arena
}

// ---- tokens

// start moves to the first token that is not trivia, from token i on.
func (p *parser) start(i TokenID) {
	toks := p.f.Tokens
	for toks[i].trivia() {
		i++
	}
	p.tok, p.kind, p.word = i, toks[i].Kind(), toks[i].Word()
}

func (p *parser) next() {
	if p.kind == EOF {
		return
	}
	p.prev = p.tok
	p.start(p.tok + 1)
}

// take consumes the current token and returns it.
func (p *parser) take() TokenID {
	t := p.tok
	p.next()
	return t
}

// accept consumes the current token if it has kind k.
func (p *parser) accept(k Kind) bool {
	if p.kind != k {
		return false
	}
	p.next()
	return true
}

// takeIf consumes and returns the current token if it has kind k, else NoToken.
func (p *parser) takeIf(k Kind) TokenID {
	if p.kind != k {
		return NoToken
	}
	return p.take()
}

// expect consumes a token of kind k or reports its absence; context says for what.
func (p *parser) expect(k Kind, context string) TokenID {
	if p.kind != k {
		p.errorExpected(describe(k), context)
		return NoToken
	}
	return p.take()
}

// expectWord consumes a word of the grammar or reports its absence.
func (p *parser) expectWord(w Word, context string) {
	if p.word != w {
		p.errorExpected("'"+grammarWords[w]+"'", context)
		return
	}
	p.next()
}

// peek returns the token after the current one.
func (p *parser) peek() TokenID { return p.f.Next(p.tok) }

func (p *parser) peekKind() Kind { return p.f.Kind(p.peek()) }

// lineStart reports whether the current token is the first of its line.
func (p *parser) lineStart() bool {
	for i := p.tok - 1; i > p.prev; i-- {
		if strings.Contains(p.f.Text(i), "\n") || strings.Contains(p.f.Behind(i), "\n") {
			return true
		}
	}
	return p.prev == NoToken || strings.Contains(p.f.Behind(p.prev), "\n")
}

// since returns the tokens from first to the last consumed one.
func (p *parser) since(first TokenID) Range { return Range{first, max(first, p.prev)} }

// nest enters a recursive construct; false means that it is too deep, which was reported.
func (p *parser) nest() bool {
	if p.depth >= maxNesting {
		p.errorAt(p.f.TokenSpan(p.tok), diag.NestingTooDeep, "nested more than %d deep", maxNesting)
		return false
	}
	p.depth++
	return true
}

func (p *parser) unnest() { p.depth-- }

// ---- errors

func (p *parser) report(d diag.Diagnostic) {
	if len(p.f.Errors) < maxErrors {
		p.f.Errors = append(p.f.Errors, d)
	}
}

// errorAt reports the first error of a statement, and marks it as failed.
func (p *parser) errorAt(span diag.Span, code diag.Code, format string, args ...any) {
	if !p.failed {
		p.failed = true
		p.report(newError(p.f.Source, span, code, format, args...))
	}
}

// errorExpected reports the current token as not what the grammar wants here. A bad
// token was reported by the scanner.
func (p *parser) errorExpected(want, context string) {
	if p.kind == BadToken {
		p.failed = true
		return
	}
	if context != "" {
		context = " " + context
	}
	p.errorAt(p.f.TokenSpan(p.tok), diag.Expected, "expected %s%s, found %s", want, context, p.found())
}

func (p *parser) found() string {
	if p.kind == EOF {
		return "the end of the file"
	}
	return quote(p.f.Text(p.tok))
}

func describe(k Kind) string {
	if k >= Comma {
		return "'" + k.String() + "'"
	}
	return map[Kind]string{Ident: "a name", DotWord: "a word that begins with a point", Int: "an integer", String: "a string"}[k]
}

// semicolon ends a statement.
func (p *parser) semicolon() {
	switch {
	case p.failed:
	case p.accept(Semicolon):
	case p.kind == RBrace, p.kind == EOF, p.lineStart() && p.kind != BadToken:
		p.missingSemicolon()
	default:
		p.errorExpected("',' or ';'", "")
		p.missingComma()
	}
}

// missingComma offers a comma where an operand follows another on one line.
func (p *parser) missingComma() {
	n := len(p.f.Errors)
	if p.kind != Ident && p.kind != LBracket && p.kind != LBrace || n == 0 || p.f.Errors[n-1].Span != p.f.TokenSpan(p.tok) {
		return
	}
	end := p.f.TokenSpan(p.prev).End
	p.f.Errors[n-1].Fixes = []diag.Fix{{Label: "add ,", Mechanical: true, Edits: []diag.Edit{{Span: diag.Span{Start: end, End: end}, New: ","}}}}
}

// missingSemicolon reports a statement that does not end, without skipping the next.
func (p *parser) missingSemicolon() {
	end := p.f.TokenSpan(p.prev).End
	d := newError(p.f.Source, diag.Span{Start: end, End: end}, diag.MissingSemicolon, "expected ';' after %s", quote(p.f.Text(p.prev)))
	d.Fixes = []diag.Fix{{Label: "add ;", Mechanical: true, Edits: []diag.Edit{{Span: diag.Span{Start: end, End: end}, New: ";"}}}}
	p.report(d)
}

// ---- recovery

// skipStatement moves behind the semicolon of a broken statement that began at a token of a body, or to a
// place where another statement surely begins.
func (p *parser) skipStatement(at TokenID) {
	for depth := p.openBraces(at); p.kind != EOF; p.next() {
		switch p.kind {
		case Semicolon:
			p.next()
			return
		case LBrace:
			depth++
		case RBrace:
			if depth == 0 {
				return
			}
			depth--
		case Ident, DotWord:
			if p.lineStart() && (p.kind == DotWord || p.beginsStatement()) {
				return
			}
		}
	}
}

// openBraces counts the braces that are open between the token at and the current one.
func (p *parser) openBraces(at TokenID) int {
	depth := 0
	for _, t := range p.f.Tokens[at:p.tok] {
		switch t.Kind() {
		case LBrace:
			depth++
		case RBrace:
			depth = max(0, depth-1)
		}
	}
	return depth
}

// beginsStatement reports whether the current token, at the start of a line, is a label
// or a directive.
func (p *parser) beginsStatement() bool {
	switch r := roleOf(p.word); {
	case p.kind == Ident:
		return p.peekKind() == Colon && p.lineStart()
	case r == roleNone, r >= roleAttachment, r == roleSpecifier, r == roleVector:
		return false
	}
	return p.lineStart()
}

// skipModule moves behind a broken statement of module level, bodies included.
func (p *parser) skipModule(at TokenID) {
	for depth := p.openBraces(at); p.kind != EOF; p.next() {
		switch p.kind {
		case Semicolon:
			if depth == 0 {
				p.next()
				return
			}
		case LBrace:
			depth++
		case RBrace:
			if depth--; depth <= 0 {
				p.next()
				return
			}
		case DotWord:
			if p.beginsModule() {
				return
			}
		}
	}
}

// beginsModule reports whether the current token, at the start of a line, begins a
// statement that only a module has.
func (p *parser) beginsModule() bool {
	r := roleOf(p.word)
	return (r == roleFunction || r == roleLinkage || r == roleModule) && p.lineStart()
}
