// Package programs runs random programs of package generate in every way that must not matter:
// block shapes, workers, single lanes, converged and split code, compiled code with calls and with functions in their place.
package programs

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/sem/table"
	"ptxvm.invalid/ptxvm/internal/testkit/generate"
	"ptxvm.invalid/ptxvm/internal/testkit/load"
)

// Lanes is the number of lanes of a launch that are compared.
const Lanes = 256

// Way is a way to run a program.
type Way struct {
	Block   [3]uint32
	Workers int
	Split   bool // no lane shares scalar code with another
	Engine  *jit.Engine
	Name    string // of the engine
	InPlace bool   // functions stand in place of their calls where they may
}

func (w Way) String() string {
	s := fmt.Sprintf("block %v, %d workers", w.Block, w.Workers)
	if w.Split {
		s += ", split"
	}
	if w.Engine != nil {
		s += ", compiled for " + w.Name
	}
	if w.InPlace {
		s += ", functions in place"
	}
	return s
}

// blocks are the shapes of blocks; the warps of the first ones hold the same lanes.
var blocks = [][3]uint32{{32, 1, 1}, {256, 1, 1}, {16, 16, 1}, {8, 8, 4}, {64, 1, 1}, {33, 1, 1}, {1, 1, 1}, {5, 3, 1}}

// sameWarps is the number of blocks that a program with warp operations may have.
const sameWarps = 5

// Ways lists the ways to run a program; all have the results of the first.
func Ways(p *generate.Program) (list []Way) {
	for i, b := range blocks {
		if p.Warp && i >= sameWarps {
			break
		}
		list = append(list, Way{Block: b, Workers: 1}, Way{Block: b, Workers: 1, Split: true})
		if i < 2 {
			list = append(list, Way{Block: b, Workers: 2})
		}
	}
	return list
}

// Executed reports whether a statement has semantics.
func Executed(sel *isa.Sel) bool {
	line, err := table.Whole().Lookup(sel)
	return err == nil && line.Do != nil
}

// Input is what a program reads: rows of edge values and random ones, and one row for all lanes.
type Input struct{ in, same []byte }

// edges are values at the ends of what formats hold, in bits.
var edges = []uint64{
	0, 1, 2, 31, 32, 63, 64, 0xff, 0x7f, 0x80, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 63, 1<<63 - 1, ^uint64(0),
	0x3c00, 0x7c00, 0xfc00, 0x7e00, 0x0001, 0x7bff, 0x3f80, 0x7f80, 0x7fc0, 0x3c003c00, 0x7c00fc00,
	0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x4f000000, 0xcf000000,
	0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0x43e0000000000000,
}

// NewInput makes the input of a seed.
func NewInput(seed uint64) *Input {
	r := rand.New(rand.NewPCG(seed, 2))
	fill := func(n int) (out []byte) {
		for range n / 8 {
			v := edges[r.IntN(len(edges))]
			switch r.IntN(3) {
			case 0:
				v = r.Uint64()
			case 1:
				v |= edges[r.IntN(len(edges))] << 32
			}
			out = binary.LittleEndian.AppendUint64(out, v)
		}
		return out
	}
	return &Input{fill(Lanes * generate.RowBytes), fill(generate.RowBytes)}
}

// compiled is a program in the machine's memory.
type compiled struct {
	arena   *mem.Arena
	device  *host.Device
	decoder *decode.Decoder
	kernel  *ir.Func
	target  sizes.Target
	in, out uint64
	params  []byte
}

// placed gives addresses to functions; programs have no variables.
type placed struct{ m *ir.Module }

func (p placed) Func(f *ir.Func) uint64 {
	return mem.CodeWindow + 16*uint64(slices.Index(p.m.Funcs, f))
}
func (placed) Var(*ir.Var) uint64 { return 0 }

// maxWorkers is the most workers that a way has.
const maxWorkers = 2

// spare is the number of lanes above Lanes that blocks of odd shape bring.
const spare = 64

func compile(p *generate.Program, input *Input) (*compiled, error) {
	return compileText(p.String(), p.Target, input)
}

func compileText(text string, target isa.Target, input *Input) (*compiled, error) {
	linked, err := load.Text("program.ptx", text)
	if err != nil {
		return nil, err
	}
	c := &compiled{decoder: decode.New(linked, placed{linked}), kernel: linked.Func("run"), target: sizes.Of(target.Arch)}
	if c.arena, err = mem.NewArena(4 << 20); err != nil {
		return nil, err
	}
	c.device = host.NewDevice(c.arena, maxWorkers)
	if c.in, err = c.arena.Alloc((Lanes+spare)*generate.RowBytes, mem.Info{Label: "in"}); err != nil {
		return nil, err
	}
	if c.out, err = c.arena.Alloc((Lanes+spare)*generate.RowBytes, mem.Info{Label: "out"}); err != nil {
		return nil, err
	}
	copy(c.arena.Bytes(c.in, Lanes*generate.RowBytes), input.in)
	c.params = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, c.in), c.out)
	c.params = append(c.params, input.same...) // 16 bytes, so aligned
	return c, nil
}

