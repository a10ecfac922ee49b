// Package pools keeps the memory of a core for the clusters to come: register blocks, chunks of local memory, shared memory.
package pools

import (
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/machine/regs"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// Memory is what a core has taken from its slab. Of is by what register blocks differ: those of one code are alike, and their
// constant rows are written. It is one goroutine's at a time; pieces may come back to another Memory of the same launch than they
// came from, so slabs end only together.
type Memory[Of comparable] struct {
	slab   mem.Slab
	blocks map[Of]*[]regs.Block
	last   Of
	free   *[]regs.Block // of last
	chunks []unsafe.Pointer
	shared map[uint32][]unsafe.Pointer // by size in bytes
}

// New makes an empty one.
func New[Of comparable]() Memory[Of] {
	return Memory[Of]{blocks: map[Of]*[]regs.Block{}, shared: map[uint32][]unsafe.Pointer{}}
}

// Bytes is how much there is.
func (m *Memory[Of]) Bytes() uint64 { return m.slab.Bytes() }

// Kinds is of how many codes there are blocks.
func (m *Memory[Of]) Kinds() int { return len(m.blocks) }

// Close gives all of it back.
func (m *Memory[Of]) Close() error { return m.slab.Close() }

// Get is n bytes for as long as there is a core.
func (m *Memory[Of]) Get(n int) unsafe.Pointer { return m.slab.Get(n) }

// of is the free blocks of a code.
func (m *Memory[Of]) of(c Of) *[]regs.Block {
	if m.free != nil && m.last == c {
		return m.free
	}
	p := m.blocks[c]
	if p == nil {
		p = new([]regs.Block)
		m.blocks[c] = p
	}
	m.last, m.free = c, p
	return p
}

// Block is a free block of a code, if there is one.
func (m *Memory[Of]) Block(c Of) (b regs.Block, ok bool) {
	p := m.of(c)
	n := len(*p) - 1
	if n < 0 {
		return b, false
	}
	b, *p = (*p)[n], (*p)[:n]
	return b, true
}

// NewBlock makes one of so many bytes, and of more behind them, with these constants.
func (m *Memory[Of]) NewBlock(bytes, more uint32, consts []regs.ConstRow) regs.Block {
	b := regs.Block{P: m.slab.Get(int(bytes + more)), N: bytes}
	b.FillConsts(consts)
	return b
}

// GiveBlock makes a block of a code a free one.
func (m *Memory[Of]) GiveBlock(c Of, b regs.Block) {
	p := m.of(c)
	*p = append(*p, b)
}

// Chunk is n zeroed bytes; all chunks have as many.
func (m *Memory[Of]) Chunk(n uint32) unsafe.Pointer { return m.take(&m.chunks, n) }

// GiveChunk takes a chunk back.
func (m *Memory[Of]) GiveChunk(p unsafe.Pointer) { m.chunks = append(m.chunks, p) }

// Shared is n zeroed bytes for a CTA.
func (m *Memory[Of]) Shared(n uint32) unsafe.Pointer {
	free := m.shared[n]
	p := m.take(&free, n)
	m.shared[n] = free
	return p
}

// GiveShared takes them back.
func (m *Memory[Of]) GiveShared(n uint32, p unsafe.Pointer) { m.shared[n] = append(m.shared[n], p) }

func (m *Memory[Of]) take(free *[]unsafe.Pointer, n uint32) unsafe.Pointer {
	last := len(*free) - 1
	if last < 0 {
		return m.slab.Get(int(n))
	}
	p := (*free)[last]
	*free = (*free)[:last]
	regs.Block{P: p}.Clear(n)
	return p
}
