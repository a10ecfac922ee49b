package machine

// This file installs machine code (internal/machine/abi says what it and the machine tell each other).

import "ptxvm.invalid/ptxvm/internal/machine/abi"

// SetNative installs machine code; a Native without entries says that there will be none.
func (c *Code) SetNative(n *abi.Native) {
	i := &installed{Native: *n, code: c, next: make([]int32, len(n.Entries))}
	next := int32(len(n.Entries))
	for pc := len(n.Entries) - 1; pc >= 0; pc-- {
		if i.next[pc] = next; n.Entries[pc] != 0 {
			next = int32(pc)
		}
	}
	c.native.Store(i)
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

// starts reports whether a block starts at a pc.
func (n *installed) starts(pc int32) bool { return n.code.Insts[pc].Flags&BlockStart != 0 }
