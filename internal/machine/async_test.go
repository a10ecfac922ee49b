package machine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine/events"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// The test programs copy words of the global buffer to shared memory: lane i of warp v copies
// word Imm + 32v + i to shared word A + 32v + i, in a group of the copy pipe.

const testStart = 1024 // reserved bytes of sm_90

func (m *testMachine) copyOp(w *Warp, in *Inst) *Op {
	var kept [32]uint32
	at := func(i int) (src, dst uint64) {
		n := uint64(w.Index()*32 + i)
		return m.base + 4*(in.Imm+n), testStart + 4*(uint64(in.A)+n)
	}
	var src, dst [32]uint64
	for i := range src {
		src[i], dst[i] = at(i)
	}
	each := func(op *Op, f func(i int) *Fault) *Fault {
		for l := op.Lanes; l != 0; l &= l - 1 {
			if fault := f(first(l)); fault != nil {
				return fault
			}
		}
		return nil
	}
	return &Op{
		Entry: queue.Entry{Pipe: queue.Copy},
		Read: func(op *Op) *Fault {
			return each(op, func(i int) *Fault {
				b, f := op.Global(src[i], 4, Load)
				if f == nil {
					kept[i] = binary.LittleEndian.Uint32(b)
				}
				return f
			})
		},
		Write: func(op *Op) *Fault {
			return each(op, func(i int) *Fault {
				binary.LittleEndian.PutUint32(op.Shared(dst[i], 4), kept[i])
				return nil
			})
		},
		Touches: func(op *Op) iter.Seq2[Extent, AccessKind] {
			return func(yield func(Extent, AccessKind) bool) {
				for l := op.Lanes; l != 0; l &= l - 1 {
					i := first(l)
					if !yield(Extent{Space: Global, Lane: i, From: src[i], To: src[i] + 4}, Load) ||
						!yield(Extent{Space: Shared, Lane: i, From: dst[i], To: dst[i] + 4}, Store) {
						return
					}
				}
			}
		},
	}
}

// asyncCode has the instructions of the tests.
type asyncCode struct{ copy, commit, load, store, signal Handler }

func (m *testMachine) asyncCode() asyncCode {
	shared := func(w *Warp, in *Inst, i int) []byte {
		return w.cta.sharedBytes(testStart+4*(in.Imm+uint64(w.Index()*32+i)), 4)
	}
	event := func(w *Warp, in *Inst, kind AccessKind) {
		var addr [32]uint64
		for i := range addr {
			addr[i] = testStart + 4*(in.Imm+uint64(w.Index()*32+i))
		}
		if w.cta.grid.observing {
			w.Observe(in, Event{Space: Shared, Kind: kind, Size: 4, Lanes: w.Mask, Addr: &addr})
		}
	}
	load := lanes(func(w *Warp, in *Inst, i int) { w.R32(in.D)[i] = binary.LittleEndian.Uint32(shared(w, in, i)) })
	store := lanes(func(w *Warp, in *Inst, i int) { binary.LittleEndian.PutUint32(shared(w, in, i), w.R32(in.A)[i]) })
	return asyncCode{
		copy:   func(w *Warp, in *Inst) State { return w.Issue(in, m.copyOp(w, in)) },
		commit: func(w *Warp, in *Inst) State { return w.CommitGroup(queue.Copy) },
		load:   func(w *Warp, in *Inst) State { event(w, in, Load); return load(w, in) },
		store:  func(w *Warp, in *Inst) State { event(w, in, Store); return store(w, in) },
		// signal counts the lanes for which all earlier copies are done in word Imm.
		signal: func(w *Warp, in *Inst) State {
			return w.Issue(in, &Op{Entry: queue.Entry{Pipe: queue.Copy, After: true}, Signal: func(op *Op) *Fault {
				mem.Add32(word(w, in.Imm), uint32(bits.OnesCount32(op.Lanes)))
				return nil
			}})
		},
	}
}

// wait waits for all groups of the copy pipe but the newest A.
var hWait Handler = func(w *Warp, in *Inst) State { return w.WaitGroups(queue.Copy, uint64(in.A), false) }

// modes runs a program in every mode and in several orders, after the buffer has been filled.
func (m *testMachine) modes(t *testing.T, block uint32, prog *Code, check func(mode queue.Mode)) {
	t.Helper()
	for seed, mode := range []queue.Mode{queue.Eager, queue.Lazy, queue.Random, queue.Random, queue.Random, queue.Random} {
		m.fillRun(prog, block, func(l *Launch) { l.Async, l.Seed = mode, uint64(seed) })
		check(mode)
	}
}

