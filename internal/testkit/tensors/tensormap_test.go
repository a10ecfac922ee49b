package tensors_test

// This file holds copies of tensors to what a plain walk over their elements gives.

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

const boxKernel = `.version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 size, .param .align 4 .b8 at[20]) {
	.reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .pred %p<4>;
	.shared .align 1024 .b8 data[32768]; .shared .align 8 .b64 bar;
	mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1;
	ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [size];
	ld.param.u32 %r2, [at]; ld.param.u32 %r3, [at+4]; ld.param.u32 %r4, [at+8]; ld.param.u32 %r5, [at+12]; ld.param.u32 %r6, [at+16];
	mov.u32 %r0, %tid.x;
	setp.ne.u32 %p1, %r0, 0;
	@%p1 bra DONE;
	mbarrier.init.shared.b64 [bar], 1;
	fence.proxy.async;
	mbarrier.arrive.expect_tx.shared.b64 _, [bar], %r1;
	cp.async.bulk.tensor.%DIM%.shared::cluster.global.%MODE%.mbarrier::complete_tx::bytes [data], [%rd1, {%COORDS%}], [bar];
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;
	@!%p2 bra WAIT;
	mov.u32 %r7, 0;
COPY:
	mov.u32 %r8, data; add.u32 %r8, %r8, %r7;
	ld.shared.b32 %r9, [%r8];
	cvt.u64.u32 %rd3, %r7; add.u64 %rd3, %rd3, %rd2;
	st.global.b32 [%rd3], %r9;
	add.u32 %r7, %r7, 4;
	setp.lt.u32 %p3, %r7, %r1;
	@%p3 bra COPY;
DONE:
	ret;
}`

// boxCase is a tensor and a box of it.
type boxCase struct {
	typ           string
	size          int
	dims, box     []uint32
	steps         []uint32
	at            []int32
	swizzle       ptxvm.Swizzle
	nans, apart   bool
	pad           uint64 // bytes between rows
	lines         int    // of the swizzle: which lines differ
	shift, second int
}

// boxes draws cases.
func boxes(r *rand.Rand) boxCase {
	types := []struct {
		name string
		size int
	}{{"u8", 1}, {"u16", 2}, {"s32", 4}, {"u64", 8}, {"f16", 2}, {"f32", 4}, {"bf16", 2}, {"f64", 8}, {"tf32", 4}}
	swizzles := []boxCase{ // the table of 5.5.7: address bits from 7 on, XORed to bit 4 and up
		{}, {swizzle: ptxvm.Swizzle32, lines: 1, shift: 4}, {swizzle: ptxvm.Swizzle64, lines: 3, shift: 4}, {swizzle: ptxvm.Swizzle128, lines: 7, shift: 4},
		{swizzle: ptxvm.Swizzle128Atom32, lines: 3, shift: 5}, {swizzle: ptxvm.Swizzle128Atom32Flip, lines: 3, shift: 5, second: 3}, {swizzle: ptxvm.Swizzle128Atom64, lines: 1, shift: 6},
	}
	c := swizzles[r.IntN(len(swizzles))]
	t := types[r.IntN(len(types))]
	c.typ, c.size = t.name, t.size
	span := map[ptxvm.Swizzle]int{ptxvm.Swizzle{}: 256, ptxvm.Swizzle32: 32, ptxvm.Swizzle64: 64}[c.swizzle]
	if span == 0 {
		span = 128
	}
	rank := 1 + r.IntN(5)
	c.apart = rank == 2 && r.IntN(2) == 0
	c.nans = strings.Contains(t.name, "f") && r.IntN(2) == 0
	c.pad = 16 * uint64(r.IntN(3))
	rows := 1
	for d := range rank {
		dim, box, step := uint32(1+r.IntN(9)), uint32(1+r.IntN(3)), uint32(1+r.IntN(3))
		if d == 0 {
			n := 16 / c.size
			dim, box = uint32(n*(1+r.IntN(4))), uint32(n*(1+r.IntN(span/16)))
			if box > 256 {
				box = 256
			}
		}
		if c.apart && d == 1 {
			box, step = 1, 1
		}
		c.dims, c.box, c.steps = append(c.dims, dim), append(c.box, box), append(c.steps, step)
		c.at = append(c.at, int32(r.IntN(int(dim)+6))-3)
		rows *= int(box)
	}
	if c.apart {
		for range 3 {
			c.at = append(c.at, int32(r.IntN(12))-2)
		}
	}
	return c
}

