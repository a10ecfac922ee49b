package tensors_test

// This file holds tcgen05.mma to a plain product of small numbers: every kind, data path and layout in shared memory, in all
// modes. Where elements, metadata and scale factors lie is written here once more, element by element, from the tables of
// the manual and of CuTe. Rounding is not: num's tests have it.

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

// productCase is a statement with its descriptors.
type productCase struct {
	kind        string
	group       int
	ws, sp      bool
	m, n        int
	types       [2]string
	span        [2]int // of the swizzles of A and B in bytes; 0: none; 1: 128 bytes with atoms of 32
	along       [2]bool
	negate      [2]bool
	inTensor    bool
	ashift      bool
	half        bool
	add         bool
	down        int
	off         []uint32
	zeros       uint64
	shift       int // of zeros
	vec         string
	ids         [2]int
	ue4m3       bool
	ue5m3       bool // on sm_107
	base        int  // lane of D, A and metadata
	selector    int
	k96         bool
	collector   string
	used, empty int // runs of zeros, behind start columns of 0
}

// Where matrices begin.
const (
	productB     = 16384 // in shared memory; A at 0
	productBytes = 32768
	columnA      = 128 // in tensor memory; D at 0
	columnMeta   = 160
	columnSFA    = 168
	columnSFB    = 184
	productCols  = 256
)

// typeCodes are numbers of a type with the values they stand for.
var typeCodes = map[string]struct {
	code, bits int // in the descriptor; of an element
	values     map[uint32]float64
}{
	"f16":  {0, 16, map[uint32]float64{0: 0, 0x3c00: 1, 0xbc00: -1, 0x4000: 2, 0x4200: 3}},
	"bf16": {1, 16, map[uint32]float64{0: 0, 0x3f80: 1, 0xbf80: -1, 0x4000: 2, 0x4040: 3}},
	"tf32": {2, 32, map[uint32]float64{0: 0, 0x3f800000: 1, 0xbf800fff: -1, 0x40000000: 2, 0x40400000: 3}},
	"e4m3": {0, 8, map[uint32]float64{0: 0, 0x38: 1, 0xb8: -1, 0x40: 2, 0x44: 3}},
	"e5m2": {1, 8, map[uint32]float64{0: 0, 0x3c: 1, 0xbc: -1, 0x40: 2, 0x42: 3}},
	"e2m3": {3, 6, map[uint32]float64{0: 0, 0x08: 1, 0x28: -1, 0x10: 2, 0x14: 3, 1: 0.125}},
	"e3m2": {4, 6, map[uint32]float64{0: 0, 0x0c: 1, 0x2c: -1, 0x10: 2, 0x12: 3, 1: 0.0625}},
	"e2m1": {5, 4, map[uint32]float64{0: 0, 1: 0.5, 2: 1, 10: -1, 4: 2, 5: 3, 7: 6}},
	"u8":   {0, 8, map[uint32]float64{0: 0, 1: 1, 200: 200, 255: 255}},
	"s8":   {1, 8, map[uint32]float64{0: 0, 1: 1, 127: 127, 200: -56, 255: -1}},
}

// container is the bits of an element of the kind in tensor memory, and unpacked.
func (c *productCase) container() int {
	return map[string]int{"f16": 16, "tf32": 32, "mxf4": 4, "mxf4nvf4": 4}[c.kind] + map[string]int{"f8f6f4": 8, "i8": 8, "mxf8f6f4": 8}[c.kind]
}

// k is the elements of a row of the product.
func (c *productCase) k() int {
	k := 256 / c.container()
	if c.k96 {
		k = 96
	}
	if c.sp {
		k *= 2
	}
	return k
}

func (c *productCase) scaled() bool { return strings.HasPrefix(c.kind, "mx") }

// idesc is the instruction descriptor (9.7.16.4.2).
func (c *productCase) idesc() uint32 {
	bit := func(b bool, at int) uint32 {
		if b {
			return 1 << at
		}
		return 0
	}
	d := bit(c.sp, 2) | bit(c.negate[0], 13) | bit(c.negate[1], 14) | bit(c.along[0], 15) | bit(c.along[1], 16) | uint32(c.n/8)<<17
	codes := [2]uint32{uint32(typeCodes[c.types[0]].code), uint32(typeCodes[c.types[1]].code)}
	if c.container() == 4 {
		codes = [2]uint32{1, 1}
	}
	d |= codes[0]<<7 | codes[1]<<10
	if c.scaled() {
		return d | uint32(c.ids[1])<<4 | bit(!c.ue4m3 && !c.ue5m3, 23) | bit(c.ue5m3, 24) | uint32(c.m/128)<<27 | uint32(c.ids[0])<<29 | bit(c.k96, 31)
	}
	d |= uint32(c.selector) | uint32(c.m/16)<<24
	switch {
	case c.kind == "i8":
		d |= 2 << 4
	case !c.half:
		d |= 1 << 4
	}
	return d
}

