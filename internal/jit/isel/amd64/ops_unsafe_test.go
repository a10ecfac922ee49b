package amd64_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/cc"
	"ptxvm.invalid/ptxvm/internal/jit/isel/amd64"
	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/ssa/eval"
	"ptxvm.invalid/ptxvm/internal/jit/unit"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// both are operations of two operands that numbers and lanes have, wide ones those of lanes alone.
var (
	both = []ssa.Code{ssa.Add, ssa.Sub, ssa.Mul, ssa.And, ssa.Or, ssa.Xor, ssa.MinS, ssa.MaxS, ssa.MinU, ssa.MaxU,
		ssa.DivU, ssa.RemU, ssa.Shl, ssa.Shr, ssa.Sar,
		ssa.Eq, ssa.Ne, ssa.LtS, ssa.LeS, ssa.LtU, ssa.LeU}
	floats = []ssa.Code{ssa.FAdd, ssa.FSub, ssa.FMul, ssa.FDiv, ssa.FMin, ssa.FMax, ssa.FEq, ssa.FLt, ssa.FLe, ssa.FUnord}
)

// trial is a function that loads three values and stores what operations make of them.
type trial struct {
	*ssa.Func
	body    *ssa.Block
	num     bool
	names   []string
	results []ssa.Type
}

const (
	operands = 256 // where they are, 256 bytes each
	results  = operands + 3*256
)

// newTrial makes the blocks around the body: one warp of one CTA.
func newTrial(num bool) *trial {
	f := ssa.New("trial", 32)
	f.Checks = append(f.Checks, ssa.Check{Hi: 1 << 16, Align: 1, Store: true})
	begin, body, end := f.NewBlock(0), f.NewBlock(2), f.NewBlock(0)
	e := begin.Add(&ssa.Effect{Kind: ssa.Begin})
	is := f.NewResult(begin, e, ssa.M, true)
	for range 4 {
		f.NewResult(begin, e, ssa.W, true)
	}
	begin.Cond = f.And(is, f.Make(ssa.Inside, ssa.M, 1, f.Wide(0)))
	begin.Jump(body)
	begin.Jump(end)
	return &trial{Func: f, body: body, num: num}
}

func (t *trial) access(typ ssa.Type, at int) *ssa.Access {
	a := &ssa.Access{Elem: uint8(typ.Bits() / 8), Count: 1, Align: 1, Bits: []uint8{uint8(typ.Bits())},
		Base: t.Wide(uint64(at)), Check: 1}
	if a.Step = int64(a.Elem); t.num {
		a.Step = 0
	}
	return a
}

// operand loads operand k.
func (t *trial) operand(typ ssa.Type, k int) ssa.Value {
	e := t.body.Add(&ssa.Effect{Kind: ssa.Load, Access: t.access(typ, operands+256*k), Mask: t.Truth(true)})
	return t.NewResult(t.body, e, typ, t.num)
}

// store stores a result; NaNs are canonical.
func (t *trial) store(name string, v ssa.Value) {
	typ := t.TypeOf(v)
	if typ == ssa.M {
		v, typ = t.Sel(v, t.Word(1), t.Word(0)), ssa.W
	}
	a := t.access(typ, results+256*len(t.names))
	a.Step = int64(a.Elem)
	t.names, t.results = append(t.names, name), append(t.results, typ)
	t.body.Add(&ssa.Effect{Kind: ssa.Store, Access: a, Mask: t.Truth(true), Args: []ssa.Value{t.Vec(v)}})
}

