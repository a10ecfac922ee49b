package async

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// The tests run a warp through steps: handlers that tell what an instruction would.

const start = 1024 // of shared memory on sm_90: its reserved bytes

type handler = machine.Handler

// copies is cp.async of a warp: four bytes of shared memory for each lane, from an offset on.
func copies(off uint64) handler {
	return func(w *machine.Warp, in *machine.Inst) machine.State {
		return w.Issue(in, &machine.Op{Entry: queue.Entry{Pipe: queue.Copy}, Touches: func(op *machine.Op) iter.Seq2[machine.Extent, machine.AccessKind] {
			return func(yield func(machine.Extent, machine.AccessKind) bool) {
				for i := range 32 {
					if op.Lanes>>i&1 != 0 && !yield(op.Extent(machine.Shared, i, start+off+uint64(4*i), 4), machine.Store) {
						return
					}
				}
			}
		}})
	}
}

func commit(w *machine.Warp, in *machine.Inst) machine.State { return w.CommitGroup(queue.Copy) }

// wait waits for all but the newest n groups.
func wait(n uint64) handler {
	return func(w *machine.Warp, in *machine.Inst) machine.State { return w.WaitGroups(queue.Copy, n, false) }
}

// touch accesses what copies writes.
func touch(kind machine.AccessKind, off uint64) handler {
	return func(w *machine.Warp, in *machine.Inst) machine.State {
		var addr [32]uint64
		for i := range addr {
			addr[i] = start + off + uint64(4*i)
		}
		w.Observe(in, machine.Event{Space: machine.Shared, Kind: kind, Size: 4, Lanes: w.Mask, Addr: &addr})
		return machine.Next
	}
}

// half lets the lower lanes alone take a step.
func half(h handler) handler {
	return func(w *machine.Warp, in *machine.Inst) machine.State {
		all := w.Mask
		w.Mask &= 0xffff
		defer func() { w.Mask = all }()
		return h(w, in)
	}
}

