package compiled_test

// This file tests how compiled code finds the allocations of a launch that is like one before.

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

// followModule has a kernel that moves words from one place to another one, which is named by a parameter or by memory,
// and one with other parameters, so that another parameter block ends theirs.
const followModule = `.version 8.0
.target sm_90
.address_size 64
.const .b32 fixed[64];
.visible .entry move(.param .u32 by, .param .u64 from, .param .u64 to) {
	.reg .b32 %r<9>; .reg .b64 %rd<9>;
	ld.param.u32 %r1, [by]; ld.param.u64 %rd1, [from]; ld.param.u64 %rd2, [to];
	mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd4, %rd1, %rd3; add.u64 %rd5, %rd2, %rd3;
	ld.global.u32 %r3, [%rd4]; add.u32 %r3, %r3, %r1; st.global.u32 [%rd5], %r3; ret;
}
.visible .entry through(.param .u64 table, .param .u64 to) {
	.reg .b32 %r<9>; .reg .b64 %rd<9>;
	ld.param.u64 %rd1, [table]; ld.param.u64 %rd2, [to]; ld.global.u64 %rd6, [%rd1];
	mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd4, %rd6, %rd3; add.u64 %rd5, %rd2, %rd3;
	ld.global.u32 %r3, [%rd4]; st.global.u32 [%rd5], %r3; ret;
}
.visible .entry fill(.param .u64 to) {
	.reg .b32 %r<9>; .reg .b64 %rd<9>;
	ld.param.u64 %rd1, [to]; mov.u32 %r1, %tid.x; and.b32 %r1, %r1, 31; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;
	st.global.u32 [%rd2], %r1; ret;
}
.visible .entry where(.param .u64 to) {
	.reg .b64 %rd<3>;
	ld.param.u64 %rd1, [to]; mov.u64 %rd2, fixed; cvta.const.u64 %rd2, %rd2; st.global.u64 [%rd1], %rd2; ret;
}
`

// follower launches the kernels of followModule on one device.
type follower struct {
	t *testing.T
	d *ptxvm.Device
	p *ptxvm.Program
}

func newFollower(t *testing.T, cfg ptxvm.DeviceConfig, prepare func(*ptxvm.Device) error) *follower {
	t.Helper()
	cfg.Memory, cfg.Workers = 1<<20, 1
	d, err := ptxvm.NewDevice(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	if prepare != nil {
		if err := prepare(d); err != nil {
			t.Fatal(err)
		}
	}
	m, err := ptxvm.Compile("follow.ptx", []byte(followModule), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	return &follower{t, d, p}
}

func (f *follower) buffer(words ...uint64) ptxvm.Buffer {
	f.t.Helper()
	b, err := f.d.Alloc(8 * len(words))
	if err != nil {
		f.t.Fatal(err)
	}
	for i, v := range words {
		b.WriteAt(binary.LittleEndian.AppendUint64(nil, v), int64(8*i))
	}
	return b
}

func (f *follower) launch(kernel string, threads uint32, args ...any) (ptxvm.Stats, error) {
	f.t.Helper()
	k, err := f.p.Kernel(kernel)
	if err != nil {
		f.t.Fatal(err)
	}
	return k.Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: threads}}, args...)
}

// left launches without a fault and counts what was left to the interpreter.
func (f *follower) left(kernel string, threads uint32, args ...any) (n uint64) {
	f.t.Helper()
	s, err := f.launch(kernel, threads, args...)
	if err != nil {
		f.t.Fatal(err)
	}
	for _, l := range s.Left {
		n += l.Times
	}
	return n
}

func word(b ptxvm.Buffer, i int) uint64 {
	var p [8]byte
	b.ReadAt(p[:], int64(8*i))
	return binary.LittleEndian.Uint64(p[:])
}

// TestFollow: buffers that change places, are allocated anew, or belong to a kernel that takes turns with another one are
// not looked for again by code that has found the allocations of its parameters once.
func TestFollow(t *testing.T) {
	rig.NeedJIT(t)
	for _, o := range jit.Compilers() {
		f := newFollower(t, ptxvm.DeviceConfig{Engine: ptxvm.JIT}, compiledBy(o))
		a, b := f.buffer(make([]uint64, 32)...), f.buffer(make([]uint64, 32)...)
		if f.left("move", 64, uint32(1), a, b) == 0 {
			t.Errorf("%v: the first launch has found its buffers without looking for them", o)
		}
		for range 8 { // each instruction misses once, one a launch
			f.left("move", 64, uint32(0), a, b)
			f.left("fill", 64, b)
		}
		for i := range 6 {
			a, b = b, a
			if n := f.left("move", 64, uint32(1), a, b); n != 0 {
				t.Errorf("%v: launch %d with other places left compiled code %d times", o, i, n)
			}
			if n := f.left("fill", 64, a.Slice(128, 256)); n != 0 {
				t.Errorf("%v: launch %d of the other kernel left compiled code %d times", o, i, n)
			}
			if i == 3 {
				a.Free()
				a = f.buffer(make([]uint64, 64)...)
			}
		}
		if got, want := word(b, 3), uint64(13<<32|12); got != want { // what fill wrote, six times moved
			t.Errorf("%v: got %#x, want %#x", o, got, want)
		}
	}
}

// TestFollowWrong: what is followed is an assumption; where a pointer comes from memory, ends in another allocation or where kernels
// must not write, compiled code gives what the interpreter gives.
func TestFollowWrong(t *testing.T) {
	rig.NeedJIT(t)
	run := func(f *follower) (got []any) {
		a, b, small := f.buffer(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16), f.buffer(make([]uint64, 32)...), f.buffer(7, 7, 7)
		table := f.buffer(a.Addr())
		try := func(kernel string, args ...any) {
			s, err := f.launch(kernel, 32, args...)
			got = append(got, kernel, err, s.LaneOps, word(b, 0), word(b, 15), word(small, 2))
		}
		f.launch("where", 32, small)
		fixed := word(small, 0)
		for range 8 { // each instruction misses once, one a launch
			try("move", uint32(1), a, b)
			try("through", table, b)
		}
		try("through", table, table.Slice(0, 0)) // the table is followed by two accesses, one of which goes elsewhere
		table.WriteAt(binary.LittleEndian.AppendUint64(nil, b.Addr()), 0)
		try("through", table, a)
		try("through", table, b)
		try("move", uint32(1), small, b)
		try("move", uint32(1), a, small)
		try("move", uint32(1), a, fixed)
		try("move", uint32(1), b, uint64(0))
		try("move", uint32(1), a, b)
		freed := a.Addr()
		a.Free()
		try("move", uint32(1), freed, b)
		try("move", uint32(2), b, b)
		return got
	}
	want := run(newFollower(t, ptxvm.DeviceConfig{Engine: ptxvm.Interp}, nil))
	for _, o := range jit.Compilers() {
		got := run(newFollower(t, ptxvm.DeviceConfig{Engine: ptxvm.JIT}, compiledBy(o)))
		for i := range want {
			if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
				t.Errorf("%v: launch %d: got %v, the interpreter %v", o, i/6, got[i], want[i])
			}
		}
	}
}
