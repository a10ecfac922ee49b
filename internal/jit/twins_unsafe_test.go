package jit

import (
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
	"ptxvm.invalid/ptxvm/internal/sem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// edges are the values where integer and float formats change behaviour.
var edges = []uint64{
	0, 1, 2, 3, 31, 32, 33, 63, 64, 127, 128, 255, 256, 0x7fff, 0x8000, 0x8001, 0xffff, 0x10000,
	0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
	0x3f800000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x00800000, 0x007fffff, 0xbf800000, 0xff800000, 0xffc00001,
	0x4f000000, 0xcf000000, 0x4effffff, 0x4b000001, 0x3effffff, 0x3f000000, 0x3fc00000, 0xbf000001, 0x80800000, 0x00000001,
	0x3ff0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000, 0x0010000000000000,
}

// bench is a register block with a context, outside the Go stack.
type bench struct {
	state *abi.State
	block []byte
}

const (
	rowBytes = 256
	maskAt   = 6 * rowBytes // predicates
	slotsAt  = 7 * rowBytes
	dstAt    = 4 * rowBytes
)

// keep holds what machine code has the address of.
var keep []any

func newBench() *bench {
	memory := make([]byte, 64+int(unsafe.Sizeof(abi.State{}))+64)
	block := make([]byte, 8*rowBytes+64)
	keep = append(keep, memory, block)
	aligned := func(b []byte) []byte { return b[-uintptr(unsafe.Pointer(&b[0]))&63:] }
	b := &bench{(*abi.State)(unsafe.Pointer(&aligned(memory)[0])), aligned(block)}
	b.state.Regs = uintptr(unsafe.Pointer(&b.block[0]))
	return b
}

func (b *bench) get(row int, t typ, lane int) uint64 {
	if t == tX {
		return binary.LittleEndian.Uint64(b.block[row+8*lane:])
	}
	return uint64(binary.LittleEndian.Uint32(b.block[row+4*lane:]))
}

func (b *bench) put(row int, t typ, lane int, v uint64) {
	if t == tX {
		binary.LittleEndian.PutUint64(b.block[row+8*lane:], v)
	} else {
		binary.LittleEndian.PutUint32(b.block[row+4*lane:], uint32(v))
	}
}

// trial is one way to compile a lane function.
type trial struct {
	wide512  bool
	use      maskUse
	mask     uint32
	scalar   bool
	resident bool    // 32-bit operands are in registers
	slots    [4]bool // operands that are the same in all lanes
	known    [4]bool // operands that are constants
	times    int     // how often the function is executed; 0: once
}

// assemble compiles a function for a trial, nil if it has no program.
func (x *trial) assemble(t *testing.T, b *bench, fn uop.Op) []byte {
	c := &compiler{region: &region{mem: new(scratch), code: &machine.Code{}, wide512: x.wide512},
		emitter: &emitter{Asm: x86.New(nil), evex: x.wide512, freeK: []x86.K{x86.K6, x86.K5}}}
	first, all, per := 0, 16, 4
	if x.wide512 {
		all, per = 32, 2
	}
	shape := fn.Shape()
	p := &program{evex: x.wide512}
	s := &step{}
	var vals []val
	row := func(src *source, off uint32) {
		if x.resident && src.typ == tW && !x.scalar && !src.slot && first+per <= all-6 {
			src.row = first
			c.row.add(off, first)
			first += per
		}
	}
	dst := source{typ: typeOf(shape.Result), off: dstAt, slot: x.scalar, row: -1}
	row(&dst, dstAt)
	for k, bits := range shape.Operands() {
		src := source{typ: typeOf(bits), off: uint32(k * rowBytes), row: -1, slot: x.scalar}
		if x.slots[k] || x.scalar {
			src.slot, src.off = true, uint32(slotsAt+8*k)
		}
		if src.known = x.known[k]; src.known {
			src.value = b.get(k*rowBytes, src.typ, 0)
		}
		row(&src, src.off)
		s.in = append(s.in, src)
		vals = append(vals, c.input(p, s.in, k))
	}
	twin := laneOf(fn).twin
	if twin == nil || !c.settle(s, p, twin(p, vals), dst) {
		return nil
	}
	for v := all - 1; v >= first; v-- {
		c.free = append(c.free, x86.Vec(v))
	}
	temps := len(c.free)
	c.code.RegBytes = 1 << 20
	c.RM(x86.MOV, x86.S64, rRegs, ctxRegs)
	c.RM(x86.MOV, x86.S32, rMask, ctxMask)
	for _, off := range c.allRows() {
		c.eachRegister(off, func(v x86.Vec, m x86.Mem) { c.move(c.full(), v, m) })
	}
	if x.use == runLanes {
		c.setMask(rMask, kMask, saveRun)
	} else if x.use == guardLanes {
		c.RR(x86.MOV, x86.S32, rGuard, rMask)
		c.setMask(rGuard, kGuard, saveGuard)
	}
	for range max(x.times, 1) {
		c.run(p, s.in, &s.dst, x.scalar, x.use)
		if dst.typ == tM {
			c.writeMask(maskAt, x86.R8, x.use)
		}
	}
	c.storeRows(c.allRows())
	c.ret()
	if c.short {
		return nil
	}
	if len(c.free) != temps || len(c.freeK) != 2 {
		t.Fatalf("%s, %+v: %d of %d temporaries come back, %d masks", fn, *x, len(c.free), temps, len(c.freeK))
	}
	code, err := c.Finish()
	if err != nil {
		t.Fatalf("%s: %v", fn, err)
	}
	return code
}

// fill draws operands.
func (b *bench) fill(r *rand.Rand, x *trial, fn uop.Op) {
	for k, bits := range fn.Shape().Operands() {
		one := edges[r.IntN(len(edges))]
		if r.IntN(2) == 0 {
			one = uint64(r.IntN(40))
		}
		for i := range 32 {
			v := edges[r.IntN(len(edges))]
			switch {
			case x.slots[k] || x.known[k] || x.scalar:
				v = one
			case r.IntN(3) == 0:
				v = r.Uint64() >> r.IntN(64)
			}
			b.put(k*rowBytes, typeOf(bits), i, v)
		}
		binary.LittleEndian.PutUint64(b.block[slotsAt+8*k:], b.get(k*rowBytes, typeOf(bits), 0))
	}
	for i := range rowBytes {
		b.block[dstAt+i] = byte(i)
	}
	binary.LittleEndian.PutUint32(b.block[maskAt:], 0x0f0f3355)
	b.state.Mask = x.mask
}

// want is a lane's result by the function itself.
func (b *bench) want(fn uop.Op, lane int) uint64 {
	var args []reflect.Value
	f := reflect.ValueOf(sem.Function(fn))
	for k, bits := range fn.Shape().Operands() {
		v := b.get(k*rowBytes, typeOf(bits), lane)
		args = append(args, reflect.ValueOf(v).Convert(f.Type().In(k)))
	}
	out := f.Call(args)[0]
	if out.Kind() == reflect.Bool {
		if out.Bool() {
			return 1
		}
		return 0
	}
	return out.Uint()
}

// compare runs a trial on some operands.
func (x *trial) compare(t *testing.T, b *bench, fn uop.Op, entry uintptr, r *rand.Rand) {
	dst := typeOf(fn.Shape().Result)
	var want [32]uint64
	for i := range want {
		switch {
		case x.mask>>i&1 != 0 || x.use == allLanes:
			want[i] = b.want(fn, i)
		case dst == tM:
			want[i] = uint64(binary.LittleEndian.Uint32(b.block[maskAt:]) >> i & 1)
		default:
			want[i] = b.get(dstAt, dst, i)
		}
	}
	native.Call(entry, unsafe.Pointer(b.state))
	for i := range want {
		got := uint64(binary.LittleEndian.Uint32(b.block[maskAt:]) >> i & 1)
		if dst != tM {
			got = b.get(dstAt, dst, i)
		}
		if got != want[i] {
			t.Errorf("%s, %+v: lane %d is %#x, want %#x (of %#x %#x %#x)", fn, *x, i, got, want[i],
				b.get(0, typeOf(fn.Shape().Operand[0]), i), b.get(rowBytes, tX, i), b.get(2*rowBytes, tX, i))
			return
		}
		if x.scalar && dst != tM {
			break
		}
	}
}

// trials are the ways in which every twin is compiled.
func trials(r *rand.Rand) (list []trial) {
	for _, wide := range []bool{false, true} {
		for _, resident := range []bool{false, true} {
			for _, use := range []maskUse{allLanes, runLanes, guardLanes} {
				for range 2 {
					x := trial{wide512: wide, resident: resident, use: use, mask: ^uint32(0)}
					if use != allLanes {
						x.mask = []uint32{1 << r.IntN(32), r.Uint32() | 1}[r.IntN(2)]
					}
					for k := range 4 {
						x.slots[k], x.known[k] = r.IntN(4) == 0, r.IntN(4) == 0
					}
					list = append(list, x)
				}
			}
		}
		list = append(list, trial{wide512: wide, scalar: true, mask: ^uint32(0)})
	}
	return list
}

// TestTwins compares every twin with its lane function, in both widths, with operands in memory, in
// registers, in slots and as constants, under every kind of mask.
func TestTwins(t *testing.T) {
	if err := (Options{}).possible(); err != nil {
		t.Skip(err)
	}
	b, r := newBench(), rand.New(rand.NewPCG(1, 2))
	seen, with, widths := map[uop.Op]bool{}, map[uop.Op]int{}, map[uop.Op]int{}
	for _, fn := range sem.LaneFunctions() {
		seen[fn] = true
		if laneOf(fn).twin == nil {
			continue
		}
		for _, x := range trials(r) {
			if x.wide512 && !native.HasAVX512() {
				continue
			}
			for range 2 {
				b.fill(r, &x, fn)
				code := x.assemble(t, b, fn)
				if code == nil {
					continue
				}
				with[fn]++
				widths[fn] |= 1 << bit(x.wide512)
				c, err := native.New(code)
				if err != nil {
					t.Skip(err)
				}
				x.compare(t, b, fn, c.Addr(0), r)
				c.Free()
			}
		}
	}
	for _, table := range twinTables() {
		for name := range table {
			if !seen[name] {
				t.Errorf("%s is no lane function", name)
			} else if with[name] == 0 {
				t.Errorf("%s was never compiled", name)
			} else if widths[name] != 3 && native.HasAVX512() {
				t.Errorf("%s was compiled for one width alone: %d", name, widths[name])
			}
		}
	}
}