// unitAt is where 16 bytes of a matrix lie behind its start: line mn, byte b of K; or, along, element k, byte b of M or N.
func (c *productCase) unitAt(operand, line, b int) int {
	span, size, lines, k := c.span[operand], c.container(), c.lines(operand), c.stored(operand)
	off := 0
	switch {
	case !c.along[operand] && span == 0:
		off = line%8*16 + line/8*128 + b/16*(128*((lines+7)/8))
	case !c.along[operand]:
		if span == 1 {
			span = 128
		}
		off = line%8*span + line/8*8*span + b
	case span == 0:
		off = b/16*128 + line%8*16 + line/8*(128*((lines*size/8+15)/16))
	case span == 1:
		off = b%128 + b/128*(k*128) + line%4*128 + line/4*512
	default:
		off = b%span + b/span*(k*span) + line%8*span + line/8*8*span
	}
	switch span := c.span[operand]; span {
	case 0:
		return off
	case 1:
		return off ^ off>>7&3<<5
	default:
		return off ^ off>>7&(span/16-1)<<4
	}
}

// lines is rows of A or columns of B in one CTA, with those behind a column shift.
func (c *productCase) lines(operand int) int {
	if operand == 0 {
		return c.m / c.group
	}
	return c.n/c.group + (c.shift+7)&^7
}

func (c *productCase) stored(operand int) int {
	if operand == 0 && c.sp {
		return c.k() / 2
	}
	return c.k()
}

// descriptor is that of a matrix, without its start.
func (c *productCase) descriptor(operand int) uint64 {
	span, lines, k := c.span[operand], c.lines(operand), c.stored(operand)
	leading, stride := 0, 0
	switch {
	case !c.along[operand] && span == 0:
		leading, stride = 128*((lines+7)/8), 128
	case !c.along[operand] && span == 1:
		stride = 1024
	case !c.along[operand]:
		stride = 8 * span
	case span == 0:
		leading, stride = 128*((lines*c.container()/8+15)/16), 128
	case span == 1:
		leading, stride = k*128, 512
	default:
		leading, stride = k*span, 8*span
	}
	code := map[int]uint64{0: 0, 1: 1, 128: 2, 64: 4, 32: 6}[span]
	return uint64(leading/16)<<16 | uint64(stride/16)<<32 | 1<<46 | code<<61
}

// putShared writes an element into the image of a CTA's shared memory.
func (c *productCase) putShared(image []byte, operand, line, k int, code uint32) {
	size, start := c.container(), operand*productB
	mn, along := line, k
	if c.along[operand] {
		mn, along = k, line
	}
	unit := start + c.unitAt(operand, mn, along*size/8&^15)
	per := 128 / size
	width := typeCodes[c.types[operand]].bits
	for b := range width {
		bit := along%per*width + b
		if at := unit + bit/8; code>>b&1 != 0 {
			image[at] |= 1 << (bit % 8)
		} else {
			image[at] &^= 1 << (bit % 8)
		}
	}
}

// lane is where row r of a CTA's D is for column n, with the column (9.7.16.10.5).
func (c *productCase) lane(r, n int) (lane, column int) {
	switch rows := c.m / c.group; {
	case rows == 128:
		return r, n
	case rows == 32:
		return r + 32*(n/(c.n/4)), n % (c.n / 4)
	case c.ws || c.group == 2 && !c.sp:
		return r + 64*(n/(c.n/2)), n % (c.n / 2)
	}
	return r%16 + r/16*32 + c.base, n
}

// copies are the lanes that row r has in A and metadata.
func (c *productCase) copies(r int) (lanes []int) {
	seen := map[int]bool{}
	for n := range c.n {
		if lane, _ := c.lane(r, n); !seen[lane] {
			seen[lane] = true
			lanes = append(lanes, lane)
		}
	}
	return lanes
}

// productData is the memory of a case before it, and D after it.
type productData struct {
	image []byte     // of each CTA
	cells [][]uint32 // of each CTA, column after column
	want  [][]uint32
}

func (c *productCase) data(r *rand.Rand) *productData {
	d := &productData{image: make([]byte, c.group*productBytes)}
	for i := range d.image {
		d.image[i] = byte(r.Uint32())
	}
	for range c.group {
		cells := make([]uint32, productCols*128)
		for i := range cells {
			cells[i] = r.Uint32()
		}
		d.cells = append(d.cells, cells)
	}
	a, b := c.fillA(d, r), c.fillB(d, r)
	sa, sb := c.scales(d, r)
	for cta, cells := range d.cells {
		for row := range c.m / c.group {
			for n := range c.n {
				lane, col := c.lane(row, n)
				cells[col*128+lane] = c.encode(float64(r.IntN(9)-4)) | map[bool]uint32{true: 0xabcd0000}[c.half]
			}
		}
		after := append([]uint32(nil), cells...)
		for row := range c.m / c.group {
			m := cta*(c.m/c.group) + row
			from := m
			if c.ashift && row != 127 {
				from++
			}
			for n := range c.n {
				lane, col := c.lane(row, n)
				if i := cta*4 + lane/32; c.off != nil && c.off[i]>>(lane%32)&1 != 0 {
					continue
				}
				sum := 0.0
				for k := range c.k() {
					term := a[from][k] * b[n][k]
					if c.scaled() {
						f := len(sa[m])
						term *= sa[m][k*f/c.k()] * sb[n][k*f/c.k()]
					}
					sum += term
				}
				if c.add {
					sum += c.decode(cells[col*128+lane]) * math.Pow(2, -float64(c.down))
				}
				after[col*128+lane] = c.encode(sum)
			}
		}
		d.want = append(d.want, after)
	}
	return d
}

