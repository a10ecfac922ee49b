package driver

// This file tells of accesses that pass the end of an allocation and are let pass (PTXVM_BOUNDS=page).

import (
	"sync"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// passed are the instructions that have been spoken of.
type passed struct {
	mu   sync.Mutex
	seen map[string]bool // by vm.Fault.ID
}

// first reports whether it is the first time, and notes it.
func (p *passed) first(f *vm.Fault) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen[f.ID] {
		return false
	}
	if p.seen == nil {
		p.seen = map[string]bool{}
	}
	p.seen[f.ID] = true
	return true
}

// tellPast says what has been let pass, each instruction once.
func (d *Driver) tellPast(list []*vm.Fault) {
	for _, f := range list {
		if d.past.first(f) {
			text := d.detail(f)
			d.say(text)
			d.reports.write(Success, text, f)
		}
	}
}
