package jit_test

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// opHeader: %r1 is the number of the thread in its CTA, %r2 and %r3 are made from it, %p1 holds in
// some lanes, %p2 in those of a random half, %r9 is a loop's counter; %rd1 is a buffer, %rd3 the
// thread's place for results in it, 16 bytes each from byte 16384 on.
const opHeader = `.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
	.reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .pred %p<9>; .reg .f32 %f<9>;
	.shared .align 16 .b8 smem[1024];
	ld.param.u64 %rd1, [out];
	mov.u32 %r30, %tid.x; mov.u32 %r31, %tid.y; mov.u32 %r32, %tid.z; mov.u32 %r33, %ntid.x; mov.u32 %r34, %ntid.y;
	mad.lo.u32 %r35, %r32, %r34, %r31;
	mad.lo.u32 %r1, %r35, %r33, %r30;
	mad.lo.u32 %r36, %r1, 0x9e3779b1, 0x7f4a7c15;
	shr.u32 %r37, %r36, 15;
	xor.b32 %r2, %r36, %r37;
	mul.lo.u32 %r3, %r2, 0x85ebca6b;
	mul.wide.u32 %rd2, %r1, 16;
	add.u64 %rd3, %rd1, %rd2;
	and.b32 %r38, %r2, 0x300; setp.ne.u32 %p1, %r38, 0;
	and.b32 %r38, %r2, 0x4000; setp.ne.u32 %p2, %r38, 0;
	mov.u32 %r10, 77; mov.u32 %r11, 0; mov.u32 %r9, 0;
`

const opFooter = `
	@%p5 add.u32 %r11, %r11, 1;
	st.global.u32 [%rd3+16384], %r10;
	st.global.u32 [%rd3+16388], %r11;
	ret;
}
`

// opPlaces are where a statement stands: MASK in it is the member mask.
var opPlaces = map[string]func(op string) string{
	"all": func(op string) string { return strings.ReplaceAll(op, "MASK", "-1") },
	"loop": func(op string) string {
		return "L: " + strings.ReplaceAll(op, "MASK", "0xffffffff") + "\nadd.u32 %r9, %r9, 1; xor.b32 %r2, %r2, %r10; setp.lt.u32 %p6, %r9, 5; @%p6 bra L;"
	},
	"half": func(op string) string {
		return "@%p2 bra E; activemask.b32 %r8;\n" + strings.ReplaceAll(op, "MASK", "%r8") + "\nE:"
	},
	"uniform": func(op string) string {
		return "ld.global.u32 %r8, [%rd1];\n" + strings.ReplaceAll(op, "MASK", "%r8")
	},
	"rows":   func(op string) string { return "or.b32 %r8, %r3, -2;\n" + strings.ReplaceAll(op, "MASK", "%r8") },
	"few":    func(op string) string { return strings.ReplaceAll(op, "MASK", "0xff00ffff") },
	"others": func(op string) string { return "@%p2 bra E;\n" + strings.ReplaceAll(op, "MASK", "-1") + "\nE:" },
	"guard":  func(op string) string { return "@%p2 " + strings.ReplaceAll(op, "MASK", "-1") },
}

// blockShapes are those that a warp function or a memory access may see.
var blockShapes = [][3]uint32{{32, 1, 1}, {256, 1, 1}, {16, 16, 1}, {8, 8, 4}, {33, 1, 1}, {1, 1, 1}}

var allShapes = flag.Bool("shapes", false, "statements across lanes and on memory: all shapes of blocks for each")

// shapesOf are the shapes that the k-th statement is tried with: a whole and a partial warp, and one of the others.
func shapesOf(k int) [][3]uint32 {
	if *allShapes {
		return blockShapes
	}
	return [][3]uint32{{32, 1, 1}, {33, 1, 1}, blockShapes[[]int{1, 2, 3, 5}[k%4]]}
}

