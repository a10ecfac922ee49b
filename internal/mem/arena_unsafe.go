package mem

// This file hands out raw addresses.

import "unsafe"

// Base returns the host address of GlobalBase. It is valid until Close.
func (a *Arena) Base() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(a.space.mem)) }