// run executes the program in one way and returns what the lanes have written.
func (c *compiled) run(w Way) ([]byte, error) {
	of := ir.LaunchShape{BlockX: int32(w.Block[0]), BlockY: int32(w.Block[1]), BlockZ: int32(w.Block[2])}
	decoded := c.decoder.Kernel
	if w.InPlace {
		decoded = c.decoder.Inlined
	}
	p, err := decoded(c.kernel, of, c.target, 0, assume.Set{})
	if err != nil {
		return nil, err
	}
	entry := p.Entry
	if w.Split {
		entry = entry.OnlySplit()
	}
	out := c.arena.Bytes(c.out, (Lanes+spare)*generate.RowBytes)
	clear(out)
	size := w.Block[0] * w.Block[1] * w.Block[2]
	var install host.Compiler
	if w.Engine != nil {
		install = w.Engine.Install
	}
	_, err = c.device.Launch(context.Background(), &host.Launch{Workers: w.Workers, Tiers: host.Tiers{Compile: install}, Launch: machine.Launch{
		Entry: entry, Functions: p.Functions, Shape: shape.Shape{Grid: [3]uint32{(Lanes + size - 1) / size, 1, 1}, Block: w.Block, Cluster: [3]uint32{1, 1, 1}},
		Params: c.params, Target: c.target, MaxSteps: 1 << 24,
	}})
	return bytes.Clone(out[:Lanes*generate.RowBytes]), err
}

// Supported drops the statements that are refused because of their operands, which no form
// shows, and returns how many.
func Supported(p *generate.Program) (dropped int, err error) {
	for {
		n, err := dropRefused(p)
		dropped += n
		if n == 0 {
			return dropped, err
		}
	}
}

// dropRefused drops the statements that one decoding finds.
func dropRefused(p *generate.Program) (dropped int, err error) {
	c, err := compile(p, &Input{})
	if err != nil {
		return 0, err
	}
	defer c.device.Close()
	_, err = c.decoder.Kernel(c.kernel, ir.LaunchShape{BlockX: 1, BlockY: 1, BlockZ: 1}, c.target, 0, assume.Set{})
	var refused *decode.UnsupportedError
	if !errors.As(err, &refused) {
		return 0, err
	}
	text := p.String()
	for _, form := range refused.Forms {
		for _, at := range form.At {
			p.Each(func(n *generate.Node) {
				if n.Kind == generate.Straight && strings.Contains(n.Text, lineAt(text, int(at))) {
					n.Dropped = true
					dropped++
				}
			})
		}
	}
	if dropped == 0 {
		return 0, err
	}
	return dropped, nil
}

// lineAt is the line of a text around an offset.
func lineAt(text string, at int) string {
	first := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[first:], "\n")
	return line
}

// Compare runs a program in all ways and says in which it differs from the first, nil if in none.
func Compare(p *generate.Program, input *Input) error {
	c, err := compile(p, input)
	if err != nil {
		return err
	}
	defer c.device.Close()
	ways, done := engineWays(Ways(p), c.kernel.Inline() != nil)
	defer done()
	want, err := c.run(ways[0])
	if err != nil {
		return err
	}
	for _, w := range ways[1:] {
		got, err := c.run(w)
		if err != nil {
			return fmt.Errorf("%v: %w", w, err)
		}
		if at := differ(got, want); at >= 0 {
			return fmt.Errorf("%v: lane %d, byte %d: %#x, want %#x", w, at/generate.RowBytes, at%generate.RowBytes, word(got, at), word(want, at))
		}
	}
	return nil
}

// engineWays adds, for every engine that this machine can run, whole warps and those of 33 threads: with calls, and with functions in
// place if there are any.
func engineWays(ways []Way, inPlace bool) (all []Way, done func()) {
	all = ways
	var engines []*jit.Engine
	for _, o := range jit.Compilers() {
		e, err := jit.NewEngine(o)
		if err != nil {
			continue
		}
		engines = append(engines, e)
		for _, w := range ways {
			if few := w.Block[0] == 32 || w.Block[0] == 33; few && w.Workers == 1 && !w.Split {
				w.Engine, w.Name = e, o.String()
				all = append(all, w)
				if w.InPlace = inPlace; inPlace {
					all = append(all, w)
				}
			}
		}
	}
	return all, func() {
		for _, e := range engines {
			e.Close()
		}
	}
}

// differ returns the first word at which two memories differ, -1 if they are equal.
func differ(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i &^ 7
		}
	}
	return -1
}

func word(b []byte, at int) uint64 { return binary.LittleEndian.Uint64(b[at:]) }