func (c *productCase) encode(v float64) uint32 {
	switch {
	case c.kind == "i8":
		return uint32(int32(v))
	case !c.half:
		return math.Float32bits(float32(v))
	}
	b := math.Float32bits(float32(v))
	if v == 0 {
		return 0
	}
	return b>>16&0x8000 | (b>>23&0xff-112)<<10 | b>>13&0x3ff // normal, exact
}

func (c *productCase) decode(w uint32) float64 {
	switch {
	case c.kind == "i8":
		return float64(int32(w))
	case !c.half:
		return float64(math.Float32frombits(w))
	}
	if w &= 0xffff; w&0x7fff == 0 {
		return 0
	}
	return float64(math.Float32frombits(w&0x8000<<16 | (w&0x7fff+112<<10)<<13))
}

// draw takes a random element of a type.
func draw(r *rand.Rand, name string) (uint32, float64) {
	values := typeCodes[name].values
	code := slices.Sorted(maps.Keys(values))[r.IntN(len(values))]
	return code, values[code]
}

// fillA writes A and its metadata, and returns the rows as they count.
func (c *productCase) fillA(d *productData, r *rand.Rand) (rows [][]float64) {
	size, k, inCTA := c.container(), c.k(), c.m/c.group
	for m := range c.m {
		cta, row := m/inCTA, m%inCTA
		full := make([]float64, k)
		places := make([]int, 0, k)
		if c.sp {
			places = c.fillMetadata(d.cells[cta], row, r)
		}
		for i := range c.stored(0) {
			code, v := draw(r, c.types[0])
			if c.negate[0] {
				v = -v
			}
			at := i
			if c.sp {
				at = places[i]
			}
			full[at] = v
			if !c.inTensor {
				c.putShared(d.image[cta*productBytes:], 0, row, i, code)
				continue
			}
			if c.types[0] == "e2m1" && size == 8 {
				code <<= 2
			}
			for _, lane := range c.copies(row) {
				cell := &d.cells[cta][(columnA+i*size/32)*128+lane]
				shift := i * size % 32
				*cell = *cell&^(uint32(1<<size-1)<<shift) | code<<shift
			}
		}
		rows = append(rows, full)
	}
	return rows
}

// fillMetadata draws where the stored elements of a row are, and writes it.
func (c *productCase) fillMetadata(cells []uint32, row int, r *rand.Rand) (places []int) {
	chunk := map[int]int{4: 8, 8: 4, 16: 4, 32: 2}[c.container()]
	for i := range c.k() / chunk {
		var nibble uint32
		if chunk == 2 {
			p := r.IntN(2)
			nibble = []uint32{0b0100, 0b1110}[p]
			places = append(places, 2*i+p)
		} else {
			pair := [][2]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}[r.IntN(6)]
			nibble = uint32(pair[0] | pair[1]<<2)
			for _, p := range pair {
				for j := range chunk / 4 {
					places = append(places, chunk*i+p*(chunk/4)+j)
				}
			}
		}
		for _, lane := range c.copies(row) {
			column, bit := columnMeta+i/8, 4*(i%8)
			if c.container() >= 16 {
				lane += row%8 + 8*(i/4) - row%16 // sixteen rows share sixteen lanes
				column, bit = columnMeta+c.selector, 16*(row/8&1)+4*(i%4)
			}
			cell := &cells[column*128+lane]
			*cell = *cell&^(15<<bit) | nibble<<bit
		}
	}
	return places
}

// fillB writes B and returns its columns as they count.
func (c *productCase) fillB(d *productData, r *rand.Rand) (columns [][]float64) {
	for range c.n {
		columns = append(columns, make([]float64, c.k()))
	}
	share := c.n / c.group
	for cta := range c.group {
		for line := range share + c.shift {
			for k := range c.k() {
				code, v := draw(r, c.types[1])
				c.putShared(d.image[cta*productBytes:], 1, line, k, code)
				if c.negate[1] {
					v = -v
				}
				if n := line - c.shift; n >= 0 {
					columns[cta*share+n][k] = v
				}
			}
		}
	}
	if c.used != 0 {
		parts := 128 / c.m
		for n := range columns {
			if n%(c.n/parts)%(c.used+c.empty) >= c.used {
				clear(columns[n])
			}
		}
	}
	return columns
}

