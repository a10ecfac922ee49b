package driver

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// addsTriggering launches add on the words of the rig, with the rig's event in its course.
func (r *raceRig) addsTriggering(stream uint64, when int) {
	params := addParams(r.at, 1, 64)
	l := Launch{Grid: vm.Dim3{X: 1, Y: 1, Z: 1}, Block: vm.Dim3{X: 256, Y: 1, Z: 1}, Buffer: address(params), BufferSize: uint64(len(params))}
	l.Events[when] = r.event
	r.want(r.Launch(0, stream, r.add, l), Success)
}

// overlaps launches a kernel of overlapping on the words.
func (r *raceRig) overlaps(stream uint64, name string, programmatic bool) {
	h, _, code := r.Load([][]byte{[]byte(overlapping)})
	r.want(code, Success)
	f, code := r.Function(0, h, name)
	r.want(code, Success)
	params := binary.LittleEndian.AppendUint64(nil, r.at)
	r.want(r.Launch(0, stream, f, Launch{Grid: vm.Dim3{X: 1, Y: 1, Z: 1}, Block: vm.Dim3{X: 16, Y: 1, Z: 1}, Programmatic: programmatic,
		Buffer: address(params), BufferSize: uint64(len(params))}), Success)
}

// TestTriggerRaces: what comes behind an event in the course of a launch, and not behind the launch, races with it, but for kernels'
// threads that have waited.
func TestTriggerRaces(t *testing.T) {
	const race, copied = "kernel add of another launch", "which a copy writes"
	for when, name := range [2]string{"dependents", "begin"} {
		for _, c := range []struct {
			name string
			do   func(r *raceRig)
			want string
		}{
			{"before the wait", func(r *raceRig) { r.awaits(r.b); r.overlaps(r.b, "early", false) }, race},
			{"before the wait, over by chance", func(r *raceRig) { r.settle(r.a); r.awaits(r.b); r.overlaps(r.b, "early", false) }, race},
			{"behind the wait", func(r *raceRig) { r.awaits(r.b); r.overlaps(r.b, "late", false) }, ""},
			{"behind the wait, over by chance", func(r *raceRig) { r.settle(r.a); r.awaits(r.b); r.settle(r.b); r.overlaps(r.b, "late", false) }, ""},
			{"behind a thread that has waited", func(r *raceRig) { r.awaits(r.b); r.overlaps(r.b, "told", false) }, ""},
			{"in half of the threads", func(r *raceRig) { r.awaits(r.b); r.overlaps(r.b, "half", false) }, race},
			{"by one event more", func(r *raceRig) {
				r.awaits(r.b)
				other, code := r.EventCreate(0, EventDisableTiming)
				r.want(code, Success)
				r.want(r.EventRecord(0, other, r.b, false), Success)
				r.want(r.StreamWaitEvent(0, r.b, other, false), Success)
				r.overlaps(r.b, "late", false)
			}, ""},
			{"a fill", func(r *raceRig) { r.awaits(r.b); r.fills(r.b) }, copied},
			{"a kernel behind a fill, which no wait brings behind the launch", func(r *raceRig) {
				r.awaits(r.b)
				r.want(r.Fill(0, r.b, Place{Addr: r.alloc(256)}, 0, 4, Box{256, 1, 1}, AsyncCall), Success)
				r.overlaps(r.b, "late", false)
			}, race},
			{"behind a whole launch of the same stream as well", func(r *raceRig) {
				r.awaits(r.b)
				r.records(r.a)
				r.awaits(r.b)
				r.overlaps(r.b, "early", false)
			}, ""},
			{"the host, which waits for the event alone", func(r *raceRig) { r.want(r.EventSynchronize(r.event), Success); r.fills(r.b) }, copied},
			{"the event recorded anew", func(r *raceRig) { r.records(r.a); r.awaits(r.b); r.overlaps(r.b, "early", false) }, ""},
		} {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				r := newRaceRig(t)
				r.fills(r.a)
				r.addsTriggering(r.a, when)
				c.do(r)
				r.settle(r.b)
				r.check(c.want)
			})
		}
	}
}

