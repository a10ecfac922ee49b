package tensors_test

// This file holds copies of columns of pixels (im2col) to what follows from the number of a pixel by division.

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

// columnKernel fills shared memory with bytes 3·i, executes a statement, and gives back shared memory from data on.
const columnKernel = `.version 9.4
.target sm_107f
.address_size 64
.visible .entry k(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 size) {
	.reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>; .reg .b16 %h<4>;
	.shared .align 1024 .b8 data[32768]; .shared .align 8 .b64 bar;
	mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [out]; ld.param.u32 %r1, [size];
	mov.u32 %r2, 0;
FILL:
	mov.u32 %r3, data; add.u32 %r3, %r3, %r2; mul.lo.u32 %r4, %r2, 3; st.shared.u8 [%r3], %r4;
	add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, %r1; @%p0 bra FILL;
	fence.proxy.async;
	STMT
	mov.u32 %r2, 0;
COPY:
	mov.u32 %r3, data; add.u32 %r3, %r3, %r2; ld.shared.u8 %r4, [%r3];
	cvt.u64.u32 %rd3, %r2; add.u64 %rd3, %rd3, %rd2; st.global.u8 [%rd3], %r4;
	add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, %r1; @%p0 bra COPY;
	ret;
}`

const columnLoad = `mbarrier.init.shared.b64 [bar], 1; fence.proxy.async; mbarrier.arrive.expect_tx.shared.b64 _, [bar], %%r1;
	cp.async.bulk.tensor.%dd.shared::cta.global%s.mbarrier::complete_tx::bytes [data], [%%rd1, {%s}], [bar], {%s};
WAIT: mbarrier.try_wait.parity.shared.b64 %%p1, [bar], 0; @!%%p1 bra WAIT;`

const columnStore = `%s.async.bulk.tensor.%dd.global.shared::cta%s%s.bulk_group [%%rd1, {%s}], [data]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;`

// columnCase is a map of columns and where a copy begins: at whole steps from the lower corner of the bounding box.
type columnCase struct {
	ptxvm.TensorMapIm2col
	size         int // of an element
	start        []int
	first        int // channel
	image        int
	offsets      []int
	halo, offset int
}

// columns draws cases.
func columns(r *rand.Rand) (c columnCase) {
	c.Type = []string{"u8", "f16", "f32", "u32"}[r.IntN(4)]
	c.size = map[string]int{"u8": 1, "f16": 2, "f32": 4, "u32": 4}[c.Type]
	c.Mode = ptxvm.Im2colMode(r.IntN(3))
	c.NaNs = strings.HasPrefix(c.Type, "f") && r.IntN(2) == 0
	rank := 3 + r.IntN(3)
	unit := uint32(16 / c.size)
	c.Channels, c.Pixels = unit*uint32(1+r.IntN(2)), uint32(1+r.IntN(60))
	c.Dims, c.ElementStrides = []uint32{unit * uint32(1+r.IntN(3))}, []uint32{1}
	c.first = r.IntN(3*int(unit)) - int(unit)
	for d := 1; d < rank-1; d++ {
		dim, step, lower := 2+r.IntN(6), 1+r.IntN(3), r.IntN(5)-3
		upper := -r.IntN(3)
		if dim+upper <= lower {
			upper = 0
		}
		c.Dims, c.ElementStrides = append(c.Dims, uint32(dim)), append(c.ElementStrides, uint32(step))
		if c.Mode != ptxvm.Im2col && d > 1 {
			c.start = append(c.start, r.IntN(dim+2)-1) // the coordinate itself
			continue
		}
		c.Lower, c.Upper = append(c.Lower, int32(lower)), append(c.Upper, int32(upper))
		c.start = append(c.start, r.IntN(c.positions(d)))
		c.offsets = append(c.offsets, r.IntN(4))
	}
	c.Dims, c.ElementStrides = append(c.Dims, uint32(1+r.IntN(3))), append(c.ElementStrides, 1)
	c.image = r.IntN(int(c.Dims[rank-1])+2) - 1
	switch c.Mode {
	case ptxvm.Im2colW:
		c.halo, c.offset = r.IntN(4), r.IntN(4)
	case ptxvm.Im2colW128:
		c.halo, c.offset, c.Pixels = r.IntN(4), r.IntN(4), 0
	}
	return c
}

// positions is how many the bounding box has along a dimension.
func (c *columnCase) positions(d int) int {
	step := int(c.ElementStrides[d])
	return (int(c.Dims[d]) + int(c.Upper[d-1]) - int(c.Lower[d-1]) + step - 1) / step
}

