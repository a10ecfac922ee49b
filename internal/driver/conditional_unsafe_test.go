package driver

import (
	"encoding/binary"
	"sync/atomic"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// counting adds 1 to a word, and sets a condition to whether it is below a limit.
const counting = `.version 8.4
.target sm_90
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 h, .param .b32 v);
.visible .entry count(.param .u64 at, .param .u32 limit, .param .u64 handle)
{
	.reg .b64 %a, %h; .reg .b32 %v, %n; .reg .pred %p;
	ld.param.u64 %a, [at]; ld.param.u32 %n, [limit]; ld.param.u64 %h, [handle];
	ld.global.u32 %v, [%a]; add.u32 %v, %v, 1; st.global.u32 [%a], %v;
	setp.lt.u32 %p, %v, %n; selp.b32 %v, 1, 0, %p;
	{ .param .b64 h; .param .b32 v; st.param.b64 [h], %h; st.param.b32 [v], %v; call.uni cudaGraphSetConditional, (h, v); }
	ret;
}
`

// TestConditional: a body runs as long as its kernel says, from the default at each launch on, and a graph of the same form can take
// the place of what is launched.
func TestConditional(t *testing.T) {
	r := newRig(t, Config{})
	m, _, code := r.Load([][]byte{[]byte(counting)})
	r.want(code, Success)
	f, code := r.Function(0, m, "count")
	r.want(code, Success)
	at, code := r.Alloc(0, 4, MemoryManaged)
	r.want(code, Success)
	one := vm.Dim3{X: 1, Y: 1, Z: 1}
	loop := func(limit uint32) uint64 {
		g, code := r.GraphCreate()
		r.want(code, Success)
		h, code := r.ConditionCreate(0, g, 1, ConditionAssign)
		r.want(code, Success)
		p := NodeParams{Kind: ConditionalNode, Handle: h, Value: uint32(ConditionWhile), Size: 1}
		r.node(g, p)
		list, _, code := r.GraphList(g, AllNodes)
		r.want(code, Success)
		told, _, _, code := r.NodeGet(list[0])
		r.want(code, Success)
		params := binary.LittleEndian.AppendUint64(nil, at)
		params = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(params, limit), 0)
		params = append(params[:16], binary.LittleEndian.AppendUint64(nil, h)...)
		r.node(hostWord(told.Addr), NodeParams{Kind: KernelNode, Function: f, Launch: Launch{Grid: one, Block: one, Buffer: address(params), BufferSize: uint64(len(params))}})
		return g
	}
	first, second := loop(10), loop(3)
	x, _, code := r.GraphInstantiate(first, 0)
	r.want(code, Success)
	launch := func(want uint32) {
		t.Helper()
		hostWord32(at).Store(0)
		r.want(r.GraphLaunch(0, 0, x), Success)
		r.want(r.Synchronize(0), Success)
		if got := r.word(at); got != want {
			t.Errorf("%d times, want %d", got, want)
		}
	}
	launch(10)
	launch(10)
	reason, _, _, code := r.ExecUpdate(x, second)
	r.want(code, Success)
	if reason != UpdateSuccess {
		t.Errorf("update: %d", reason)
	}
	r.want(r.GraphDestroy(first), Success)
	r.want(r.GraphDestroy(second), Success)
	launch(3)
	r.want(r.ExecDestroy(x), Success)
	if len(r.conditions) != 0 {
		t.Errorf("%d conditions are left", len(r.conditions))
	}
}

// TestUserObjects: the last reference ends an object, the program's or a graph's.
func TestUserObjects(t *testing.T) {
	r := newRig(t, Config{})
	var gone atomic.Uint64
	r.host.Call = func(_, argument uint64) { gone.Add(argument) }
	ended := func(want uint64) {
		t.Helper()
		for range 2000 {
			if gone.Load() == want {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Errorf("%d has ended, want %d", gone.Load(), want)
	}
	o, code := r.UserObjectCreate(1, 1, 2, UserObjectNoDestructorSync)
	r.want(code, Success)
	g, code := r.GraphCreate()
	r.want(code, Success)
	r.want(r.GraphRetain(g, o, 3, UserObjectMove), InvalidValue)
	r.want(r.GraphRetain(g, o, 2, UserObjectMove), Success)
	r.want(r.UserObjectRelease(o, 1), InvalidValue)
	clone, code := r.GraphClone(g)
	r.want(code, Success)
	r.want(r.GraphRelease(g, o, 2), Success)
	r.want(r.GraphRelease(g, o, 1), InvalidValue)
	r.want(r.GraphDestroy(g), Success)
	ended(0)
	r.want(r.GraphDestroy(clone), Success)
	ended(1)
	r.want(r.UserObjectRetain(o, 1), InvalidValue)
}
