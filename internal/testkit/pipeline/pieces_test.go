package pipeline

// This file has accesses whose lanes follow each other in two pieces, or nearly do: what is found out of them while code runs is held to what
// the interpreter does lane by lane.

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// pieces is a launch of such a kernel: lanes of one are at first plus their number, the others at other plus theirs. Each lane that is on
// goes so many turns, which are eight elements apart.
type pieces struct {
	mask, one         uint32
	first, other      int64 // elements
	turns, otherTurns uint32
	plus, otherPlus   uint64 // bytes that all addresses have in addition, and those of the others
	size              int
}

// piecesKernel is the kernel for elements of a type: by words, or by indices of 64 bits.
func piecesKernel(elem string, size int, words bool) string {
	reg, index := "%r", "selp.b64 %rd5, %rd3, %rd4, %p2; mul.wide.u32 %rd6, %r1, SIZE; add.s64 %rd5, %rd5, %rd6;"
	if words {
		index = "shr.s64 %rd3, %rd3, SHIFT; shr.s64 %rd4, %rd4, SHIFT; cvt.u32.u64 %r5, %rd3; cvt.u32.u64 %r6, %rd4; selp.b32 %r5, %r5, %r6, %p2;\n" +
			"\tadd.s32 %r5, %r5, %r1; mul.wide.s32 %rd5, %r5, SIZE;"
	}
	if size == 8 {
		reg = "%rd"
	}
	text := `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 mask, .param .u32 one, .param .u64 first, .param .u64 other, .param .u32 turns,
	.param .u32 otherturns, .param .u64 plus)
{
	.reg .pred %p<4>;
	.reg .b32 %r<24>;
	.reg .b64 %rd<24>;
	ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r2, [mask]; ld.param.u32 %r3, [one]; ld.param.u64 %rd3, [first];
	ld.param.u64 %rd4, [other]; ld.param.u32 %r7, [turns]; ld.param.u32 %r8, [otherturns]; ld.param.u64 %rd8, [plus];
	mov.u32 %r4, %tid.x; and.b32 %r1, %r4, 31; shr.u32 %r9, %r2, %r1; and.b32 %r9, %r9, 1; setp.eq.u32 %p1, %r9, 0; @%p1 bra END;
	shr.u32 %r9, %r3, %r1; and.b32 %r9, %r9, 1; setp.ne.u32 %p2, %r9, 0; INDEX
	shr.u32 %r10, %r4, 5; mul.wide.u32 %rd7, %r10, APART; add.s64 %rd5, %rd5, %rd7; add.s64 %rd5, %rd5, %rd8;
	add.s64 %rd1, %rd1, %rd5; add.s64 %rd2, %rd2, %rd5; selp.b32 %r7, %r7, %r8, %p2; mov.u32 %r20, %r4; cvt.u64.u32 %rd20, %r4;
L:	ld.global.ELEM REG21, [%rd1];
	ADD REG21, REG21, REG20;
	st.global.ELEM [%rd2], REG21;
	add.s64 %rd1, %rd1, STEP; add.s64 %rd2, %rd2, STEP; sub.u32 %r7, %r7, 1; setp.ne.u32 %p1, %r7, 0; @%p1 bra L;
END:
	ret;
}
`
	n := fmt.Sprint(size)
	return strings.NewReplacer("INDEX", strings.NewReplacer("SHIFT", fmt.Sprint(bits.TrailingZeros(uint(size))), "SIZE", n).Replace(index), "REG", reg, "ELEM", elem,
		"ADD", map[bool]string{true: "add.u64", false: "add.u32"}[size == 8], "APART", fmt.Sprint(256*size), "STEP", fmt.Sprint(8*size)).Replace(text)
}

// extent is where the lanes are that are on: from the least element to the one behind the last.
func (p *pieces) extent() (least, end int64) {
	least, end = 1<<60, -1<<60
	for lane := range int64(32) {
		if p.mask>>lane&1 == 0 {
			continue
		}
		at, n := p.first, p.turns
		if p.one>>lane&1 == 0 {
			at, n = p.other, p.otherTurns
		}
		least, end = min(least, at+lane), max(end, at+lane+8*int64(n-1)+1)
	}
	return least, end
}

// randomPieces is a launch whose lanes are inside; of those that touch the first element, or the last one, there are many.
func randomPieces(r *rand.Rand, size, elems int) *pieces {
	for {
		p := &pieces{one: 1<<r.IntN(33) - 1, turns: 1 + r.Uint32N(3), otherTurns: 1 + r.Uint32N(3), size: size}
		if r.IntN(5) == 0 {
			p.one = r.Uint32()
		}
		switch p.mask = ^uint32(0); r.IntN(5) {
		case 0:
			p.mask <<= r.IntN(32)
		case 1:
			p.mask >>= r.IntN(32)
		case 2:
			p.mask = r.Uint32() | 1<<r.IntN(32)
		case 3:
			p.mask &^= 1 << r.IntN(32)
		}
		p.first = r.Int64N(300) - 40
		p.other = p.first + []int64{0, 8, 96, -8, -3, 1, 200, r.Int64N(200) - 100}[r.IntN(8)]
		least, end := p.extent()
		switch r.IntN(3) { // to an end of memory
		case 0:
			p.first, p.other = p.first-least, p.other-least
		case 1:
			by := int64(elems-256) - end
			p.first, p.other = p.first+by, p.other+by
		}
		if least, end = p.extent(); least >= 0 && end <= int64(elems-256) {
			return p
		}
	}
}

