package machine

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// load is a 32- or 64-bit load or store through Access: D = [A+Imm] or [A+Imm] = B.
func memory(q *Request) Handler {
	return func(w *Warp, in *Inst) State {
		addr := w.R64(in.A)
		a, st := w.Access(in, q, addr)
		if st != Next {
			return st
		}
		for m := w.Mask; m != 0; m &= m - 1 {
			i := first(m)
			switch {
			case q.Kind == Load && q.Size == 4:
				w.R32(in.D)[i] = a.Load32(addr, i, 0)
			case q.Kind == Load:
				w.R32(in.D)[i] = uint32(a.Load64(addr, i, 0)>>32) + uint32(a.Load64(addr, i, 0))
			case q.Size == 4:
				a.Store32(addr, i, 0, w.R32(in.B)[i])
			default:
				a.Store64(addr, i, 0, uint64(w.R32(in.B)[i])<<32|uint64(w.R32(in.B)[i]))
			}
		}
		return Next
	}
}

func request(space Space, kind AccessKind, size uint32) *Request {
	return &Request{Space: space, Kind: kind, Size: size, Align: size, OwnCTA: true}
}

// addresses sets D to f(lane).
func addresses(f func(i int) uint64) Inst {
	h := lanes(func(w *Warp, in *Inst, i int) { w.R64(in.D)[i] = f(i) })
	return op(h, x(0), 0, 0, 0)
}

// TestSpaces stores and loads through every window, in 32 and 64 bits: alike in all lanes,
// contiguous, and with the windows mixed within a warp.
func TestSpaces(t *testing.T) {
	m := newMachine(t, 2000)
	const reserved = 1024
	global := func(i int) uint64 { return m.base + 4*1024 + uint64(i)*8 }
	shared := func(i int) uint64 { return mem.SharedWindow + reserved + uint64(i)*8 }
	local := func(i int) uint64 { return mem.LocalWindow + 64 + uint64(i%3)*8 }
	for _, c := range []struct {
		name  string
		space Space
		addr  func(i int) uint64
	}{
		{"global", Global, global},
		{"generic global", Generic, global},
		{"shared", Shared, func(i int) uint64 { return shared(i) - mem.SharedWindow }},
		{"generic shared", Generic, shared},
		{"local one row", Local, func(int) uint64 { return 40 }},
		{"local", Local, func(i int) uint64 { return local(i) - mem.LocalWindow }},
		{"generic local", Generic, local},
		{"mixed", Generic, func(i int) uint64 { return []func(int) uint64{global, shared, local}[i%3](i) }},
	} {
		for _, size := range []uint32{4, 8} {
			prog := code(
				addresses(c.addr),
				op(memory(request(c.space, Store, size)), 0, x(0), tid, 16),
				op(memory(request(c.space, Load, size)), r(1), x(0), 0, 16),
				op(hOut, 0, r(1), 0, 64),
				op(hExit, 0, 0, 0, 0),
			)
			prog.LocalBytes = 120
			m.mustRun(prog, 2, 31, func(l *Launch) { l.Shared = 4096 })
			m.want(31, func(i int) uint32 { return uint32(i) * (size / 4) })
		}
	}
}

