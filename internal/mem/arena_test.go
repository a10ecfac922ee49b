package mem

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

func newArena(t testing.TB, limit uint64) *Arena {
	t.Helper()
	a, err := NewArena(limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func TestAllocBounds(t *testing.T) {
	a := newArena(t, 1<<20)
	p, err := a.Alloc(1000, Info{Label: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if p != GlobalBase {
		t.Errorf("first address %#x, want %#x", p, GlobalBase)
	}
	for _, c := range []struct {
		addr uint64
		in   bool
	}{{p - 1, false}, {p, true}, {p + 999, true}, {p + 1000, false}} {
		if _, ok := a.Find(c.addr); ok != c.in {
			t.Errorf("Find(%#x) = %v, want %v", c.addr, ok, c.in)
		}
	}
	if b := a.Bytes(p, 1000); len(b) != 1000 {
		t.Errorf("Bytes returned %d bytes", len(b))
	}
	for _, n := range []uint64{1001, 1 << 63, ^uint64(0)} {
		if a.Bytes(p, n) != nil {
			t.Errorf("Bytes past the end (%d)", n)
		}
	}
	q, _ := a.Alloc(1, Info{})
	if q%Align != 0 || q < p+1000+DefaultSlack {
		t.Errorf("second allocation at %#x after %#x", q, p)
	}
}

// TestAllocAdjacent: allocations of one call lie one behind the other where what is free lies apart, are zeros with exact bounds,
// and end one by one; where there is no room for all, none is made.
func TestAllocAdjacent(t *testing.T) {
	arenas, err := NewArenas(Config{Limits: []uint64{1 << 20}, Page: 2 << 20})
	if err != nil {
		t.Fatal(err)
	}
	a := arenas[0]
	defer a.Close()
	var old []uint64
	for range 4 { // holes of a page each, between live ones
		p, err := a.Alloc(100, Info{})
		if err != nil {
			t.Fatal(err)
		}
		old = append(old, p)
		copy(a.Bytes(p, 100), "old bytes")
	}
	for _, i := range []int{0, 2} {
		if err := a.Free(old[i]); err != nil {
			t.Fatal(err)
		}
	}
	sizes, infos := make([]uint64, 1200), make([]Info, 1200)
	for i := range sizes {
		sizes[i], infos[i] = uint64(i%5), Info{Label: "c", ReadOnly: true}
	}
	starts, err := a.AllocAdjacent(sizes, infos)
	if err != nil || len(starts) != len(sizes) {
		t.Fatal(len(starts), err)
	}
	for i, start := range starts {
		size := max(sizes[i], 1)
		if i > 0 && (start < starts[i-1]+DefaultSlack || start > starts[i-1]+2*DefaultSlack+Align) {
			t.Errorf("allocation %d at %#x behind one at %#x", i, start, starts[i-1])
		}
		found, ok := a.Find(start)
		if b := a.Bytes(start, size); !ok || found.End != start+size || found.Tail != 0 || !found.ReadOnly || slices.Max(b) != 0 {
			t.Fatalf("allocation %d: %+v, %v", i, found, b)
		}
		if _, past := a.Past(start+size, 1); past {
			t.Errorf("allocation %d has bytes behind it", i)
		}
	}
	if u := a.Usage(); u.Count != 2+len(sizes) {
		t.Errorf("%+v", u)
	}
	for _, start := range starts {
		if err := a.Free(start); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := a.AllocAdjacent([]uint64{1 << 19, 1 << 20}, make([]Info, 2)); !errors.Is(err, ErrOutOfMemory) || a.Usage().Count != 2 {
		t.Errorf("above the limit: %v, %+v", err, a.Usage())
	}
	if none, err := a.AllocAdjacent(nil, nil); err != nil || len(none) != 0 {
		t.Errorf("none: %v, %v", none, err)
	}
}

func TestLimitAndReuse(t *testing.T) {
	a := newArena(t, 1<<20)
	if _, err := a.Alloc(1<<20+1, Info{}); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("above the limit: %v", err)
	}
	if _, err := a.Alloc(^uint64(0)-10, Info{}); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("huge: %v", err)
	}
	p, err := a.Alloc(1<<20, Info{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Alloc(1, Info{}); !errors.Is(err, ErrOutOfMemory) {
		t.Errorf("full: %v", err)
	}
	a.Bytes(p, 1<<20)[77] = 1
	epoch := a.Epoch()
	if err := a.Free(p + 256); !errors.Is(err, ErrNotAllocated) {
		t.Errorf("free inside: %v", err)
	}
	if err := a.Free(p); err != nil {
		t.Fatal(err)
	}
	if a.Epoch() == epoch {
		t.Error("epoch did not change")
	}
	if _, ok, freed := a.Nearest(p+77, 4); !ok || !freed {
		t.Error("Nearest does not know the freed allocation")
	}
	q, _ := a.Alloc(1<<19, Info{})
	if q != p || a.Bytes(q, 1<<19)[77] != 0 {
		t.Errorf("reused at %#x (want %#x) without being zeroed", q, p)
	}
	if u := a.Usage(); u.Bytes != 1<<19 || u.Peak != 1<<20 || u.Count != 1 {
		t.Errorf("usage %+v", u)
	}
}

func TestNearest(t *testing.T) {
	a := newArena(t, 1<<20)
	p, _ := a.Alloc(100, Info{Label: "p"})
	q, _ := a.Alloc(100, Info{Label: "q"})
	for _, c := range []struct {
		addr uint64
		want string
	}{{0, "p"}, {p + 100, "p"}, {q - 8, "q"}, {q + 100, "q"}, {1 << 60, "q"}} {
		if n, ok, _ := a.Nearest(c.addr, 4); !ok || n.Label != c.want {
			t.Errorf("Nearest(%#x) = %q, want %q", c.addr, n.Label, c.want)
		}
	}
}

// TestEnded: of what has been freed, that is known whose room no later allocation has taken, and only so much.
func TestEnded(t *testing.T) {
	a := newArena(t, 1<<30)
	var starts []uint64
	for range maxHistory + 8 {
		p, _ := a.Alloc(100, Info{Label: "gone"})
		starts = append(starts, p)
	}
	kept, _ := a.Alloc(100, Info{Label: "kept"})
	for _, p := range starts {
		if err := a.Free(p); err != nil {
			t.Fatal(err)
		}
	}
	for i, p := range starts {
		near, _, freed := a.Nearest(p+99, 1)
		if freed != (i >= 8) || freed && near.Start != p {
			t.Fatalf("allocation %d of %d: freed %v, %+v", i, len(starts), freed, near)
		}
	}
	const again = 100
	q, _ := a.Alloc(starts[again]-starts[0], Info{Label: "new"})
	if near, _, freed := a.Nearest(starts[again-1]+1, 1); q != starts[0] || freed {
		t.Errorf("room of %#x is that of %+v again, freed %v", q, near, freed)
	}
	if _, _, freed := a.Nearest(starts[again+1], 1); !freed {
		t.Error("what lies behind is forgotten, too")
	}
	if near, _, freed := a.Nearest(kept+100, 1); freed || near.Label != "kept" {
		t.Errorf("behind what is kept: %+v, freed %v", near, freed)
	}
}

// TestInternal: reports name no allocation of the machine's own.
func TestInternal(t *testing.T) {
	a := newArena(t, 1<<20)
	p, _ := a.Alloc(100, Info{Label: "p"})
	own, _ := a.Alloc(100, Info{Internal: true})
	q, _ := a.Alloc(100, Info{Internal: true})
	for _, addr := range []uint64{own - 8, own + 100, q + 200} {
		if near, ok, _ := a.Nearest(addr, 4); !ok || near.Start != p {
			t.Errorf("near %#x lies %+v", addr, near)
		}
	}
}

// simpleArena is the reference implementation: a list of allocations, searched from the front.
type simpleArena struct{ live []Allocation }

func (s *simpleArena) find(addr uint64) (Allocation, bool) {
	for _, v := range s.live {
		if v.Start <= addr && addr < v.End {
			return v, true
		}
	}
	return Allocation{}, false
}

func (s *simpleArena) overlaps(start, end uint64) bool {
	for _, v := range s.live {
		if start < v.End+DefaultSlack && v.Start < end+DefaultSlack {
			return true
		}
	}
	return false
}

// keep keeps the last allocations that come to no more than so many bytes.
func (s *simpleArena) keep(most uint64) {
	n := uint64(0)
	for i := len(s.live) - 1; i >= 0; i-- {
		if n += s.live[i].End - s.live[i].Start; n > most {
			s.live = s.live[i+1:]
			return
		}
	}
}

// runScript interprets bytes as allocations, frees and look-ups on both, with so many bytes in quarantine.
func runScript(t *testing.T, script []byte, quarantine uint64) {
	a := newArena(t, 64<<20)
	a.held.most = quarantine
	var s, freed simpleArena
	for len(script) >= 3 {
		op, arg := script[0], uint64(script[1])<<8|uint64(script[2])
		script = script[3:]
		switch {
		case op < 140 || len(s.live) == 0:
			size := arg%5000 + 1
			p, err := a.Alloc(size, Info{})
			if err != nil {
				continue
			}
			if p%Align != 0 || s.overlaps(p, p+size) || freed.overlaps(p, p+size) {
				t.Fatalf("bad place %#x for %d", p, size)
			}
			b := a.Bytes(p, size)
			if b[0]|b[size-1] != 0 {
				t.Fatal("not zeroed")
			}
			b[0], b[size-1] = 1, 1
			s.live = append(s.live, Allocation{Start: p, End: p + size})
		case op < 220:
			i := int(arg) % len(s.live)
			if err := a.Free(s.live[i].Start); err != nil {
				t.Fatal(err)
			}
			freed.live = append(freed.live, s.live[i])
			freed.keep(quarantine)
			s.live = append(s.live[:i], s.live[i+1:]...)
		default:
			addr := GlobalBase + arg*13
			got, ok := a.Find(addr)
			want, wantOK := s.find(addr)
			if ok != wantOK || got != want {
				t.Fatalf("Find(%#x) = %v %v, want %v %v", addr, got, ok, want, wantOK)
			}
		}
	}
	if u := a.Usage(); u.Count != len(s.live) {
		t.Fatalf("%d live, want %d", u.Count, len(s.live))
	}
	for _, v := range s.live {
		if err := a.Free(v.Start); err != nil {
			t.Fatal(err)
		}
	}
	a.release(0)
	if n := len(a.free.leaves); n > 1 || n == 1 && len(a.free.leaves[0].spans) != 1 {
		t.Fatalf("free space did not join: %d leaves", n)
	}
}

func FuzzArena(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 1, 1, 150, 0, 0, 250, 0, 9})
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 3000 {
			return
		}
		runScript(t, script, 0)
		runScript(t, script, 20000)
	})
}

func TestArenaRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		script := make([]byte, 6000)
		for i := range script {
			script[i] = byte(r.Uint32())
		}
		runScript(t, script, 0)
		runScript(t, script, 20000)
	}
}