// pixel is where the i-th pixel of the box lies, from the pixel at start on: channel 0, W and up. beyond moves it along W.
func (c *columnCase) pixel(i, beyond int) (at []int) {
	at = make([]int, len(c.Dims))
	boxed := len(c.Lower)
	for d := boxed; d >= 1; d-- { // the number of the first pixel
		i += c.start[d-1] * c.stride(d)
	}
	for d := 1; d <= boxed; d++ {
		n := c.positions(d)
		at[d] = int(c.Lower[d-1]) + i%n*int(c.ElementStrides[d])
		if i /= n; c.Mode == ptxvm.Im2col {
			at[d] += c.offsets[d-1]
		}
	}
	for d := boxed + 1; d < len(c.Dims)-1; d++ {
		at[d] = c.start[d-1]
	}
	at[len(at)-1] = c.image + i
	at[1] += c.offset + beyond*int(c.ElementStrides[1])
	return at
}

// stride is how many pixels a step along a dimension is.
func (c *columnCase) stride(d int) int {
	n := 1
	for e := 1; e < d; e++ {
		n *= c.positions(e)
	}
	return n
}

// pixels lists all of a column, halos included.
func (c *columnCase) pixels() (list [][]int) {
	group, groups := int(c.Pixels), 1
	if c.Mode == ptxvm.Im2colW128 {
		group, groups = 32, 4
	}
	for g := range groups {
		for i := range group {
			list = append(list, c.pixel(g*group+i, 0))
		}
		for i := range c.halo {
			list = append(list, c.pixel(g*group+group-1, i+1))
		}
	}
	return list
}

// element is the place of a pixel's channel in memory; false if it is outside of the tensor.
func (c *columnCase) element(at []int, channel int) (int, bool) {
	at = slices.Clone(at)
	at[0] = c.first + channel
	place, stride := 0, c.size
	for d, x := range at {
		if x < 0 || x >= int(c.Dims[d]) {
			return 0, false
		}
		place += x * stride
		stride *= int(c.Dims[d])
	}
	return place, true
}

// coordinates are those of the statement.
func (c *columnCase) coordinates() string {
	list := []string{fmt.Sprint(c.first)}
	for d, s := range c.start {
		if d < len(c.Lower) {
			s = int(c.Lower[d]) + s*int(c.ElementStrides[d+1])
		}
		list = append(list, fmt.Sprint(s))
	}
	return strings.Join(append(list, fmt.Sprint(c.image)), ", ")
}

// TestTensorColumns: columns that are loaded, stored and added arrive where the numbers of their pixels say.
func TestTensorColumns(t *testing.T) {
	r, inside, outside := rand.New(rand.NewPCG(9, 4)), 0, 0
	for i := range 160 {
		c := columns(r)
		for _, async := range []ptxvm.Async{ptxvm.AsyncEager, ptxvm.AsyncLazy} {
			if err := c.load(t, async); err != nil {
				t.Fatalf("case %d, %+v, %v: %v", i, c, async, err)
			}
			if c.Mode == ptxvm.Im2colW128 { // nothing stores such columns
				continue
			}
			c := c
			c.halo, c.offset, c.offsets = 0, 0, make([]int, len(c.offsets))
			if i%2 == 0 {
				c.inward()
			}
			for _, add := range []bool{false, true} {
				if add && c.Type != "u32" {
					continue
				}
				if err := c.store(t, async, add); c.leaves() {
					if err == nil || !strings.Contains(err.Error(), "its bounding box leaves the tensor") && !strings.Contains(err.Error(), "a box that is stored begins inside") {
						t.Fatalf("case %d, %+v, %v, stored outside of the tensor: %v", i, c, async, err)
					}
					outside++
				} else if inside++; err != nil {
					t.Fatalf("case %d, %+v, %v, stored, added %v: %v", i, c, async, add, err)
				}
			}
		}
	}
	if inside < 40 || outside < 40 {
		t.Errorf("%d stores inside of the tensor, %d outside", inside, outside)
	}
}

// leaves reports whether the bounding box, or its first coordinate, lies outside of the tensor, as that of a store must not.
func (c *columnCase) leaves() bool {
	negative := c.first < 0 || c.image < 0 || slices.ContainsFunc(c.Lower, func(x int32) bool { return x < 0 })
	return negative || slices.ContainsFunc(c.start[len(c.Lower):], func(x int) bool { return x < 0 })
}

