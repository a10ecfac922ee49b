package vm

// This file names the sanitizers: the set that a device looks for, and how lists of them are written; and it holds what
// they know of a device's global memory between launches.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/internal/san"
	"ptxvm.invalid/ptxvm/internal/san/flow"
	"ptxvm.invalid/ptxvm/internal/san/race"
	"ptxvm.invalid/ptxvm/internal/san/streams"
)

// Sanitize is a set of sanitizers and of their options. Asynchrony AsyncLazy brings SanitizeAsync: early accesses to what
// asynchronous operations touch, and missing proxy fences.
type Sanitize uint16

// The sanitizers and their options.
const (
	// SanitizeInit reports values that decide something (a guard, an address, a member mask, an atomic operation)
	// though some of their bits neither a kernel nor the host has written: of memory, local memory and registers.
	SanitizeInit Sanitize = 1 << iota
	// SanitizeRace reports accesses of two threads to the same bytes, one of them a write, that nothing orders in the
	// run: in shared, cluster and global memory, by the memory model (PTX ISA 8); also of an asynchronous operation with
	// what was done before its issue. What comes behind it SanitizeAsync reports.
	SanitizeRace
	// SanitizeSync reports uses of barriers and member masks that work on no target, or only by luck: lanes of a warp at
	// different aligned barriers, masks that do not name their own lane or differ within a group, values taken
	// from lanes that take no part.
	SanitizeSync
	// SanitizeRaceStrict is SanitizeRace that reports plain stores of the same bits, too.
	SanitizeRaceStrict
	// SanitizeInitLoads reports reads of tensor, shared and global memory that neither a kernel nor the host has
	// written, whatever becomes of the value. Module variables count as written.
	SanitizeInitLoads
	// SanitizeMem reports accesses that leave the object their pointer was made from, also where they meet another
	// one, and pointers to what has been freed.
	SanitizeMem
	// SanitizeLeak reports tensor memory that is still allocated when its CTA ends, mbarriers that then still expect
	// bytes, and copies that no wait covers. What kernels have not freed of what malloc gave is Program.Leaks.
	SanitizeLeak
	// SanitizeAsync reports uses of what an asynchronous operation may still touch, whatever the mode, and missing
	// fences between proxies. AsyncLazy brings it, with its option.
	SanitizeAsync
	// SanitizeAsyncFences is SanitizeAsync that also reports operations on tensor memory of different warps without
	// tcgen05.fence around their synchronisation, which the manual asks for and compilers leave out.
	SanitizeAsyncFences
	// SanitizeLeakUnused is SanitizeLeak that also knows which memory of the host's allocations no kernel has touched, for
	// Device.Unused.
	SanitizeLeakUnused
)

// SanitizeAll is every check, without options: "all" in lists.
const SanitizeAll = SanitizeMem | SanitizeInit | SanitizeRace | SanitizeSync | SanitizeLeak | SanitizeAsync

// checkName is a word of a list: what it asks for, and the words that may follow behind a colon.
type checkName struct {
	name    string
	set     Sanitize
	options []checkOption
}

// checkOption is a word behind a check's name.
type checkOption struct {
	name  string
	set   Sanitize
	alone bool // in place of the check's own
}

// checkNames are the checks in the order of their documentation.
var checkNames = []checkName{
	{"mem", SanitizeMem, nil},
	{"init", SanitizeInit, []checkOption{{"loads", SanitizeInitLoads, true}}},
	{"race", SanitizeRace, []checkOption{{"strict", SanitizeRaceStrict, false}}},
	{"sync", SanitizeSync, nil},
	{"leak", SanitizeLeak, []checkOption{{"unused", SanitizeLeakUnused, false}}},
	{"async", SanitizeAsync, []checkOption{{"fences", SanitizeAsyncFences, false}}},
}

