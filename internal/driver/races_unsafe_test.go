package driver

import (
	"encoding/binary"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// shared are kernels that meet in memory: count by atomic operations, tell and heed by a flag.
const shared = `.version 8.0
.target sm_75
.address_size 64
.visible .entry count(.param .u64 at)
{
	.reg .b64 %a;
	ld.param.u64 %a, [at];
	red.relaxed.gpu.global.add.u32 [%a], 1;
	ret;
}
.visible .entry tell(.param .u64 at)
{
	.reg .b64 %a;
	ld.param.u64 %a, [at];
	st.global.u32 [%a+4], 7;
	st.release.gpu.global.u32 [%a], 1;
	ret;
}
.visible .entry heed(.param .u64 at)
{
	.reg .b64 %a; .reg .b32 %v; .reg .pred %p;
	ld.param.u64 %a, [at];
again:
	ld.acquire.gpu.global.u32 %v, [%a];
	setp.eq.u32 %p, %v, 0;
	@%p bra again;
	ld.global.u32 %v, [%a+4];
	st.global.u32 [%a+8], %v;
	ret;
}
.visible .entry peek(.param .u64 at)
{
	.reg .b64 %a; .reg .b32 %v;
	ld.param.u64 %a, [at];
	ld.global.u32 %v, [%a+4];
	st.global.u32 [%a+12], %v;
	ret;
}
`

// overlapping are kernels of programmatic launches: at words 0 to 15 of their memory, one a thread, late behind
// griddepcontrol.wait, early before it, told behind a barrier of which one warp has waited, half in the upper half of the threads alone.
const overlapping = `.version 8.0
.target sm_90
.address_size 64
.visible .entry early(.param .u64 at)
{
	.reg .b64 %a, %o; .reg .b32 %t, %v;
	ld.param.u64 %a, [at]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;
	ld.global.u32 %v, [%a];
	griddepcontrol.wait;
	st.global.u32 [%a], %v;
	ret;
}
.visible .entry late(.param .u64 at)
{
	.reg .b64 %a, %o; .reg .b32 %t, %v;
	ld.param.u64 %a, [at]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;
	griddepcontrol.wait;
	ld.global.u32 %v, [%a];
	st.global.u32 [%a], %v;
	ret;
}
.visible .entry told(.param .u64 at)
{
	.reg .b64 %a, %o; .reg .b32 %t, %v; .reg .pred %p;
	ld.param.u64 %a, [at]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;
	setp.eq.u32 %p, %t, 0;
	@%p griddepcontrol.wait;
	bar.sync 0;
	ld.global.u32 %v, [%a];
	ret;
}
.visible .entry half(.param .u64 at)
{
	.reg .b64 %a, %o; .reg .b32 %t, %v; .reg .pred %p;
	ld.param.u64 %a, [at]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o;
	setp.ge.u32 %p, %t, 8;
	@%p griddepcontrol.wait;
	ld.global.u32 %v, [%a];
	ret;
}
`

// TestProgrammaticRaces: a launch that may begin before the kernel in front of it is over races with that where its threads touch
// the same bytes before they, or some that they come behind, have waited; with what comes before that it does not.
func TestProgrammaticRaces(t *testing.T) {
	for _, c := range []struct {
		name, kernel string
		programmatic bool
		do           func(r *raceRig)
		want         string
	}{
		{"no attribute", "early", false, func(r *raceRig) { r.adds(r.a) }, ""},
		{"before the wait", "early", true, func(r *raceRig) { r.adds(r.a) }, "kernel add of another launch"},
		{"before the wait, over by chance", "early", true, func(r *raceRig) { r.adds(r.a); r.settle(r.a) }, "kernel add of another launch"},
		{"behind the wait", "late", true, func(r *raceRig) { r.adds(r.a) }, ""},
		{"behind a thread that has waited", "told", true, func(r *raceRig) { r.adds(r.a) }, ""},
		{"in half of the threads", "half", true, func(r *raceRig) { r.adds(r.a) }, "kernel add of another launch"},
		{"other words", "early", true, func(r *raceRig) { r.addsAt(r.a, r.alloc(256)) }, ""},
		{"behind the kernel before that", "early", true, func(r *raceRig) { r.adds(r.a); r.addsAt(r.a, r.alloc(256)) }, ""},
		{"behind a fill", "early", true, func(r *raceRig) { r.fills(r.a) }, ""},
		{"behind a kernel that the host knows to be over", "early", true, func(r *raceRig) {
			r.adds(r.a)
			r.want(r.StreamSynchronize(0, r.a), Success)
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRaceRig(t)
			h, _, code := r.Load([][]byte{[]byte(overlapping)})
			r.want(code, Success)
			f, code := r.Function(0, h, c.kernel)
			r.want(code, Success)
			c.do(r)
			params := binary.LittleEndian.AppendUint64(nil, r.at)
			r.want(r.Launch(0, r.a, f, Launch{Grid: vm.Dim3{X: 1, Y: 1, Z: 1}, Block: vm.Dim3{X: 16, Y: 1, Z: 1}, Programmatic: c.programmatic,
				Buffer: address(params), BufferSize: uint64(len(params))}), Success)
			r.settle(r.a)
			r.check(c.want)
		})
	}
}

// raceRig is a rig under the race check with two streams that order nothing but themselves.
type raceRig struct {
	*rig
	add, count, tell, heed, peek uint64
	a, b                         uint64 // streams
	at                           uint64 // 64 words
	event                        uint64
}

func newRaceRig(t *testing.T) *raceRig {
	r := &raceRig{rig: newRig(t, Config{Device: vm.DeviceConfig{Arch: "sm_90", Sanitize: vm.SanitizeRace}})}
	r.host.Call = func(uint64, uint64) {}
	r.add, r.a, r.b, r.at = r.function("add"), r.stream(StreamNonBlocking), r.stream(StreamNonBlocking), r.alloc(256)
	h, _, code := r.Load([][]byte{[]byte(shared)})
	r.want(code, Success)
	for name, f := range map[string]*uint64{"count": &r.count, "tell": &r.tell, "heed": &r.heed, "peek": &r.peek} {
		*f, code = r.Function(0, h, name)
		r.want(code, Success)
	}
	r.event, code = r.EventCreate(0, EventDisableTiming)
	r.want(code, Success)
	return r
}

// TestProgrammaticFix: what a programmatic launch lacks is a wait of its own.
func TestProgrammaticFix(t *testing.T) {
	r := newRaceRig(t)
	r.adds(r.a)
	r.overlaps(r.a, "early", true)
	r.check("fix:     griddepcontrol.wait")
}

func (r *raceRig) stream(flags uint32) uint64 {
	h, code := r.StreamCreate(0, flags, 0)
	r.want(code, Success)
	return h
}

// check waits for the device, and holds what was reported to words; none are silence.
func (r *raceRig) check(want string) {
	r.t.Helper()
	r.want(r.Synchronize(0), Success)
	r.mu.Lock()
	text := strings.Join(r.errors, "")
	r.mu.Unlock()
	if want == "" && text != "" || want != "" && (!strings.Contains(text, "P8002") || !strings.Contains(text, want)) {
		r.t.Errorf("want %q in\n%s", want, text)
	}
}

// adds launches add on the words of the rig.
func (r *raceRig) adds(stream uint64) { r.addsAt(stream, r.at) }

func (r *raceRig) addsAt(stream, at uint64) {
	r.want(r.launch(stream, r.add, 1, addParams(at, 1, 64)), Success)
}

// runs launches a kernel with one thread on the words.
func (r *raceRig) runs(stream, f uint64) {
	params := binary.LittleEndian.AppendUint64(nil, r.at)
	r.want(r.Launch(0, stream, f, Launch{Grid: vm.Dim3{X: 1, Y: 1, Z: 1}, Block: vm.Dim3{X: 1, Y: 1, Z: 1},
		Buffer: address(params), BufferSize: uint64(len(params))}), Success)
}

func (r *raceRig) records(stream uint64) { r.want(r.EventRecord(0, r.event, stream, false), Success) }
func (r *raceRig) awaits(stream uint64) {
	r.want(r.StreamWaitEvent(0, stream, r.event, false), Success)
}
func (r *raceRig) fills(stream uint64) {
	r.want(r.Fill(0, stream, Place{Addr: r.at}, 0, 4, Box{256, 1, 1}, AsyncCall), Success)
}

// copies copies the words to others of the device.
func (r *raceRig) copies(stream, dst, src uint64) {
	to, from, box := row(dst, src, 256)
	r.want(r.Copy(0, stream, to, from, box, DeviceToDevice, AsyncCall), Success)
}

// settle lets the stream be over without the host's being told.
func (r *raceRig) settle(stream uint64) {
	s, code := r.streamOf(0, stream)
	r.want(code, Success)
	if it := s.tail(); it != nil {
		<-it.done
	}
}

// TestStreamRaces: work of two streams on the same bytes is reported unless something orders it, and only then.
func TestStreamRaces(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(r *raceRig)
		want string
	}{
		{"one stream", func(r *raceRig) { r.adds(r.a); r.adds(r.a) }, ""},
		{"two streams", func(r *raceRig) { r.adds(r.a); r.adds(r.b) }, "kernel add of another launch"},
		{"two streams, one by chance behind the other", func(r *raceRig) { r.adds(r.a); r.settle(r.a); r.adds(r.b) }, "kernel add of another launch"},
		{"an event", func(r *raceRig) { r.adds(r.a); r.records(r.a); r.awaits(r.b); r.adds(r.b) }, ""},
		{"an event that is over", func(r *raceRig) { r.adds(r.a); r.records(r.a); r.settle(r.a); r.awaits(r.b); r.adds(r.b) }, ""},
		{"an event too early", func(r *raceRig) { r.records(r.a); r.adds(r.a); r.awaits(r.b); r.adds(r.b) }, "kernel add of another launch"},
		{"a wait for the stream", func(r *raceRig) { r.adds(r.a); r.want(r.StreamSynchronize(0, r.a), Success); r.adds(r.b) }, ""},
		{"a wait for the other stream", func(r *raceRig) {
			r.adds(r.a)
			r.settle(r.a)
			r.want(r.StreamSynchronize(0, r.b), Success)
			r.adds(r.b)
		}, "kernel add"},
		{"a wait for the device", func(r *raceRig) { r.adds(r.a); r.want(r.Synchronize(0), Success); r.adds(r.b) }, ""},
		{"a query", func(r *raceRig) { r.adds(r.a); r.settle(r.a); r.want(r.StreamQuery(0, r.a), Success); r.adds(r.b) }, ""},
		{"a query of the event", func(r *raceRig) {
			r.adds(r.a)
			r.records(r.a)
			r.settle(r.a)
			r.want(r.EventQuery(r.event), Success)
			r.adds(r.b)
		}, ""},
		{"a wait for the event", func(r *raceRig) {
			r.adds(r.a)
			r.records(r.a)
			r.want(r.EventSynchronize(r.event), Success)
			r.adds(r.b)
		}, ""},
		{"a host function", func(r *raceRig) {
			r.adds(r.a)
			r.want(r.HostFunction(0, r.a, 1, 0), Success)
			r.settle(r.a)
			r.adds(r.b)
		}, ""},
		{"other words", func(r *raceRig) { r.adds(r.a); r.addsAt(r.b, r.alloc(256)) }, ""},
		{"the default stream", func(r *raceRig) { r.adds(r.a); r.adds(0) }, "kernel add of another launch"},
		{"the default stream and a blocking one", func(r *raceRig) { r.adds(r.stream(0)); r.adds(0) }, ""},
		{"a blocking stream and the default one", func(r *raceRig) { r.adds(0); r.adds(r.stream(0)) }, ""},
		{"two blocking streams", func(r *raceRig) { r.adds(r.stream(0)); r.adds(r.stream(0)) }, "kernel add of another launch"},
		{"two blocking streams about the default one", func(r *raceRig) { r.adds(r.stream(0)); r.fills(0); r.adds(r.stream(0)) }, ""},
		{"the default stream behind one that has ended", func(r *raceRig) {
			s := r.stream(0)
			r.adds(s)
			r.settle(s)
			r.want(r.StreamDestroy(s), Success)
			r.adds(0)
		}, ""},
		{"a fill", func(r *raceRig) { r.adds(r.a); r.fills(r.b) }, "which a copy writes"},
		{"a kernel behind a fill", func(r *raceRig) { r.fills(r.a); r.adds(r.b) }, "which a copy writes"},
		{"a fill behind an event", func(r *raceRig) { r.adds(r.a); r.records(r.a); r.awaits(r.b); r.fills(r.b) }, ""},
		{"a copy from", func(r *raceRig) { r.adds(r.a); r.copies(r.b, r.alloc(256), r.at) }, "which a copy reads"},
		{"a copy to", func(r *raceRig) { r.adds(r.a); r.copies(r.b, r.at, r.alloc(256)) }, "which a copy writes"},
		{"a copy to the host, at once", func(r *raceRig) { r.adds(r.a); r.read(r.at, 256) }, "which a copy reads"},
		{"a copy to the host, behind a wait", func(r *raceRig) { r.adds(r.a); r.want(r.StreamSynchronize(0, r.a), Success); r.read(r.at, 256) }, ""},
		{"two copies from", func(r *raceRig) { r.copies(r.a, r.alloc(256), r.at); r.copies(r.b, r.alloc(256), r.at) }, ""},
		{"two copies to", func(r *raceRig) { r.copies(r.a, r.at, r.alloc(256)); r.fills(r.b) }, "two copies or fills of different streams"},
		{"atomics", func(r *raceRig) { r.runs(r.a, r.count); r.runs(r.b, r.count) }, ""},
		{"atomics and a plain store", func(r *raceRig) { r.runs(r.a, r.count); r.adds(r.b) }, "of another launch"},
		{"a flag", func(r *raceRig) { r.runs(r.a, r.heed); r.runs(r.b, r.tell) }, ""},
		{"no flag", func(r *raceRig) { r.runs(r.a, r.peek); r.runs(r.b, r.tell) }, "of another launch"},
		{"memory that was freed in between", func(r *raceRig) {
			at, code := r.AllocIn(0, r.a, 1<<20)
			r.want(code, Success)
			r.addsAt(r.a, at)
			r.want(r.FreeIn(0, r.a, at), Success)
			r.settle(r.a)
			again, code := r.AllocIn(0, r.b, 1<<20)
			r.want(code, Success)
			if again != at {
				r.t.Log("the memory is not given out again: this shows nothing")
			}
			r.addsAt(r.b, again)
		}, ""},
		{"two nodes of a graph", func(r *raceRig) { r.graph(false) }, "kernel add of another launch"},
		{"two nodes of a graph, one behind the other", func(r *raceRig) { r.graph(true) }, ""},
		{"two launches of a graph in two streams", func(r *raceRig) {
			x := r.graph(true)
			r.want(r.GraphLaunch(0, r.b, x), Success)
		}, ""},
		{"a graph and a kernel", func(r *raceRig) { r.graph(true); r.adds(r.b) }, "kernel add of another launch"},
		{"a body and a kernel", func(r *raceRig) { r.conditional(1, false); r.adds(r.b) }, "kernel add of another launch"},
		{"a body that does not run, and a kernel", func(r *raceRig) { r.conditional(0, false); r.adds(r.b) }, ""},
		{"a kernel behind a body", func(r *raceRig) { r.conditional(1, false); r.records(r.a); r.awaits(r.b); r.adds(r.b) }, ""},
		{"two nodes of a body, one behind the other", func(r *raceRig) { r.conditional(1, false) }, ""},
		{"a body and a node of its graph", func(r *raceRig) { r.conditional(1, true) }, "kernel add of another launch"},
		{"a value that is not waited for", func(r *raceRig) {
			word := r.alloc(4)
			r.adds(r.a)
			r.adds(r.b) // before the write: once that is done, the host may have seen the word (valueWork)
			r.value(r.a, WriteValue, word)
		}, "kernel add of another launch"},
		{"a wait for a value", func(r *raceRig) {
			word := r.alloc(4)
			r.value(r.b, WaitEqual, word)
			r.adds(r.b)
			r.adds(r.a)
			r.value(r.a, WriteValue, word)
		}, ""},
		{"a wait for a value that is there", func(r *raceRig) {
			word := r.alloc(4)
			r.adds(r.a)
			r.value(r.a, WriteValue, word)
			r.settle(r.a)
			r.value(r.b, WaitEqual, word)
			r.adds(r.b)
		}, ""},
		{"a kernel behind a graph", func(r *raceRig) { r.graph(true); r.records(r.a); r.awaits(r.b); r.adds(r.b) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRaceRig(t)
			r.want(r.Synchronize(0), Success)
			c.do(r)
			r.check(c.want)
		})
	}
}

