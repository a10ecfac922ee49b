package kernels

// Kernels in both engines.

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/testkit/load"
)

// Shape is what a launch of a kernel needs: the bytes of in, whose middle the kernel gets, and of out, the turns of its loops, and
// the grid.
type Shape struct {
	In, Out, Turns int
	Grid           [2]uint32
}

// Shape is that of the kernel's launches.
func (k *Kernel) Shape() Shape { return Shape{inBytes, k.outBytes(), turns, [2]uint32{gridX, gridY}} }

// blocks are all shapes; the first ones are of whole warps.
var blocks = [][3]uint32{{32, 1, 1}, {256, 1, 1}, {16, 16, 1}, {8, 8, 4}, {64, 1, 1}, {32, 4, 1}, {4, 16, 2}, {33, 1, 1}, {1, 1, 1}, {8, 3, 2}, {18, 9, 1}, {200, 1, 1}}

const wholeWarps = 7

// Way is a way to compile a kernel.
type Way struct {
	Vectors jit.Vectors
	Quick   bool   // by the quick tier
	Leaves  uint64 // seed of the instructions at which code leaves, one of eight; 0: none; even: accesses, when addresses are tested
}

func (w Way) String() string {
	if w.Leaves == 0 {
		return w.options().String()
	}
	return fmt.Sprintf("%v, leaving at some instructions (%d)", w.options(), w.Leaves)
}

// options are those of the compiler.
func (w Way) options() jit.Options {
	o := jit.Options{Vectors: w.Vectors, Quick: w.Quick}
	if w.Leaves == 0 {
		return o
	}
	at := func(pc int32) bool { return rand.New(rand.NewPCG(w.Leaves, uint64(pc))).IntN(8) == 0 }
	if w.Leaves%2 == 0 {
		return jit.Missing(o, at)
	}
	return jit.Leaving(o, at)
}

// Ways are those that this machine can run.
func Ways(seed uint64) (list []Way) {
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		if e, err := jit.NewEngine(jit.Options{Vectors: v}); err == nil {
			e.Close()
			list = append(list, Way{Vectors: v}, Way{Vectors: v, Leaves: seed + 1}, Way{Vectors: v, Quick: true}, Way{Vectors: v, Quick: true, Leaves: seed + 1}, Way{Vectors: v, Leaves: seed + 2})
		}
	}
	return list
}

// Difference is what two engines disagree on.
type Difference struct {
	Block [3]uint32
	Way   Way
	What  string
}

func (d *Difference) Error() string { return fmt.Sprintf("block %v, %v: %s", d.Block, d.Way, d.What) }

// Compare runs a kernel in some blocks of its seed, in the interpreter and in all ways; nil if all agree, else
// a *Difference, or why the kernel cannot be run. changed is the text that is compiled in place of the kernel's,
// for tests that plant a defect; nil: the same.
func Compare(k *Kernel, seed uint64, ways []Way, changed func(string) string) error {
	for _, b := range Blocks(k, seed) {
		if err := CompareIn(k, b, ways, changed); err != nil {
			return err
		}
	}
	return nil
}

// Blocks are three shapes.
func Blocks(k *Kernel, seed uint64) (list [][3]uint32) {
	r := rand.New(rand.NewPCG(seed, 5))
	n := len(blocks)
	if k.Warps {
		n = wholeWarps
	}
	for _, i := range r.Perm(n)[:3] {
		list = append(list, blocks[i])
	}
	return list
}

// CompareIn is Compare in one block.
func CompareIn(k *Kernel, block [3]uint32, ways []Way, changed func(string) string) error {
	text := k.String()
	if changed == nil {
		return k.compare(text, text, block, ways)
	}
	return k.compare(text, changed(text), block, ways)
}

// compare interprets one text and compiles the other.
func (k *Kernel) compare(interpreted, text string, block [3]uint32, ways []Way) error {
	want, err := k.run(interpreted, block, nil)
	if err != nil {
		return err
	}
	for _, w := range ways {
		e, err := jit.NewEngine(w.options())
		if err != nil {
			return err
		}
		got, err := k.run(text, block, e)
		if err == nil {
			err = e.Err()
		}
		e.Close()
		if err != nil {
			return err
		}
		if what := got.differs(want, k.own); what != "" {
			return &Difference{block, w, what}
		}
	}
	return nil
}