// scales draws scale factors and writes them into each quarter of the lanes.
func (c *productCase) scales(d *productData, r *rand.Rand) (a, b [][]float64) {
	if !c.scaled() {
		return nil, nil
	}
	factors := map[string]int{"1X": 1, "2X": 2, "4X": 4, "block32": 2, "block16": 4}[c.vec]
	if c.kind == "mxf8f6f4" {
		factors = 1
	}
	if c.k96 {
		factors = factors * 3 / 2
	}
	value := func() (uint32, float64) {
		i := r.IntN(3)
		if c.ue4m3 {
			return []uint32{0x30, 0x38, 0xc4}[i], []float64{0.5, 1, 3}[i] // the sign does not count
		}
		if c.ue5m3 {
			return []uint32{0x70, 0x7c, 0x81}[i], []float64{0.5, 1.5, 2.25}[i]
		}
		return uint32(126 + i), []float64{0.5, 1, 2}[i]
	}
	put := func(cta, lane, column, at int, code uint32) {
		cell := &d.cells[cta][(column+at/4*4)*128+lane]
		*cell = *cell&^(255<<(at%4*8)) | code<<(at%4*8)
	}
	inCTA := c.m / c.group
	for m := range c.m {
		row := make([]float64, factors)
		for f := range row {
			code, v := value()
			row[f] = v
			for quarter := range 4 {
				put(m/inCTA, 32*quarter+m%inCTA%32, columnSFA+m%inCTA/32, c.ids[0]+f, code)
			}
		}
		a = append(a, row)
	}
	for n := range c.n {
		column := make([]float64, factors)
		for f := range column {
			code, v := value()
			column[f] = v
			for cta := range c.group {
				for quarter := range 4 {
					at := n
					if inCTA == 64 {
						if at = n % (c.n / 2); n/(c.n/2) != quarter/2 {
							continue
						}
					}
					put(cta, 32*quarter+at%32, columnSFB+at/32, c.ids[1]+f, code)
				}
			}
		}
		b = append(b, column)
	}
	return a, b
}

// text is the kernel: it fills both memories, multiplies once and stores all cells.
func (c *productCase) text() string {
	mods := map[bool]string{true: ".ws"}[c.ws] + map[bool]string{true: ".sp"}[c.sp] + fmt.Sprintf(".cta_group::%d.kind::%s", c.group, c.kind)
	if c.scaled() {
		mods += ".block_scale"
		if strings.HasPrefix(c.vec, "block") {
			mods += "." + c.vec
		} else {
			mods += ".scale_vec::" + c.vec
		}
	}
	if c.ashift {
		mods += ".ashift"
	}
	mods += c.collector
	a, tail := "%rd6", "%p7"
	if c.inTensor {
		a = "[%r20]"
	}
	meta := map[bool]string{true: "[%r21], "}[c.sp]
	if c.off != nil {
		var words []string
		for i := range c.off {
			words = append(words, fmt.Sprintf("%%m%d", i))
		}
		tail = "{" + strings.Join(words, ", ") + "}, " + tail
	}
	if c.scaled() {
		tail = "[%r22], [%r23], " + tail
	}
	if c.down != 0 {
		tail += fmt.Sprintf(", %d", c.down)
	}
	if c.zeros != 0 {
		tail += ", %rd8"
	}
	barrier, cluster, rank, multi := "bar.sync 0;", "", "mov.u32 %r15, 0;", ""
	commit := "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r12];"
	if c.group == 2 {
		barrier, cluster, rank = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;", ".explicitcluster .reqnctapercluster 2, 1, 1", "mov.u32 %r15, %cluster_ctarank;"
		commit, multi = "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r12], %h0;", "mov.u16 %h0, 3;"
	}
	var masks strings.Builder
	for i := range c.off {
		fmt.Fprintf(&masks, "\tld.global.b32 %%m%d, [%%rd3+%d];\n", i, 64+4*i)
	}
	replace := strings.NewReplacer("GROUP", fmt.Sprint(c.group), "BARRIER", barrier, "CLUSTER", cluster, "RANK", rank, "COMMIT", commit, "MULTI", multi,
		"MASKS", masks.String(), "MMA", "tcgen05.mma"+mods+" [%r19], "+a+", %rd7, "+meta+"%r18, "+tail+";",
		"COLUMNS", fmt.Sprint(productCols), "BYTES", fmt.Sprint(productBytes), "CELLS", fmt.Sprint(productCols*512), "BSTART", fmt.Sprint(productB/16))
	return replace.Replace(`.version VERSION
.target TARGET
.address_size 64
.visible .entry k(.param .u64 image, .param .u64 cells, .param .u64 out, .param .u64 words) CLUSTER
{
	.reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .b16 %h<2>; .reg .pred %p<8>; .reg .b32 %m<8>;
	.shared .align 1024 .b8 data[BYTES]; .shared .align 8 .b64 bar; .shared .align 4 .b32 slot;
	ld.param.u64 %rd0, [image]; ld.param.u64 %rd1, [cells]; ld.param.u64 %rd2, [out]; ld.param.u64 %rd3, [words];
	mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5; RANK
	mul.wide.u32 %rd4, %r15, BYTES; add.u64 %rd0, %rd0, %rd4;
	mul.wide.u32 %rd4, %r15, CELLS; add.u64 %rd1, %rd1, %rd4; add.u64 %rd2, %rd2, %rd4;
	shl.b32 %r2, %r0, 4;
FILL:
	cvt.u64.u32 %rd4, %r2; add.u64 %rd4, %rd4, %rd0;
	ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd4];
	mov.u32 %r3, data; add.u32 %r3, %r3, %r2;
	st.shared.v4.b32 [%r3], {%r4, %r5, %r6, %r7};
	add.u32 %r2, %r2, 2048; setp.lt.u32 %p0, %r2, BYTES; @%p0 bra FILL;
	setp.ne.u32 %p1, %r0, 0; setp.ne.u32 %p2, %r1, 0;
	mov.u32 %r12, bar;
	@!%p1 mbarrier.init.shared::cta.b64 [bar], 1;
	@!%p1 fence.mbarrier_init.release.cluster;
	@%p2 bra ALLOCATED;
	tcgen05.alloc.cta_group::GROUP.sync.aligned.shared::cta.b32 [slot], COLUMNS;
ALLOCATED:
	fence.proxy.async.shared::cta;
	BARRIER
	ld.shared.b32 %r8, [slot];
	shl.b32 %r9, %r1, 21; add.u32 %r9, %r9, %r8;
	mul.wide.u32 %rd4, %r0, 4; add.u64 %rd1, %rd1, %rd4; add.u64 %rd2, %rd2, %rd4;
	mov.u32 %r10, 0;
PUT:
	ld.global.b32 %r4, [%rd1];
	add.u32 %r11, %r9, %r10;
	tcgen05.st.sync.aligned.32x32b.x1.b32 [%r11], {%r4};
	tcgen05.wait::st.sync.aligned;
	add.u64 %rd1, %rd1, 512; add.u32 %r10, %r10, 1; setp.lt.u32 %p0, %r10, COLUMNS; @%p0 bra PUT;
	tcgen05.fence::before_thread_sync;
	BARRIER
	tcgen05.fence::after_thread_sync;
	setp.ne.u32 %p3, %r15, 0; or.pred %p3, %p3, %p1;
	@%p3 bra ISSUED;
	mov.u32 %r4, data; shr.u32 %r4, %r4, 4; cvt.u64.u32 %rd4, %r4;
	ld.global.b64 %rd6, [%rd3]; add.u64 %rd6, %rd6, %rd4;
	ld.global.b64 %rd7, [%rd3+8]; add.u64 %rd7, %rd7, %rd4; add.u64 %rd7, %rd7, BSTART;
	ld.global.b64 %rd8, [%rd3+16];
	ld.global.b32 %r18, [%rd3+24]; ld.global.b32 %r4, [%rd3+28]; setp.ne.u32 %p7, %r4, 0;
	ld.global.b32 %r19, [%rd3+32]; add.u32 %r19, %r19, %r8;
	ld.global.b32 %r20, [%rd3+36]; add.u32 %r20, %r20, %r8;
	ld.global.b32 %r21, [%rd3+40]; add.u32 %r21, %r21, %r8;
	ld.global.b32 %r22, [%rd3+44]; add.u32 %r22, %r22, %r8;
	ld.global.b32 %r23, [%rd3+48]; add.u32 %r23, %r23, %r8;
MASKS	MULTI
	MMA
	COMMIT
ISSUED:
	mbarrier.try_wait.parity.shared::cta.b64 %p4, [bar], 0;
	@!%p4 bra ISSUED;
	tcgen05.fence::after_thread_sync;
	mov.u32 %r10, 0;
GET:
	add.u32 %r11, %r9, %r10;
	tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r4}, [%r11];
	tcgen05.wait::ld.sync.aligned;
	st.global.b32 [%rd2], %r4;
	add.u64 %rd2, %rd2, 512; add.u32 %r10, %r10, 1; setp.lt.u32 %p0, %r10, COLUMNS; @%p0 bra GET;
	tcgen05.fence::before_thread_sync;
	BARRIER
	@%p2 bra DONE;
	tcgen05.dealloc.cta_group::GROUP.sync.aligned.b32 %r8, COLUMNS;
DONE:
	ret;
}`)
}

