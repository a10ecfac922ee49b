package mem

// This file hands out raw addresses.

import "unsafe"

// Base returns the host address of the byte at device address First. It is valid until the last
// arena is closed.
func (s *Space) Base() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s.memory.mem)) }
