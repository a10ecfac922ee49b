package amd64_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit/cc"
	"ptxvm.invalid/ptxvm/internal/jit/isel/amd64"
	"ptxvm.invalid/ptxvm/internal/jit/lane"
	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/jit/opt"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

var (
	first   = flag.String("first", "", "TestFunctions: first operands, all from one to another, as 0-ffffffff")
	only    = flag.String("only", "", "TestFunctions: functions whose names begin so")
	through = flag.String("through", "AVX2,AVX-512,C", "TestFunctions: by which back ends")
)

// functions are those of f32 whose lowerings are held to package num by execution: the constructor computes no floats.
var functions = []uop.Op{
	uop.RcpApproxF32, uop.RcpApproxFtzF32, uop.RsqrtApproxF32, uop.RsqrtApproxFtzF32, uop.SqrtApproxF32, uop.SqrtApproxFtzF32,
	uop.Lg2ApproxF32, uop.Lg2ApproxFtzF32, uop.SinApproxF32, uop.SinApproxFtzF32, uop.CosApproxF32, uop.CosApproxFtzF32,
	uop.Ex2ApproxF32, uop.Ex2ApproxFtzF32, uop.TanhApproxF32, uop.DivApproxF32, uop.DivFullF32,
}

// edges are bits of f32 where rules change: zeros, subnormals, 1, the ends of scaling, infinities, NaNs.
var edges = []uint32{0, 1, 2, 0x003fffff, 0x00400000, 0x007fffff, 0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x0b800000, 0x33800000, 0x3a800000, 0x3b800000, 0x3e22f983,
	0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x40000000, 0x40490fdb, 0x40800000, 0x41000000, 0x42fc0000, 0x42fe0000, 0x43000000, 0x437e0000, 0x4b000000, 0x4b800000,
	0x5f000000, 0x7e7fffff, 0x7e800000, 0x7e800001, 0x7effffff, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fffffff}

// function is a compiled function and the engines that run it.
type function struct {
	op      uop.Op
	want    func(a [3]uint32) uint32
	engines map[string]func(s *abi.State) error
	arena   *arena
}

func newFunction(t *testing.T, op uop.Op) *function {
	x := newTrial(false)
	var in []ssa.Value
	for k := range op.Shape().Operands() {
		in = append(in, x.operand(ssa.W, k))
	}
	lower := lane.Of(op)
	if lower == nil {
		t.Fatal("it has no lowering")
	}
	x.store(op.String(), lower(x.Func, in))
	x.body.Jump(x.Blocks[2])
	opt.Place(x.Func)
	fn := &function{op: op, want: interpreted(t, op), engines: map[string]func(s *abi.State) error{}, arena: &arena{}}
	for isa, has := range map[*amd64.Target]bool{amd64.AVX2: native.HasAVX2(), amd64.AVX512: native.HasAVX512()} {
		if has && strings.Contains(*through, isa.String()) {
			fn.engines[isa.String()] = run(t, x, isa)
		}
	}
	if tool, err := cc.Find(false); err == nil && strings.Contains(*through, "C") {
		fn.engines["C"] = byC(t, tool, x)
	}
	return fn
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
func interpreted(t *testing.T, op uop.Op) func(a [3]uint32) uint32 {
	switch fn := sem.Function(op).(type) {
	case func(uint32) uint32:
		return func(a [3]uint32) uint32 { return fn(a[0]) }
	case func(a, b uint32) uint32:
		return func(a [3]uint32) uint32 { return fn(a[0], a[1]) }
	case func(a, b, c uint32) uint32:
		return func(a [3]uint32) uint32 { return fn(a[0], a[1], a[2]) }
	case func(a uint32) bool:
		return func(a [3]uint32) uint32 { return word(fn(a[0])) }
	case func(a, b uint32) bool:
		return func(a [3]uint32) uint32 { return word(fn(a[0], a[1])) }
	}
	t.Fatalf("%v is a %T", op, sem.Function(op))
	return nil
}

func word(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// check holds 32 lanes to the interpreter; of says what operands lane i has.
func (f *function) check(t *testing.T, of func(i int) [3]uint32) bool {
	var in [32][3]uint32
	for i := range in {
		in[i] = of(i)
		for k, v := range in[i] {
			binary.LittleEndian.PutUint32(f.arena.memory[operands+256*k+4*i:], v)
		}
	}
	for name, call := range f.engines {
		if err := call(f.arena.begin()); err != nil {
			t.Error(err)
			return false
		}
		for i := range in {
			if got, want := binary.LittleEndian.Uint32(f.arena.memory[results+4*i:]), f.want(in[i]); got != want {
				t.Errorf("%v of %#x by %s: %#x, want %#x", f.op, in[i], name, got, want)
				return false
			}
		}
	}
	return true
}

// TestFunctions holds functions by each back end to the interpreter: of one operand at both ends of each 2^16 operands, among which are those
// of all segments; of several at edges in all pairs, and at random. With -first at all of one operand, for a release:
//
//	go test ./internal/jit/isel/amd64 -run TestFunctions -first 0-ffffffff -timeout 5h
func TestFunctions(t *testing.T) {
	for _, op := range functions {
		if !strings.HasPrefix(op.String(), *only) {
			continue
		}
		t.Run(op.String(), func(t *testing.T) {
			f := newFunction(t, op)
			if len(f.engines) == 0 {
				t.Skip("not by this processor")
			}
			f.atSome(t, rand.New(rand.NewPCG(5, 6)))
		})
	}
}

func (f *function) atSome(t *testing.T, r *rand.Rand) {
	var from, to uint64
	if n, _ := fmt.Sscanf(*first, "%x-%x", &from, &to); n == 2 {
		for a := from; a <= to && f.check(t, func(i int) [3]uint32 { return [3]uint32{uint32(a) + uint32(i), r.Uint32(), r.Uint32()} }); a += 32 {
		}
		return
	}
	any := func() uint32 {
		switch r.IntN(4) {
		case 0:
			return edges[r.IntN(len(edges))] | r.Uint32()&(1<<31)
		case 1:
			return r.Uint32()&0x807fffff | (100+r.Uint32()%50)<<23
		}
		return r.Uint32()
	}
	if len(f.op.Shape().Operands()) == 1 {
		for segment := range uint32(1 << 16) { // the last 16 of the one before it, and its first
			if !f.check(t, func(i int) [3]uint32 { return [3]uint32{segment<<16 - 16 + uint32(i)} }) {
				return
			}
		}
	}
	for range 20000 {
		if !f.check(t, func(int) [3]uint32 { return [3]uint32{any(), any(), any()} }) {
			return
		}
	}
}
