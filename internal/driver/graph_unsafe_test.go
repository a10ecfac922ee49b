package driver

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/vm"
)

func (r *rig) word(at uint64) uint32 { return binary.LittleEndian.Uint32(hostBytes(at, 4)) }

func (r *rig) stream(flags uint32) uint64 {
	r.t.Helper()
	h, code := r.StreamCreate(0, flags, 0)
	r.want(code, Success)
	return h
}

func (r *rig) node(g uint64, p NodeParams, after ...uint64) uint64 {
	r.t.Helper()
	h, code := r.GraphAdd(0, g, after, &p)
	r.want(code, Success)
	return h
}

// adding is a node that adds a number to one word.
func (r *rig) adding(at uint64, by uint32) NodeParams {
	params := addParams(at, by, 1)
	return NodeParams{Kind: KernelNode, Function: r.function("add"), Launch: Launch{Grid: vm.Dim3{X: 1, Y: 1, Z: 1},
		Block: vm.Dim3{X: 64, Y: 1, Z: 1}, Buffer: address(params), BufferSize: uint64(len(params))}}
}

func setting(at uint64, v uint32) NodeParams {
	return NodeParams{Kind: FillNode, To: Place{Addr: at}, Value: v, Size: 4, Box: Box{4, 1, 1}}
}

func copying(to, from uint64) NodeParams {
	return NodeParams{Kind: CopyNode, To: Place{Addr: to}, From: Place{Addr: from}, Box: Box{4, 1, 1}, Direction: CopyDefault}
}

// TestGraphs runs random graphs, whose edges order what touches the same word, against the same work in order.
func TestGraphs(t *testing.T) {
	r := newRig(t, Config{})
	const words = 8
	at := r.alloc(words * 4)
	s := r.stream(0)
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(3, seed))
		g, code := r.GraphCreate()
		r.want(code, Success)
		var model [words]uint32
		var last [words]uint64 // the node that touched a word last
		for range 30 {
			i, j, v := rng.IntN(words), rng.IntN(words), rng.Uint32N(1000)
			var p NodeParams
			switch rng.IntN(3) {
			case 0:
				p, model[i] = setting(at+4*uint64(i), v), v
			case 1:
				p, model[i] = r.adding(at+4*uint64(i), v), model[i]+v
			case 2:
				p, model[i] = copying(at+4*uint64(i), at+4*uint64(j)), model[j]
			}
			after := []uint64{}
			for _, n := range []uint64{last[i], last[j]} {
				if n != 0 && !slices.Contains(after, n) {
					after = append(after, n)
				}
			}
			n := r.node(g, p, after...)
			last[i], last[j] = n, n
		}
		x, _, code := r.GraphInstantiate(g, 0)
		r.want(code, Success)
		r.want(r.GraphDestroy(g), Success)
		r.want(r.Fill(0, s, Place{Addr: at}, 0, 4, Box{words * 4, 1, 1}, AsyncCall), Success)
		r.want(r.GraphLaunch(0, s, x), Success)
		r.want(r.StreamSynchronize(0, s), Success)
		r.want(r.ExecDestroy(x), Success)
		for i := range uint64(words) {
			if got := r.word(at + 4*i); got != model[i] {
				t.Fatalf("seed %d, word %d: %d, want %d", seed, i, got, model[i])
			}
		}
	}
}

