package mem

// This file holds logical endpoints of the fabric (9.4: 9.7.11.1): a number and an offset name bytes of one device, or the
// same bytes of several. Only fabric instructions take them.

import (
	"fmt"
	"slices"
	"sync/atomic"
)

// Endpoint is a logical endpoint.
type Endpoint struct {
	ID        uint32
	Size      uint64
	Copies    []uint64 // where its bytes are: one range, or of a multicast endpoint one a device
	Multicast bool

	status atomic.Uint32
}

// endpointFailed marks a status.
const endpointFailed = 1 << 8

// Fail lets operations fail from now on and report a status, as when a link of the fabric is down.
func (e *Endpoint) Fail(status uint8) { e.status.Store(endpointFailed | uint32(status)) }

// Recover ends what Fail began.
func (e *Endpoint) Recover() { e.status.Store(0) }

// Failed tells whether operations fail, and what they report.
func (e *Endpoint) Failed() (bool, uint32) {
	s := e.status.Load()
	return s&endpointFailed != 0, s & 0xff
}

// NewEndpoint makes an endpoint over size bytes at each of copies. Numbers count from 1 and are not used again.
func (s *Space) NewEndpoint(size uint64, copies []uint64, multicast bool) (*Endpoint, error) {
	for _, at := range copies {
		if s.Bytes(at, size) == nil {
			return nil, fmt.Errorf("%w: %d bytes at %#x", ErrNotAllocated, size, at)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.named++
	e := &Endpoint{ID: s.named, Size: size, Copies: slices.Clone(copies), Multicast: multicast}
	if s.endpoints == nil {
		s.endpoints = map[uint32]*Endpoint{}
	}
	s.endpoints[e.ID] = e
	return e, nil
}

// Joins reports whether the device has one of the endpoint's copies.
func (a *Arena) Joins(e *Endpoint) bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return slices.ContainsFunc(e.Copies, func(at uint64) bool {
		v, ok := a.live.below(at)
		return ok && at < v.end && v.info.Device == a.device
	})
}

// EndEndpoint ends an endpoint; ErrNotAllocated if there is none.
func (s *Space) EndEndpoint(id uint32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.endpoints[id] == nil {
		return ErrNotAllocated
	}
	delete(s.endpoints, id)
	return nil
}

// Endpoint is the endpoint of a number; nil if there is none.
func (s *Space) Endpoint(id uint32) *Endpoint {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.endpoints[id]
}