func (m *testMachine) fillRun(prog *Code, block uint32, change func(*Launch)) {
	m.t.Helper()
	_, err := m.launch(prog, 1, block, func(l *Launch) {
		l.Shared = 8192
		change(l)
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

// fill writes 1000+thread to words 256 and up, in the kernel, because a launch clears the buffer.
func fill() []Inst {
	return []Inst{op(hAdI, r(1), tid, 0, 1000), op(hOut, 0, r(1), 0, 256)}
}

// TestAsyncGroups copies in two groups and waits for the older, then for both.
func TestAsyncGroups(t *testing.T) {
	m := newMachine(t, 2000)
	a := m.asyncCode()
	prog := code(append(fill(),
		op(a.copy, 0, 0, 0, 256), op(a.commit, 0, 0, 0, 0),
		op(a.copy, 0, 512, 0, 256), op(a.commit, 0, 0, 0, 0),
		op(hWait, 0, 1, 0, 0), op(a.load, r(2), 0, 0, 0), op(hOut, 0, r(2), 0, 64),
		op(hWait, 0, 0, 0, 0), op(a.load, r(2), 0, 0, 512), op(hOut, 0, r(2), 0, 128),
		op(hExit, 0, 0, 0, 0))...)
	m.modes(t, 64, prog, func(mode queue.Mode) {
		for i := range 64 {
			if m.words[64+i] != uint32(1000+i) || m.words[128+i] != uint32(1000+i) {
				t.Fatalf("mode %d thread %d: %d and %d", mode, i, m.words[64+i], m.words[128+i])
			}
		}
	})
}

// TestAsyncLanes waits in one arm of a branch only: a record parts by lanes.
func TestAsyncLanes(t *testing.T) {
	m := newMachine(t, 2000)
	a := m.asyncCode()
	prog := code(append(fill(),
		op(a.copy, 0, 0, 0, 256), op(a.commit, 0, 0, 0, 0),
		op(hLtI, p(0), tid, 0, 10),
		op(hWait, 0, 0, 0, 0).when(p(0)),
		op(a.load, r(2), 0, 0, 0), op(hOut, 0, r(2), 0, 64), op(hExit, 0, 0, 0, 0))...)
	m.fillRun(prog, 32, func(l *Launch) { l.Async = queue.Lazy })
	m.want(32, func(i int) uint32 {
		if i < 10 {
			return uint32(1000 + i)
		}
		return 0
	})
}

// TestAsyncLate shows that nothing happens before the wait in mode Lazy, sources included, and
// that the oldest moment is the issue in mode Eager.
func TestAsyncLate(t *testing.T) {
	m := newMachine(t, 2000)
	a := m.asyncCode()
	prog := code(append(fill(),
		op(a.copy, 0, 0, 0, 256), op(a.commit, 0, 0, 0, 0),
		op(a.load, r(2), 0, 0, 0), op(hOut, 0, r(2), 0, 64), // too early
		op(hImm, r(1), 0, 0, 5), op(hOut, 0, r(1), 0, 256), // changes the source
		op(hWait, 0, 0, 0, 0), op(a.load, r(2), 0, 0, 0), op(hOut, 0, r(2), 0, 128),
		op(hExit, 0, 0, 0, 0))...)
	want := map[queue.Mode][2]uint32{queue.Eager: {1003, 1003}, queue.Lazy: {0, 5}}
	for mode, w := range want {
		m.fillRun(prog, 32, func(l *Launch) { l.Async = mode })
		if got := [2]uint32{m.words[64+3], m.words[128+3]}; got != w {
			t.Errorf("mode %d: %v, want %v", mode, got, w)
		}
	}
	seen := map[[2]uint32]bool{}
	for seed := range uint64(100) {
		m.fillRun(prog, 32, func(l *Launch) { l.Async, l.Seed = queue.Random, seed })
		seen[[2]uint32{m.words[64+3], m.words[128+3]}] = true
	}
	if !seen[want[queue.Eager]] || !seen[want[queue.Lazy]] || !seen[[2]uint32{0, 1003}] {
		t.Errorf("random mode only gave %v", seen)
	}
}

// TestAsyncSignal signals after the copies of its own lanes, though no lane waits for them.
func TestAsyncSignal(t *testing.T) {
	m := newMachine(t, 2000)
	a := m.asyncCode()
	spin := 7
	prog := code(append(fill(),
		op(a.copy, 0, 0, 0, 256), op(a.signal, 0, 0, 0, 10),
		// a loop that polls word 10 until all lanes have signalled
		op(hGet, r(3), 0, 0, 10), op(hEqI, p(1), r(3), 0, 64), op(hNap, 0, 0, 0, 0),
		bra(4, spin+1).unless(p(1)),
		op(a.load, r(2), 0, 0, 0), op(hOut, 0, r(2), 0, 64), op(hExit, 0, 0, 0, 0))...)
	m.modes(t, 64, prog, func(queue.Mode) { m.want(64, func(i int) uint32 { return uint32(1000 + i) }) })
}

// TestAsyncExit completes what is open when the last lane has gone; no lane is left to be told.
func TestAsyncExit(t *testing.T) {
	m := newMachine(t, 2000)
	h := func(w *Warp, in *Inst) State {
		return w.Issue(in, &Op{
			Entry:  queue.Entry{Pipe: queue.Store},
			Write:  func(op *Op) *Fault { m.words[10] += uint32(bits.OnesCount32(op.Lanes)); return nil },
			Signal: func(op *Op) *Fault { m.words[11]++; return nil },
		})
	}
	prog := code(op(h, 0, 0, 0, 0), op(hExit, 0, 0, 0, 0))
	m.modes(t, 96, prog, func(mode queue.Mode) {
		if m.words[10] != 96 {
			t.Errorf("mode %d: %d signals", mode, m.words[10])
		}
		if mode == queue.Lazy && m.words[11] != 0 {
			t.Errorf("%d signals", m.words[11])
		}
	})
}

// TestAsyncPipe keeps the order of an ordered pipe; the same operations in an unordered one change
// it.
func TestAsyncPipe(t *testing.T) {
	m := newMachine(t, 2000)
	push := func(kind queue.Pipe) Handler {
		return func(w *Warp, in *Inst) State {
			return w.Issue(in, &Op{Entry: queue.Entry{Pipe: kind}, Write: func(*Op) *Fault {
				m.words[10] = m.words[10]*10 + uint32(in.Imm)
				return nil
			}})
		}
	}
	for kind, ordered := range map[queue.Pipe]bool{queue.Product: true, queue.Store: false} {
		h := push(kind)
		prog := code(op(h, 0, 0, 0, 1), op(h, 0, 0, 0, 2), op(h, 0, 0, 0, 3), op(hExit, 0, 0, 0, 0))
		other := false
		for seed := range uint64(40) {
			m.fillRun(prog, 32, func(l *Launch) { l.Async, l.Seed = queue.Random, seed })
			other = other || m.words[10] != 123
		}
		if other == ordered {
			t.Errorf("pipe %d: another order seen: %v", kind, other)
		}
	}
}

// TestAsyncFault blames a step's fault on the issue.
func TestAsyncFault(t *testing.T) {
	m := newMachine(t, 64)
	bad := func(w *Warp, in *Inst) State {
		return w.Issue(in, &Op{Entry: queue.Entry{Pipe: queue.Copy}, Read: func(op *Op) *Fault {
			_, f := op.Global(m.base+63*4, 8, Load)
			return f
		}})
	}
	commit := m.asyncCode().commit
	for mode := range queue.Random + 1 {
		prog := code(op(hNothing, 0, 0, 0, 0), op(bad, 0, 0, 0, 0), op(commit, 0, 0, 0, 0), op(hWait, 0, 0, 0, 0), op(hExit, 0, 0, 0, 0))
		_, err := m.launch(prog, 1, 32, func(l *Launch) { l.Async = mode })
		var f *Fault
		if !errors.As(err, &f) || f.Kind != faults.OutOfBounds || f.PC != 1 || f.Near == nil || f.Lanes != ^uint32(0) {
			t.Errorf("mode %d: %v", mode, err)
		}
	}
}

// told is what an observer hears of asynchronous operations.
type told struct{ list []string }

func (o *told) Observe(e *Event) {
	switch e.What {
	case events.OpBegins:
		o.list = append(o.list, fmt.Sprintf("%d begins", e.Op.PC))
	case events.OpOver:
		o.list = append(o.list, fmt.Sprintf("%d is over", e.Op.PC))
	case events.OpsAwaited:
		o.list = append(o.list, "wait")
	case events.CTAEmpty:
		o.list = append(o.list, "empty")
	case events.CTAFinished:
		o.list = append(o.list, "finished")
	}
}

// TestAsyncTold: an observer hears of operations when they begin, happen and are waited for, in every mode.
// What happens when no lane is left to be told is not told.
func TestAsyncTold(t *testing.T) {
	m := newMachine(t, 2000)
	a := m.asyncCode()
	exit, wait, commit, cp := op(hExit, 0, 0, 0, 0), op(hWait, 0, 0, 0, 0), op(a.commit, 0, 0, 0, 0), op(a.copy, 0, 0, 0, 256)
	for _, c := range []struct {
		mode queue.Mode
		prog []Inst
		want string
	}{
		{queue.Lazy, []Inst{cp, commit, wait, exit}, "0 begins, wait, 0 is over, empty, finished"},
		{queue.Eager, []Inst{cp, commit, wait, exit}, "0 begins, 0 is over, wait, empty, finished"},
		{queue.Lazy, []Inst{cp, commit, exit}, "0 begins, empty, finished"},
		{queue.Eager, []Inst{cp, exit}, "0 begins, 0 is over, empty, finished"},
	} {
		got := &told{}
		m.fillRun(code(c.prog...), 32, func(l *Launch) { l.Async, l.Observer, l.Wants = c.mode, got, events.WantsOwed })
		if have := strings.Join(got.list, ", "); have != c.want {
			t.Errorf("mode %d: %s; want %s", c.mode, have, c.want)
		}
	}
}