// TestGraphChanges: parameters of nodes, updates, nodes that are off, children, clones, edges.
func TestGraphChanges(t *testing.T) {
	r := newRig(t, Config{})
	at := r.alloc(8)
	s := r.stream(0)
	make2 := func(by uint32) (g, set, add uint64) {
		g, code := r.GraphCreate()
		r.want(code, Success)
		set = r.node(g, setting(at, 1))
		return g, set, r.node(g, r.adding(at, by), set)
	}
	g, set, add := make2(10)
	x, _, code := r.GraphInstantiate(g, 0)
	r.want(code, Success)
	launch := func(x uint64, want uint32) {
		t.Helper()
		r.want(r.GraphLaunch(0, s, x), Success)
		r.want(r.StreamSynchronize(0, s), Success)
		if got := r.word(at); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	}
	launch(x, 11)
	p := r.adding(at, 20)
	r.want(r.ExecSet(x, add, &p), Success)
	launch(x, 21)
	p = setting(at, 5)
	r.want(r.ExecSet(x, add, &p), InvalidValue)
	r.want(r.ExecSet(x, set, &p), Success)
	launch(x, 25)
	r.want(r.ExecEnable(x, add, false), Success)
	launch(x, 5)
	r.want(r.ExecEnable(x, add, true), Success)
	r.want(r.NodeSet(set, &p), Success) // the graph, not what was made of it
	got, in, id, code := r.NodeGet(set)
	if code != Success || got.Value != 5 || got.Kind != FillNode || in != g || id != 0 {
		t.Errorf("%+v in %d, number %d, code %d", got, in, id, code)
	}
	got, _, _, code = r.NodeGet(add)
	if code != Success || hostWord(hostWord(got.Launch.Arguments)) != at || uint32(hostWord(hostWord(got.Launch.Arguments+8))) != 10 {
		t.Errorf("arguments of %+v, code %d", got, code)
	}

	other, _, _ := make2(30)
	if reason, _, _, code := r.ExecUpdate(x, other); reason != UpdateSuccess || code != Success {
		t.Errorf("update: %d %d", reason, code)
	}
	launch(x, 31)
	extra := r.node(other, NodeParams{Kind: EmptyNode})
	if reason, _, _, code := r.ExecUpdate(x, other); reason != UpdateTopologyChanged || code != UpdateFailure {
		t.Errorf("update with a node more: %d %d", reason, code)
	}
	r.want(r.NodeDestroy(extra), Success)
	r.want(r.NodeDestroy(extra), InvalidValue)

	parent, code := r.GraphCreate()
	r.want(code, Success)
	child := r.node(parent, NodeParams{Kind: ChildNode, Handle: other})
	r.node(parent, r.adding(at, 100), child)
	y, _, code := r.GraphInstantiate(parent, 0)
	r.want(code, Success)
	launch(y, 131)
	r.want(r.ExecSet(y, child, &NodeParams{Kind: ChildNode, Handle: g}), Success)
	launch(y, 115)

	clone, code := r.GraphClone(g)
	r.want(code, Success)
	if n, code := r.NodeInClone(add, clone); code != Success || n == add {
		t.Errorf("clone of a node: %d %d", n, code)
	}
	r.want(r.GraphLink(g, []uint64{add}, []uint64{set}, nil, false), Success)
	if _, _, code := r.GraphInstantiate(g, 0); code != InvalidValue {
		t.Errorf("a circle: %d", code)
	}
	r.want(r.GraphLink(g, []uint64{add}, []uint64{set}, nil, true), Success)
	r.want(r.GraphLink(g, []uint64{add}, []uint64{set}, nil, true), InvalidValue)
	for what, want := range map[Listing][]uint64{AllNodes: {set, add}, RootNodes: {set}, EdgeFrom: {set}, EdgeTo: {add}} {
		if list, _, code := r.GraphList(g, what); code != Success || !slices.Equal(list, want) {
			t.Errorf("listing %d: %v, want %v", what, list, want)
		}
	}
	if list, _, _ := r.GraphList(set, After); !slices.Equal(list, []uint64{add}) {
		t.Errorf("behind: %v", list)
	}
	var dot strings.Builder
	r.want(r.GraphDot(g, &dot), Success)
	if !strings.Contains(dot.String(), "n0 -> n1") || !strings.Contains(dot.String(), "KERNEL add") {
		t.Error(dot.String())
	}
}