// reportsOf runs steps, and writes what is found: kind, and both instructions.
func reportsOf(t *testing.T, mode queue.Mode, options Options, steps ...handler) string {
	t.Helper()
	arena, err := mem.NewArena(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	d := host.NewDevice(arena, 1)
	defer d.Close()
	code := &machine.Code{Func: &machine.FuncInfo{Name: "f"}, RegBytes: 64, FrameBytes: 64}
	for _, h := range append(steps, func(w *machine.Warp, in *machine.Inst) machine.State { return w.Exit(in) }) {
		code.Split = append(code.Split, machine.Inst{Full: h, Part: h, Guard: machine.NoGuard})
	}
	one, all := [3]uint32{1, 1, 1}, found.NewList(10, nil, nil)
	l := &host.Launch{Launch: machine.Launch{Entry: code, Shape: shape.Shape{Grid: one, Cluster: one, Block: [3]uint32{32, 1, 1}}, Shared: 4096,
		Target: sizes.Of(90), Async: mode, Params: make([]byte, 8), Wants: events.WantsAll | events.WantsOwed | events.WantsLeft}}
	o := New(&l.Launch, all, options)
	l.Observer = o
	if _, err := d.Launch(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	if n := o.running.Len(); n != 0 {
		t.Errorf("%d clusters that have ended are kept", n)
	}
	var list []string
	for _, r := range all.Found().Reports {
		list = append(list, fmt.Sprintf("%s %d %d", found.WordsOf(r.Kind).Name, r.Op.PC, r.Then.PC))
	}
	return strings.Join(list, ", ")
}

// TestEarly: an access that comes before a wait has told that the copy is over is reported, with both places,
// whenever the copy happens.
func TestEarly(t *testing.T) {
	ld, st := touch(machine.Load, 0), touch(machine.Store, 0)
	for _, c := range []struct {
		name  string
		steps []handler
		want  string
	}{
		{"right", []handler{copies(0), commit, wait(0), ld, st}, ""},
		{"no wait", []handler{copies(0), commit, ld, wait(0)}, "early-read 0 2"},
		{"no commit", []handler{copies(0), wait(0), ld}, "early-read 0 2"},
		{"overwritten", []handler{copies(0), commit, st, wait(0)}, "early-write 0 2"},
		{"elsewhere", []handler{copies(0), commit, touch(machine.Load, 128), wait(0)}, ""},
		{"copied twice", []handler{copies(0), copies(0), commit, wait(0)}, "early-write 0 1"},
		{"the older of two groups", []handler{copies(0), commit, copies(128), commit, wait(1), ld}, ""},
		{"the newer of two groups", []handler{copies(128), commit, copies(0), commit, wait(1), ld}, "early-read 2 5"},
		{"half of the lanes wait", []handler{copies(0), commit, half(wait(0)), ld}, "early-read 0 3"},
		{"and read", []handler{copies(0), commit, half(wait(0)), half(ld)}, ""},
	} {
		for _, mode := range []queue.Mode{queue.Eager, queue.Lazy, queue.Random} {
			if have := reportsOf(t, mode, Options{Early: true}, c.steps...); have != c.want {
				t.Errorf("%s, mode %d: %q, want %q", c.name, mode, have, c.want)
			}
		}
	}
}

// TestLeft: a copy that no wait covers is what its CTA leaves behind.
func TestLeft(t *testing.T) {
	for _, c := range []struct {
		steps []handler
		want  string
	}{
		{[]handler{copies(0), commit, wait(0)}, ""},
		{[]handler{copies(0), commit}, "not-waited 0 0"},
		{[]handler{copies(0), commit, half(wait(0))}, "not-waited 0 0"},
	} {
		for _, mode := range []queue.Mode{queue.Eager, queue.Lazy} {
			if have := reportsOf(t, mode, Options{Left: true}, c.steps...); have != c.want {
				t.Errorf("mode %d: %q, want %q", mode, have, c.want)
			}
		}
	}
}

// TestChained: two copies into tensor memory that no rule orders are ordered by what lies between them (9.7.16.6.2).
func TestChained(t *testing.T) {
	tensor := func(kind queue.TensorKind, accumulator uint64, touches bool) handler {
		return func(w *machine.Warp, in *machine.Inst) machine.State {
			op := &machine.Op{Entry: queue.Entry{Pipe: queue.Tensor, Tensor: queue.TensorStep{Kind: kind, Accumulator: accumulator}}}
			if touches {
				op.Touches = func(*machine.Op) iter.Seq2[machine.Extent, machine.AccessKind] {
					return func(yield func(machine.Extent, machine.AccessKind) bool) {
						yield(machine.Extent{Space: machine.Tensor, Lane: -1, To: 4, End: 32}, machine.Store)
					}
				}
			}
			return w.Issue(in, op)
		}
	}
	scales, product, shift := tensor(queue.TensorCopy, 0, true), tensor(queue.TensorProduct, 1, false), tensor(queue.TensorShift, 0, false)
	for name, c := range map[string]struct {
		steps []handler
		want  string
	}{
		"nothing":            {[]handler{scales, scales}, "early-write 0 1"},
		"another copy":       {[]handler{scales, tensor(queue.TensorCopy, 0, false), scales}, "early-write 0 2"},
		"a product":          {[]handler{scales, product, scales}, ""},
		"two products":       {[]handler{scales, product, product, scales}, ""},
		"a shift, a product": {[]handler{scales, shift, product, scales}, ""},
		"a shift":            {[]handler{scales, shift, scales}, "early-write 0 2"},
		"a product before":   {[]handler{product, scales, scales}, "early-write 1 2"},
	} {
		if have := reportsOf(t, queue.Lazy, Options{Early: true}, c.steps...); have != c.want {
			t.Errorf("%s: %q, want %q", name, have, c.want)
		}
	}
}