// compareOp runs a statement in one place in both engines and both widths; the engine leaves at none
// of its instructions that mayLeave does not allow. Where mayLeave is nil, the kernel may fault.
func compareOp(t *testing.T, src string, shapes [][3]uint32, mayLeave func(text string) bool) {
	t.Helper()
	l := newLaboratory(t, "k.ptx", src)
	buf, _ := l.arena.Alloc(1<<15, mem.Info{Label: "buf"})
	data := l.arena.Bytes(buf, 1<<15)
	fill := func() {
		for i := range data {
			data[i] = byte(i*7 + i>>8)
		}
		copy(data, "\xff\xff\xff\xff")
		for i, v := range edgeWords {
			binary.LittleEndian.PutUint32(data[edgesAt+4*i:], v)
		}
	}
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		for _, block := range shapes {
			fill()
			want, fault := l.launch(t, "k", [3]uint32{2, 1, 1}, block, func(*host.Launch) {}, buf)
			memory := bytes.Clone(data)
			fill()
			e := engine(t, jit.Options{Vectors: v})
			got, err := l.launch(t, "k", [3]uint32{2, 1, 1}, block, func(x *host.Launch) { x.Compile = e.Install }, buf)
			if fmt.Sprint(err) != fmt.Sprint(fault) || fault != nil && mayLeave != nil {
				t.Errorf("%d %v: %v; the interpreter: %v", v, block, err, fault)
			}
			if !bytes.Equal(data, memory) || got.LaneOps != want.LaneOps || got.Steps != want.Steps {
				t.Errorf("%d %v: %s; %d steps and %d lane-ops, the interpreter %d and %d", v, block, firstDifference(data, memory), got.Steps, got.LaneOps, want.Steps, want.LaneOps)
			}
			for _, left := range got.Left {
				f := decode.FuncOf(left.Code.Func)
				if text := f.Insts[left.PC].Sel.Text(); mayLeave != nil && !mayLeave(text) {
					t.Errorf("%d %v: left at %s, %d times", v, block, text, left.Times)
				}
			}
		}
	}
}

func firstDifference(got, want []byte) string {
	for i := 0; i < len(got); i += 4 {
		if !bytes.Equal(got[i:i+4], want[i:i+4]) {
			return fmt.Sprintf("at %d %x, the interpreter's %x", i, got[i:i+4], want[i:i+4])
		}
	}
	return "memory is equal"
}

// misses are instructions that leave once, to find their allocation.
func misses(text string) bool {
	return strings.HasPrefix(text, "ld.") || strings.HasPrefix(text, "st.") || strings.Contains(text, ".global.")
}