// trialOf has all operations of a type.
func trialOf(typ ssa.Type, num bool) *trial {
	t := newTrial(num)
	x, y, z := t.operand(typ, 0), t.operand(typ, 1), t.operand(typ, 2)
	for _, c := range both {
		result := typ
		if c >= ssa.Eq && c <= ssa.LeU {
			result = ssa.M
		}
		t.store(c.String(), t.Make(c, result, 0, x, y))
		t.store(c.String()+" with a constant", t.Make(c, result, 0, x, t.Const(typ, 19)))
	}
	t.store("select", t.Sel(t.Cmp(ssa.LtS, x, y), z, x))
	t.store("not and", t.Sel(t.AndNot(t.Cmp(ssa.LtS, x, y), t.Cmp(ssa.Eq, y, z)), x, z))
	if typ == ssa.W {
		t.words(x, y)
	} else {
		t.store("trunc", t.Make(ssa.Trunc, ssa.W, 0, x))
	}
	if typ == ssa.X && !num {
		t.store("d2f", t.Make(ssa.Canon, ssa.W, 0, t.Make(ssa.D2F, ssa.W, 0, x)))
		t.store("d2i", t.Make(ssa.D2I, ssa.W, 0, x))
		for _, c := range []ssa.Code{ssa.FAdd2, ssa.FSub2, ssa.FMul2} {
			t.store(c.String(), t.Make(ssa.Canon2, ssa.X, 0, t.Bin(c, x, y)))
		}
		t.store("ffma2", t.Make(ssa.Canon2, ssa.X, 0, t.Make(ssa.FFma2, ssa.X, 0, x, y, z)))
	}
	t.store("popc", t.Make(ssa.Popc, typ, 0, x))
	if !num {
		t.floats(typ, x, y, z)
	}
	for _, k := range []uint64{0, 1, 31, 32, 33, 63, 64} {
		t.store("shift by a constant", t.Bin(ssa.Xor, t.Bin(ssa.Shl, x, t.Const(typ, k)), t.Bin(ssa.Xor, t.Bin(ssa.Shr,
			y, t.Const(typ, k)), t.Bin(ssa.Sar, z, t.Const(typ, k)))))
	}
	t.body.Jump(t.Blocks[2])
	opt.Place(t.Func)
	return t
}

// words has what only words have.
func (t *trial) words(x, y ssa.Value) {
	for _, c := range []ssa.Code{ssa.MulHiU, ssa.MulHiS} {
		t.store(c.String(), t.Bin(c, x, y))
	}
	if !t.num {
		t.store("dot16", t.Bin(ssa.Dot16, x, y))
		t.store("mulhi16", t.Bin(ssa.MulHi16, x, y))
		for table := range unit.NumTables {
			t.store("lookup", t.Make(ssa.Lookup, ssa.W, uint64(table), x))
			t.store("lookup below", t.Make(ssa.Lookup, ssa.W, uint64(table), t.Bin(ssa.And, y, t.Word(63))))
		}
	}
	for _, imm := range []uint64{0x3210, 0x5410, 0x0123, 0x7654, 0x4062} {
		t.store("perm", t.Make(ssa.Perm, ssa.W, imm, x, y))
	}
	t.store("zext", t.Make(ssa.Zext, ssa.X, 0, x))
	t.store("sext", t.Make(ssa.Sext, ssa.X, 0, x))
	if t.num {
		return
	}
	for _, c := range []ssa.Code{ssa.F2D, ssa.I2D} {
		t.store(c.String(), t.Make(c, ssa.X, 0, x))
	}
	for how := ssa.Nearest; how <= ssa.Zero; how++ {
		t.store(fmt.Sprint("f2h ", how), t.Make(ssa.F2H, ssa.W, how, x))
	}
	for _, c := range []ssa.Code{ssa.I2F, ssa.U2F, ssa.F2I, ssa.H2F, ssa.Canon} {
		t.store(c.String(), t.Make(c, ssa.W, 0, x))
	}
	for _, c := range []ssa.Code{ssa.Least, ssa.Most, ssa.Sum, ssa.AndAll, ssa.OrAll, ssa.XorAll} {
		t.store(c.String(), t.Make(c, ssa.W, 0, x))
	}
	m := t.Cmp(ssa.LtU, x, y)
	t.store("ballot", t.Make(ssa.Ballot, ssa.W, 0, m))
	t.store("any", t.Any(m))
	t.store("all", t.All(m))
	t.store("runs", t.Make(ssa.Runs, ssa.M, 0, x))
	t.store("shuffle", t.Make(ssa.Shuffle, ssa.W, 0, x, y))
	for _, n := range []uint32{0, 1, 2, 3, 4, 5, 7, 8, 11, 12, 16, 20, 24, 31} {
		lane := t.Strided(t.Word(0), 1)
		t.store(fmt.Sprint("exchanged ", n), t.Make(ssa.Shuffle, ssa.W, 0, x, t.Bin(ssa.Xor, lane, t.Word(n))))
		t.store(fmt.Sprint("rotated ", n), t.Make(ssa.Shuffle, ssa.W, 0, x, t.Strided(t.Word(n), 1)))
		t.store(fmt.Sprint("one lane ", n), t.Make(ssa.Shuffle, ssa.W, 0, x, t.Word(n)))
		t.store(fmt.Sprint("apart ", n), t.Make(ssa.Shuffle, ssa.W, 0, x, t.Strided(t.Word(n), 5)))
		t.store(fmt.Sprint("backwards ", n), t.Make(ssa.Shuffle, ssa.W, 0, x, t.Bin(ssa.Sub, t.Word(n), lane)))
		t.store(fmt.Sprint("in segments ", n), t.Make(ssa.Shuffle, ssa.W, 0, x, t.Bin(ssa.Or, t.Bin(ssa.And, lane, t.Word(28)), t.Word(n))))
	}
}

