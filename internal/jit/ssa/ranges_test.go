package ssa

import (
	"math/rand/v2"
	"testing"
)

// lane is what a value is in a lane.
func (m *machine) lane(v Value, lane int) uint64 {
	o := &m.f.Ops[v]
	switch k, ok := m.leaves[v]; {
	case ok:
		return k
	case o.Code == Const:
		return o.Imm
	case o.Code == Each:
		return m.f.Tables[o.Imm][lane]
	case o.Code == Strided:
		return cut(o.Type, m.lane(o.A, lane)+uint64(lane)*o.Imm)
	case o.Code == Bcast:
		return m.lane(o.A, lane)
	case o.Code == Select && m.lane(o.A, lane) != 0:
		return m.lane(o.B, lane)
	case o.Code == Select:
		return m.lane(o.C, lane)
	}
	var in [2]uint64
	for i, a := range o.Operands() {
		in[i] = m.lane(a, lane)
	}
	return cut(o.Type, defs[o.Code].eval(m.f.TypeOf(o.A), in[0], in[1]))
}

// step is an operation that a random function and lanes that are computed beside it have.
type step struct {
	code Code
	a, b int
	k    uint64
}

// TestRanges: what is known of the bounds and the low bits of threads' numbers holds in each lane of each warp; and something is known.
func TestRanges(t *testing.T) {
	codes := []Code{Add, Sub, Mul, And, Or, Or, Xor, Shl, Shr, Sar, MinS, MaxS, Add, And, Shr, Sar, LtS, LeS, LtU, LeU, Eq, Ne}
	ks := []uint64{0, 1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 31, 32, 48, 63, 255, 256, 0xfffffff0, 0xffffffff, 0x7fffffff, 0x80000000}
	r, known, strides, sums, tables := rand.New(rand.NewPCG(36, 2)), 0, 0, 0, 0
	for range 20000 {
		lanes := []int{8, 16, 32}[r.IntN(3)]
		f := New("f", lanes)
		warp := f.NewParam(f.NewBlock(2), W, true)
		f.Warp, f.Warps = warp, 8
		first := r.IntN(32/lanes) * lanes // of a group
		if r.IntN(8) == 0 {
			first = 4 // where lanes carry
		}
		vs := []Value{f.Strided(f.Bin(Add, f.Bin(Shl, warp, f.Word(5)), f.Word(uint32(first))), 1), warp, f.Make(Arg, W, 0)}
		var steps []step
		for range 1 + r.IntN(4) {
			s := step{code: codes[r.IntN(len(codes))], a: r.IntN(len(vs)), b: -1, k: ks[r.IntN(len(ks))]}
			if r.IntN(5) == 0 {
				s.b = r.IntN(len(vs))
			}
			b := f.Const(W, s.k)
			if s.b >= 0 {
				b = vs[s.b]
			}
			v := f.Make(s.code, map[bool]Type{true: M, false: W}[s.code.Comparison()], 0, vs[s.a], b)
			if s.code.Comparison() {
				v = f.Sel(v, f.Word(7), f.Word(3))
			}
			if steps, vs = append(steps, s), append(vs, v); f.Ops[v].Code == Const {
				known++
			} else if f.hasTable(v) {
				tables++
			} else if _, step, _ := f.AsStrided(v); step != 0 && s.code >= And && s.code != Shl {
				strides++
			}
		}
		var wide []Value
		for _, v := range vs {
			wide = append(wide, f.Make(Zext, X, 0, v), f.Make(Sext, X, 0, v))
			for _, x := range wide[len(wide)-2:] {
				if c := f.Ops[x].Code; f.Ops[v].Code == Add && c == Add {
					sums++
				}
			}
		}
		for range 8 {
			w, arg := uint64(r.IntN(8)), edges[r.IntN(len(edges))]
			m := &machine{f: f, leaves: map[Value]uint64{warp: w, vs[2]: arg}}
			for lane := range lanes {
				want := []uint64{w*32 + uint64(first+lane), w, arg}
				for _, s := range steps {
					b := s.k
					if s.b >= 0 {
						b = want[s.b]
					}
					x := cut(W, defs[s.code].eval(W, want[s.a], b))
					if s.code.Comparison() {
						x = map[uint64]uint64{1: 7, 0: 3}[x]
					}
					want = append(want, x)
				}
				for i, x := range wide {
					if got, n := m.lane(x, lane), want[i/2]; got != map[bool]uint64{true: n, false: uint64(signed(W, n))}[i%2 == 0] {
						t.Fatalf("lane %d of %d from %d, warp %d: value %d of %v, extended, is %#x, not of %#x\n%s", lane, lanes, first, w, i/2, steps, got, n, f)
					}
				}
				for i, v := range vs {
					lo, hi := f.Between(v)
					if n := f.Trailing(v); want[i]&(1<<n-1) != 0 {
						t.Fatalf("value %d of %v is %#x, and %d low bits are said to be 0\n%s", i, steps, want[i], n, f)
					}
					if got := m.lane(v, lane); got != want[i] || signed(W, got) < lo || signed(W, got) > hi {
						t.Fatalf("lane %d of %d from %d, warp %d, argument %#x: value %d of %v is %#x, not %#x; it is from %d to %d\n%s", lane, lanes, first, w, arg, i,
							steps, got, want[i], lo, hi, f)
					}
				}
			}
		}
	}
	if known < 5000 || strides < 500 || sums < 500 || tables < 500 {
		t.Errorf("%d values are constants, %d strided behind a mask or a shift, %d sums when extended, %d tables of lanes", known, strides, sums, tables)
	}
}

