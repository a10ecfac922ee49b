package race

// This file numbers the instructions that touch memory.

import (
	"slices"
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/model"
)

// Site is an instruction as far as races care.
type Site struct {
	Func   *machine.FuncInfo
	PC     int32
	Writes bool
	Atomic bool // reads and writes at once
	Strong bool // volatile, relaxed, acquire, release or atomic (8.4)
	Scope  model.Scope

	ReadOnly bool // a load of what stays the same while the launch runs
	Proxy    model.Proxy
}

// sites gives each site a number, from 1.
type sites struct {
	mu    sync.Mutex
	index map[Site]uint32
	list  atomic.Pointer[[]Site] // replaced, never written, so that readers need no lock
}

func newSites() *sites {
	s := &sites{index: map[Site]uint32{}}
	s.list.Store(&[]Site{{}})
	return s
}

// number returns the number of a site, a new one at its first time.
func (s *sites) number(x Site) uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.index[x]
	if n == 0 {
		list := append(slices.Clone(*s.list.Load()), x)
		n = uint32(len(list) - 1)
		s.list.Store(&list)
		s.index[x] = n
	}
	return n
}

func (s *sites) at(n uint32) *Site { return &(*s.list.Load())[n] }
