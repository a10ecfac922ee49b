//go:build !linux

package mem

// This file says that only Linux runs host programs (libcuda).

import "errors"

func reserveAt(_, _ uint64) (reserved, error) {
	return reserved{}, errors.New("device addresses that are host addresses: on Linux only")
}

func mapPages(_, _ uint64) (reserved, error) { return reserveAt(0, 0) }

// hostBase is where the memory is: there is none.
func (r *reserved) hostBase() uint64 { return 0 }
