package amd64_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit/cc"
	"ptxvm.invalid/ptxvm/internal/jit/isel/amd64"
	"ptxvm.invalid/ptxvm/internal/jit/lane"
	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/jit/ssa/eval"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

var (
	first  = flag.String("first", "", "TestFunctions: first operands, all from one to another, as 0-ffffffff")
	only   = flag.String("only", "", "TestFunctions: functions whose names begin so")
	rounds = flag.Int("rounds", 500, "TestFunctions: how often 32 lanes have random operands")
)

// segmented are functions with tables: they are executed at both ends of every 2^16 operands, among which are all segments.
var segmented = []uop.Op{
	uop.RcpApproxF32, uop.RcpApproxFtzF32, uop.RsqrtApproxF32, uop.RsqrtApproxFtzF32, uop.SqrtApproxF32, uop.SqrtApproxFtzF32, uop.Ex2ApproxF32, uop.Ex2ApproxFtzF32,
	uop.TanhApproxF32, uop.Lg2ApproxF32, uop.Lg2ApproxFtzF32, uop.SinApproxF32, uop.SinApproxFtzF32, uop.CosApproxF32, uop.CosApproxFtzF32,
	uop.RcpApproxFtzF64, uop.RsqrtApproxFtzF64, // whose upper words are these operands
}

// edges are bits, of f16, f32 and f64, where rules change: zeros, subnormals, 1, powers of two at which operands are scaled, infinities, NaNs.
var edges = map[uint8][]uint64{
	16: {0, 1, 0x1ff, 0x3ff, 0x400, 0x401, 0x7f, 0x80, 0x3bff, 0x3c00, 0x3c01, 0x3f80, 0x4000, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7ff7, 0x7fff},
	32: {0, 1, 2, 0x003fffff, 0x00400000, 0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x0b800000, 0x33800000, 0x3a800000, 0x3b800000, 0x3e22f983, 0x3effffff, 0x3f000000,
		0x3f7fffff, 0x3f800000, 0x3f800001, 0x40000000, 0x40490fdb, 0x40800000, 0x41000000, 0x42fc0000, 0x42fe0000, 0x43000000, 0x437e0000, 0x4b000000, 0x4b800000, 0x4f000000, 0x4f800000,
		0x5f000000, 0x7e7fffff, 0x7e800000, 0x7e800001, 0x7effffff, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fffffff},
	64: {0, 1, 1<<52 - 1, 1 << 52, 1<<52 + 1, 0x3810000000000000, 0x3ff0000000000000, 0x3ff0000000000001, 0x41e0000000000000, 0x41f0000000000000, 0x43e0000000000000, 0x43f0000000000000,
		0x47efffffe0000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000, 1<<63 - 1, 0x3f8000007f800001, 0x0080000000800000},
}

// batch are functions of the same operands in one piece of code, and the engines that run it.
type batch struct {
	ops     []uop.Op
	bits    []uint8 // of operands
	want    []func(a [4]uint64) uint64
	results []ssa.Type
	engines map[string]func(s *abi.State) error
	slow    func(s *abi.State) error // package eval, which invents NaNs
	arena   *arena
	n       int
}