// floats has what only lanes have.
func (t *trial) floats(typ ssa.Type, x, y, z ssa.Value) {
	canon := func(v ssa.Value) ssa.Value {
		if typ == ssa.W {
			return t.Make(ssa.Canon, ssa.W, 0, v)
		}
		return v // it is known which NaN that is
	}
	for _, c := range floats {
		if c >= ssa.FEq {
			t.store(c.String(), t.Cmp(c, x, y))
		} else {
			t.store(c.String(), canon(t.Bin(c, x, y)))
		}
	}
	if typ == ssa.W {
		t.store("ffma", canon(t.Make(ssa.FFma, typ, 0, x, y, z)))
	} else { // of two factors either NaN may be the result
		t.store("ffma", t.Sel(t.Cmp(ssa.FUnord, x, y), x, t.Make(ssa.FFma, typ, 0, x, y, z)))
	}
	for how := ssa.Nearest; how <= ssa.Zero; how++ {
		t.store(fmt.Sprint("fround ", how), canon(t.Make(ssa.FRound, typ, how, x)))
	}
	t.store("fsqrt", canon(t.Make(ssa.FSqrt, typ, 0, x)))
}

// arena is memory that code runs on: device addresses count from its start.
type arena struct {
	state  abi.State
	warps  [1]abi.Warp
	bounds [1]abi.Bounds
	memory [1 << 17]byte
	rows   [1024]uint32
}

func (a *arena) begin() *abi.State {
	s := &a.state
	s.GlobalHost, s.Bounds = uintptr(unsafe.Pointer(&a.memory)), uintptr(unsafe.Pointer(&a.bounds))
	a.bounds[0] = abi.Bounds{End: 1 << 17, WriteEnd: 1 << 17}
	a.warps[0] = abi.Warp{At: abi.ByStart, Fuel: 100, Mask: ^uint32(0), Lanes: ^uint32(0),
		Regs: uintptr(unsafe.Pointer(&a.rows))}
	s.Batch = abi.Batch{Warps: uintptr(unsafe.Pointer(&a.warps)), Budget: 1 << 20, Rest: 1 << 20, All: 1,
		Turn: 100, Grid: [2]uint64{1, 1}, SMs: 4, Passed: 1}
	return s
}

// fill gives the operands bits of all kinds: random, small, floats, ends of ranges.
func (a *arena) fill(r *rand.Rand, typ ssa.Type) {
	special := []uint64{0, 1, 2, 31, 32, 33, 63, 64, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 63,
		math.Float64bits(math.Inf(1)), math.Float64bits(math.NaN()),
		uint64(math.Float32bits(float32(math.Inf(-1)))), 0x7fc00001, math.Float64bits(1.5), uint64(math.Float32bits(-0.75)), 0x8000000000000000, ^uint64(0)}
	size := typ.Bits() / 8
	for k := range 96 {
		v := r.Uint64()
		switch r.IntN(3) {
		case 0:
			v = special[r.IntN(len(special))]
		case 1:
			v >>= r.IntN(64)
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], v)
		copy(a.memory[operands+k/32*256+k%32*size:], b[:size])
	}
}

