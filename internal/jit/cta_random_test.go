package jit_test

import (
	"flag"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

var (
	ctaSeed  = flag.Uint64("jit.ctaseed", 1, "seed of TestCTARandom's first kernel")
	ctaCount = flag.Int("jit.ctas", 16, "its kernels")
	ctaTime  = flag.Duration("jit.ctatime", 0, "run kernels for so long instead")
)

// ctaDraw draws a kernel that guards what it does by places, sizes and thread indices.
type ctaDraw struct {
	*rand.Rand
	b      strings.Builder
	labels int
	depth  int
	open   []string // labels that code may jump to
	other  bool     // bytes, values of 64 bits and atomics are drawn, too
	exited bool     // some lanes may have ended
}

func (d *ctaDraw) line(format string, args ...any) { fmt.Fprintf(&d.b, format+"\n", args...) }
func (d *ctaDraw) of(list ...string) string        { return list[d.IntN(len(list))] }

// Registers that the kernel writes: words %r11 to %r16, floats %f1 to %f5, predicates %p1 to %p5.
func (d *ctaDraw) word() string      { return fmt.Sprintf("%%r%d", 11+d.IntN(6)) }
func (d *ctaDraw) float() string     { return fmt.Sprintf("%%f%d", 1+d.IntN(5)) }
func (d *ctaDraw) predicate() string { return fmt.Sprintf("%%p%d", 1+d.IntN(5)) }

// place is a number that follows from places and thread indices.
func (d *ctaDraw) place() string {
	return d.of("%r1", "%r2", "%r1", "%r2", "%r3", "%r4", "%r5", "%r54", "%r55", "%r11", "%r12")
}

func (d *ctaDraw) bound() string {
	return d.of("%r8", "%r9", "%r8", "%r9", "0", "1", "7", "31", "%r54", "%r55", "%r3", "%r57")
}

// condition sets a predicate.
func (d *ctaDraw) condition() string {
	p := d.predicate()
	switch d.IntN(11) {
	case 8, 9, 10:
		d.knownLanes(p)
	case 0:
		d.line("%s.pred %s, %s, %s;", d.of("and", "or", "xor"), p, d.predicate(), d.predicate())
	case 1:
		d.line("add.s32 %%r20, %s, %d; add.s32 %%r21, %s, %d; or.b32 %%r20, %%r20, %%r21; setp.%s.s32 %s, %%r20, 0;", d.place(), d.IntN(5)-2, d.place(), d.IntN(5)-2, d.of("lt", "ge"), p)
	case 2:
		d.line("setp.%s.%s.%s %s|%s, %s, %s, %s;", d.of("lt", "ge"), d.of("and", "or"), d.of("s32", "u32"), p, d.predicate(), d.place(), d.bound(), d.predicate())
	default:
		d.line("add.s32 %%r20, %s, %d; setp.%s.%s %s, %%r20, %s;", d.place(), d.IntN(7)-3, d.of("lt", "le", "gt", "ge", "lt", "ge", "eq", "ne"), d.of("s32", "s32", "u32"), p, d.bound())
	}
	return p
}

// knownLanes sets a predicate for lanes that are the same in all CTAs: some of a warp, its upper ones alone, one warp of two, every
// fourth thread.
func (d *ctaDraw) knownLanes(p string) {
	index := d.of("%r57", "%r57", "%r5")
	switch d.IntN(4) {
	case 0:
		d.line("setp.%s.u32 %s, %s, %d;", d.of("lt", "ge"), p, index, []int{1, 8, 16, 24, 31, 32, 40}[d.IntN(7)])
	case 1:
		d.line("and.b32 %%r20, %s, 31; setp.%s.u32 %s, %%r20, %d;", index, d.of("lt", "ge", "eq"), p, []int{8, 16, 24, 31}[d.IntN(4)])
	case 2:
		d.line("and.b32 %%r20, %s, 32; setp.%s.u32 %s, %%r20, 0;", index, d.of("eq", "ne"), p)
	default:
		d.line("and.b32 %%r20, %s, %d; setp.%s.u32 %s, %%r20, %d;", index, []int{1, 3, 7}[d.IntN(3)], d.of("eq", "ne"), p, d.IntN(2))
	}
}

// address has one of global memory in %rd10: of the thread's place, moved by a little.
func (d *ctaDraw) address() string {
	dx, dy := d.IntN(5)-2, d.IntN(3)-1
	switch d.IntN(8) {
	case 0:
		d.line("mul.wide.%s %%rd10, %s, 4; add.s64 %%rd10, %%rd1, %%rd10;", d.of("s32", "u32"), d.place())
	case 1:
		d.line("mad.lo.s32 %%r20, %%r2, %%r8, %%r1; cvt.%s %%rd10, %%r20; shl.b64 %%rd10, %%rd10, 2; add.s64 %%rd10, %%rd1, %%rd10;", d.of("u64.u32", "s64.s32"))
	case 2:
		return fmt.Sprintf("[%%rd3+%d]", 4*dx)
	default:
		d.line("add.s32 %%r20, %%r1, %d; add.s32 %%r21, %%r2, %d; mad.lo.s32 %%r20, %%r21, %%r8, %%r20; mul.wide.s32 %%rd10, %%r20, 4; add.s64 %%rd10, %%rd1, %%rd10;", dx, dy)
	}
	return fmt.Sprintf("[%%rd10+%d]", d.IntN(3)*32768)
}

func (d *ctaDraw) shared() string {
	return fmt.Sprintf("[%%r10+%d]", 4*d.IntN(40))
}

// guard is what stands in front of an instruction.
func (d *ctaDraw) guard() string {
	switch d.IntN(5) {
	case 0:
		return "@" + d.predicate() + " "
	case 1:
		return "@!" + d.predicate() + " "
	}
	return ""
}

// statement draws one.
func (d *ctaDraw) statement() {
	switch n := d.IntN(26); {
	case n < 3:
		d.condition()
	case n < 5:
		a := d.address()
		d.line("%sld.global.f32 %s, %s;", d.guard(), d.float(), a)
	case n < 6:
		a := d.address()
		d.line("%sld.global.u32 %s, %s;", d.guard(), d.word(), a)
	case n < 8:
		a := d.address()
		d.line("%sst.global.f32 %s, %s;", d.guard(), a, d.float())
	case n < 9 && d.IntN(2) == 0:
		d.line("ld.global.f32 %%f1, [%%rd3]; st.shared.f32 [%%r10], %%f1;")
		if d.depth == 0 {
			d.line("bar.sync 0;")
		}
		d.line("ld.shared.f32 %s, %s; add.s64 %%rd10, %%rd20, %%rd2; st.global.f32 [%%rd10], %s;", d.float(), d.shared(), d.float())
	case n < 9:
		d.line("%sst.shared.f32 %s, %s;", d.guard(), d.shared(), d.float())
	case n < 10:
		d.line("%sld.shared.f32 %s, %s;", d.guard(), d.float(), d.shared())
	case n < 11:
		d.line("%sadd.s32 %s, %s, %s;", d.guard(), d.word(), d.place(), d.bound())
	case n < 12:
		d.line("%smad.lo.s32 %s, %s, %d, %s;", d.guard(), d.word(), d.place(), d.IntN(5)-1, d.place())
	case n < 13:
		d.line("%sfma.rn.f32 %s, %s, %s, %s;", d.guard(), d.float(), d.float(), d.float(), d.of("%f9", d.float()))
	case n < 14:
		d.line("%sadd.f32 %s, %s, %s;", d.guard(), d.float(), d.float(), d.float())
	case n < 15:
		d.line("selp.%s, %s;", d.of("b32 "+d.word()+", "+d.place()+", "+d.bound(), "f32 "+d.float()+", "+d.float()+", %f9"), d.predicate())
	case n < 16:
		d.line("%smov.b32 %s, %s;", d.guard(), d.of(d.float(), d.word()), d.of("%r8", "%r54", "%r3", "%r11"))
	case n < 17:
		d.onePlace()
	case n < 18:
		d.passOn()
	case n < 19 && d.other:
		d.elsewhere()
	case n < 20:
		d.apart()
	case n < 21 && d.depth == 0 && !d.exited:
		d.shuffle()
	case d.depth < 3:
		d.region()
	}
}

// apart accesses words, or vectors of them, that are apart.
func (d *ctaDraw) apart() {
	step := []int{8, 16, 16, 12, 20, 32}[d.IntN(6)]
	list := []string{"", ".v2", ".v4"}
	width := list[d.IntN(1+bits.TrailingZeros(uint(step)|16)-2)]
	load, store := d.float(), d.float()
	switch width {
	case ".v2":
		load, store = "{%f1, %f3}", d.of("{%f2, %f1}", "{%f2, %f9}", "{%f2, %f2}")
	case ".v4":
		load, store = "{%f1, %f3, %f4, %f5}", d.of("{%f2, %f1, %f5, %f3}", "{%f9, %f1, %f1, %f4}")
	}
	off := d.IntN(3) * max(step&-step, 4)
	if d.IntN(3) == 0 {
		d.line("mad.lo.u32 %%r22, %%r5, %d, %%r7; %sst.shared%s.f32 [%%r22+%d], %s; %sld.shared%s.f32 %s, [%%r22+%d];", step&^32, d.guard(), width, off, store, d.guard(), width, load, off)
		return
	}
	d.line("mul.wide.%s %%rd11, %s, %d; add.s64 %%rd11, %%rd1, %%rd11;", d.of("u32", "s32"), d.of("%r5", "%r5", "%r1", "%r11"), step)
	if d.IntN(2) == 0 {
		d.line("%sld.global%s.f32 %s, [%%rd11+%d];", d.guard(), width, load, off)
	} else {
		d.line("%sst.global%s.f32 [%%rd11+%d], %s;", d.guard(), width, off, store)
	}
}

// shuffle moves values between lanes of a warp.
func (d *ctaDraw) shuffle() {
	value, pair := d.of(d.float(), d.word()), ""
	if d.IntN(3) == 0 {
		pair = "|" + d.predicate()
	}
	d.line("shfl.sync.%s.b32 %s%s, %s, %d, %d, -1;", d.of("bfly", "down", "idx", "bfly"), d.of(d.float(), d.word()), pair, value, d.IntN(32), d.of31())
}

func (d *ctaDraw) of31() int { return []int{31, 31, 15<<8 | 31, 24<<8 | 31, 28<<8 | 31}[d.IntN(5)] }

// onePlace stores lanes of a warp to the same few words, of which the last one counts.
func (d *ctaDraw) onePlace() {
	d.line("and.b32 %%r22, %%r5, %d; shl.b32 %%r22, %%r22, 2;", d.IntN(5)*8+7*d.IntN(2))
	if d.IntN(2) == 0 {
		d.line("cvt.u64.u32 %%rd11, %%r22; add.s64 %%rd11, %%rd1, %%rd11; %sst.global.f32 [%%rd11], %s; %sld.global.f32 %s, [%%rd11+%d];", d.guard(), d.float(), d.guard(), d.float(), 4*d.IntN(9))
		return
	}
	d.line("add.u32 %%r22, %%r22, %%r7; %sst.shared.f32 [%%r22+%d], %s; %sld.shared.f32 %s, [%%r22+%d];", d.guard(), 4*d.IntN(9), d.float(), d.guard(), d.float(), 4*d.IntN(9))
}

// passOn brings words from global memory through shared memory twice, behind a store that may change what was loaded.
func (d *ctaDraw) passOn() {
	from, via, to := d.IntN(40), d.IntN(40), d.IntN(40)
	d.line("%sld.global.f32 %%f1, [%%rd3+%d]; %sst.shared.f32 [%%r10+%d], %%f1;", d.guard(), 4*d.IntN(3), d.guard(), 4*from)
	if d.depth == 0 {
		d.line("bar.sync 1;")
	}
	d.line("%sst.global.f32 [%%rd3+%d], %%f2; ld.shared.f32 %%f3, [%%r10+%d]; %sst.shared.f32 [%%r10+%d], %%f3;", d.guard(), 4*d.IntN(3), 4*via, d.guard(), 2048+4*via)
	if d.depth == 0 {
		d.line("bar.sync 0;")
	}
	d.line("ld.shared.f32 %s, [%%r10+%d]; add.s64 %%rd10, %%rd20, %%rd2; st.global.f32 [%%rd10], %s;", d.float(), 2048+4*to, d.float())
}

// elsewhere draws what is not of words and floats.
func (d *ctaDraw) elsewhere() {
	d.line("mul.wide.u32 %%rd11, %%r5, 8; add.s64 %%rd11, %%rd1, %%rd11;")
	d.line(d.of(
		"ld.global.v2.u64 {%%rd12, %%rd13}, [%%rd3];",
		"ld.global.u8 %%r13, [%%rd3+1]; %[1]sst.global.u16 [%%rd3+2], %%r13;",
		"cvt.f64.f32 %%rd12, %%f1; add.f64 %%rd12, %%rd12, %%rd12; cvt.rn.f32.f64 %%f3, %%rd12;",
		"cvt.s64.s32 %%rd12, %%r1; cvt.s64.s32 %%rd13, %%r8; setp.lt.s64 %%p2, %%rd12, %%rd13;",
		"%[1]sst.volatile.shared.f32 [%%r10], %%f2; ld.volatile.shared.f32 %%f4, [%%r10+4];",
		"ld.relaxed.gpu.global.u32 %%r14, [%%rd3]; %[1]sred.global.add.u32 [%%rd3+4], %%r5;",
	)+"%.0[1]s", d.guard())
}

// region is statements that some lanes leave out; they may leave others around them, too.
func (d *ctaDraw) region() {
	d.labels++
	end := fmt.Sprintf("L%d", d.labels)
	d.depth++
	d.open = append(d.open, end)
	d.line("@%s%s bra %s;", d.of("", "!"), d.condition(), end)
	for range 1 + d.IntN(4) {
		d.statement()
	}
	switch d.IntN(6) {
	case 0:
		d.line("@%s%s bra %s;", d.of("", "!"), d.predicate(), d.open[d.IntN(len(d.open))])
		d.statement()
	case 1: // the other side
		d.labels++
		other := fmt.Sprintf("L%d", d.labels)
		d.line("bra.uni %s;", other)
		d.line("%s:", end)
		d.open[len(d.open)-1] = other
		end = other
		d.statement()
	}
	d.open = d.open[:len(d.open)-1]
	d.depth--
	d.line("%s:", end)
}

// kernel draws parts that a barrier parts.
func (d *ctaDraw) kernel() string {
	d.other = d.IntN(6) == 0
	d.line("mov.u32 %%r57, %%tid.x; mov.u32 %%r11, %%r1; mov.u32 %%r12, %%r5; mov.u32 %%r13, 3; mov.u32 %%r14, %%r54; mov.u32 %%r15, 0; mov.u32 %%r16, %%r2;")
	d.line("mov.f32 %%f1, 0f00000000; mov.f32 %%f2, %%f9; mov.f32 %%f3, 0f40400000; mov.b32 %%f4, %%r5; mov.f32 %%f5, 0f00000000;")
	d.line("setp.lt.s32 %%p1, %%r1, %%r8; setp.lt.s32 %%p2, %%r2, %%r9; setp.gt.s32 %%p3, %%r1, 0; setp.lt.u32 %%p4, %%r5, 40; and.pred %%p5, %%p1, %%p2;")
	for i := range 1 + d.IntN(3) {
		if i > 0 {
			d.line("bar.sync %d;", d.IntN(2))
		}
		for range 2 + d.IntN(7) {
			d.statement()
		}
	}
	if d.IntN(3) == 0 {
		d.line("@%s exit;", d.condition())
		d.exited = true
		d.statement()
	}
	d.line("mad.lo.s32 %%r20, %%r2, 64, %%r1; mul.wide.s32 %%rd10, %%r20, 4; add.s64 %%rd10, %%rd1, %%rd10;")
	for i := range 3 {
		d.line("st.global.f32 [%%rd10+%d], %s;", 98304+16384*(2*i), d.float())
		d.line("st.global.u32 [%%rd10+%d], %s;", 98304+16384*(2*i+1), d.word())
	}
	return d.b.String()
}

// TestCTARandom runs random kernels whose CTAs differ at borders.
func TestCTARandom(t *testing.T) {
	start, n := time.Now(), 0
	for ; *ctaTime == 0 && n < *ctaCount || time.Since(start) < *ctaTime; n++ {
		seed := *ctaSeed + uint64(n)
		d := &ctaDraw{Rand: rand.New(rand.NewPCG(seed, 9))}
		e := ctaEdge{body: d.kernel(), grid: [3]uint32{uint32(1 + d.IntN(4)), uint32(1 + d.IntN(4)), 1}, size: 1 << 20, pitch: 4096}
		e.block = [][3]uint32{{16, 16, 1}, {16, 16, 1}, {32, 8, 1}, {256, 1, 1}, {32, 1, 1}, {8, 8, 4}, {64, 2, 1}, {16, 4, 2}, {33, 1, 1}}[d.IntN(9)]
		e.width, e.height = []uint32{64, 64, 61, 33, 48, 17, 1 << 31, 80}[d.IntN(8)], []uint32{64, 61, 20, 33, 1, 1 << 30}[d.IntN(6)]
		e.second, e.near = d.IntN(2) == 0, true
		if testing.Verbose() {
			t.Logf("%v %v %d %d\n%s", e.block, e.grid, e.width, e.height, e.body)
		}
		if !t.Run(fmt.Sprint(seed), e.compare) {
			t.Fatalf("seed %d, block %v, grid %v, width %d, height %d:\n%s\nrepeat: go test ./internal/jit -run TestCTARandom -jit.ctas 1 -jit.ctaseed %d", seed, e.block, e.grid, e.width, e.height, e.body, seed)
		}
	}
	t.Logf("%d kernels", n)
}