// TestCapture: what goes into streams becomes a graph, also over events to another stream, and runs when it is
// launched.
func TestCapture(t *testing.T) {
	r := newRig(t, Config{})
	f := r.function("add")
	at := r.alloc(8)
	a, b := r.stream(StreamNonBlocking), r.stream(StreamNonBlocking)
	fork, _ := r.EventCreate(0, EventDisableTiming)
	join, _ := r.EventCreate(0, EventDisableTiming)
	r.want(r.CaptureBegin(0, a, 0, nil, CaptureGlobal), Success)
	r.want(r.Fill(0, a, Place{Addr: at}, 1, 4, Box{8, 1, 1}, AsyncCall), Success)
	r.want(r.EventRecord(0, fork, a, false), Success)
	r.want(r.StreamWaitEvent(0, b, fork, false), Success)
	r.want(r.launch(b, f, 1, addParams(at+4, 5, 1)), Success)
	r.want(r.launch(a, f, 1, addParams(at, 7, 1)), Success)
	r.want(r.EventRecord(0, join, b, false), Success)
	r.want(r.StreamWaitEvent(0, a, join, false), Success)
	to, from, box := row(at, at+4, 4)
	r.want(r.Copy(0, a, to, from, box, DeviceToDevice, AsyncCall), Success)
	info, code := r.CaptureInfo(0, b)
	if info.Status != CaptureActive || info.ID == 0 || info.Graph == 0 || len(info.After) != 1 || code != Success {
		t.Errorf("info %+v %d", info, code)
	}
	g, code := r.CaptureEnd(0, a)
	r.want(code, Success)
	if r.word(at) != 0 {
		t.Error("captured work has run")
	}
	if list, _, _ := r.GraphList(g, AllNodes); len(list) != 4 {
		t.Errorf("%d nodes", len(list))
	}
	if list, _, _ := r.GraphList(g, EdgeFrom); len(list) != 4 {
		t.Errorf("%d edges", len(list))
	}
	x, _, code := r.GraphInstantiate(g, 0)
	r.want(code, Success)
	for range 2 {
		r.want(r.GraphLaunch(0, a, x), Success)
		r.want(r.StreamSynchronize(0, a), Success)
		if r.word(at) != 6 || r.word(at+4) != 6 {
			t.Errorf("%d %d", r.word(at), r.word(at+4))
		}
	}
}

// TestCaptureOfEndedStream: a stream that has joined in may end before the capture does; what it has captured must lead to the origin.
func TestCaptureOfEndedStream(t *testing.T) {
	r := newRig(t, Config{})
	f, at := r.function("add"), r.alloc(8)
	for _, joins := range []bool{true, false} {
		a, b := r.stream(0), r.stream(0)
		fork, _ := r.EventCreate(0, EventDisableTiming)
		join, _ := r.EventCreate(0, EventDisableTiming)
		into, code := r.GraphCreate()
		r.want(code, Success)
		r.want(r.CaptureBegin(0, a, into, nil, CaptureGlobal), Success)
		if !r.CapturesInto(0, a) || r.CapturesInto(0, b) {
			t.Error("a stream is captured into a graph of the program's, or not")
		}
		r.want(r.EventRecord(0, fork, a, false), Success)
		r.want(r.StreamWaitEvent(0, b, fork, false), Success)
		r.want(r.launch(b, f, 1, addParams(at, 5, 1)), Success)
		r.want(r.EventRecord(0, join, b, false), Success)
		r.want(r.StreamDestroy(b), Success)
		want := CaptureUnjoined
		if joins {
			want = Success
			r.want(r.StreamWaitEvent(0, a, join, false), Success)
		}
		r.want(second(r.CaptureEnd(0, a)), want)
		if list, _, _ := r.GraphList(into, AllNodes); len(list) != 1 {
			t.Errorf("%d nodes", len(list))
		}
	}
}

