package syntax

// This file hands out the memory of trees: in chunks, so that a tree costs few allocations, and again after a file
// was released, so that a caller that checks many files collects little garbage.

import "sync"

// arena is where one file's tokens and tree are.
type arena struct {
	instructions slab[Instruction]
	locs         slab[Loc]
	labels       slab[Label]
	exprs        slab[Expr]
	operands     slab[Operand]
	tokens       slab[TokenID]
	inits        slab[Init]
	inlines      slab[Inlined]
	stmts        slab[Stmt]

	operandStack []Operand // operands of the lists being read
	stmtStack    []Stmt    // statements of the blocks being read
	tokenStack   []TokenID
	initStack    []Init
	lineStack    []SectionLine

	packedLocs []PackedLoc // of the file being read

	spareTokens []Token    // of a file that was released, or nil
	spareTable  *wordTable // without words, or nil
}

var arenas = sync.Pool{New: func() any { return new(arena) }}

// maxReleased bounds the text whose memory is kept.
const maxReleased = 16 << 20

// Release lets other files have the memory of f, which must not be used afterwards. What diagnostics hold stays.
// Who does not release a file leaves it to the garbage collector.
func (f *File) Release() {
	a := f.arena
	if a == nil || len(f.text) > maxReleased {
		return
	}
	a.instructions.reset()
	a.locs.reset()
	a.labels.reset()
	a.exprs.reset()
	a.operands.reset()
	a.tokens.reset()
	a.inits.reset()
	a.inlines.reset()
	a.stmts.reset()
	a.spareTokens = f.Tokens
	a.spareTable.clear()
	*f = File{Source: f.Source}
	arenas.Put(a)
}

// table returns a word table with the words of the grammar and room for more. It stays the arena's.
func (a *arena) table(more int) *wordTable {
	if a.spareTable == nil {
		a.spareTable = newWordTable(more)
	} else {
		a.spareTable.addGrammar()
	}
	return a.spareTable
}

// slab hands out memory in chunks.
type slab[T any] struct {
	free   []T
	chunks [][]T
	used   int // of the chunks
}

const (
	minChunk = 64
	maxChunk = 512
)

func (s *slab[T]) reset() { s.free, s.used = nil, 0 }

// reserve makes room for n items side by side.
func (s *slab[T]) reserve(n int) {
	if len(s.free) >= n {
		return
	}
	if s.used == len(s.chunks) || len(s.chunks[s.used]) < n {
		s.chunks = append(s.chunks, nil)
		s.chunks[len(s.chunks)-1] = s.chunks[s.used]
		s.chunks[s.used] = make([]T, max(n, min(maxChunk, minChunk<<min(s.used, 8))))
	}
	s.free = s.chunks[s.used]
	s.used++
}

// one returns an item that is zero.
func (s *slab[T]) one() *T {
	s.reserve(1)
	p := &s.free[0]
	s.free = s.free[1:]
	var zero T
	*p = zero
	return p
}

// keep copies items into the slab; none gives nil.
func (s *slab[T]) keep(items []T) []T {
	n := len(items)
	if n == 0 {
		return nil
	}
	s.reserve(n)
	out := s.free[:n:n]
	s.free = s.free[n:]
	copy(out, items)
	return out
}