// TestOperations holds each operation, of numbers and of lanes, to what package eval and a C compiler make of it.
func TestOperations(t *testing.T) {
	for isa, has := range map[*amd64.Target]bool{amd64.AVX2: native.HasAVX2(), amd64.AVX512: native.HasAVX512()} {
		t.Run(isa.String(), func(t *testing.T) {
			if !has {
				t.Skip("not by this processor")
			}
			testOperations(t, isa)
		})
	}
}

func testOperations(t *testing.T, isa *amd64.Target) {
	for _, typ := range []ssa.Type{ssa.W, ssa.X} {
		for _, num := range []bool{false, true} {
			x := trialOf(typ, num)
			own := run(t, x, isa)
			slow, err := eval.New(x.Func, eval.Options{})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, x, "eval", own, func(s *abi.State) error { return slow.Call(s, abi.ByCTA) })
			text, err := cc.Print(x.Func, cc.Options{})
			if err != nil {
				t.Fatal(err)
			}
			tool, err := cc.Find(false)
			if err != nil {
				t.Skip(err)
			}
			c, err := tool.Compile(text, nil)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, x, "C", own, func(s *abi.State) error { return c.Call(s, abi.ByCTA) })
			c.Free()
		}
	}
}

// run is our own code of a trial.
func run(t *testing.T, x *trial, isa *amd64.Target) func(s *abi.State) error {
	image, err := amd64.Compile(x.Func, isa, amd64.Options{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	code, err := native.New(image)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { code.Free() })
	return func(s *abi.State) error {
		return native.CallOn(code.Addr(0), unsafe.Pointer(s), uint64(abi.ByCTA))
	}
}

func compare(t *testing.T, x *trial, by string, own, other func(s *abi.State) error) {
	t.Helper()
	typ := x.results[0]
	for seed := range uint64(200) {
		a, b := &arena{}, &arena{}
		a.fill(rand.New(rand.NewPCG(seed, 1)), typ)
		b.fill(rand.New(rand.NewPCG(seed, 1)), typ)
		if err := errors.Join(own(a.begin()), other(b.begin())); err != nil {
			t.Fatal(err)
		}
		for k, name := range x.names {
			n := x.results[k].Bits() / 8
			for lane := range 32 {
				at := results + 256*k + lane*n
				if got, want := a.memory[at:at+n], b.memory[at:at+n]; string(got) != string(want) {
					t.Fatalf("%s of type %v, numbers %v, lane %d of %x, %x: %x, %s has %x", name, typ, x.num, lane,
						a.memory[operands+lane*n:][:n], a.memory[operands+256+lane*n:][:n], got, by, want)
				}
			}
		}
	}
}

// TestQuotients divides words that are multiples of each other, or one less or more: what is cut off a quotient that is
// nearly the next integer.
func TestQuotients(t *testing.T) {
	for isa, has := range map[*amd64.Target]bool{amd64.AVX2: native.HasAVX2(), amd64.AVX512: native.HasAVX512()} {
		if !has {
			continue
		}
		f := newTrial(false)
		x, y := f.operand(ssa.W, 0), f.operand(ssa.W, 1)
		f.store("divu", f.Bin(ssa.DivU, x, y))
		f.store("remu", f.Bin(ssa.RemU, x, y))
		f.body.Jump(f.Blocks[2])
		opt.Place(f.Func)
		code, r := run(t, f, isa), rand.New(rand.NewPCG(36, 2))
		for range 3000 {
			a := &arena{}
			word := func(at, lane int) []byte { return a.memory[at+4*lane:][:4] }
			for lane := range 32 {
				n := r.Uint32() >> r.IntN(32)
				multiple := r.Uint32() / max(n, 1) * n
				binary.LittleEndian.PutUint32(word(operands, lane), multiple+uint32(r.IntN(3))-1)
				binary.LittleEndian.PutUint32(word(operands+256, lane), n)
			}
			if err := code(a.begin()); err != nil {
				t.Fatal(err)
			}
			for lane := range 32 {
				x, n := binary.LittleEndian.Uint32(word(operands, lane)), binary.LittleEndian.Uint32(word(operands+256, lane))
				q, rest := binary.LittleEndian.Uint32(word(results, lane)), binary.LittleEndian.Uint32(word(results+256, lane))
				if n == 0 && q&rest != ^uint32(0) || n != 0 && (q != x/n || rest != x%n) {
					t.Fatalf("%v: %d / %d is %d, rest %d", isa, x, n, q, rest)
				}
			}
		}
	}
}

// TestWideQuotients does the same with 64 bits: divisors of which doubles are enough, and of all kinds.
func TestWideQuotients(t *testing.T) {
	for isa, has := range map[*amd64.Target]bool{amd64.AVX2: native.HasAVX2(), amd64.AVX512: native.HasAVX512()} {
		if !has {
			continue
		}
		f := newTrial(false)
		x, y := f.operand(ssa.X, 0), f.operand(ssa.X, 1)
		f.store("divu", f.Bin(ssa.DivU, x, y))
		f.store("remu", f.Bin(ssa.RemU, x, y))
		f.body.Jump(f.Blocks[2])
		opt.Place(f.Func)
		code, r := run(t, f, isa), rand.New(rand.NewPCG(36, 3))
		for round := range 5000 {
			a := &arena{}
			word := func(at, lane int) []byte { return a.memory[at+8*lane:][:8] }
			for lane := range 32 {
				n := r.Uint64() >> r.IntN(64)
				if round%2 == 0 { // no lane is divided by itself
					n = n>>2 | 1<<14
				}
				multiple := r.Uint64() >> r.IntN(64) / max(n, 1) * n
				binary.LittleEndian.PutUint64(word(operands, lane), multiple+uint64(r.IntN(3))-1)
				binary.LittleEndian.PutUint64(word(operands+256, lane), n)
			}
			if err := code(a.begin()); err != nil {
				t.Fatal(err)
			}
			for lane := range 32 {
				x, n := binary.LittleEndian.Uint64(word(operands, lane)), binary.LittleEndian.Uint64(word(operands+256, lane))
				q, rest := ^uint64(0), ^uint64(0)
				if n != 0 {
					q, rest = x/n, x%n
				}
				if got := binary.LittleEndian.Uint64(word(results, lane)); got != q {
					t.Fatalf("%v: %d / %d is %d, not %d", isa, x, n, got, q)
				}
				if got := binary.LittleEndian.Uint64(word(results+256, lane)); got != rest {
					t.Fatalf("%v: %d %% %d is %d, not %d", isa, x, n, got, rest)
				}
			}
		}
	}
}

// TestFours: each lane loads four words and stores them in another order, all lanes behind each other.
func TestFours(t *testing.T) {
	for isa, has := range map[*amd64.Target]bool{amd64.AVX2: native.HasAVX2(), amd64.AVX512: native.HasAVX512()} {
		if !has {
			continue
		}
		f := newTrial(false)
		access := func(at int) *ssa.Access {
			return &ssa.Access{Elem: 4, Count: 4, Align: 1, Bits: []uint8{32, 32, 32, 32}, Base: f.Wide(uint64(at)), Step: 16, Check: 1}
		}
		load := f.body.Add(&ssa.Effect{Kind: ssa.Load, Access: access(operands), Mask: f.Truth(true)})
		for range 4 {
			f.NewResult(f.body, load, ssa.W, false)
		}
		order := [4]int{2, 0, 3, 1}
		store := &ssa.Effect{Kind: ssa.Store, Access: access(results), Mask: f.Truth(true)}
		for _, k := range order {
			store.Args = append(store.Args, load.Results[k])
		}
		f.body.Add(store)
		f.body.Jump(f.Blocks[2])
		opt.Place(f.Func)
		a, r := &arena{}, rand.New(rand.NewPCG(36, 4))
		word := func(at, n int) []byte { return a.memory[at+4*n:][:4] }
		for n := range 128 {
			binary.LittleEndian.PutUint32(word(operands, n), r.Uint32())
		}
		if err := run(t, f, isa)(a.begin()); err != nil {
			t.Fatal(err)
		}
		for n := range 128 {
			if got, want := word(results, n), word(operands, n/4*4+order[n%4]); string(got) != string(want) {
				t.Fatalf("%v: lane %d, word %d: %x, want %x", isa, n/4, n%4, got, want)
			}
		}
	}
}