// newBatch builds the functions; those of which there is no result, for operands that are no constants, are left out.
func newBatch(t *testing.T, ops []uop.Op) *batch {
	x := newTrial(false)
	b := &batch{bits: ops[0].Shape().Operands(), engines: map[string]func(s *abi.State) error{}, arena: &arena{}}
	var in []ssa.Value
	for k, bits := range b.bits {
		in = append(in, x.operand(lane.TypeOf(int(bits)), k))
	}
	for _, op := range ops {
		if v := lane.Of(op)(x.Func, in); v != 0 {
			x.store(op.String(), v)
			b.ops, b.want = append(b.ops, op), append(b.want, interpreted(t, op))
		}
	}
	x.body.Jump(x.Blocks[2])
	opt.Place(x.Func)
	b.results = x.results
	slow, err := eval.New(x.Func, eval.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b.slow = func(s *abi.State) error { return slow.Call(s, abi.ByCTA) }
	for isa, has := range map[*amd64.Target]bool{amd64.AVX2: native.HasAVX2(), amd64.AVX512: native.HasAVX512()} {
		if has {
			b.engines[isa.String()] = run(t, x, isa)
		}
	}
	if tool, err := cc.Find(false); err == nil {
		b.engines["C"] = byC(t, tool, x)
	}
	return b
}

func byC(t *testing.T, tool *cc.Toolchain, x *trial) func(s *abi.State) error {
	text, err := cc.Print(x.Func, cc.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := tool.Compile(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Free() })
	return func(s *abi.State) error { return c.Call(s, abi.ByCTA) }
}

// interpreted is what the interpreter has a lane execute.
func interpreted(t *testing.T, op uop.Op) func(a [4]uint64) uint64 {
	switch fn := sem.Function(op).(type) {
	case func(uint32) uint32:
		return func(a [4]uint64) uint64 { return uint64(fn(uint32(a[0]))) }
	case func(a, b uint32) uint32:
		return func(a [4]uint64) uint64 { return uint64(fn(uint32(a[0]), uint32(a[1]))) }
	}
	fn := reflect.ValueOf(sem.Function(op))
	if fn.Kind() != reflect.Func {
		t.Fatalf("%v is a %v", op, fn.Kind())
	}
	return func(a [4]uint64) uint64 {
		var in []reflect.Value
		for i := range fn.Type().NumIn() {
			in = append(in, reflect.ValueOf(a[i]).Convert(fn.Type().In(i)))
		}
		d := fn.Call(in)[0]
		if d.Kind() != reflect.Bool {
			return d.Uint()
		} else if d.Bool() {
			return 1
		}
		return 0
	}
}

// check holds 32 lanes to the interpreter; of says what operands lane i has.
func (b *batch) check(t *testing.T, of func(i int) [4]uint64) bool {
	var in [32][4]uint64
	for i := range in {
		in[i] = of(i)
		for k, bits := range b.bits {
			in[i][k] &= 1<<bits - 1
			if size := lane.TypeOf(int(bits)).Bits() / 8; size == 8 {
				binary.LittleEndian.PutUint64(b.arena.memory[operands+256*k+8*i:], in[i][k])
			} else {
				binary.LittleEndian.PutUint32(b.arena.memory[operands+256*k+4*i:], uint32(in[i][k]))
			}
		}
	}
	want := make([][32]uint64, len(b.ops))
	for k := range want {
		for i := range in {
			want[k][i] = b.want[k](in[i])
		}
	}
	engines := b.engines
	if b.n++; b.n%64 == 1 {
		engines = map[string]func(s *abi.State) error{"eval": b.slow}
	}
	for name, call := range engines {
		if err := call(b.arena.begin()); err != nil {
			t.Error(err)
			return false
		}
		for k, op := range b.ops {
			for i := range in {
				if got := b.result(k, i); got != want[k][i] {
					t.Errorf("%v of %#x by %s: %#x, want %#x", op, in[i][:len(b.bits)], name, got, want[k][i])
					return false
				}
			}
		}
	}
	return true
}

// result is lane i of what function k has made.
func (b *batch) result(k, i int) uint64 {
	if b.results[k] == ssa.X {
		return binary.LittleEndian.Uint64(b.arena.memory[results+256*k+8*i:])
	}
	return uint64(binary.LittleEndian.Uint32(b.arena.memory[results+256*k+4*i:]))
}

// operand is one of so many bits: an edge of either sign, or beside one; random; near 1.
func operand(r *rand.Rand, bits uint8) uint64 {
	v := r.Uint64()
	switch n := r.IntN(4); {
	case n == 0:
		list := edges[max(bits, 16)]
		return list[r.IntN(len(list))] ^ v&(1<<(bits-1)) + uint64(r.IntN(3)) - 1
	case n == 1 && bits == 32:
		return v&0x807fffff | (100+v>>32%50)<<23
	case n == 1 && bits == 64:
		return v&0x800fffffffffffff | (950+v>>53%150)<<52
	}
	return v
}

// batches are the functions that have lowerings, of the same operands together, a few at a time.
func batches() (all [][]uop.Op) {
	of := map[string][]uop.Op{}
	for op := range uop.Op(uop.NumOps) {
		if lane.Of(op) == nil || sem.Function(op) == nil || !strings.HasPrefix(op.String(), *only) {
			continue
		}
		bits := op.Shape().Operands()
		if slices.Contains(bits, 1) || len(bits) > 3 || len(bits) == 0 {
			continue
		}
		of[fmt.Sprint(bits)] = append(of[fmt.Sprint(bits)], op)
	}
	for _, list := range of {
		for part := range slices.Chunk(list, 40) {
			all = append(all, part)
		}
	}
	return all
}

// TestFunctions holds the lowerings of all functions of lanes, by each back end and by package eval, to the interpreter, at edges and random
// operands.
func TestFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, ops := range batches() {
		b := newBatch(t, ops)
		for range *rounds {
			if !b.check(t, func(int) (a [4]uint64) {
				for k, bits := range b.bits {
					a[k] = operand(r, bits)
				}
				return a
			}) {
				break
			}
		}
	}
}

// TestSegments executes functions with tables at the ends of segments, and with -first at all operands, for a release:
//
//	go test ./internal/jit/isel/amd64 -run TestSegments -first 0-ffffffff -timeout 5h
func TestSegments(t *testing.T) {
	for _, op := range segmented {
		if !strings.HasPrefix(op.String(), *only) {
			continue
		}
		t.Run(op.String(), func(t *testing.T) {
			b := newBatch(t, []uop.Op{op})
			up := b.bits[0] - 32
			var from, to uint64
			if n, _ := fmt.Sscanf(*first, "%x-%x", &from, &to); n == 2 {
				for a := from; a <= to && b.check(t, func(i int) [4]uint64 { return [4]uint64{(a + uint64(i)) << up} }); a += 32 {
				}
				return
			}
			for segment := range uint64(1 << 16) { // the last 16 of the one before it, and its first
				if !b.check(t, func(i int) [4]uint64 { return [4]uint64{(segment<<16 - 16 + uint64(i)) << up} }) {
					return
				}
			}
		})
	}
}
