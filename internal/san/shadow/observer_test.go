package shadow

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/model"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/san/clusters"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// The tests run two warps through steps: handlers that tell what an instruction would.

const start = 1024 // of shared memory on sm_90: its reserved bytes

type step = machine.Handler

// by lets one warp take a step, with some lanes.
func by(warp int, lanes uint32, h step) step {
	return func(w *machine.Warp, in *machine.Inst) machine.State {
		all := w.Mask
		if w.Index() != warp || all&lanes == 0 {
			return machine.Next
		}
		w.Mask = all & lanes
		defer func() { w.Mask = all }()
		return h(w, in)
	}
}

const everyone = ^uint32(0)

// touch accesses 4 bytes of shared memory, thread i at word i from off on.
func touch(kind machine.AccessKind, off uint64, order model.Order) step {
	return func(w *machine.Warp, in *machine.Inst) machine.State {
		var addr [32]uint64
		for i := range addr {
			addr[i] = start + off + uint64(4*(32*w.Index()+i))
		}
		w.Observe(in, machine.Event{Space: machine.Shared, Kind: kind, Order: order, Size: 4, Lanes: w.Mask, Addr: &addr})
		return machine.Next
	}
}

func store(off uint64) step { return touch(machine.Store, off, model.Weak) }
func load(off uint64) step  { return touch(machine.Load, off, model.Weak) }

// copies is an operation of the async proxy that reads or writes n bytes of shared memory.
func copies(kind machine.AccessKind, off, n uint64) step {
	return func(w *machine.Warp, in *machine.Inst) machine.State {
		x := machine.Extent{Space: machine.Shared, Lane: -1, From: start + off, To: start + off + n}
		return w.Issue(in, &machine.Op{Entry: queue.Entry{Pipe: queue.Bulk}, Proxy: model.AsyncProxy,
			Touches: func(*machine.Op) iter.Seq2[machine.Extent, machine.AccessKind] {
				return func(yield func(machine.Extent, machine.AccessKind) bool) { yield(x, kind) }
			}})
	}
}

func fence(space machine.Space) step {
	return func(w *machine.Warp, in *machine.Inst) machine.State {
		w.Observe(in, machine.Event{What: events.ProxyFence, Proxy: model.AsyncProxy, Space: space, Lanes: w.Mask})
		return machine.Next
	}
}

var ids, proxyFence = new([32]uint32), fence(machine.Generic)

// barrier is what sem makes of bar.sync in an observed launch.
func barrier(w *machine.Warp, in *machine.Inst) machine.State {
	if !w.Resuming() {
		w.Observe(in, machine.Event{What: events.Release, Order: model.AcqRel, Lanes: w.Mask})
	}
	_, st := w.Barrier(in, machine.BarrierIn{ID: ids})
	if st == machine.Next {
		w.Observe(in, machine.Event{What: events.Acquire, Order: model.AcqRel, Scope: model.CTAScope, Lanes: w.Mask})
	}
	return st
}

// warpSync is what sem tells of bar.warp.sync.
func warpSync(w *machine.Warp, in *machine.Inst) machine.State {
	w.Observe(in, machine.Event{What: events.Acquire, Order: model.AcqRel, Scope: model.WarpScope, Lanes: w.Mask})
	return machine.Next
}

// columnsOf tells about columns of tensor memory.
func columnsOf(what events.Kind, kind machine.AccessKind, from, to uint64, row, end uint32) step {
	return func(w *machine.Warp, in *machine.Inst) machine.State {
		w.Observe(in, machine.Event{What: what, Space: machine.Tensor, Kind: kind, Lanes: w.Mask,
			Extent: &machine.Extent{Space: machine.Tensor, Lane: -1, From: from, To: to, Row: row, End: end}})
		return machine.Next
	}
}