// TestCaptureErrors lists what ends a capture, with CUDA's answers.
func TestCaptureErrors(t *testing.T) {
	r := newRig(t, Config{})
	f, at := r.function("add"), r.alloc(8)
	host := make([]byte, 8)
	outside, _ := r.EventCreate(0, EventDisableTiming)
	event, _ := r.EventCreate(0, EventDisableTiming)
	blocking, free := r.stream(0), r.stream(StreamNonBlocking)
	r.want(r.EventRecord(0, outside, free, false), Success)
	for name, c := range map[string]struct {
		stream uint64
		do     func() Code
		want   Code
		end    Code
	}{
		"nothing":        {blocking, func() Code { return Success }, Success, Success},
		"begins again":   {blocking, func() Code { return r.CaptureBegin(0, blocking, 0, nil, 0) }, IllegalState, Success},
		"waits":          {blocking, func() Code { return r.StreamSynchronize(0, blocking) }, CaptureUnsupported, CaptureWasInvalidated},
		"asks":           {blocking, func() Code { return r.StreamQuery(0, blocking) }, CaptureUnsupported, CaptureWasInvalidated},
		"waits for all":  {blocking, func() Code { return r.Synchronize(0) }, CaptureUnsupported, CaptureWasInvalidated},
		"allocates":      {blocking, func() Code { return second(r.Alloc(0, 4, MemoryDevice)) }, CaptureUnsupported, CaptureWasInvalidated},
		"default stream": {blocking, func() Code { return r.launch(0, f, 1, addParams(at, 1, 1)) }, CaptureImplicit, CaptureWasInvalidated},
		"not concerned":  {free, func() Code { return r.launch(0, f, 1, addParams(at, 1, 1)) }, Success, Success},
		"blocking copy": {free, func() Code {
			return r.Copy(0, free, Place{Addr: at}, Place{Addr: address(host)}, Box{8, 1, 1}, HostToDevice, SyncCall)
		}, CaptureUnsupported, CaptureWasInvalidated},
		"work outside":   {free, func() Code { return r.StreamWaitEvent(0, free, outside, false) }, CaptureIsolation, CaptureWasInvalidated},
		"other stream":   {free, func() Code { return second(r.CaptureEnd(0, blocking)) }, IllegalState, Success},
		"captured event": {free, func() Code { r.EventRecord(0, event, free, false); return r.EventSynchronize(event) }, CapturedEvent, Success},
		"not joined": {free, func() Code {
			r.EventRecord(0, event, free, false)
			r.StreamWaitEvent(0, blocking, event, false)
			return r.launch(blocking, f, 1, addParams(at, 1, 1))
		}, Success, CaptureUnjoined},
		"ends in another": {free, func() Code {
			r.EventRecord(0, event, free, false)
			r.StreamWaitEvent(0, blocking, event, false)
			return second(r.CaptureEnd(0, blocking))
		}, CaptureUnmatched, CaptureWasInvalidated},
	} {
		t.Run(name, func(t *testing.T) {
			r.want(r.CaptureBegin(0, c.stream, 0, nil, CaptureGlobal), Success)
			if got := c.do(); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
			if g, got := r.CaptureEnd(0, c.stream); got != c.end || (g != 0) != (got == Success) {
				t.Errorf("end: graph %d, code %d, want %d", g, got, c.end)
			}
			r.want(r.StreamQuery(0, blocking), Success)
		})
	}
	r.want(r.CaptureBegin(0, 0, 0, nil, CaptureGlobal), CaptureUnsupported)
	r.want(r.Synchronize(0), Success)
}

// TestGraphMemory: memory of a graph has one address for all its launches, and ends with the last graph that has it.
func TestGraphMemory(t *testing.T) {
	r := newRig(t, Config{})
	before, _, _ := r.MemoryInfo(0)
	s := r.stream(StreamNonBlocking)
	out := r.alloc(4)
	r.want(r.CaptureBegin(0, s, 0, nil, CaptureGlobal), Success)
	at, code := r.AllocIn(0, s, 64)
	r.want(code, Success)
	r.want(r.Fill(0, s, Place{Addr: at}, 3, 4, Box{4, 1, 1}, AsyncCall), Success)
	r.want(r.Copy(0, s, Place{Addr: out}, Place{Addr: at}, Box{4, 1, 1}, DeviceToDevice, AsyncCall), Success)
	r.want(r.FreeIn(0, s, at), Success)
	g, code := r.CaptureEnd(0, s)
	r.want(code, Success)
	x, _, code := r.GraphInstantiate(g, 0)
	r.want(code, Success)
	r.want(r.GraphDestroy(g), Success)
	counts := func(what string, want ...uint64) {
		t.Helper()
		for i, n := range want {
			if got, code := r.GraphMemory(0, GraphMemoryCount(i)); got != n || code != Success {
				t.Errorf("%s: count %d is %d (%v), want %d", what, i, got, code, n)
			}
		}
	}
	counts("before a launch", 0, 0, 64, 64)
	for range 2 {
		r.want(r.GraphLaunch(0, s, x), Success)
	}
	r.want(r.StreamSynchronize(0, s), Success)
	if r.word(out) != 3 {
		t.Error(r.word(out))
	}
	counts("behind launches", 0, 64, 64, 64)
	r.want(r.GraphMemoryReset(0, GraphMemoryUsed+1), Success)
	r.want(r.GraphMemoryReset(0, GraphMemoryReserved), InvalidValue)
	r.want(r.GraphMemoryReset(9, GraphMemoryUsed+1), InvalidDevice)
	counts("reset", 0, 0, 64, 64)
	r.want(r.ExecDestroy(x), Success)
	counts("destroyed", 0, 0, 0, 64)
	r.want(r.Free(out, false), Success)
	if after, _, _ := r.MemoryInfo(0); after != before {
		t.Errorf("%d bytes are free, before it were %d", after, before)
	}
}

