package mem

import "unsafe"

func at(p unsafe.Pointer, off int) unsafe.Pointer { return unsafe.Add(p, off) }