var warpStatements = []string{
	"shfl.sync.up.b32 %r10|%p5, %r2, 3, 0, MASK;", "shfl.sync.up.b32 %r10, %r2, 17, 0x1000, MASK;",
	"shfl.sync.down.b32 %r10|%p5, %r2, 16, 31, MASK;", "shfl.sync.down.b32 %r2, %r2, 1, 0x181f, MASK; mov.u32 %r10, %r2;",
	"shfl.sync.bfly.b32 %r10, %r2, 16, 31, MASK;", "shfl.sync.bfly.b32 %r10|%p5, %r2, 8, 31, MASK;", "shfl.sync.bfly.b32 %r10, %r2, 1, 0x1c1f, MASK;",
	"shfl.sync.idx.b32 %r10|%p5, %r2, 5, 31, MASK;", "shfl.sync.idx.b32 %r10, %r2, 0, 0x181f, MASK;",
	"shfl.sync.idx.b32 %r10, %r2, %r3, 31, MASK;", "shfl.sync.idx.b32 %r10|%p5, %r2, %r3, 0x1c1f, MASK;", "shfl.sync.idx.b32 %r10|%p5, %r2, %r1, %r3, MASK;",
	"shfl.sync.up.b32 %r10|%p5, %r2, %r3, %r36, MASK;", "shfl.sync.down.b32 %r10|%p5, %r2, %r3, 31, MASK;", "shfl.sync.bfly.b32 %r10|%p5, %r2, %r3, 0x101f, MASK;",
	"shfl.sync.down.b32 %r2, %r2, %r9, 31, MASK; mov.u32 %r10, %r2;", "shfl.sync.idx.b32 %r10, 12345, 3, 31, MASK;",
	"vote.sync.all.pred %p5, %p1, MASK;", "vote.sync.any.pred %p5, !%p1, MASK;", "vote.sync.uni.pred %p5, %p1, MASK;", "vote.sync.all.pred %p1, %p1, MASK; mov.pred %p5, %p1;",
	"vote.sync.ballot.b32 %r10, %p1, MASK;", "vote.sync.ballot.b32 %r10, !%p1, MASK;", "activemask.b32 %r10;",
	"match.any.sync.b32 %r10, %r38, MASK;", "match.all.sync.b32 %r10|%p5, %r38, MASK;", "match.all.sync.b32 %r10|%p5, %r11, MASK;",
	"and.b32 %r2, %r2, 3; match.any.sync.b32 %r2, %r2, MASK; mov.u32 %r10, %r2;",
	"shl.b32 %r2, %r1, 28; match.any.sync.b32 %r10, %r2, MASK;", "and.b32 %r2, %r1, 1; mul.lo.u32 %r2, %r2, 0x1fffe; match.any.sync.b32 %r10, %r2, MASK;",
	"and.b32 %r2, %r1, 1; mul.lo.u32 %r2, %r2, 0x1ffff; match.any.sync.b32 %r10, %r2, MASK;", "and.b32 %r2, %r1, 3; neg.s32 %r2, %r2; match.any.sync.b32 %r10, %r2, MASK;",
	"elect.sync %r10|%p5, MASK;", "bar.warp.sync MASK; mov.u32 %r10, %r2;",
	"redux.sync.add.u32 %r10, %r2, MASK;", "redux.sync.min.s32 %r10, %r2, MASK;", "redux.sync.max.s32 %r10, %r2, MASK;", "redux.sync.min.u32 %r10, %r2, MASK;",
	"redux.sync.max.u32 %r10, %r2, MASK;", "redux.sync.and.b32 %r10, %r2, MASK;", "redux.sync.or.b32 %r10, %r2, MASK;", "redux.sync.xor.b32 %r10, %r2, MASK;",
	"redux.sync.add.s32 %r10, 5, MASK;", "fence.acq_rel.gpu; mov.u32 %r10, %r2;", "membar.cta; mov.u32 %r10, %r2;",
}

// TestWarpFunctions compares warp functions in both engines, for full warps and others; where all
// members are here none leaves.
func TestWarpFunctions(t *testing.T) {
	for k, op := range warpStatements {
		for place, with := range opPlaces {
			t.Run(place+" "+op, func(t *testing.T) {
				compareOp(t, opHeader+with(op)+opFooter, shapesOf(k), func(text string) bool {
					return misses(text) || place == "others" || place == "guard" || place == "rows"
				})
			})
		}
	}
}

// TestFences: a guard that holds nowhere, in some lanes, everywhere.
func TestFences(t *testing.T) {
	compareOp(t, opHeader+"@%p1 fence.sc.gpu; membar.sys; setp.eq.u32 %p6, %r1, 99999; @%p6 membar.gl; @!%p6 fence.proxy.async;"+opFooter, blockShapes, misses)
}

// TestUnpack: registers into vectors, also over themselves.
func TestUnpack(t *testing.T) {
	for k, op := range []string{
		"mov.b64 {%r10, %r11}, %rd8;", "mov.b64 {%r11, %r10}, %rd8;", "mov.b64 {_, %r10}, %rd8;", "mov.b32 {%rs1, %rs2}, %r2; cvt.u32.u16 %r10, %rs2; cvt.u32.u16 %r11, %rs1;",
		"mov.b64 {%rs1, %rs2, %rs3, %rs4}, %rd8; mov.b32 %r10, {%rs2, %rs4}; mov.b32 %r11, {%rs3, %rs1};", "mov.b64 {%r10, %r11}, %rd3; ld.global.u32 %r12, [%rd3]; add.u32 %r10, %r10, %r12;",
	} {
		for place, with := range memoryPlaces {
			if place == "guard" && strings.Count(op, ";") > 1 {
				continue
			}
			t.Run(place+" "+op, func(t *testing.T) {
				src := strings.Replace(memoryHeader, ".reg .pred", ".reg .b16 %rs<5>; .reg .pred", 1) + with(op) + memoryFooter
				compareOp(t, src, shapesOf(k), func(text string) bool { return misses(text) || text == "bar.sync" || place == "half" })
			})
		}
	}
}