// words are what the kernel reads before it multiplies.
func (c *productCase) words() []uint32 {
	lane := uint32(c.base) << 16
	w := binary.LittleEndian.AppendUint64(nil, c.descriptor(0))
	w = binary.LittleEndian.AppendUint64(w, c.descriptor(1))
	w = binary.LittleEndian.AppendUint64(w, c.zeros)
	list := make([]uint32, 6, 24)
	for i := range list {
		list[i] = binary.LittleEndian.Uint32(w[4*i:])
	}
	add := map[bool]uint32{true: 1}[c.add]
	list = append(list, c.idesc(), add, lane, lane|columnA, lane|columnMeta, columnSFA|uint32(c.ids[0])<<30, columnSFB|uint32(c.ids[1])<<30, 0, 0, 0)
	return append(list, c.off...)
}

// run launches a case; want is nil where only the error counts.
func (c *productCase) run(t *testing.T, cfg ptxvm.DeviceConfig, d *productData, words []uint32) error {
	t.Helper()
	cfg.Arch = "sm_100a"
	if c.ue5m3 {
		cfg.Arch = "sm_107a"
	}
	if c.k96 {
		cfg.Arch = "sm_103a"
	}
	dev := rig.Device(t, cfg)
	m, err := ptxvm.Compile("mma.ptx", []byte(strings.NewReplacer("TARGET", cfg.Arch, "VERSION", map[bool]string{false: "9.0", true: "9.4"}[c.ue5m3]).Replace(c.text())), nil)
	if err != nil {
		return err
	}
	p, err := dev.Load(m)
	if err != nil {
		return err
	}
	var cells []uint32
	for _, x := range d.cells {
		cells = append(cells, x...)
	}
	got := make([]uint32, len(cells))
	var args []any
	for _, x := range [][]uint32{cells, got, words} {
		b, err := ptxvm.Upload(dev, x)
		if err != nil {
			return err
		}
		args = append(args, b)
	}
	image, err := ptxvm.Upload(dev, d.image)
	if err != nil {
		return err
	}
	stats, err := rig.Kernel(t, p, "k").Launch(context.Background(), ptxvm.Launch{Grid: ptxvm.Dim3{X: uint32(c.group)}, Block: ptxvm.Dim3{X: 128}}, append([]any{image}, args...)...)
	if err != nil {
		return err
	}
	if stats.SlowSums > stats.Sums/2 {
		t.Errorf("%+v: %d of %d sums took the slow way", c, stats.SlowSums, stats.Sums)
	}
	if err := ptxvm.Download(args[1].(ptxvm.Buffer), got); err != nil {
		return err
	}
	for cta, want := range d.want {
		for i, w := range want {
			if have := got[cta*len(want)+i]; have != w {
				return fmt.Errorf("CTA %d, lane %d, column %d is %#x, want %#x (%v)", cta, i%128, i/128, have, w, c.decode(w))
			}
		}
	}
	return nil
}