// ParseSanitize reads a list of names, such as init,race:strict. The error of a name that is unknown
// lists those that there are.
func ParseSanitize(list string) (set Sanitize, err error) {
	if list == "" {
		return 0, nil
	}
	for _, word := range strings.Split(list, ",") {
		one, err := parseCheck(word)
		if err != nil {
			return 0, err
		}
		set |= one
	}
	return set, nil
}

// parseCheck reads one word of a list.
func parseCheck(word string) (Sanitize, error) {
	name, option, optional := strings.Cut(word, ":")
	for _, c := range checkNames {
		switch {
		case c.name != name:
		case !optional:
			return c.set, nil
		default:
			return c.option(option)
		}
	}
	if word == "all" {
		return SanitizeAll, nil
	}
	return 0, fmt.Errorf("ptxvm: there is no sanitizer %q; want %s", word, builtChecks())
}

// option returns the check with one of its options.
func (c *checkName) option(name string) (Sanitize, error) {
	var known []string
	for _, o := range c.options {
		switch {
		case o.name != name:
		case o.alone:
			return o.set, nil
		default:
			return c.set | o.set, nil
		}
		known = append(known, c.name+":"+o.name)
	}
	if known == nil {
		return 0, fmt.Errorf("ptxvm: sanitizer %q has no option %q; it has none", c.name, name)
	}
	return 0, fmt.Errorf("ptxvm: sanitizer %q has no option %q; want %s", c.name, name, strings.Join(known, ", "))
}

// builtChecks lists what may be asked for.
func builtChecks() string {
	names := []string{"all"}
	for _, c := range checkNames {
		names = append(names, c.name)
		for _, o := range c.options {
			names = append(names, c.name+":"+o.name)
		}
	}
	return strings.Join(names, ", ")
}

// shadow is that of the devices of one machine; without sanitizers it is told everything and keeps nothing.
type shadow struct {
	loads  *san.Memory
	used   *san.Memory // what kernels have touched, under SanitizeLeakUnused; else nil
	values *flow.Memory
	budget *san.Budget    // nil without sanitizers that have a shadow of global memory
	order  *streams.Order // of calls, under SanitizeRace; else nil
}

// keptShare is the part of a device's memory, one in so many bytes, that may be kept of launches that are over, for others
// that run at the same time.
const keptShare = 4

// newShadow returns what a set of sanitizers needs on a device with so many bytes of memory.
func newShadow(set Sanitize, limit int64) (s shadow) {
	if set&(SanitizeInit|SanitizeMem|SanitizeRace) != 0 {
		s.budget = san.NewBudget(limit, fmt.Errorf("%w: the shadow memory of the sanitizers exceeds the %d bytes that the device has (DeviceConfig.Memory, --memory)", ErrOutOfMemory, limit))
	}
	if set&SanitizeRace != 0 {
		s.order = streams.New(limit / keptShare)
	}
	if set&SanitizeLeakUnused != 0 {
		s.used = new(san.Memory)
	}
	if set&SanitizeInitLoads != 0 {
		s.loads = new(san.Memory)
	}
	if set&(SanitizeInit|SanitizeMem) != 0 {
		s.values = flow.NewMemory()
		s.values.Took = s.budget.Took
	}
	return s
}

// Track begins an allocation that nothing has written.
func (s *shadow) Track(addr, n uint64) {
	s.loads.Track(addr, n)
	s.used.Track(addr, n)
	s.values.Track(addr, n)
	s.order.Forget(addr, addr+n)
}

// Drop ends an allocation.
func (s *shadow) Drop(addr uint64) {
	s.loads.Drop(addr)
	s.used.Drop(addr)
	s.values.Drop(addr, 0, nil)
}

// Read notes that the host reads bytes.
func (s *shadow) Read(addr, n uint64) { s.order.Copied(race.Range{From: addr, To: addr + n}) }

// Written notes that the host has written bytes.
func (s *shadow) Written(addr, n uint64) {
	s.loads.Written(addr, n)
	s.values.Written(addr, n)
	s.order.Copied(race.Range{From: addr, To: addr + n, Writes: true})
}
