//go:build !linux

package driver

import "errors"

// The CUDA libraries are for Linux: elsewhere there is no virtual memory.
var errNoVirtual = errors.New("virtual memory is managed on Linux alone")

type sharedFile struct{}

func newSharedFile(uint64) (sharedFile, error) { return sharedFile{}, errNoVirtual }
func (sharedFile) close()                      {}

type hostRange struct{ base, size, shift uint64 }

func reserveHost(uint64) (hostRange, error)                { return hostRange{}, errNoVirtual }
func (hostRange) release()                                 {}
func (hostRange) mapFile(uint64, uint64, sharedFile) error { return errNoVirtual }
func (hostRange) hide(uint64, uint64) error                { return errNoVirtual }