// productCases are the cases by what they are about.
var productCases = []productCase{
	{kind: "f16", group: 1, m: 128, n: 32, types: [2]string{"f16", "f16"}, add: true},
	{kind: "f16", group: 1, m: 128, n: 8, types: [2]string{"f16", "f16"}, half: true, add: true, span: [2]int{128, 128}},
	{kind: "f16", group: 1, m: 64, n: 24, types: [2]string{"bf16", "f16"}, add: true, span: [2]int{64, 32}, base: 16, negate: [2]bool{true, false}},
	{kind: "f16", group: 1, m: 128, n: 64, types: [2]string{"bf16", "bf16"}, along: [2]bool{true, true}, span: [2]int{128, 128}, negate: [2]bool{false, true}},
	{kind: "f16", group: 1, m: 128, n: 64, types: [2]string{"f16", "bf16"}, along: [2]bool{true, true}, span: [2]int{64, 32}, add: true},
	{kind: "f16", group: 1, m: 64, n: 32, types: [2]string{"f16", "bf16"}, along: [2]bool{true, true}},
	{kind: "f16", group: 1, m: 128, n: 32, types: [2]string{"f16", "f16"}, span: [2]int{1, 1}},
	{kind: "f16", group: 1, m: 128, n: 32, types: [2]string{"f16", "f16"}, inTensor: true, ashift: true, add: true, down: 3},
	{kind: "f16", group: 1, m: 64, n: 32, types: [2]string{"f16", "f16"}, inTensor: true, base: 16, off: []uint32{5, 0, ^uint32(0), 1 << 31}},
	{kind: "f16", group: 1, sp: true, m: 128, n: 16, types: [2]string{"f16", "bf16"}, add: true, selector: 1, span: [2]int{32, 64}},
	{kind: "f16", group: 1, sp: true, m: 64, n: 16, types: [2]string{"f16", "f16"}, inTensor: true, base: 16, collector: ".collector::a::fill"},
	{kind: "f16", group: 2, m: 256, n: 32, types: [2]string{"f16", "f16"}, add: true, off: []uint32{1, 2, 3, 4, 5, 6, 7, 8}},
	{kind: "f16", group: 2, m: 128, n: 64, types: [2]string{"f16", "f16"}, add: true, inTensor: true},
	{kind: "f16", group: 2, sp: true, m: 128, n: 32, types: [2]string{"f16", "f16"}, add: true, base: 16},
	{kind: "f16", group: 2, sp: true, m: 256, n: 32, types: [2]string{"f16", "f16"}, span: [2]int{128, 128}},
	{kind: "f16", group: 1, ws: true, m: 32, n: 64, types: [2]string{"f16", "f16"}, add: true, inTensor: true},
	{kind: "f16", group: 1, ws: true, m: 64, n: 64, types: [2]string{"f16", "f16"}, inTensor: true, collector: ".collector::b2::use"},
	{kind: "f16", group: 1, ws: true, sp: true, m: 32, n: 64, types: [2]string{"bf16", "bf16"}, inTensor: true, add: true},
	{kind: "f16", group: 1, ws: true, sp: true, m: 64, n: 128, types: [2]string{"bf16", "bf16"}},
	{kind: "f16", group: 1, ws: true, m: 64, n: 64, types: [2]string{"f16", "f16"}, zeros: 1<<39 | 4<<40 | 2<<48, used: 3, empty: 5},
	{kind: "f16", group: 1, ws: true, m: 128, n: 64, types: [2]string{"f16", "f16"}, zeros: 1<<39 | 2<<40 | 3<<48 | 5<<56, used: 4, empty: 3, shift: 5, add: true},
	{kind: "f16", group: 1, ws: true, m: 32, n: 64, types: [2]string{"f16", "f16"}, zeros: 3 << 56, shift: 3, along: [2]bool{false, true}},
	{kind: "tf32", group: 1, m: 128, n: 16, types: [2]string{"tf32", "tf32"}, add: true, down: 15, span: [2]int{32, 32}},
	{kind: "tf32", group: 1, m: 128, n: 32, types: [2]string{"tf32", "tf32"}, along: [2]bool{true, true}, span: [2]int{1, 1}},
	{kind: "tf32", group: 1, sp: true, m: 128, n: 16, types: [2]string{"tf32", "tf32"}, inTensor: true, selector: 2},
	{kind: "tf32", group: 1, ws: true, sp: true, m: 64, n: 64, types: [2]string{"tf32", "tf32"}, add: true},
	{kind: "f8f6f4", group: 1, m: 128, n: 16, types: [2]string{"e4m3", "e5m2"}, add: true, along: [2]bool{true, true}, span: [2]int{128, 0}},
	{kind: "f8f6f4", group: 1, m: 64, n: 16, types: [2]string{"e2m1", "e3m2"}, add: true, inTensor: true},
	{kind: "f8f6f4", group: 1, m: 128, n: 16, types: [2]string{"e2m3", "e2m1"}, span: [2]int{32, 128}, negate: [2]bool{true, true}},
	{kind: "f8f6f4", group: 1, m: 128, n: 8, types: [2]string{"e4m3", "e4m3"}, half: true, add: true},
	{kind: "f8f6f4", group: 1, sp: true, m: 128, n: 16, types: [2]string{"e3m2", "e4m3"}, inTensor: true},
	{kind: "f8f6f4", group: 2, sp: true, m: 256, n: 32, types: [2]string{"e5m2", "e4m3"}, add: true},
	{kind: "f8f6f4", group: 1, ws: true, sp: true, m: 32, n: 64, types: [2]string{"e5m2", "e4m3"}, inTensor: true, add: true},
	{kind: "i8", group: 1, m: 128, n: 24, types: [2]string{"u8", "s8"}, add: true},
	{kind: "i8", group: 2, m: 128, n: 32, types: [2]string{"s8", "s8"}, add: true, along: [2]bool{true, true}},
	{kind: "i8", group: 1, sp: true, m: 64, n: 16, types: [2]string{"s8", "u8"}, add: true, base: 16},
	{kind: "mxf8f6f4", group: 1, m: 128, n: 48, types: [2]string{"e4m3", "e2m1"}, vec: "1X", ids: [2]int{1, 3}, add: true},
	{kind: "mxf8f6f4", group: 1, sp: true, m: 128, n: 16, types: [2]string{"e5m2", "e4m3"}, vec: "block32", ids: [2]int{2, 0}, inTensor: true},
	{kind: "mxf8f6f4", group: 2, m: 128, n: 96, types: [2]string{"e4m3", "e4m3"}, vec: "1X", ids: [2]int{0, 1}, add: true},
	{kind: "mxf8f6f4", group: 2, m: 256, n: 64, types: [2]string{"e4m3", "e3m2"}, vec: "1X"},
	{kind: "mxf4", group: 1, m: 128, n: 16, types: [2]string{"e2m1", "e2m1"}, vec: "2X", ids: [2]int{2, 0}, add: true, span: [2]int{64, 32}},
	{kind: "mxf4nvf4", group: 1, m: 128, n: 40, types: [2]string{"e2m1", "e2m1"}, vec: "4X", ue4m3: true, add: true},
	{kind: "mxf4nvf4", group: 1, m: 128, n: 24, types: [2]string{"e2m1", "e2m1"}, vec: "4X", ue5m3: true, add: true},
	{kind: "mxf4nvf4", group: 2, m: 256, n: 32, types: [2]string{"e2m1", "e2m1"}, vec: "block32", ue5m3: true, inTensor: true, add: true},
	{kind: "mxf4nvf4", group: 1, sp: true, m: 128, n: 16, types: [2]string{"e2m1", "e2m1"}, vec: "4X", inTensor: true},
	{kind: "mxf4nvf4", group: 2, m: 256, n: 32, types: [2]string{"e2m1", "e2m1"}, vec: "block32", inTensor: true, add: true},
	{kind: "mxf4nvf4", group: 1, m: 128, n: 16, types: [2]string{"e2m1", "e2m1"}, vec: "block16", ue4m3: true, k96: true, ids: [2]int{2, 0}, add: true},
	{kind: "mxf4", group: 2, m: 256, n: 32, types: [2]string{"e2m1", "e2m1"}, vec: "block32", k96: true, ids: [2]int{3, 1}, span: [2]int{64, 128}},
}

