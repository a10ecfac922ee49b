package sem

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// The reference implementation of every stamped loop calls the function through its value, lane by lane. Its
// operands are edge values of all formats, in every combination that 32 lanes and several
// rounds allow.

// edges are the values where integer and float formats change behaviour.
var edges = []uint64{
	0, 1, 2, 3, 31, 32, 33, 63, 64, 127, 128, 255, 256, 0x7fff, 0x8000, 0x8001, 0xffff, 0x10000,
	0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
	0x3c00, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff, 0x03ff, 0x0400, 0x3f80, 0x7f80, 0x7fc0, // f16, bf16
	0x3f800000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x00800000, 0x007fffff, 0xbf800000, // f32
	0x3ff0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000, 0x0010000000000000,
}

const (
	dstRow, firstRow = 0, 256
	inMask, outMask  = 256 * 8, 256*8 + 4
	blockBytes       = 256*8 + 256
)

// slowLoop is one function with operands placed in a warp.
type slowLoop struct {
	*stamp
	op uop.Op
	w  *machine.Warp
	in machine.Inst
	f  reflect.Value
}

func newSlowLoop(op uop.Op) *slowLoop {
	s := &stamps[op]
	t := &slowLoop{stamp: s, op: op, w: machine.NewLooseWarp(blockBytes), f: reflect.ValueOf(s.fn)}
	t.in = machine.Inst{D: dstRow, A: firstRow, B: 2 * firstRow, C: 3 * firstRow, Imm: 4 * firstRow}
	if t.carries() {
		t.in.Imm = outMask<<32 | inMask
	}
	if t.result() == 1 {
		t.in.D = outMask
	}
	return t
}

func (t *slowLoop) carries() bool    { return t.op.Shape().Carry }
func (t *slowLoop) result() int      { return int(t.op.Shape().Result) }
func (t *slowLoop) sources() int     { return int(t.op.Shape().N) }
func (t *slowLoop) source(k int) int { return int(t.op.Shape().Operand[k]) }

func (t *slowLoop) offset(k int) uint32 {
	return [...]uint32{t.in.A, t.in.B, t.in.C, 4 * firstRow}[k]
}

// fill draws operands.
func (t *slowLoop) fill(r *rand.Rand) {
	for k := range t.sources() {
		for i := range 32 {
			v := edges[r.IntN(len(edges))]
			if r.IntN(4) == 0 {
				v = r.Uint64() >> r.IntN(64)
			}
			StoreElem(t.w, t.offset(k), t.source(k), i, v)
		}
	}
	*t.w.P(inMask), *t.w.P(outMask) = r.Uint32(), 0x0f0f0f0f
	for i := range 32 {
		if b := t.result(); b > 1 {
			StoreElem(t.w, dstRow, b, i, 0x5555555555555555)
		}
	}
}

// call computes one lane through the function's value.
func (t *slowLoop) call(i int) (d uint64, carry uint32) {
	var args []reflect.Value
	for k := range t.f.Type().NumIn() {
		v := uint64(*t.w.P(inMask) >> i & 1)
		if k < t.sources() {
			v = LoadElem(t.w, t.offset(k), t.source(k), i)
		}
		args = append(args, reflect.ValueOf(v).Convert(t.f.Type().In(k)))
	}
	out := t.f.Call(args)
	if out[0].Kind() == reflect.Bool {
		return uint64(Bit(out[0].Bool())), 0
	}
	if len(out) > 1 {
		carry = uint32(out[1].Uint())
	}
	return out[0].Uint(), carry
}

// got reads one lane's result.
func (t *slowLoop) got(i int) (d uint64, carry uint32) {
	mask := *t.w.P(outMask) >> i & 1
	if t.result() == 1 {
		return uint64(mask), 0
	}
	if t.carries() {
		carry = mask
	}
	return LoadElem(t.w, dstRow, t.result(), i), carry
}

func (t *slowLoop) name() string {
	return t.op.String()
}

// TestStampsAgainstReferences compares every generated loop with its reference implementation.
func TestStampsAgainstReferences(t *testing.T) {
	for i := range stamps {
		if stamps[i].full == nil {
			continue
		}
		x := newSlowLoop(uop.Op(i))
		r := rand.New(rand.NewPCG(7, uint64(i)))
		for range 6 {
			for _, mask := range []uint32{^uint32(0), 0x5555aaaa, 1, 1 << 31} {
				x.rows(t, r, mask)
			}
			x.slots(t, r)
		}
	}
}

func (x *slowLoop) rows(t *testing.T, r *rand.Rand, mask uint32) {
	x.fill(r)
	type result struct {
		d     uint64
		carry uint32
	}
	var want [32]result
	for i := range 32 {
		want[i].d, want[i].carry = x.got(i)
		if mask>>i&1 != 0 {
			want[i].d, want[i].carry = x.call(i)
		}
	}
	h := x.full
	if x.w.Mask = mask; mask != ^uint32(0) {
		h = x.part
	}
	if st := h(x.w, &x.in); st != machine.Next {
		t.Fatalf("%s: state %d", x.name(), st)
	}
	for i := range 32 {
		var have result
		if have.d, have.carry = x.got(i); have != want[i] {
			t.Errorf("%s: lane %d of mask %#x is %#x, want %#x", x.name(), i, mask, have, want[i])
		}
	}
}

// slots compares the handler on scalar slots with lane 0: an element and a slot begin alike.
func (x *slowLoop) slots(t *testing.T, r *rand.Rand) {
	x.fill(r)
	x.w.Mask = ^uint32(0)
	if *x.w.P(inMask)&1 != 0 {
		*x.w.P(inMask) = ^uint32(0)
	} else {
		*x.w.P(inMask) = 0
	}
	d, carry := x.call(0)
	x.scalar(x.w, &x.in)
	if have, k := x.got(0); have != d || k != carry {
		t.Errorf("%s: scalar %#x %d, want %#x %d", x.name(), have, k, d, carry)
	}
	if m := *x.w.P(outMask); (x.carries() || x.result() == 1) && m != 0 && m != ^uint32(0) {
		t.Errorf("%s: scalar flag %#x is not the same for all lanes", x.name(), m)
	}
}

// TestPartialMasks: the partial loops of every lane, one at a time.
func TestPartialMasks(t *testing.T) {
	x := newSlowLoop(uop.Add32)
	r := rand.New(rand.NewPCG(8, 8))
	for lane := range 32 {
		x.rows(t, r, 1<<lane)
	}
}

// One warp addition by the stamped loop and through a function value: the reason for stamping.

func BenchmarkStampedAdd(b *testing.B) {
	w := machine.NewLooseWarp(blockBytes)
	in := machine.Inst{D: 0, A: 256, B: 512}
	for b.Loop() {
		fullAdd32(w, &in)
	}
}

func BenchmarkReferenceAdd(b *testing.B) {
	w := machine.NewLooseWarp(blockBytes)
	for b.Loop() {
		lane2(w.R32(0), w.R32(256), w.R32(512), addReference)
	}
}

var addReference = func(a, b uint32) uint32 { return a + b }

//go:noinline
func lane2(d, a, b *[32]uint32, f func(a, b uint32) uint32) {
	for i := range d {
		d[i] = f(a[i], b[i])
	}
}