// tensorOp is an operation on columns 4 to 7 of lanes 32 to 63.
func tensorOp(kind machine.AccessKind, committed bool) step {
	return func(w *machine.Warp, in *machine.Inst) machine.State {
		w.Observe(in, machine.Event{Space: machine.Tensor, Kind: kind, Lanes: w.Mask, Async: true, Committed: committed,
			Extent: &machine.Extent{Space: machine.Tensor, Lane: -1, From: 4, To: 8, Row: 32, End: 64}})
		return machine.Next
	}
}

func tensorFence(side model.Order) step {
	return func(w *machine.Warp, in *machine.Inst) machine.State {
		w.Observe(in, machine.Event{What: events.TensorFence, Order: side, Lanes: w.Mask})
		return machine.Next
	}
}

// reportsOf runs the steps in one CTA of 64 threads and lists the reports: kind, place of the
// operation and of the access, thread.
func reportsOf(t *testing.T, checks Checks, steps ...step) (list []string) {
	t.Helper()
	arena, err := mem.NewArena(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	d := host.NewDevice(arena, 1)
	defer d.Close()
	code := &machine.Code{Func: &machine.FuncInfo{Name: "f"}, RegBytes: 64, FrameBytes: 64}
	exit := func(w *machine.Warp, in *machine.Inst) machine.State { return w.Exit(in) }
	for _, h := range append(steps, exit) {
		code.Split = append(code.Split, machine.Inst{Full: h, Part: h, Guard: machine.NoGuard})
	}
	all := found.NewList(10, nil, nil)
	s := New(Config{Checks: checks, Reporter: all})
	one := [3]uint32{1, 1, 1}
	_, err = d.Launch(context.Background(), &host.Launch{Launch: machine.Launch{Entry: code, Shape: shape.Shape{Grid: one, Cluster: one, Block: [3]uint32{64, 1, 1}},
		Shared: 4096, Target: sizes.Of(90), Observer: s, Wants: events.WantsAll, Params: make([]byte, 8)}})
	if err != nil {
		t.Fatal(err)
	}
	reports := all.Found().Reports
	for _, r := range reports {
		op := "-"
		if r.Op.Func != nil {
			op = fmt.Sprintf("%d by %d", r.Op.PC, r.Op.Thread[0])
		}
		list = append(list, fmt.Sprintf("%d: %s, then %d by %d", r.Kind, op, r.Then.PC, r.Then.Thread[0]))
	}
	return list
}

// TestProxyFence: which fences cover which stores (8.6, 9.7.13.4).
func TestProxyFence(t *testing.T) {
	report := func(op, by, then int) string {
		return fmt.Sprintf("%d: %d by %d, then %d by 0", found.NoProxyFence, op, by, then)
	}
	read := func(off, n uint64) step { return by(0, 1, copies(machine.Load, off, n)) }
	for _, c := range []struct {
		name  string
		steps []step
		want  string
	}{
		{"by the writers, before the barrier", []step{store(0), proxyFence, barrier, read(0, 256)}, ""},
		{"by the reader, behind the barrier", []step{store(0), barrier, by(0, 1, proxyFence), read(0, 256)}, ""},
		{"none", []step{store(0), barrier, read(0, 256)}, report(0, 0, 2)},
		{"none, of the second warp's bytes", []step{store(0), barrier, read(128, 4)}, report(0, 32, 2)},
		{"none, but other bytes", []step{store(0), barrier, read(256, 4)}, ""},
		{"before the store", []step{proxyFence, store(0), barrier, read(0, 4)}, report(1, 0, 3)},
		{"between two stores", []step{store(0), proxyFence, store(0), barrier, read(0, 4)}, report(2, 0, 4)},
		{"of one warp only, its bytes", []step{store(0), by(0, everyone, proxyFence), barrier, read(0, 128)}, ""},
		{"of one warp only, the other's", []step{store(0), by(0, everyone, proxyFence), barrier, read(128, 4)}, report(0, 32, 3)},
		{"of some lanes only, theirs", []step{store(0), by(0, 0xffff, proxyFence), barrier, read(0, 64)}, ""},
		{"of some lanes only, others", []step{store(0), by(0, 0xffff, proxyFence), barrier, read(80, 4)}, report(0, 20, 3)},
		{"for global memory", []step{store(0), fence(machine.Global), barrier, read(0, 4)}, report(0, 0, 3)},
		{"for shared memory", []step{store(0), fence(machine.Shared), barrier, read(0, 4)}, ""},
		{"by the reader, who has not synchronised", []step{by(1, everyone, store(0)), barrier, by(1, everyone, store(0)), by(0, 1, proxyFence),
			barrier, read(128, 4)}, report(2, 32, 5)},
		{"by the reader, behind an acquire", []step{store(0), barrier, by(1, everyone, store(512)),
			by(0, 1, touch(machine.Load, 0, model.AcquireOrder)), by(0, 1, proxyFence), read(0, 4)}, ""},
		{"by another lane", []step{store(0), by(0, 2, proxyFence), barrier, read(0, 4)}, report(0, 0, 3)},
		{"by another lane, behind bar.warp.sync", []step{store(0), warpSync, by(0, 2, proxyFence), barrier, read(0, 4)}, ""},
		{"by another lane, behind bar.warp.sync, the other warp's", []step{store(0), warpSync, by(0, 2, proxyFence), barrier, read(128, 4)}, report(0, 32, 4)},
		{"none, but the async proxy wrote last", []step{store(0), barrier, by(0, 1, copies(machine.Store, 0, 256)), read(0, 256)}, ""},
		{"none, read by the generic proxy", []step{store(0), barrier, load(0)}, ""},
	} {
		got := reportsOf(t, Async, c.steps...)
		if want := c.want; len(got) > 1 || len(got) == 1 && got[0] != want || len(got) == 0 && want != "" {
			t.Errorf("fence %s: %q, want %q", c.name, got, want)
		}
	}
}

// TestNeverWritten: shared and tensor memory, with the allocation of the latter.
func TestNeverWritten(t *testing.T) {
	alloc := by(0, everyone, columnsOf(events.Allocated, 0, 32, 64, 0, 128))
	free := by(0, everyone, columnsOf(events.Freed, 0, 32, 64, 0, 128))
	cells := func(kind machine.AccessKind, from, to uint64, row, end uint32) step {
		return by(0, everyone, columnsOf(events.Touch, kind, from, to, row, end))
	}
	plain := func(then, thread int) string {
		return fmt.Sprintf("%d: -, then %d by %d", found.NeverWritten, then, thread)
	}
	tensor := func(op, then int) string {
		return fmt.Sprintf("%d: %d by 0, then %d by 0", found.NeverWritten, op, then)
	}
	for _, c := range []struct {
		name  string
		steps []step
		want  string
	}{
		{"written", []step{store(0), load(0)}, ""},
		{"not written", []step{load(0)}, plain(0, 0)},
		{"written in part", []step{by(0, 0xff, store(0)), by(0, everyone, load(0))}, plain(1, 8)},
		{"atomic", []step{touch(machine.Atomic, 0, model.Relaxed)}, plain(0, 0)},
		{"by the async proxy", []step{by(0, 1, copies(machine.Store, 0, 256)), barrier, load(0)}, ""},
		{"cells", []step{alloc, cells(machine.Store, 32, 36, 0, 32), cells(machine.Load, 32, 36, 0, 32)}, ""},
		{"another column", []step{alloc, cells(machine.Store, 32, 36, 0, 32), cells(machine.Load, 33, 37, 0, 32)}, tensor(0, 2)},
		{"another lane", []step{alloc, cells(machine.Store, 32, 36, 0, 32), cells(machine.Load, 32, 36, 32, 64)}, tensor(0, 2)},
		{"allocated anew", []step{alloc, cells(machine.Store, 32, 36, 0, 32), free, alloc, cells(machine.Load, 32, 36, 0, 32)}, tensor(3, 4)},
		{"the last cell", []step{alloc, cells(machine.Store, 32, 64, 0, 127), cells(machine.Load, 63, 64, 127, 128)}, tensor(0, 2)},
	} {
		got := reportsOf(t, Init|InitTensor, c.steps...)
		if want := c.want; len(got) > 1 || len(got) == 1 && got[0] != want || len(got) == 0 && want != "" {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
}

// TestWild: addresses that no memory has, which the machine refuses after they have been told, neither
// report nor cost.
func TestWild(t *testing.T) {
	for _, size := range []uint32{4, 1 << 31} {
		for _, addr := range []uint64{0, 1 << 20, 1<<24 - 2, 5 << 24, 1<<32 - 1, 1 << 60} {
			wild := func(kind machine.AccessKind) step {
				return by(0, 1, func(w *machine.Warp, in *machine.Inst) machine.State {
					w.Observe(in, machine.Event{Space: machine.Shared, Kind: kind, Size: size, Lanes: w.Mask, Addr: &[32]uint64{addr}})
					return machine.Next
				})
			}
			got := reportsOf(t, Init|InitTensor|Async, wild(machine.Store), wild(machine.Load), wild(machine.Atomic))
			if len(got) != 0 {
				t.Errorf("%d bytes at %#x: %q", size, addr, got)
			}
		}
	}
}

// TestMemory follows what is written of global memory, byte by byte.
func TestMemory(t *testing.T) {
	m := &Memory{}
	m.Track(1000, 200)
	m.Track(100, 100)
	m.Written(1010, 100)
	for _, c := range []struct {
		from, to uint64
		want     bool
	}{
		{1010, 1110, true}, {1009, 1012, false}, {1109, 1111, false}, {1199, 1200, false}, {100, 101, false},
		{150, 250, true}, // not inside one allocation: not this check's
		{99, 100, true}, {200, 204, true}, {5000, 5004, true},
	} {
		if _, got := m.touched(machine.Load, c.from, c.to); got != c.want {
			t.Errorf("%d..%d written: %v", c.from, c.to, got)
		}
	}
	m.Drop(1000)
	if _, ok := m.touched(machine.Load, 1150, 1154); !ok {
		t.Error("a dropped allocation is still tracked")
	}
	m.Track(1000, 200)
	if start, ok := m.touched(machine.Load, 1010, 1014); ok || start != 1000 {
		t.Error("a new allocation counts as written")
	}
}

// TestTensorFence: which operations on tensor memory need fences (9.7.16.6.4).
func TestTensorFence(t *testing.T) {
	ld, st := tensorOp(machine.Load, false), tensorOp(machine.Store, false)
	cp, shift := tensorOp(machine.Store, true), tensorOp(machine.Load, true)
	before, after := tensorFence(model.ReleaseOrder), tensorFence(model.AcquireOrder)
	first, second := func(h step) step { return by(0, everyone, h) }, func(h step) step { return by(1, everyone, h) }
	report := func(kind found.Kind, op, then, thread int) string {
		return fmt.Sprintf("%d: %d by %d, then %d by %d", kind, op, 32-thread, then, thread)
	}
	for _, c := range []struct {
		name  string
		steps []step
		want  []string
	}{
		{"both fences", []step{first(st), first(before), barrier, second(after), second(ld)}, nil},
		{"none before", []step{first(st), barrier, second(after), second(ld)}, []string{report(found.NoFenceBefore, 0, 3, 32)}},
		{"none after", []step{first(st), first(before), barrier, second(ld)}, []string{report(found.NoFenceAfter, 0, 3, 32)}},
		{"none", []step{first(st), barrier, second(ld)}, []string{report(found.NoFenceBefore, 0, 2, 32), report(found.NoFenceAfter, 0, 2, 32)}},
		{"before of the wrong warp", []step{first(st), second(before), barrier, second(after), second(ld)}, []string{report(found.NoFenceBefore, 0, 4, 32)}},
		{"after of the wrong warp", []step{first(st), first(before), barrier, first(after), second(ld)}, []string{report(found.NoFenceAfter, 0, 4, 32)}},
		{"before that comes too early", []step{first(before), first(st), barrier, second(after), second(ld)}, []string{report(found.NoFenceBefore, 1, 4, 32)}},
		{"after that comes too early", []step{second(after), barrier, first(st), first(before), barrier, second(ld)}, []string{report(found.NoFenceAfter, 2, 5, 32)}},
		{"a read, then a write", []step{first(ld), barrier, second(after), second(st)}, []string{report(found.NoFenceBefore, 0, 3, 32)}},
		{"two reads", []step{first(ld), barrier, second(ld)}, nil},
		{"a read, and a write before it", []step{first(st), first(before), barrier, second(after), second(ld), second(before), barrier, first(after), first(st)}, nil},
		{"a write behind another warp's read", []step{second(ld), barrier, first(after), first(st)}, []string{report(found.NoFenceBefore, 0, 3, 0)}},
		{"one warp, with waits", []step{first(st), first(ld), first(st)}, nil},
		{"a load behind the commit of its own warp's copy", []step{first(cp), first(ld)}, []string{fmt.Sprintf("%d: 0 by 0, then 1 by 0", found.NoFenceAfter)}},
		{"the same, with a fence", []step{first(cp), first(after), first(ld)}, nil},
		{"a commit needs no fence before", []step{first(cp), barrier, second(after), second(ld)}, nil},
		{"copies of one warp", []step{first(cp), first(shift), first(cp)}, nil},
		{"a copy behind a load of its warp", []step{first(ld), first(cp)}, nil},
		{"other columns", []step{first(st), columnsOf(events.Touch, machine.Load, 8, 9, 32, 64)}, nil},
		{"other lanes", []step{first(st), columnsOf(events.Touch, machine.Load, 4, 8, 64, 128)}, nil},
		{"allocated anew", []step{first(st), columnsOf(events.Allocated, 0, 0, 32, 0, 128), second(ld)}, nil},
	} {
		if have := reportsOf(t, Async|TensorFences, c.steps...); fmt.Sprint(have) != fmt.Sprint(c.want) {
			t.Errorf("%s: %q, want %q", c.name, have, c.want)
		}
	}
}

// TestTogether: launches of several workers, whose clusters look each other up while others begin and end, report what
// one of them does in each CTA, and nothing of the others.
func TestTogether(t *testing.T) {
	for _, checks := range []Checks{Init, Init | Async} {
		const workers, rounds = 4, 300
		global := new(Memory)
		global.Track(1<<20, 1<<20)
		s := New(Config{Checks: checks, Global: global, Reporter: found.NewList(10, nil, nil)})
		var all sync.WaitGroup
		for w := range uint64(workers) {
			all.Go(func() {
				for i := range uint64(rounds) {
					number := w + i*workers*clusters.Buckets/2 // two workers in each bucket
					s.Observe(&machine.Event{What: events.CTABegin, CTA: number, Cluster: number})
					c := s.running.Of(number)
					if c == nil || c.number != number || s.running.Of(number+clusters.Buckets*workers*rounds) != nil {
						t.Errorf("cluster %d is not the one that has begun", number)
						return
					}
					x := machine.Extent{Space: machine.Shared, From: w * 8, To: w*8 + 8}
					if c.cta(number).written(machine.Load, x) || !c.cta(number).written(machine.Store, x) || !c.cta(number).written(machine.Load, x) {
						t.Errorf("cluster %d knows what another one has written", number)
					}
					at := 1<<20 + (i*workers+w)*16
					if _, ok := global.touched(machine.Load, at, at+16); ok {
						t.Errorf("%#x counts as written", at)
					}
					global.touched(machine.Store, at, at+16)
					s.Observe(&machine.Event{What: events.CTAEnd, CTA: number, Cluster: number})
				}
			})
		}
		all.Wait()
		if _, ok := global.touched(machine.Load, 1<<20, 1<<20+workers*rounds*16); !ok {
			t.Error("what all have written does not count as written")
		}
		if n := s.running.Len(); n != 0 {
			t.Fatalf("%d clusters that have ended are there", n)
		}
	}
}
