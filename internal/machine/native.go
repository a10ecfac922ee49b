package machine

// This file installs machine code (internal/machine/abi says what it and the machine tell each other).

import "ptxvm.invalid/ptxvm/internal/machine/abi"

// SetNative installs machine code; a Native without entries says that there will be none.
func (c *Code) SetNative(n *abi.Native) { c.native.Store(c.install(n)) }

// SetBatches installs machine code for batches alone, in place of that of SetNative, which goes on with what batches leave; nil: there is
// none any more. Both keep what is between instructions in the register block, and each has a table of bounds.
func (c *Code) SetBatches(n *abi.Native) {
	if n == nil {
		c.batches.Store(nil)
		return
	}
	c.batches.Store(c.install(n))
}

func (c *Code) install(n *abi.Native) *installed {
	i := &installed{Native: *n, code: c, next: make([]int32, len(n.Entries))}
	next := int32(len(n.Entries))
	for pc := len(n.Entries) - 1; pc >= 0; pc-- {
		if i.next[pc] = next; n.Entries[pc] != 0 {
			next = int32(pc)
		}
	}
	return i
}

// installed is the machine code of a Code.
type installed struct {
	abi.Native
	code *Code
	next []int32 // by pc: the first entry behind it
}

// Native returns the machine code, nil if none has been installed.
func (c *Code) Native() *abi.Native {
	if n := c.native.Load(); n != nil {
		return &n.Native
	}
	return nil
}

// Batching returns the machine code that batches run, nil if there is none.
func (c *Code) Batching() *abi.Native {
	if n := c.batching(); n != nil {
		return &n.Native
	}
	return nil
}

func (c *Code) batching() *installed {
	if n := c.batches.Load(); n != nil {
		return n
	}
	return c.native.Load()
}

// starts reports whether a block starts at a pc.
func (n *installed) starts(pc int32) bool { return n.code.Insts[pc].Flags&BlockStart != 0 }
