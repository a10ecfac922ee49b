package pools

import (
	"testing"
	"unsafe"
)

// TestAgain: what comes back is given out again, cleared where that is promised, and a block only to its own code.
func TestAgain(t *testing.T) {
	m := New[string]()
	b := m.NewBlock(128, 64, nil)
	m.GiveBlock("f", b)
	if _, ok := m.Block("g"); ok || m.Kinds() != 2 {
		t.Error("a block of another code")
	}
	if again, ok := m.Block("f"); !ok || again.P != b.P || again.N != 128 {
		t.Errorf("%+v, %v", again, ok)
	}
	if _, ok := m.Block("f"); ok {
		t.Error("a block is given out twice")
	}
	for name, give := range map[string]struct {
		take func(n uint32) unsafe.Pointer
		give func(p unsafe.Pointer)
	}{"chunk": {m.Chunk, m.GiveChunk}, "shared": {m.Shared, func(p unsafe.Pointer) { m.GiveShared(256, p) }}} {
		p := give.take(256)
		bytes := unsafe.Slice((*byte)(p), 256)
		bytes[0], bytes[255] = 1, 1
		give.give(p)
		if again := give.take(256); again != p || bytes[0]|bytes[255] != 0 {
			t.Errorf("%s: %p, want %p, %d", name, again, p, bytes[0])
		}
	}
	if other := m.Shared(512); other == nil || m.Bytes() == 0 {
		t.Error(other, m.Bytes())
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