// TestTensorBoxes: random boxes of random tensors arrive as an element-by-element walk says, in every mode.
func TestTensorBoxes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for i := range 150 {
		c := boxes(r)
		for _, async := range []ptxvm.Async{ptxvm.AsyncEager, ptxvm.AsyncLazy, ptxvm.AsyncRandom} {
			if err := runBox(t, c, ptxvm.DeviceConfig{Arch: "sm_100a", Async: async, Seed: uint64(i)}); err != nil {
				t.Fatalf("case %d, %+v, %v: %v", i, c, async, err)
			}
		}
	}
}

func runBox(t *testing.T, c boxCase, cfg ptxvm.DeviceConfig) error {
	t.Helper()
	rank := len(c.dims)
	strides := []uint64{}
	total := uint64(c.size)
	for d, n := range c.dims {
		if total *= uint64(n); d < rank-1 {
			total = (total+15)&^15 + c.pad
			strides = append(strides, total)
		}
	}
	memory := make([]byte, total)
	for i := range memory {
		memory[i] = byte(i*7 + i>>8*13 + 1)
	}
	d := rig.Device(t, cfg)
	buf, err := d.Alloc(len(memory))
	if err != nil {
		return err
	}
	if _, err := buf.WriteAt(memory, 0); err != nil {
		return err
	}
	m, err := d.NewTensorMap(ptxvm.TensorMapTiled{Buffer: buf, Type: c.typ, Dims: c.dims, Strides: strides, Box: c.box, ElementStrides: c.steps, Swizzle: c.swizzle, NaNs: c.nans})
	if err != nil {
		return err
	}
	want := walkBox(c, memory, strides)
	mode, coords := "tile", []string{"%r2", "%r3", "%r4", "%r5", "%r6"}[:len(c.at)]
	if c.apart {
		mode = "tile::gather4"
	}
	text := strings.NewReplacer("%DIM%", fmt.Sprint(rank, "d"), "%MODE%", mode, "%COORDS%", strings.Join(coords, ", ")).Replace(boxKernel)
	mod, err := ptxvm.Compile("box.ptx", []byte(text), nil)
	if err != nil {
		return err
	}
	p, err := d.Load(mod)
	if err != nil {
		return err
	}
	out, err := d.Alloc(65536)
	if err != nil {
		return err
	}
	at := [5]int32{}
	copy(at[:], c.at)
	if _, err := rig.Kernel(t, p, "k").Launch(context.Background(), ptxvm.Launch{Block: ptxvm.Dim3{X: 32}}, m, out, uint32(c.bytes()), at); err != nil {
		return err
	}
	got := make([]byte, c.bytes())
	if _, err := out.ReadAt(got, 0); err != nil {
		return err
	}
	for i, v := range want {
		if i < len(got) && got[i] != v { // a swizzle reaches to the end of the last line
			return fmt.Errorf("byte %d: %#x, want %#x", i, got[i], v)
		}
	}
	return nil
}

// bytes is the size of the box in shared memory.
func (c *boxCase) bytes() int {
	n := int(c.box[0]) * c.size
	for d := 1; d < len(c.box); d++ {
		n *= int((c.box[d] + c.steps[d] - 1) / c.steps[d])
	}
	if c.apart {
		n *= 4
	}
	return n
}

// walkBox visits the elements of a box one by one (5.5.3); the result is by place in shared memory, which begins at 1024.
func walkBox(c boxCase, memory []byte, strides []uint64) map[int]byte {
	want := map[int]byte{}
	n := slices.Clone(c.box)
	for d := 1; d < len(n); d++ {
		n[d] = (n[d] + c.steps[d] - 1) / c.steps[d]
	}
	if c.apart {
		n[1] = 4
	}
	i := make([]uint32, len(n))
	for lin := 0; ; lin++ {
		inside, from := true, uint64(0)
		for d := range n {
			x := int64(c.at[d]) + int64(i[d])
			if d > 0 {
				x = int64(c.at[d]) + int64(i[d])*int64(c.steps[d])
			}
			if c.apart && d == 1 {
				x = int64(c.at[1+i[1]])
			}
			inside = inside && x >= 0 && x < int64(c.dims[d])
			if d == 0 {
				from += uint64(x) * uint64(c.size)
			} else {
				from += uint64(x) * strides[d-1]
			}
		}
		for b := range c.size {
			v := byte(0)
			switch {
			case inside:
				v = memory[from+uint64(b)]
			case c.nans && b == c.size-1:
				v = 0x7f
			case c.nans:
				v = 0xff
			}
			place := lin*c.size + b
			line := place >> 7
			place ^= line & c.lines << c.shift
			if c.second != 0 {
				place ^= line & 1 << c.second
			}
			want[place] = v
		}
		d := 0
		for ; d < len(n); d++ {
			if i[d]++; i[d] < n[d] {
				break
			}
			i[d] = 0
		}
		if d == len(n) {
			return want
		}
	}
}