// TestTriggerRacesInGraphs: the same where a capture made a graph of it, of events and of programmatic launches.
func TestTriggerRacesInGraphs(t *testing.T) {
	const race = "kernel add of another launch"
	for _, c := range []struct {
		name string
		do   func(r *raceRig)
		want string
	}{
		{"an event, early", func(r *raceRig) { r.addsTriggering(r.a, atDependents); r.awaits(r.b); r.overlaps(r.b, "early", false) }, race},
		{"an event, late", func(r *raceRig) { r.addsTriggering(r.a, atDependents); r.awaits(r.b); r.overlaps(r.b, "late", false) }, ""},
		{"of the beginning, early", func(r *raceRig) { r.addsTriggering(r.a, atBegin); r.awaits(r.b); r.overlaps(r.b, "early", false) }, race},
		{"of the beginning, late", func(r *raceRig) { r.addsTriggering(r.a, atBegin); r.awaits(r.b); r.overlaps(r.b, "late", false) }, ""},
		{"programmatic, early", func(r *raceRig) { r.adds(r.a); r.overlaps(r.a, "early", true) }, race},
		{"programmatic, late", func(r *raceRig) { r.adds(r.a); r.overlaps(r.a, "late", true) }, ""},
		{"programmatic, behind the kernel before that", func(r *raceRig) { r.adds(r.a); r.addsAt(r.a, r.alloc(256)); r.overlaps(r.a, "early", true) }, ""},
		{"no attribute", func(r *raceRig) { r.adds(r.a); r.overlaps(r.a, "early", false) }, ""},
		{"the whole launch as well", func(r *raceRig) {
			r.addsTriggering(r.a, atDependents)
			r.awaits(r.b)
			r.records(r.a)
			r.awaits(r.b)
			r.overlaps(r.b, "early", false)
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRaceRig(t)
			join, code := r.EventCreate(0, EventDisableTiming)
			r.want(code, Success)
			r.want(r.CaptureBegin(0, r.a, 0, nil, CaptureRelaxed), Success)
			c.do(r)
			if b, _ := r.streamOf(0, r.b); b.capturing() {
				r.want(r.EventRecord(0, join, r.b, false), Success)
				r.want(r.StreamWaitEvent(0, r.a, join, false), Success)
			}
			g, code := r.CaptureEnd(0, r.a)
			r.want(code, Success)
			x, _, code := r.GraphInstantiate(g, 0)
			r.want(code, Success)
			r.want(r.GraphLaunch(0, r.a, x), Success)
			r.check(c.want)
		})
	}
}

// TestTriggersBeside: with a seed a kernel that comes behind a trigger begins before the launch has written; one that waits has what it
// writes, as has everything without a seed.
func TestTriggersBeside(t *testing.T) {
	for _, c := range []struct {
		kernel string
		seed   uint64
		want   uint32
	}{{"early", 1, 0}, {"late", 1, 7}, {"early", 0, 7}, {"late", 0, 7}} {
		for when := range 2 {
			for _, engine := range []vm.Engine{vm.Interp, vm.Auto} {
				t.Run(fmt.Sprintf("%s seed %d event %d %v", c.kernel, c.seed, when, engine), func(t *testing.T) {
					r := newRig(t, Config{Device: vm.DeviceConfig{Seed: c.seed, Engine: engine, Workers: 1}}) // all CTAs stay together
					for range 3 {
						for i, v := range r.triggered(c.kernel, when) {
							if v != c.want {
								t.Fatalf("word %d is %d, want %d", i, v, c.want)
							}
						}
					}
				})
			}
		}
	}
}

// triggered runs front in one stream and a kernel behind its trigger in another, and returns what that has read.
func (r *rig) triggered(kernel string, when int) []uint32 {
	h, _, code := r.Load([][]byte{[]byte(dependents)})
	r.want(code, Success)
	a, b, at := r.stream(StreamNonBlocking), r.stream(StreamNonBlocking), r.alloc(512)
	event, code := r.EventCreate(0, EventDisableTiming)
	r.want(code, Success)
	launch := func(stream uint64, name string, events [2]uint64) {
		f, code := r.Function(0, h, name)
		r.want(code, Success)
		params := binary.LittleEndian.AppendUint64(nil, at)
		r.want(r.Launch(0, stream, f, Launch{Grid: vm.Dim3{X: 16, Y: 1, Z: 1}, Block: vm.Dim3{X: 1, Y: 1, Z: 1}, Events: events,
			Buffer: address(params), BufferSize: uint64(len(params))}), Success)
	}
	r.want(r.Fill(0, a, Place{Addr: at}, 0, 4, Box{512, 1, 1}, AsyncCall), Success)
	var events [2]uint64
	events[when] = event
	launch(a, "front", events)
	r.want(r.StreamWaitEvent(0, b, event, false), Success)
	launch(b, kernel, [2]uint64{})
	r.want(r.StreamSynchronize(0, b), Success)
	r.want(r.StreamSynchronize(0, a), Success)
	r.want(r.EventQuery(event), Success)
	return r.read32(at+256, 16)
}