// inward moves the bounding box and the first pixel into the tensor.
func (c *columnCase) inward() {
	c.Lower, c.Upper, c.start = slices.Clone(c.Lower), make([]int32, len(c.Upper)), slices.Clone(c.start)
	c.first, c.image = max(c.first, 0), max(c.image, 0)
	for d := range c.start {
		if c.start[d] = max(c.start[d], 0); d < len(c.Lower) {
			c.Lower[d] = max(c.Lower[d], 0)
			c.start[d] %= c.positions(d + 1)
		}
	}
}

// load compares what a load brings to shared memory.
func (c *columnCase) load(t *testing.T, async ptxvm.Async) error {
	info := fmt.Sprintf("%d, %d", c.halo, c.offset)
	if c.Mode == ptxvm.Im2col {
		info = strings.Trim(strings.Join(strings.Fields(fmt.Sprint(c.offsets)), ", "), "[]")
	}
	mode := []string{".im2col", ".im2col::w", ".im2col::w::128"}[c.Mode]
	pixels := c.pixels()
	_, got, err := c.run(t, async, len(pixels), fmt.Sprintf(columnLoad, len(c.Dims), mode, c.coordinates(), info))
	if err != nil {
		return err
	}
	for i, at := range pixels {
		for ch := range int(c.Channels) {
			place, inside := c.element(at, ch)
			for b := range c.size {
				want := byte(0)
				switch {
				case inside:
					want = byte(place+b)*7 + 1
				case c.NaNs:
					want = map[bool]byte{true: 0x7f, false: 0xff}[b == c.size-1]
				}
				if have := got[(i*int(c.Channels)+ch)*c.size+b]; have != want {
					return fmt.Errorf("pixel %d at %v, channel %d, byte %d is %#x, want %#x", i, at, ch, b, have, want)
				}
			}
		}
	}
	return nil
}

// store compares what a store does to the tensor, or an addition of words.
func (c *columnCase) store(t *testing.T, async ptxvm.Async, add bool) error {
	mode := []string{".im2col_no_offs", ".im2col_no_offs::w"}[c.Mode]
	stmt, op := "cp", ""
	if add {
		stmt, op = "cp.reduce", ".add"
	}
	pixels := c.pixels()
	memory, _, err := c.run(t, async, len(pixels), fmt.Sprintf(columnStore, stmt, len(c.Dims), op, mode, c.coordinates()))
	if err != nil {
		return err
	}
	want := make([]byte, len(memory))
	for i := range want {
		want[i] = byte(i)*7 + 1
	}
	for i, at := range pixels {
		for ch := range int(c.Channels) {
			place, inside := c.element(at, ch)
			if !inside {
				continue
			}
			element := make([]byte, c.size)
			for b := range element {
				element[b] = byte((i*int(c.Channels)+ch)*c.size+b) * 3
			}
			if add {
				binary.LittleEndian.PutUint32(element, binary.LittleEndian.Uint32(element)+binary.LittleEndian.Uint32(want[place:]))
			}
			copy(want[place:], element)
		}
	}
	for i := range want {
		if memory[i] != want[i] {
			return fmt.Errorf("byte %d of the tensor is %#x, want %#x", i, memory[i], want[i])
		}
	}
	return nil
}

// run launches a statement over a tensor whose byte i is 7·i+1, and returns the tensor and shared memory.
func (c *columnCase) run(t *testing.T, async ptxvm.Async, pixels int, stmt string) (memory, shared []byte, err error) {
	t.Helper()
	total := c.size
	for _, n := range c.Dims {
		total *= int(n)
	}
	memory, shared = make([]byte, total), make([]byte, pixels*int(c.Channels)*c.size)
	for i := range memory {
		memory[i] = byte(i)*7 + 1
	}
	return memory, shared, launchColumn(t, async, c.TensorMapIm2col, stmt, memory, shared)
}

