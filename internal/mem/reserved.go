package mem

// This file holds what reserved address space can do on every platform.

func (r *reserved) size() uint64 { return uint64(len(r.mem)) }

func (r *reserved) bytes(off, n uint64) []byte { return r.mem[off : off+n : off+n] }

// zero clears bytes that were used before.
func (r *reserved) zero(off, n uint64) { clear(r.mem[off : off+n]) }