// TestTriggerEvents: an event of a launch keeps no time, and is of the launch's device.
func TestTriggerEvents(t *testing.T) {
	r := newRig(t, Config{})
	timed, code := r.EventCreate(0, 0)
	r.want(code, Success)
	params := addParams(r.alloc(256), 1, 64)
	f := r.function("add")
	for event, want := range map[uint64]Code{timed: InvalidValue, 12345: InvalidHandle} {
		r.want(r.Launch(0, 0, f, Launch{Grid: vm.Dim3{X: 1, Y: 1, Z: 1}, Block: vm.Dim3{X: 1, Y: 1, Z: 1}, Events: [2]uint64{event},
			Buffer: address(params), BufferSize: uint64(len(params))}), want)
	}
}

// TestEdgeData: what edges say stays in graphs, clones and captures, and says nothing of nodes that it does not fit.
func TestEdgeData(t *testing.T) {
	const loose, begun = uint64(programmaticEdge | portDependents), uint64(programmaticEdge | portBegin)
	r := newRaceRig(t)
	g, code := r.GraphCreate()
	r.want(code, Success)
	kernel := NodeParams{Kind: KernelNode, Function: r.add, Launch: Launch{Grid: vm.Dim3{X: 1, Y: 1, Z: 1}, Block: vm.Dim3{X: 1, Y: 1, Z: 1}}}
	params := addParams(r.at, 1, 64)
	kernel.Launch.Buffer, kernel.Launch.BufferSize = address(params), uint64(len(params))
	one, two, empty := r.node(g, kernel), r.node(g, kernel), r.node(g, NodeParams{Kind: EmptyNode})
	for _, says := range []uint64{uint64(programmaticEdge), portDependents, 3, uint64(programmaticEdge) | 3, loose | 1<<8, 1 << 24} {
		r.want(r.GraphLink(g, []uint64{one}, []uint64{two}, []uint64{says}, false), InvalidValue)
	}
	r.want(r.GraphLink(g, []uint64{one}, []uint64{empty}, []uint64{loose}, false), InvalidValue)
	r.want(r.GraphLink(g, []uint64{one, one}, []uint64{two, empty}, []uint64{begun, portBegin}, false), Success)
	clone, code := r.GraphClone(g)
	r.want(code, Success)
	for what, handle := range map[Listing]uint64{EdgeFrom: clone, Before: two, After: one} {
		_, says, code := r.GraphList(handle, what)
		if r.want(code, Success); says[0] != begun {
			t.Errorf("listing %d: %#x", what, says)
		}
	}
	r.want(r.GraphLink(g, []uint64{one}, []uint64{two}, nil, true), Success)
	r.want(r.GraphLink(g, []uint64{one}, []uint64{two}, nil, false), Success)
	if _, says, _ := r.GraphList(two, Before); !slices.Equal(says, []uint64{0}) {
		t.Errorf("an edge that was removed says %#x", says)
	}

	r.want(r.CaptureBegin(0, r.a, 0, nil, CaptureRelaxed), Success)
	r.addsTriggering(r.a, atBegin)
	r.awaits(r.b)
	info, code := r.CaptureInfo(0, r.b)
	if r.want(code, Success); !slices.Equal(info.Says, []uint64{begun}) {
		t.Errorf("a capture behind a trigger says %#x", info.Says)
	}
	r.want(r.CaptureDependencies(0, r.b, info.After, []uint64{loose}, true), Success)
	if info, _ = r.CaptureInfo(0, r.b); !slices.Equal(info.Says, []uint64{loose}) {
		t.Errorf("set, it says %#x", info.Says)
	}
}