// launchColumn launches a statement with the map of a description over memory, and reads back both memories.
func launchColumn(t *testing.T, async ptxvm.Async, m ptxvm.TensorMapIm2col, stmt string, memory, shared []byte) error {
	t.Helper()
	d := rig.Device(t, ptxvm.DeviceConfig{Arch: "sm_107f", Async: async})
	defer d.Close()
	mod, err := ptxvm.Compile("column.ptx", []byte(strings.Replace(columnKernel, "STMT", stmt, 1)), nil)
	if err != nil {
		return err
	}
	p, err := d.Load(mod)
	if err != nil {
		return err
	}
	if m.Buffer, err = ptxvm.Upload(d, memory); err != nil {
		return err
	}
	out, err := d.Alloc(len(shared))
	if err != nil {
		return err
	}
	described, err := d.NewTensorMap(m)
	if err != nil {
		return err
	}
	if _, err := rig.Kernel(t, p, "k").Launch(context.Background(), ptxvm.Launch{}, described, out, uint32(len(shared))); err != nil {
		return err
	}
	if err := ptxvm.Download(m.Buffer, memory); err != nil {
		return err
	}
	return ptxvm.Download(out, shared)
}

// TestTensorColumnsByHand: example 2 of 5.5.5.4, whose three copies share the pixels of rows among themselves, and a first
// pixel left of the bounding box.
func TestTensorColumnsByHand(t *testing.T) {
	m := ptxvm.TensorMapIm2col{Type: "u8", Dims: []uint32{16, 7, 4}, Mode: ptxvm.Im2colW, Lower: []int32{-1}, Upper: []int32{-1}, Channels: 16, Pixels: 6, ElementStrides: []uint32{1, 3, 1}}
	for _, c := range []struct {
		coordinates, info string
		want              []int // W + 10·image; -1: outside
	}{
		{"0, -1, 1", "0, 0", []int{-1, 12, 15, -1, 22, 25}},
		{"0, -1, 1", "0, 1", []int{10, 13, 16, 20, 23, 26}},
		{"0, -1, 1", "0, 2", []int{11, 14, -1, 21, 24, -1}},
		{"0, -4, 1", "0, 0", []int{-1, -1, 12, 15, -1, 22}},
		{"0, -1, 1", "2, 0", []int{-1, 12, 15, -1, 22, 25, -1, -1}},
		{"0, -1, 1", "1, 1", []int{10, 13, 16, 20, 23, 26, -1}},
	} {
		memory, shared := make([]byte, 16*7*4), make([]byte, 16*len(c.want))
		for i := range memory {
			memory[i] = byte(1 + i/16%7 + i/(16*7)*10)
		}
		if err := launchColumn(t, ptxvm.AsyncEager, m, fmt.Sprintf(columnLoad, 3, ".im2col::w", c.coordinates, c.info), memory, shared); err != nil {
			t.Errorf("%s, %s: %v", c.coordinates, c.info, err)
			continue
		}
		for i, want := range c.want {
			if have := int(shared[16*i]) - 1; have != want {
				t.Errorf("%s, %s: pixel %d is %d, want %d", c.coordinates, c.info, i, have, want)
			}
		}
	}
}