// launch is the launch.
func (p *pieces) launch(in, out *corpus.Buffer) corpus.Launch {
	word := func(v uint32) corpus.Arg {
		return corpus.Arg{Elem: corpus.U32, Scalar: binary.LittleEndian.AppendUint32(nil, v)}
	}
	wide := func(v uint64) corpus.Arg {
		return corpus.Arg{Elem: corpus.U64, Scalar: binary.LittleEndian.AppendUint64(nil, v)}
	}
	return corpus.Launch{Kernel: "k", Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, Args: []corpus.Arg{{Buffer: in}, {Buffer: out}, word(p.mask), word(p.one),
		wide(uint64(p.first * int64(p.size))), wide(uint64(p.other*int64(p.size)) + p.otherPlus), word(p.turns), word(p.otherTurns), wide(p.plus)}}
}

// brokenPieces are launches of which one lane or another is outside, or not aligned, in all ways that code which finds pieces could miss.
func brokenPieces(size, elems int) (list []*pieces) {
	last, far, sign := int64(elems-256), int64(1)<<40, int64(1)<<62/int64(size)*2
	for _, p := range []pieces{
		{mask: ^uint32(0), one: 0xff, first: -1, other: 95},                                                      // the first lane
		{mask: 0xfffffffe, one: 0xff, first: 95, other: -9},                                                      // the first of the second piece
		{mask: ^uint32(0), one: 0xff, first: 0, other: last + 1 - 32 + 256},                                      // the last lane of the last warp
		{mask: ^uint32(0), one: 0xffffff, first: last + 256 - 24 + 1, other: 0},                                  // the last of the first piece
		{mask: 0x00ffff00, one: 0xffff, first: 0, other: far},                                                    // the second piece
		{mask: 0x80000001, one: 0xffff, first: far, other: 0},                                                    // the first
		{mask: 0x7fffffff, one: ^uint32(0), first: sign - 16},                                                    // one piece, which goes from positive to negative
		{mask: 0x7fffffff, one: 0xffff, first: -sign, other: sign - 1},                                           // two, at both ends
		{mask: 0x7fffffff, one: 0xffff, first: sign - 4, other: 0, plus: 1<<63 + 64},                             // between both ends, which are inside
		{mask: 0x7fffffff, one: 0xffff, first: sign - 16, other: -sign - 15, plus: 1<<63 + uint64(8*size)},       // in front of the first, which is behind the last
		{mask: 0x7fffffff, one: 0xffff, first: sign - 4, other: sign - 40, plus: 1<<63 + uint64((elems+8)*size)}, // behind the last, as it wraps
		{mask: ^uint32(0), one: 0xffff, first: 0, other: 96, plus: 1},                                            // all lanes, by alignment
		{mask: ^uint32(0), one: 0xffff, first: 8, other: 0, otherPlus: uint64(size / 2)},                         // the second piece
		{mask: ^uint32(0), one: 0xffff, first: 0, other: 8, otherPlus: uint64(size / 2)},                         //
	} {
		if size > 1 || p.plus != 1 && p.otherPlus == 0 {
			p.turns, p.otherTurns, p.size = 1, 1, size
			list = append(list, &p)
		}
	}
	return list
}

// TestPieces: lanes that follow each other in pieces load, store and fault as lane by lane.
func TestPieces(t *testing.T) {
	const elems = 640
	for _, k := range []struct {
		elem string
		size int
	}{{"u32", 4}, {"u64", 8}, {"u16", 2}, {"s8", 1}} {
		for _, words := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, words %v", k.elem, words), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(uint64(k.size), 7))
				in, out := &corpus.Buffer{Name: "in", Elem: corpus.U8, Init: make([]byte, elems*k.size)}, &corpus.Buffer{Name: "out", Elem: corpus.U8, Init: make([]byte, elems*k.size)}
				for i := range in.Init {
					in.Init[i], out.Init[i] = byte(7*i+i>>8), 0xa5
				}
				inside := &corpus.Run{Buffers: []*corpus.Buffer{in, out}}
				for range 100 {
					inside.Launches = append(inside.Launches, randomPieces(rnd, k.size, elems).launch(in, out))
				}
				text := piecesKernel(k.elem, k.size, words)
				backEnds(t, func(t *testing.T, b backEnd) { piecesLike(t, b, text, inside, true) })
				for _, p := range brokenPieces(k.size, elems) {
					good := randomPieces(rnd, k.size, elems).launch(in, out)
					for _, b := range slices.DeleteFunc(slices.Clone(ways), func(b backEnd) bool { return !b.own || b.eval || !slices.Contains(jit.Runnable(), b.vectors) }) {
						piecesLike(t, b, text, &corpus.Run{Buffers: inside.Buffers, Launches: []corpus.Launch{good, p.launch(in, out)}}, false)
					}
				}
			})
		}
	}
}

// piecesLike holds launches to the interpreter.
func piecesLike(t *testing.T, b backEnd, text string, r *corpus.Run, compiled bool) {
	t.Helper()
	want, refused := run(t, text, r, 1, nil)[0], map[string]error{}
	for i, got := range run(t, text, r, 3, b.with(&jit.PipelineC{}, refused)) {
		if diff := got.differs(&want); diff != "" || refused["k"] != nil || compiled && i == 2 && got.byC == 0 {
			t.Fatalf("%+v: run %d: %s; %v", r.Launches[len(r.Launches)-1].Args[2:], i, diff, refused["k"])
		}
	}
}
