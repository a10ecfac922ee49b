package san

// This file holds what the sanitizers know of a device's global memory between launches.

import (
	"ptxvm.invalid/ptxvm/internal/san/flow"
	"ptxvm.invalid/ptxvm/internal/san/race"
	"ptxvm.invalid/ptxvm/internal/san/shadow"
	"ptxvm.invalid/ptxvm/internal/san/streams"
)

// Shadows are those of the devices of one machine; without sanitizers they are told everything and keep nothing.
type Shadows struct {
	Loads  *shadow.Memory
	Used   *shadow.Memory // what kernels have touched, under LeakUnused; else nil
	Values *flow.Memory
	Budget *Budget        // nil without sanitizers that have a shadow of global memory
	Order  *streams.Order // of calls, under Race; else nil
}

// keptShare is the part of a device's memory, one in so many bytes, that may be kept of launches that are over, for
// others that run at the same time.
const keptShare = 4

// NewShadows returns what a set of sanitizers needs on a device with so many bytes of memory; full is why a launch
// ends that would need more for its shadows.
func NewShadows(set Set, limit int64, full error) (s Shadows) {
	if set&(Init|Mem|Race) != 0 {
		s.Budget = NewBudget(limit, full)
	}
	if set&Race != 0 {
		s.Order = streams.New(limit / keptShare)
	}
	if set&LeakUnused != 0 {
		s.Used = new(shadow.Memory)
	}
	if set&InitLoads != 0 {
		s.Loads = new(shadow.Memory)
	}
	if set&(Init|Mem) != 0 {
		s.Values = flow.NewMemory()
		s.Values.Took = s.Budget.Took
	}
	return s
}

// Launch begins what a launch takes of the budget; nil if nothing is counted.
func (s *Shadows) Launch() *LaunchShadow {
	if s.Budget == nil {
		return nil
	}
	return s.Budget.Launch()
}

// Track begins an allocation that nothing has written.
func (s *Shadows) Track(addr, n uint64) {
	s.Loads.Track(addr, n)
	s.Used.Track(addr, n)
	s.Values.Track(addr, n)
	s.Order.Forget(addr, addr+n)
}

// Drop ends an allocation.
func (s *Shadows) Drop(addr uint64) {
	s.Loads.Drop(addr)
	s.Used.Drop(addr)
	s.Values.Drop(addr, 0, nil)
}

// Unwritten lists, as address and size, the bytes of the allocation [addr, addr+n) that nothing has written, as far as a set of
// sanitizers has looked: none without Init and InitLoads.
func (s *Shadows) Unwritten(set Set, addr, n uint64) (list [][2]uint64) {
	visit := func(from, to uint64) {
		if last := len(list) - 1; last >= 0 && list[last][0]+list[last][1] == from {
			list[last][1] += to - from
			return
		}
		list = append(list, [2]uint64{from, to - from})
	}
	switch {
	case set&Init != 0:
		s.Values.Unwritten(addr, addr+n, visit)
	case set&InitLoads != 0:
		s.Loads.Unwritten(addr, addr+n, visit)
	}
	return list
}

// Begin is Track of an allocation that has been written, but for the bytes that Unwritten lists.
func (s *Shadows) Begin(addr, n uint64, unwritten [][2]uint64) {
	s.Track(addr, n)
	at := addr
	for _, u := range append(unwritten, [2]uint64{addr + n, 0}) {
		if u[0] > at {
			s.Written(at, u[0]-at)
		}
		at = u[0] + u[1]
	}
}

// Read notes that the host reads bytes.
func (s *Shadows) Read(addr, n uint64) { s.Order.Copied(race.Range{From: addr, To: addr + n}) }

// Written notes that the host has written bytes.
func (s *Shadows) Written(addr, n uint64) {
	s.Loads.Written(addr, n)
	s.Values.Written(addr, n)
	s.Order.Copied(race.Range{From: addr, To: addr + n, Writes: true})
}