// graph launches two nodes of add on the same words in stream a, ordered or not.
func (r *raceRig) graph(ordered bool) (exec uint64) {
	g, code := r.GraphCreate()
	r.want(code, Success)
	node := r.adding(r.at, 1)
	first, code := r.GraphAdd(0, g, nil, &node)
	r.want(code, Success)
	var after []uint64
	if ordered {
		after = []uint64{first}
	}
	_, code = r.GraphAdd(0, g, after, &node)
	r.want(code, Success)
	exec, _, code = r.GraphInstantiate(g, 0)
	r.want(code, Success)
	r.want(r.GraphLaunch(0, r.a, exec), Success)
	return exec
}

// conditional launches, in stream a, a node with a body of two nodes of add, one behind the other, which run if the value is not 0,
// and perhaps such a node beside it.
func (r *raceRig) conditional(value uint32, beside bool) {
	g, code := r.GraphCreate()
	r.want(code, Success)
	h, code := r.ConditionCreate(0, g, value, ConditionAssign)
	r.want(code, Success)
	told, _, _, code := r.NodeGet(r.node(g, NodeParams{Kind: ConditionalNode, Handle: h, Value: uint32(ConditionIf), Size: 1}))
	r.want(code, Success)
	body := hostWord(told.Addr)
	r.node(body, r.adding(r.at, 1), r.node(body, r.adding(r.at, 1)))
	if beside {
		r.node(g, r.adding(r.at, 1))
	}
	x, _, code := r.GraphInstantiate(g, 0)
	r.want(code, Success)
	r.want(r.GraphLaunch(0, r.a, x), Success)
}

// value writes 1 to a word, which is 0 before, or waits for it there.
func (r *raceRig) value(stream uint64, kind ValueKind, word uint64) {
	r.want(r.StreamValues(0, stream, []ValueOp{{Kind: kind, Addr: word, Value: 1, Bits: 32}}), Success)
}
