//go:build !linux

package mem

// This file says that only Linux runs host programs (libcuda).

func reserveTwice(base, n uint64) (reserved, error) { return reserveAt(base, n) }

func (r *reserved) show(uint64, uint64, bool) error { return nil }
