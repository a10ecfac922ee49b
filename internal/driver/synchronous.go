package driver

// This file says when calls that copy, fill and launch return (CUDA Runtime API, "API synchronization behavior"). Where the page
// leaves both open, as for copies between device memory and pageable memory in a stream, the call waits: nothing is staged.

// CallKind is which calls a call is one of.
type CallKind int32

// The kinds; the first three with the numbers that the libraries know (pvm.h).
const (
	AsyncCall  CallKind = iota // …Async: cudaMemcpyAsync, cudaMemsetAsync
	SyncCall                   // without it: cudaMemcpy, cudaMemset
	DuringCall                 // the program asks that the source is read before the call returns (cudaMemcpySrcAccessOrderDuringApiCall)
	LaunchCall
)

// memories are kinds of memory, a bit each.
type memories uint8

const (
	pageable memories = 1 << iota
	pinned            // allocated so, or registered
	onDevice
	managed
	synced // besides: the program asks for it (CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)

	ofHost  = pageable | pinned
	anyhow  = ofHost | onDevice | managed
	nowhere = memories(0) // of a fill, which has no source, and of a launch
)

// rule says whether a call waits for its work; the first that fits counts.
type rule struct {
	name     string // testdata/cudart/synchronous.cu has a test of this name
	call     CallKind
	from, to memories
	either   bool // one end suffices, instead of both
	waits    bool
}

var rules = []rule{
	{"launch", LaunchCall, nowhere, nowhere, false, false},

	{"copy-during-call", DuringCall, anyhow, anyhow, false, true},
	{"copy-synced", SyncCall, synced, synced, true, true},
	{"copy-managed", SyncCall, managed, managed, true, true},
	{"copy-pageable-to-device", SyncCall, pageable, onDevice, false, true},
	{"copy-pinned-to-device", SyncCall, pinned, onDevice, false, true},
	{"copy-device-to-host", SyncCall, onDevice, ofHost, false, true},
	{"copy-device-to-device", SyncCall, onDevice, onDevice, false, false},
	{"copy-host-to-host", SyncCall, ofHost, ofHost, false, true},

	{"async-host-to-host", AsyncCall, ofHost, ofHost, false, true},
	{"async-pageable", AsyncCall, pageable, pageable, true, true},
	{"async-others", AsyncCall, anyhow, anyhow, false, false},

	{"fill-synced", SyncCall, nowhere, synced, true, true},
	{"fill-pinned", SyncCall, nowhere, pinned, false, true},
	{"fill-managed", SyncCall, nowhere, managed, false, true},
	{"fill-device", SyncCall, nowhere, onDevice, false, false},
	{"fill-async", AsyncCall, nowhere, anyhow, false, false},
}

func (r *rule) fits(call CallKind, from, to memories) bool {
	switch {
	case r.call != call || (r.from == nowhere) != (from == nowhere):
		return false
	case r.either:
		return r.from&from != 0 || r.to&to != 0
	}
	return r.from&from == from&^synced && r.to&to == to&^synced
}

// waits reports whether a call waits for what it does between two memories.
func waits(call CallKind, from, to memories) bool {
	for i := range rules {
		if rules[i].fits(call, from, to) {
			return rules[i].waits
		}
	}
	return true // there is a rule for each (TestRules)
}

var memoriesOf = [...]memories{MemoryNone: pageable, MemoryPinned: pinned, MemoryDevice: onDevice, MemoryManaged: managed}

// memoryOf is the kind of the memory at an end of a copy. Arrays have device memory, too.
func (d *Driver) memoryOf(p side) memories {
	b := d.Holding(p.Addr)
	switch {
	case b == nil && p.device:
		return onDevice
	case b == nil:
		return pageable
	}
	if b.sync {
		return memoriesOf[b.Kind] | synced
	}
	return memoriesOf[b.Kind]
}