func TestSlab(t *testing.T) {
	var s Slab
	defer s.Close()
	for _, n := range []int{1, 64, 100, 3 << 20, 5} {
		if p := uintptr(s.Get(n)); p%64 != 0 {
			t.Errorf("Get(%d) is not aligned: %#x", n, p)
		}
	}
}

func BenchmarkAllocFree(b *testing.B) {
	a := newArena(b, 1<<30)
	var live []uint64
	for range 10000 {
		p, _ := a.Alloc(64, Info{})
		live = append(live, p)
	}
	b.ResetTimer()
	for i := range b.N {
		k := i * 7919 % len(live)
		if err := a.Free(live[k]); err != nil {
			b.Fatal(err)
		}
		live[k], _ = a.Alloc(64, Info{})
	}
}

// TestLargeBeginsAtPage: from a megabyte on allocations begin at a page and are zeros, also where another one has been.
func TestLargeBeginsAtPage(t *testing.T) {
	a := newArena(t, 64<<20)
	for _, size := range []uint64{Large, 3*Large + 77} {
		for round := range 3 {
			small, err := a.Alloc(300, Info{}) // what follows would begin in the middle of a page
			if err != nil {
				t.Fatal(err)
			}
			p, err := a.Alloc(size, Info{})
			if err != nil {
				t.Fatal(err)
			}
			if p%hostPage != 0 {
				t.Errorf("%d bytes begin at %#x, not at a page", size, p)
			}
			b := a.Bytes(p, size)
			if i := slices.IndexFunc(b, func(x byte) bool { return x != 0 }); i >= 0 {
				t.Fatalf("round %d: byte %d of %d is not zero", round, i, size)
			}
			for i := range b {
				b[i] = 0xff
			}
			if err := a.Free(p); err != nil {
				t.Fatal(err)
			}
			if round == 1 {
				if err := a.Free(small); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
