package ssa

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// machine gives numbers values: what an operation comes to where parameters and parameters of the kernel have these.
type machine struct {
	f      *Func
	leaves map[Value]uint64
	lo, hi uint64 // what is inside
}

func (m *machine) value(v Value) uint64 {
	o := &m.f.Ops[v]
	if k, ok := m.leaves[v]; ok {
		return k
	}
	var in [3]uint64
	for i, a := range o.Operands() {
		in[i] = m.value(a)
	}
	switch o.Code {
	case Const:
		return o.Imm
	case Select:
		if in[0] != 0 {
			return in[1]
		}
		return in[2]
	case Inside:
		c := &m.f.Checks[o.Imm]
		first, last := in[0]+uint64(c.Lo), in[0]+uint64(c.Hi)
		return bit(first >= m.lo && last <= m.hi && first <= last && in[0]%uint64(c.Align) == 0)
	case Perm:
		both, out := in[0]|in[1]<<32, uint64(0)
		for i := range 4 {
			out |= both >> (8 * (o.Imm >> (4 * i) & 7)) & 255 << (8 * i)
		}
		return out
	}
	return cut(o.Type, defs[o.Code].eval(m.f.TypeOf(o.A), in[0], in[1]))
}

// edges are numbers near where words wrap.
var edges = []uint64{0, 1, 2, 3, 31, 32, 100, 255, 0x7fffffff, 0x80000000, 0x7fffffe0, 0xffffffff, 0xffffffe0, 0x80000040, 0x3fffffff, 0x40000000}

func some(r *rand.Rand, list []Value) Value { return list[r.IntN(len(list))] }

// TestThroughout holds what is tested once for a CTA to what each warp would have tested.
func TestThroughout(t *testing.T) {
	r, held, made := rand.New(rand.NewPCG(36, 1)), 0, 0
	for range 4000 {
		f := New("f", 32)
		warp := f.NewBlock(2)
		w := f.NewParam(warp, W, true)
		words := []Value{w, f.Bin(Shl, w, f.Word(5)), f.Make(Arg, W, 0), f.Make(Arg, W, 4)}
		for range r.IntN(5) {
			a, b := some(r, words), some(r, words)
			switch r.IntN(6) {
			case 0, 1:
				a = f.Bin(Add, a, b)
			case 2:
				a = f.Bin(Sub, a, b)
			case 3:
				a = f.Bin(Mul, a, b)
			case 4:
				a = f.Bin(Add, a, f.Word(uint32(edges[r.IntN(len(edges))])))
			case 5:
				a = f.Sel(f.Cmp(Eq, a, f.Word(0)), b, a)
			}
			words = append(words, a)
		}
		a, b := words[len(words)-1], some(r, words)
		f.Checks = append(f.Checks, Check{Lo: -4, Hi: 128, Align: 4})
		address := f.Bin(Add, f.Make(Arg, X, 8), f.Bin(Shl, f.Make(Sext, X, 0, a), f.Wide(uint64(r.IntN(3)))))
		cond := []Value{f.Cmp(LtS, a, b), f.Cmp(LeS, b, a), f.Make(Inside, M, 1, address), f.Cmp(LeS, f.Make(Sext, X, 0, a), f.Wide(1<<31-40))}[r.IntN(4)]
		const warps = 8
		all := f.Throughout(cond, w, warps)
		if all == 0 || all == cond {
			continue
		}
		made++
		for range 40 {
			m := machine{f: f, leaves: map[Value]uint64{}, lo: 1 << 40, hi: 1<<40 + 4096}
			for v := range f.Ops {
				if f.Ops[v].Code == Arg {
					m.leaves[Value(v)] = edges[r.IntN(len(edges))]
				}
			}
			if v := f.index.find(f.Ops, &Op{Code: Arg, Type: X, Imm: 8}); v != 0 {
				m.leaves[v] = 1<<40 + edges[r.IntN(7)]*4
			}
			if m.value(all) == 0 {
				continue
			}
			held++
			for k := range uint64(warps) {
				if m.leaves[w] = k; m.value(cond) == 0 {
					t.Fatalf("v%d holds, and v%d does not for warp %d\n%s", all, cond, k, f)
				}
			}
		}
	}
	if made < 500 || held < 1000 {
		t.Errorf("%d conditions, which held %d times", made, held)
	}
}

