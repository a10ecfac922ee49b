//go:build !linux && !darwin && !windows

package mem

// This file keeps device memory in the Go heap, where the system offers nothing better.

import "errors"

// reserved is a slice that grows in place up to its capacity.
type reserved struct{ mem []byte }

// heapMax bounds the arena where address space is real memory.
const heapMax = 512 << 20

func reserve(n uint64) (reserved, error) {
	return reserved{mem: make([]byte, min(n, heapMax))}, nil
}

func (r *reserved) commit(n uint64) error {
	if n > r.size() {
		return errors.New("device memory is limited on this platform")
	}
	return nil
}

func (r *reserved) release() error {
	*r = reserved{}
	return nil
}

// outside allocates memory; here it is in the Go heap and lives as long as it is referred to.
func outside(n int) ([]byte, error) { return make([]byte, n), nil }

func freeOutside([]byte) error { return nil }