// result is all that a launch can be told by.
type result struct {
	out        []byte
	fault      string
	steps, ops uint64
}

// differs says where two results differ, "" if nowhere. What warps did before they heard of a fault is not defined.
func (a *result) differs(b *result, own int) string {
	switch {
	case a.fault != b.fault:
		return fmt.Sprintf("it ends with %q, interpreted with %q", a.fault, b.fault)
	case a.fault != "":
		return ""
	case !bytes.Equal(a.out, b.out):
		at := 0
		for a.out[at] == b.out[at] {
			at++
		}
		return fmt.Sprintf("out[%s] is %#x, interpreted %#x", placeName(at&^3, own), binary.LittleEndian.Uint32(a.out[at&^3:]), binary.LittleEndian.Uint32(b.out[at&^3:]))
	case a.steps != b.steps || a.ops != b.ops:
		return fmt.Sprintf("%d steps and %d lane-ops, interpreted %d and %d", a.steps, a.ops, b.steps, b.ops)
	}
	return ""
}

// placeName says whose byte of out that is.
func placeName(at, own int) string {
	if all := threads * gridX * gridY * own; at >= all {
		return fmt.Sprintf("%d of store %d", (at-all)%outArea, (at-all)/outArea)
	}
	return fmt.Sprintf("%d of thread %d in CTA %d", at%own, at/own%threads, at/own/threads)
}

// placed gives addresses to functions; kernels have no variables in global memory.
type placed struct{}

func (placed) Func(*ir.Func) uint64 { return mem.CodeWindow }
func (placed) Var(*ir.Var) uint64   { return 0 }

// input is what kernels read: small numbers, edge values and random bits.
var input = func() (b []byte) {
	r := rand.New(rand.NewPCG(3, 4))
	edges := []uint32{0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x3f800000, 0xbf000000, 0x7f800000, 0x7fc00000, 0x00000001, 0x40490fdb, 31, 32, 255}
	for len(b) < inBytes {
		v := r.Uint32()
		switch r.IntN(4) {
		case 0:
			v = edges[r.IntN(len(edges))]
		case 1:
			v &= 0xfff
		}
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}()

// run launches a kernel with one worker; e is nil for the interpreter. The error says that it cannot be run.
func (k *Kernel) run(text string, block [3]uint32, e *jit.Engine) (*result, error) {
	linked, err := load.Text("kernel.ptx", text)
	if err != nil {
		return nil, err
	}
	outBytes := uint64(k.outBytes())
	arena, err := mem.NewArena(inBytes + outBytes + 1<<20)
	if err != nil {
		return nil, err
	}
	device := host.NewDevice(arena, 1)
	defer device.Close()
	in, err := arena.Alloc(inBytes, mem.Info{Label: "in"})
	if err != nil {
		return nil, err
	}
	out, err := arena.Alloc(outBytes, mem.Info{Label: "out"})
	if err != nil {
		return nil, err
	}
	copy(arena.Bytes(in, inBytes), input)
	f := linked.Func("k")
	of := ir.LaunchShape{BlockX: int32(block[0]), BlockY: int32(block[1]), BlockZ: int32(block[2])}
	target := sizes.Of(90)
	p, err := decode.New(linked, placed{}).Kernel(f, of, target, uint32(f.SharedBytes), assume.Set{})
	if err != nil {
		return nil, err
	}
	params := binary.LittleEndian.AppendUint64(nil, in+inBytes/2)
	params = binary.LittleEndian.AppendUint64(params, out)
	l := &host.Launch{Workers: 1, Launch: machine.Launch{Entry: p.Entry, Functions: p.Functions, Shape: shape.Shape{Grid: [3]uint32{gridX, gridY, 1}, Block: block, Cluster: [3]uint32{1, 1, 1}},
		Shared: uint32(f.SharedBytes), Params: binary.LittleEndian.AppendUint64(params, turns), Target: target, MaxSteps: 1 << 24}}
	if e != nil {
		l.Compile = e.Install
	}
	stats, err := device.Launch(context.Background(), l)
	r := &result{out: slices.Clone(arena.Bytes(out, outBytes)), steps: stats.Steps, ops: stats.LaneOps}
	if err != nil {
		r.fault = err.Error()
	}
	return r, nil
}