// TestBytes holds words that are put together of bytes, as the rules simplify them, and their limits, to what each operation does.
func TestBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(36, 2))
	for range 4000 {
		f := New("f", 32)
		b := f.NewBlock(0)
		load := &Effect{Kind: Load, Access: &Access{Elem: 1}}
		b.Add(load)
		m := machine{f: f, leaves: map[Value]uint64{}}
		var list []Value
		var want []uint64
		add := func(v Value, k uint64) { list, want = append(list, v), append(want, k&0xffffffff) }
		for range 3 {
			v := f.NewResult(b, load, W, true)
			m.leaves[v] = r.Uint64N(256)
			add(v, m.leaves[v])
		}
		word := f.Make(Arg, W, 0)
		m.leaves[word] = r.Uint64N(1 << 32)
		add(word, m.leaves[word])
		for range 8 {
			i, j, k := r.IntN(len(list)), r.IntN(len(list)), uint64(r.IntN(5))*8
			switch r.IntN(6) {
			case 0:
				add(f.Bin(Shl, list[i], f.Word(uint32(k))), shl(W, want[i], k))
			case 1:
				add(f.Bin(Shr, list[i], f.Word(uint32(k))), shr(W, want[i], k))
			case 2:
				add(f.Bin(Or, list[i], list[j]), want[i]|want[j])
			case 3:
				mask := uint64(1)<<(k+uint64(r.IntN(2))) - 1
				add(f.Bin(And, list[i], f.Word(uint32(mask))), want[i]&mask)
			case 4:
				selector, both, out := uint64(0), want[i]|want[j]<<32, uint64(0)
				for n := range 4 {
					from := r.Uint64N(8)
					selector |= from << (4 * n)
					out |= both >> (8 * from) & 255 << (8 * n)
				}
				add(f.Make(Perm, W, selector, list[i], list[j]), out)
			case 5:
				add(f.Bin(Add, list[i], list[j]), want[i]+want[j])
			}
		}
		for i, v := range list {
			if got := m.value(v); got != want[i] || got > f.Limit(v) || bits.TrailingZeros64(got|1<<63) < f.Trailing(v) && got != 0 {
				t.Fatalf("v%d is %#x, not %#x; limit %#x, %d bits are 0\n%s", v, got, want[i], f.Limit(v), f.Trailing(v), f)
			}
		}
	}
}

// TestSignOfBytes: shifting left and back with the sign changes nothing where the sign is known to be none, and it is not equal twice.
func TestSignOfBytes(t *testing.T) {
	f := New("f", 32)
	b := f.NewBlock(0)
	load := &Effect{Kind: Load, Access: &Access{Elem: 1}}
	b.Add(load)
	x := f.NewResult(b, load, W, false)
	back := func(left, right uint32) Value { return f.Bin(Sar, f.Bin(Shl, x, f.Word(left)), f.Word(right)) }
	for _, k := range []uint32{16, 23} {
		if got := back(k, k); got != x {
			t.Errorf("shifts by %d are v%d", k, got)
		}
	}
	if back(24, 24) == x || back(16, 15) == x {
		t.Error("shifts that change bytes are none")
	}
	unequal := f.Cmp(Ne, x, f.Word(3))
	if got := f.Not(unequal); got != f.Cmp(Eq, x, f.Word(3)) {
		t.Errorf("not unequal is\n%s", f)
	}
}

// TestReducedNumbers: whether all lanes of a comparison hold, or one does, is a number, also where its operands are numbers that are compared
// as floats.
func TestReducedNumbers(t *testing.T) {
	for c := range numCodes {
		if !c.Comparison() {
			continue
		}
		f := New("f", 32)
		typ := W
		if defs[c].shape[1] == 'M' {
			typ = M
		}
		a, b := f.Make(Arg, typ, 0), f.Make(Arg, typ, 8)
		for _, v := range []Value{f.All(f.Cmp(c, f.Vec(a), f.Vec(b))), f.Any(f.Cmp(c, f.Vec(a), f.Vec(b)))} {
			if !f.IsNum(v) {
				t.Errorf("%v of numbers in all lanes, or one, is no number:\n%s", c, f)
			}
		}
	}
}