// TestCaptureThreads: whose capture keeps which thread from calls that may wait, and who may end it.
func TestCaptureThreads(t *testing.T) {
	r := newRig(t, Config{})
	s := r.stream(StreamNonBlocking)
	var thread uint64
	var mode CaptureMode
	r.host.Thread = func() (uint64, CaptureMode) { return thread, mode }
	as := func(id uint64, m CaptureMode) { thread, mode = id, m }
	modes := []CaptureMode{CaptureGlobal, CaptureThread, CaptureRelaxed}
	for _, capture := range modes {
		for _, m := range modes {
			for _, other := range []bool{false, true} {
				as(1, CaptureGlobal)
				r.want(r.CaptureBegin(0, s, 0, nil, capture), Success)
				refused := capture != CaptureRelaxed && m != CaptureRelaxed
				if as(1, m); other {
					as(2, m)
					refused = capture == CaptureGlobal && m == CaptureGlobal
				}
				want, end := Success, Success
				if refused {
					want, end = CaptureUnsupported, CaptureWasInvalidated
				}
				_, code := r.Alloc(0, 4, MemoryDevice)
				r.want(code, want)
				if as(2, CaptureGlobal); capture != CaptureRelaxed {
					_, code = r.CaptureEnd(0, s)
					r.want(code, CaptureWrongThread)
					as(1, CaptureGlobal)
				}
				_, code = r.CaptureEnd(0, s)
				r.want(code, end)
			}
		}
	}
}

// TestExternalEvents: outside of captures there is no graph for them, and an event is of its stream's device.
func TestExternalEvents(t *testing.T) {
	r := newRig(t, Config{Devices: 2})
	s := r.stream(0)
	e, code := r.EventCreate(0, 0)
	r.want(code, Success)
	r.want(r.EventRecord(0, e, s, true), InvalidValue)
	r.want(r.StreamWaitEvent(0, s, e, true), InvalidValue)
	r.want(r.EventRecord(0, e, s, false), Success)
	far, code := r.StreamCreate(1, 0, 0)
	r.want(code, Success)
	r.want(r.EventRecord(0, e, far, false), InvalidHandle)
	r.want(r.StreamWaitEvent(0, far, e, false), Success)
	r.want(r.StreamSynchronize(0, far), Success)
}

// TestStreamPriority: it can be changed, and kernels that a stream captures have it.
func TestStreamPriority(t *testing.T) {
	r := newRig(t, Config{})
	s, at := r.stream(0), r.alloc(4)
	r.want(r.StreamPriority(s, -3), Success)
	if _, _, p, code := r.StreamInfo(s); code != Success || p != -3 {
		t.Errorf("priority %d, code %d", p, code)
	}
	r.want(r.CaptureBegin(0, s, 0, nil, CaptureGlobal), Success)
	r.want(r.launch(s, r.function("add"), 1, addParams(at, 1, 1)), Success)
	g, code := r.CaptureEnd(0, s)
	r.want(code, Success)
	nodes, _, code := r.GraphList(g, AllNodes)
	r.want(code, Success)
	var v AttributeValue
	r.want(r.NodeAttribute(nodes[0], attributePriority, &v, false), Success)
	if p := int32(binary.NativeEndian.Uint32(v[:])); p != -3 {
		t.Errorf("priority of the node: %d", p)
	}
	r.want(r.StreamPriority(12345, 0), InvalidHandle)
}