// TestTensorProducts compares all cells of tensor memory with the model, in every mode.
func TestTensorProducts(t *testing.T) {
	for i, c := range productCases {
		d := c.data(rand.New(rand.NewPCG(uint64(i), 11)))
		for _, cfg := range []ptxvm.DeviceConfig{{}, {Async: ptxvm.AsyncLazy, Sanitize: ptxvm.SanitizeInit}, {Async: ptxvm.AsyncRandom, Seed: uint64(i)}} {
			if err := c.run(t, cfg, d, c.words()); err != nil {
				t.Errorf("%+v, %v: %v", c, cfg.Async, err)
			}
		}
	}
}

// TestTensorProductFaults: descriptors and addresses that are wrong are spelled out.
func TestTensorProductFaults(t *testing.T) {
	plain := productCase{kind: "f16", group: 1, m: 128, n: 32, types: [2]string{"f16", "f16"}}
	tensorA := plain
	tensorA.inTensor = true
	wide := productCase{kind: "f8f6f4", group: 1, sp: true, m: 128, n: 16, types: [2]string{"e4m3", "e4m3"}, span: [2]int{0, 32}}
	scaled := productCase{kind: "mxf4", group: 1, m: 128, n: 16, types: [2]string{"e2m1", "e2m1"}, vec: "2X"}
	ws := productCase{kind: "f16", group: 1, ws: true, m: 32, n: 64, types: [2]string{"f16", "f16"}, zeros: 1}
	bytes := productCase{kind: "i8", group: 1, m: 128, n: 24, types: [2]string{"u8", "s8"}}
	half := productCase{kind: "f16", group: 1, m: 64, n: 8, types: [2]string{"f16", "f16"}, inTensor: true}
	const idesc, a, b, zero, at, atA, sfa = 6, 1, 3, 5, 8, 9, 11
	for _, c := range []struct {
		c     productCase
		word  int
		flip  uint32
		wants string
	}{
		{plain, idesc, 1 << 2, "bits 2 to 2 (sparsity) are 1; they must be 0 as the statement is without .sp"},
		{plain, idesc, 1 << 3, "bits 3 to 3 (saturate) are 1; tcgen05.mma.cta_group::1.kind::f16 takes 0"},
		{plain, idesc, 1 << 5, "bits 4 to 5 (type of D) are 3; tcgen05.mma.cta_group::1.kind::f16 takes 0 or 1"},
		{plain, idesc, 1 << 6, "bits 6 to 6 (reserved) are 1"},
		{plain, idesc, 1 << 9, "bits 7 to 9 (type of A) are 4; tcgen05.mma.cta_group::1.kind::f16 takes 0 or 1"},
		{plain, idesc, 1 << 12, "bits 10 to 12 (type of B) are 4"},
		{plain, idesc, 1 << 23, "bits 23 to 23 (reserved) are 1"},
		{plain, idesc, 1 << 29, "bits 29 to 29 (reserved) are 1"},
		{plain, idesc, 1 << 30, "bits 30 to 31 (maximum shift of .ws) are 1"},
		{plain, idesc, 1 << 28, "M is 384; tcgen05.mma.cta_group::1.kind::f16 takes 64 or 128"},
		{plain, idesc, 4 << 17, "N is 0; tcgen05.mma.cta_group::1.kind::f16 takes 8 to 256 in steps of 8"},
		{plain, idesc, 1<<4 | 1<<7, "bits 4 to 5 (type of D) are 0, f16, which A and B of f16 alone have"},
		{bytes, idesc, 1 << 13, "bits 13 to 13 (negate A) are 1"},
		{bytes, idesc, 1 << 16, "N is 24; with B transposed (bit 16), elements of 8 bits take multiples of 16"},
		{bytes, idesc, 4 << 17, "N is 56; tcgen05.mma.cta_group::1.kind::i8 takes 8 to 256 in steps of 16"},
		{scaled, idesc, 1 << 4, "bits 4 to 5 (scale factor id of B) are 1; tcgen05.mma.cta_group::1.kind::mxf4 takes 0 or 2"},
		{scaled, idesc, 1 << 12, "bits 12 to 12 (reserved) are 1"},
		{scaled, idesc, 1 << 23, "bits 23 to 24 (scale type) are 0"},
		{scaled, idesc, 1 << 31, "bits 31 to 31 (K = 96) are 1"},
		{scaled, idesc, 3 << 27, "M is 256; tcgen05.mma.cta_group::1.kind::mxf4 takes 128"},
		{ws, idesc, 8 << 17, "N is 0; tcgen05.mma.ws.cta_group::1.kind::f16 takes 64, 128 or 256"},
		{ws, zero, 1 << 4, "bits 36 to 38 and 62 to 63 are reserved"},
		{ws, zero, 17 << 24, "bits 56 to 61 (column shift) are 17; with M = 32 at most 16"},
		{plain, a, 1 << 14, "A: matrix descriptor"},
		{plain, a, 1 << 20, "A: matrix descriptor"},
		{plain, b, 1 << 13, "16 bytes lie at offset"},
		{wide, idesc, 0, "B: matrix descriptor (start 0x4400, leading offset 0, stride offset 256, base offset 0, swizzle 32 bytes): a row has 64 bytes along K; 32 are left of the 32 of a row of the swizzle (32 bytes)"},
		{tensorA, idesc, 1 << 15, "bit 15 (transpose A) is 1; A is in tensor memory"},
		{plain, at, 1 << 20, "address 0x00100000 (lane 16, column 0) of D: the lane must be 0 for 128 rows"},
		{half, atA, 1 << 20, "of A: the lane must be that of D, 0"},
		{tensorA, atA, 128 ^ 254, "columns 254 to 261 of CTA rank 0: column 256 is not allocated"},
		{scaled, sfa, 1 << 21, "of the scale factors of A: the lane must be 0"},
	} {
		words := c.c.words()
		words[c.word] ^= c.flip
		err := c.c.run(t, ptxvm.DeviceConfig{}, c.c.data(rand.New(rand.NewPCG(1, 1))), words)
		var f *ptxvm.Fault
		if !errors.As(err, &f) || !strings.Contains(f.Msg, c.wants) {
			t.Errorf("%s, word %d ^ %#x\n\twant %s\n\thave %v", c.c.kind, c.word, c.flip, c.wants, err)
		}
	}
}
