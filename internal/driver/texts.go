package driver

// This file keeps what was compiled lately: programs load the same text again and again, and some make new texts for ever.

import (
	"crypto/sha256"
	"sync"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// keptTexts is how many modules are kept after their last use.
const keptTexts = 64

type textHash = [sha256.Size]byte

// texts are the modules that were compiled last, by their text.
type texts struct {
	mu    sync.Mutex
	known map[textHash]*vm.Module
	order []textHash // oldest first
}

func (t *texts) find(key textHash) *vm.Module {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known[key]
}

func (t *texts) keep(key textHash, m *vm.Module) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.known == nil {
		t.known = map[textHash]*vm.Module{}
	}
	if t.known[key] == nil {
		t.order = append(t.order, key)
	}
	t.known[key] = m
	if len(t.order) > keptTexts {
		delete(t.known, t.order[0])
		t.order = append(t.order[:0], t.order[1:]...)
	}
}