// TestFaults gives one lane a bad address: the fault names it and no lane has stored.
func TestFaults(t *testing.T) {
	m := newMachine(t, 2000)
	constant, err := m.Arena.Alloc(64, mem.Info{Label: "constants", ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	good := func(i int) uint64 { return m.base + uint64(i)*4 }
	for _, c := range []struct {
		name  string
		space Space
		bad   uint64
		kind  faults.Kind
	}{
		{"past the end", Global, m.base + 2000*4, faults.OutOfBounds},
		{"half past the end", Global, m.base + 2000*4 - 2, faults.Misaligned},
		{"wraps", Global, ^uint64(3), faults.OutOfBounds},
		{"null", Generic, 0, faults.NullAccess},
		{"near null", Global, 4092, faults.NullAccess},
		{"misaligned", Global, m.base + 2, faults.Misaligned},
		{"constant", Generic, constant, faults.ReadOnlyAccess},
		{"shared by .global", Global, mem.SharedWindow + 1024, faults.WrongWindow},
		{"no shared memory", Generic, mem.SharedWindow + 1024, faults.OutOfBounds},
		{"reserved shared", Generic, mem.SharedWindow, faults.OutOfBounds},
		{"another rank", Generic, mem.SharedWindow + 1<<mem.RankShift + 1024, faults.OutOfBounds},
		{"past the stack", Generic, mem.LocalWindow + uint64(DefaultStack), faults.OutOfBounds},
		{"between windows", Generic, mem.LocalWindow - 4, faults.OutOfBounds},
	} {
		prog := code(
			addresses(func(i int) uint64 {
				if i == 9 {
					return c.bad
				}
				return good(i)
			}),
			op(hImm, r(1), 0, 0, 1),
			op(memory(request(c.space, Store, 4)), 0, x(0), r(1), 0),
			op(hExit, 0, 0, 0, 0),
		)
		_, err := m.launch(prog, 1, 64, nil)
		fault, ok := err.(*Fault)
		if !ok {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if fault.Kind != c.kind || fault.Addr != c.bad || fault.Thread[0] != 9 || fault.PC != 2 {
			t.Errorf("%s: %+v", c.name, fault)
		}
		for i, v := range m.words {
			if v != 0 {
				t.Errorf("%s: word %d was stored", c.name, i)
				break
			}
		}
	}
	prog := code(
		addresses(func(i int) uint64 { return m.base + 2000*4 + 12 }),
		op(memory(request(Global, Load, 4)), r(1), x(0), 0, 0),
		op(hExit, 0, 0, 0, 0),
	)
	_, err = m.launch(prog, 1, 1, nil)
	if f, ok := err.(*Fault); !ok || f.Near == nil || f.Near.Label != "buffer" || f.Near.Distance != 12 || f.Near.Before {
		t.Errorf("nearest allocation: %+v", err)
	}
}

// TestCacheEpoch frees an allocation that an instruction has cached.
func TestCacheEpoch(t *testing.T) {
	m := newMachine(t, 64)
	other, err := m.Arena.Alloc(256, mem.Info{})
	if err != nil {
		t.Fatal(err)
	}
	prog := code(
		addresses(func(i int) uint64 { return other + uint64(i)*4 }),
		op(memory(request(Global, Store, 4)), 0, x(0), tid, 0),
		op(hExit, 0, 0, 0, 0),
	)
	m.mustRun(prog, 1, 32, nil)
	if err := m.Arena.Free(other); err != nil {
		t.Fatal(err)
	}
	if _, err := m.launch(prog, 1, 32, nil); err == nil {
		t.Error("store to freed memory")
	}
}

// TestCachedAgreesWithFind compares the fast bounds check with a look-up, around the edges.
func TestCachedAgreesWithFind(t *testing.T) {
	m := newMachine(t, 64)
	w := &Warp{core: m.core, Mask: 1}
	w.cta = &CTA{grid: new(Grid)}
	if err := w.cta.grid.Describe(&Launch{Entry: code(), Shape: shape.Shape{Block: [3]uint32{1, 1, 1}, Grid: [3]uint32{1, 1, 1}, Cluster: [3]uint32{1, 1, 1}}, Target: sizes.Of(90)}, false); err != nil {
		t.Fatal(err)
	}
	in := &Inst{}
	q := request(Global, Load, 4)
	if !w.lookup(in, q, m.base, m.base) {
		t.Fatal("first look-up fails")
	}
	for _, d := range []uint64{0, 1, 4, 128, 252, 253, 256, 1 << 20, ^uint64(0), ^uint64(3), ^m.base, ^m.base + 1, 1<<63 - m.base, 1<<63 - 4, 1 << 63} {
		for _, size := range []uint32{1, 4, 8, 32} {
			for _, e := range []uint64{d, d + 8} {
				q := request(Global, Load, size)
				lo, hi := m.base+d, m.base+e
				fast := w.inCached(in, q, lo, hi)
				_, _, f1 := w.resolve(&Request{Space: Global, Size: size, Align: 1}, lo, 0)
				_, _, f2 := w.resolve(&Request{Space: Global, Size: size, Align: 1}, hi, 0)
				slow := f1 == nil && f2 == nil
				if lo <= hi && fast != slow {
					t.Errorf("[%#x, %#x+%d): fast %v, slow %v", lo, hi, size, fast, slow)
				}
				q.Align = 1
				for _, mask := range []uint32{^uint32(0), 0x80000001} {
					w.Mask = mask
					addr := [32]uint64{31: hi}
					for i := range 31 {
						addr[i] = lo
					}
					if got := w.allCached(in, q, &addr); got != slow {
						t.Errorf("lanes %08x in [%#x, %#x+%d): fast %v, slow %v", mask, lo, hi, size, got, slow)
					}
				}
			}
		}
	}
}
