package vec

// Running the kernels of a block through the whole pipeline.

import (
	"context"
	"encoding/binary"
	"fmt"

	"ptxvm/internal/check"
	"ptxvm/internal/decode"
	"ptxvm/internal/ir"
	"ptxvm/internal/lower"
	"ptxvm/internal/machine"
	"ptxvm/internal/mem"
	"ptxvm/internal/syntax"
)

// Masks are the sets of lanes that execute a block.
var Masks = []uint32{0xffffffff, 0x5555aaaa, 0x00000001, 0x80000000}

// Runner runs blocks on one small device.
type Runner struct {
	arena  *mem.Arena
	device *machine.Device
}

// NewRunner makes a device with one worker.
func NewRunner() (*Runner, error) {
	arena, err := mem.NewArena(64 << 20)
	if err != nil {
		return nil, err
	}
	return &Runner{arena, machine.NewDevice(arena, 1)}, nil
}

// Close ends the device.
func (r *Runner) Close() error { return r.device.Close() }

// nowhere places modules without variables.
type nowhere struct{}

func (nowhere) Var(*ir.Var) uint64   { return 0 }
func (nowhere) Func(*ir.Func) uint64 { return 0 }

// Module compiles and links PTX text.
func Module(name, src string) (*ir.Module, error) {
	info, diags := check.Check(syntax.Parse(name, []byte(src)), check.Options{})
	if diags.HasErrors() {
		return nil, diags
	}
	m, err := lower.Module(info, lower.Options{})
	if err != nil {
		return nil, err
	}
	linked, diags := lower.Link([]*ir.Module{m}, decode.Provided)
	if diags.HasErrors() {
		return nil, diags
	}
	return linked, nil
}

// Block runs every case with every mask and reports the differences.
func (r *Runner) Block(b *Block) []error {
	w, err := wrap(b)
	if err != nil {
		return []error{err}
	}
	m, err := Module(b.File, w.source())
	if err != nil {
		return []error{fmt.Errorf("%s:%d: %s: %w\n%s", b.File, b.Line, b.Text, err, w.source())}
	}
	x := &execution{Runner: r, wrapped: w, m: m, d: decode.New(m, nowhere{})}
	for i := range b.Cases {
		if c := &b.Cases[i]; len(c.In) != len(w.in) || len(c.Out) != len(w.out) {
			x.fail(c, "%d operands and %d results, want %d and %d", len(c.In), len(c.Out), len(w.in), len(w.out))
			return x.errs
		}
	}
	for from := 0; from < len(b.Cases); from += 32 {
		for _, mask := range Masks {
			x.masked(b.Cases[from:min(from+32, len(b.Cases))], mask)
		}
	}
	for i := range b.Cases {
		x.uniform(&b.Cases[i])
	}
	return x.errs
}

// execution is a block that runs.
type execution struct {
	*Runner
	*wrapped
	m    *ir.Module
	d    *decode.Decoder
	errs []error
}

func (x *execution) fail(c *Case, format string, args ...any) {
	x.errs = append(x.errs, fmt.Errorf("%s:%d: %s: %s", x.File, c.Line, x.Text, fmt.Sprintf(format, args...)))
}

// masked runs up to 32 cases in the lanes of a warp, in turn, and checks the lanes outside the
// mask too.
func (x *execution) masked(cases []Case, mask uint32) {
	var in []uint64
	for lane := range 32 {
		in = append(in, cases[lane%len(cases)].In...)
	}
	got, err := x.launch("masked", in, nil, mask)
	if err != nil {
		x.fail(&cases[0], "%v", err)
		return
	}
	for lane := range 32 {
		c := &cases[lane%len(cases)]
		for k, o := range x.out {
			want := c.Out[k]
			if mask>>lane&1 == 0 {
				want = poison
			}
			x.compare(c, o, got[lane*len(x.out)+k], want, mask, lane)
		}
	}
}

// uniform runs a case with the same operands in all lanes.
func (x *execution) uniform(c *Case) {
	got, err := x.launch("uniform", nil, c.In, 0)
	if err != nil {
		x.fail(c, "uniform: %v", err)
		return
	}
	for lane := range 32 {
		for k, o := range x.out {
			x.compare(c, o, got[lane*len(x.out)+k], c.Out[k], 0, lane)
		}
	}
}

func (x *execution) compare(c *Case, o *operand, got, want uint64, mask uint32, lane int) {
	if n := o.bits(); n == 1 && want == poison {
		want = 0
	} else {
		want &= ^uint64(0) >> (64 - uint(n))
	}
	if got != want && len(x.errs) < 20 {
		x.fail(c, "%s = %#x, want %#x (mask %#x, lane %d; %s)", o.name, got, want, mask, lane, c.Source)
	}
}

// launch runs a kernel on one warp and returns the results of all lanes.
func (x *execution) launch(kernel string, in, params []uint64, mask uint32) ([]uint64, error) {
	f := x.m.Func(kernel)
	target := machine.TargetOf(90)
	p, err := x.d.Kernel(f, ir.LaunchShape{BlockX: 32, BlockY: 1, BlockZ: 1}, target, 0)
	if err != nil {
		return nil, err
	}
	src, err := x.upload(in, len(in))
	if err != nil {
		return nil, err
	}
	dst, err := x.upload(nil, 32*len(x.out))
	if err != nil {
		return nil, err
	}
	args := append([]uint64{dst}, params...)
	if kernel == "masked" {
		args = []uint64{src, dst, uint64(mask)}
	}
	_, err = x.device.Launch(context.Background(), &machine.Launch{
		Entry: p.Entry, Functions: p.Functions, Grid: one, Block: [3]uint32{32, 1, 1}, Cluster: one,
		Params: bytes(args), Target: target,
	})
	got := words(x.arena.Bytes(dst, uint64(8*32*len(x.out))))
	x.arena.Free(src)
	x.arena.Free(dst)
	return got, err
}

var one = [3]uint32{1, 1, 1}

// upload allocates n words and fills them.
func (x *execution) upload(v []uint64, n int) (uint64, error) {
	addr, err := x.arena.Alloc(uint64(8*n), mem.Info{Label: "vectors"})
	if err == nil && n > 0 {
		copy(x.arena.Bytes(addr, uint64(8*n)), bytes(v))
	}
	return addr, err
}

func bytes(v []uint64) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

func words(b []byte) (v []uint64) {
	for ; len(b) >= 8; b = b[8:] {
		v = append(v, binary.LittleEndian.Uint64(b))
	}
	return v
}