// TestGraphLimits: graphs with memory of their own are not copied, lose nothing, and have one executable graph; a graph that is
// moved is its node's, with its memory.
func TestGraphLimits(t *testing.T) {
	r := newRig(t, Config{})
	graph := func() uint64 {
		t.Helper()
		g, code := r.GraphCreate()
		r.want(code, Success)
		return g
	}
	add := func(g uint64, after []uint64, p *NodeParams) uint64 {
		t.Helper()
		n, code := r.GraphAdd(0, g, after, p)
		r.want(code, Success)
		return n
	}
	g, other := graph(), graph()
	p := NodeParams{Kind: AllocNode, Size: 4096}
	alloc := add(g, nil, &p)
	plain := r.alloc(64)
	for name, bad := range map[string]NodeParams{
		"memory of no graph": {Kind: FreeNode, Addr: plain},
		"inside":             {Kind: FreeNode, Addr: p.Addr + 8},
		"copied":             {Kind: ChildNode, Handle: g},
		"into itself":        {Kind: ChildNode, Handle: g, Value: ChildMoved},
		"how":                {Kind: ChildNode, Handle: other, Value: 7},
	} {
		if _, code := r.GraphAdd(0, g, nil, &bad); code != InvalidValue && (name != "copied" || code != NotSupported) {
			t.Errorf("%s: code %d", name, code)
		}
	}
	free := NodeParams{Kind: FreeNode, Addr: p.Addr}
	end := add(g, []uint64{alloc}, &free)
	r.want(second(r.GraphAdd(0, g, nil, &free)), InvalidValue)
	r.want(second(r.GraphClone(g)), NotSupported)
	r.want(r.NodeDestroy(end), NotSupported)
	r.want(r.GraphLink(g, []uint64{alloc}, []uint64{end}, nil, true), NotSupported)

	x, _, code := r.GraphInstantiate(g, 0)
	r.want(code, Success)
	r.want(third(r.GraphInstantiate(g, 0)), NotSupported)
	r.want(r.GraphLaunch(0, 0, x), Success)
	r.want(r.Synchronize(0), Success)
	r.want(r.ExecDestroy(x), Success)

	// What one launch leaves is freed before the next, in whatever way, or by that.
	open := graph()
	q := NodeParams{Kind: AllocNode, Size: 256}
	add(open, nil, &q)
	closing := graph()
	add(closing, nil, &NodeParams{Kind: FreeNode, Addr: q.Addr})
	x, _, code = r.GraphInstantiate(open, 0)
	r.want(code, Success)
	frees, _, code := r.GraphInstantiate(closing, 0)
	r.want(code, Success)
	for name, free := range map[string]func() Code{
		"free":     func() Code { return r.Free(q.Addr, false) },
		"stream":   func() Code { return r.FreeIn(0, 0, q.Addr) },
		"graph":    func() Code { return r.GraphLaunch(0, 0, frees) },
		"not once": func() Code { return Success },
	} {
		r.want(r.GraphLaunch(0, 0, x), Success)
		r.want(r.GraphLaunch(0, 0, x), InvalidValue)
		r.want(free(), Success)
		r.want(r.Synchronize(0), Success)
		if name == "not once" {
			r.want(r.Free(q.Addr, false), Success)
		}
	}
	s := r.stream(StreamNonBlocking)
	r.want(r.CaptureBegin(0, s, 0, nil, CaptureRelaxed), Success)
	r.want(r.GraphLaunch(0, s, x), NotSupported)
	captured, code := r.CaptureEnd(0, s)
	r.want(code, Success)
	r.want(r.GraphDestroy(captured), Success)
	r.want(r.ExecDestroy(x), Success)
	x, _, code = r.GraphInstantiate(open, InstantiateAutoFree)
	r.want(code, Success)
	r.want(r.GraphLaunch(0, 0, x), Success)
	r.want(r.GraphLaunch(0, 0, x), Success)
	r.want(r.Synchronize(0), Success)
	r.want(r.ExecDestroy(x), Success)

	n := add(other, nil, &NodeParams{Kind: ChildNode, Handle: g, Value: ChildMoved})
	told, _, _, code := r.NodeGet(n)
	r.want(code, Success)
	if told.Handle != g {
		t.Errorf("the child is %#x, want the graph %#x itself", told.Handle, g)
	}
	r.want(r.GraphDestroy(g), InvalidValue)
	r.want(second(r.GraphAdd(0, other, nil, &NodeParams{Kind: ChildNode, Handle: g, Value: ChildMoved})), InvalidValue)
	r.want(second(r.GraphAdd(0, g, nil, &NodeParams{Kind: ChildNode, Handle: other, Value: ChildMoved})), InvalidValue)
	x, _, code = r.GraphInstantiate(other, 0)
	r.want(code, Success)
	r.want(third(r.GraphInstantiate(other, 0)), NotSupported)
	r.want(r.GraphLaunch(0, 0, x), Success)
	r.want(r.Synchronize(0), Success)
	r.want(r.ExecDestroy(x), Success)
	r.want(r.GraphDestroy(other), Success)
	if b := r.Holding(p.Addr); b != nil {
		t.Errorf("%+v is still there", b)
	}
}