// TestStridedOr: a row's number and a lane that are put together by their bits are strided; where bits may meet they are not.
func TestStridedOr(t *testing.T) {
	for shift, want := range map[uint32]int64{9: 1, 5: 1, 4: 0} {
		f := New("f", 32)
		row := f.Bin(Shl, f.Make(Arg, W, 0), f.Word(shift))
		for _, v := range []Value{f.Bin(Or, f.Strided(f.Word(0), 1), row), f.Bin(Or, row, f.Strided(f.Word(0), 1))} {
			if _, step, _ := f.AsStrided(v); step != want {
				t.Errorf("shifted by %d: lanes are %d apart, want %d", shift, step, want)
			}
		}
	}
}

// TestStrideBitsWide: bits of a strided value of 64 bits, as of a word, are strided or the same in all lanes where none carries, and in each
// lane what they are without that rule.
func TestStrideBitsWide(t *testing.T) {
	r, strides, numbers := rand.New(rand.NewPCG(36, 3)), 0, 0
	for range 4000 {
		f := New("f", []int{8, 16, 32}[r.IntN(3)])
		arg := f.Make(Arg, X, 0)
		shift, step := uint64(r.IntN(9)), int64(1)<<r.IntN(3)
		code, k := []Code{And, Shr, Sar}[r.IntN(3)], uint64(r.IntN(64))
		if code == And {
			k = []uint64{31, 15, 7, 127, 128, ^uint64(31), 1 << 40, 1<<64 - 1<<7}[r.IntN(8)]
		}
		v := f.Make(code, X, 0, f.Strided(f.Bin(Shl, arg, f.Wide(shift)), step), f.Wide(k))
		if _, s, ok := f.AsStrided(v); s != 0 {
			strides++
		} else if ok {
			numbers++
		}
		for _, n := range []uint64{0, 1, 77, 1 << 62, r.Uint64()} {
			m := &machine{f: f, leaves: map[Value]uint64{arg: n}}
			for lane := range f.Copies[0].Lanes {
				if got, want := m.lane(v, lane), defs[code].eval(X, n<<shift+uint64(lane)*uint64(step), k); got != want {
					t.Fatalf("%v by %#x of %#x<<%d + %d·%d is %#x, want %#x\n%s", code, k, n, shift, lane, step, got, want, f)
				}
			}
		}
	}
	if strides < 200 || numbers < 200 {
		t.Errorf("%d values are strided, %d numbers", strides, numbers)
	}
}