// TestTensorColumnFaults: what maps and statements cannot say is named.
func TestTensorColumnFaults(t *testing.T) {
	good := func() ptxvm.TensorMapIm2col {
		return ptxvm.TensorMapIm2col{Type: "u8", Dims: []uint32{16, 7, 5, 4}, Lower: []int32{-1, -1}, Upper: []int32{-1, -1}, Channels: 16, Pixels: 4}
	}
	load := func(mode, coordinates, info string) string {
		return fmt.Sprintf(columnLoad, 4, mode, coordinates, info)
	}
	plain := load(".im2col", "0, 0, 0, 0", "0, 0")
	for _, c := range []struct {
		change func(m *ptxvm.TensorMapIm2col)
		stmt   string
		wants  string
	}{
		{func(m *ptxvm.TensorMapIm2col) { m.Lower[0] = -129 }, plain, "a corner of the bounding box is -129 along W: -128 to 127 are possible"},
		{func(m *ptxvm.TensorMapIm2col) { m.Upper[1] = -6 }, plain, "the bounding box is empty along H: from -1 to -2"},
		{func(m *ptxvm.TensorMapIm2col) { m.Lower[1] = 1 << 20 }, plain, "a corner of the bounding box is 1048576 along H"},
		{func(m *ptxvm.TensorMapIm2col) { m.Lower = m.Lower[:1] }, plain, "the corners have 1 and 2 coordinates: the bounding box has 2"},
		{func(m *ptxvm.TensorMapIm2col) { m.Pixels = 1025 }, plain, "a column has 1025 pixels: 1 to 1024 are possible"},
		{func(m *ptxvm.TensorMapIm2col) { m.Channels = 8 }, plain, "the channels of a pixel are 8 bytes, which is no multiple of 16"},
		{func(m *ptxvm.TensorMapIm2col) { m.Dims, m.Lower, m.Upper = m.Dims[:2], m.Lower[:1], m.Upper[:1] }, plain, "rank 2: columns are taken from tensors of 3 to 5 dimensions"},
		{nil, load(".im2col", "0, 6, 0, 0", "0, 0"), "the coordinate along W is 6, outside of the bounding box: it has -1 to 5"},
		{nil, load(".im2col", "0, 0, -2, 0", "0, 0"), "the coordinate along H is -2, outside of the bounding box: it has -1 to 3"},
		{nil, load(".im2col", "0, 0, 0, 0", "0, 256"), "an offset of 256 along H: tensors of 4 dimensions take 0 to 255"},
		{nil, load(".im2col::w", "0, 0, 0, 0", "0, 0"), "it was made for .im2col (cuTensorMapEncodeIm2col), the instruction copies .im2col::w"},
		{func(m *ptxvm.TensorMapIm2col) { m.Mode, m.Lower, m.Upper = ptxvm.Im2colW, m.Lower[:1], m.Upper[:1] }, load(".im2col::w", "0, 0, 0, 0", "512, 0"), "a halo of 512 pixels: .im2col::w takes 0 to 511"},
		{func(m *ptxvm.TensorMapIm2col) { m.Mode, m.Lower, m.Upper = ptxvm.Im2colW128, m.Lower[:1], m.Upper[:1] }, load(".im2col::w::128", "0, 0, 0, 0", "32, 0"), "a halo of 32 pixels: .im2col::w::128 takes 0 to 31"},
		{func(m *ptxvm.TensorMapIm2col) { m.Mode, m.Lower, m.Upper = ptxvm.Im2colW, m.Lower[:1], m.Upper[:1] }, load(".im2col::w", "0, 0, 0, 0", "0, 32"), "an offset of 32 along W: .im2col::w takes 0 to 31"},
		{nil, strings.NewReplacer(".im2col", ".tile", ", {0, 0};", ";").Replace(plain), "it was made for .im2col (cuTensorMapEncodeIm2col), the instruction copies .tile"},
	} {
		m := good()
		if c.change != nil {
			c.change(&m)
		}
		if err := launchColumn(t, ptxvm.AsyncEager, m, c.stmt, make([]byte, 16*7*5*4), make([]byte, 64)); err == nil || !strings.Contains(err.Error(), c.wants) {
			t.Errorf("want %q, have %v", c.wants, err)
		}
	}
}

// TestInterleavedColumns: slice after slice, each with all pixels; what lies outside the image, or behind the last channel, is
// zero or NaN.
func TestInterleavedColumns(t *testing.T) {
	const width, images, pixels = 3, 2, 5
	for _, slice := range []int{16, 32} {
		for _, outside := range [][]byte{{0, 0}, {0xff, 0x7f}} {
			channels, plane := slice/2, width*slice
			m := ptxvm.TensorMapIm2col{
				Type: "f16", Dims: []uint32{uint32(2*channels - 3), width, images}, Strides: []uint64{uint64(slice), uint64(2 * plane)}, Lower: []int32{-1}, Upper: []int32{0},
				Channels: uint32(2 * channels), Pixels: pixels, Interleave: slice, NaNs: outside[0] != 0,
			}
			if slice == 32 {
				m.Swizzle = ptxvm.Swizzle32
			}
			for info, places := range map[string][pixels][2]int{ // image and W; the bounding box has -1 to 2
				"0": {{0, -1}, {0, 0}, {0, 1}, {0, 2}, {1, -1}}, "1": {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}},
			} {
				memory := noise(images * 2 * plane)
				var want []byte
				for s := range 2 {
					for _, at := range places {
						unit := bytes.Repeat(outside, channels)
						if at[1] >= 0 && at[1] < width {
							inside := slice - 6*s // the last three channels of the second slice are none
							copy(unit[:inside], memory[at[0]*2*plane+s*plane+at[1]*slice:])
						}
						want = append(want, unit...)
					}
				}
				there := slices.Clone(want)
				for i := range want {
					if slice == 32 {
						there[i^i>>7&1<<4] = want[i]
					}
				}
				have := make([]byte, len(want))
				err := launchColumn(t, ptxvm.AsyncEager, m, fmt.Sprintf(columnLoad, 3, ".im2col", "0, -1, 0", info), memory, have)
				if err != nil || !slices.Equal(have, there) {
					t.Errorf("slices of %d, outside % x, offset %s: %v, % x\nwant % x", slice, outside, info, err, have, there)
				}
			}
		}
	}
}
