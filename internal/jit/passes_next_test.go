package jit_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// nextHeader has the thread's index in the grid in %r1, how many there are in %r2, its lane in %r3 and its index in the CTA in
// %r4, n in %r9; in %rd1 the data, and in %rd2 where its result goes.
const nextHeader = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 data, .param .u64 out, .param .u32 n) {
	.shared .align 16 .b8 smem[4096];
	.reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .pred %p<4>; .reg .f32 %f<9>;
	ld.param.u64 %rd1, [data];
	ld.param.u64 %rd2, [out];
	ld.param.u32 %r9, [n];
	mov.u32 %r4, %tid.x;
	mov.u32 %r5, %ntid.x;
	mov.u32 %r6, %ctaid.x;
	mov.u32 %r7, %nctaid.x;
	mad.lo.u32 %r1, %r6, %r5, %r4;
	mul.lo.u32 %r2, %r5, %r7;
	and.b32 %r3, %r4, 31;
	mul.wide.u32 %rd3, %r1, 8;
	add.u64 %rd2, %rd2, %rd3;
`

// gridLoop is a loop over a grid's stride: what stands before it, in a turn behind its loads, and behind it.
func gridLoop(before, turn, behind string) string {
	return before + "\nmov.u32 %r10, %r1; setp.ge.s32 %p1, %r10, %r9; @%p1 bra E;\nL: mul.wide.s32 %rd4, %r10, 4; add.s64 %rd5, %rd1, %rd4;" + turn +
		"add.s32 %r10, %r10, %r2; setp.lt.s32 %p1, %r10, %r9; @%p1 bra L;\nE: " + behind
}

// nextCases are loops that are run for the next warps, all of whose warps but the first ones can take their turns; with a star
// some, with two none may, since others order what they load.
var nextCases = map[string]string{
	"sum":                gridLoop("mov.u32 %r20, 0;", "ld.global.u32 %r21, [%rd5]; add.u32 %r20, %r20, %r21;", "st.global.u32 [%rd2], %r20;"),
	"sum of floats":      gridLoop("mov.f32 %f1, 0f00000000;", "ld.global.f32 %f2, [%rd5]; add.f32 %f1, %f1, %f2;", "st.global.f32 [%rd2], %f1;"),
	"product":            gridLoop("mov.f32 %f1, 0f00000000; add.s64 %rd8, %rd1, 8192;", "add.s64 %rd6, %rd8, %rd4; ld.global.f32 %f2, [%rd5]; ld.global.f32 %f3, [%rd6+4]; fma.rn.f32 %f1, %f2, %f3, %f1;", "st.global.f32 [%rd2], %f1;"),
	"two":                gridLoop("mov.u32 %r20, 5; mov.u32 %r22, 0x80000000;", "ld.global.u32 %r21, [%rd5+4]; max.s32 %r22, %r22, %r21; xor.b32 %r20, %r21, %r20;", "st.global.u32 [%rd2], %r20; st.global.u32 [%rd2+4], %r22;"),
	"two lines":          gridLoop("mov.u32 %r20, 0;", "ld.global.u32 %r21, [%rd5]; ld.global.u32 %r22, [%rd5+1024]; sub.u32 %r21, %r21, %r22; add.u32 %r20, %r20, %r21;", "st.global.u32 [%rd2], %r20;"),
	"by the lane":        gridLoop("mov.u32 %r20, 0; cvt.rn.f32.u32 %f3, %r3; mov.f32 %f1, %f3;", "ld.global.f32 %f2, [%rd5]; fma.rn.f32 %f1, %f2, %f3, %f1;", "st.global.f32 [%rd2], %f1;"),
	"by the thread*":     gridLoop("mov.u32 %r20, 0; cvt.rn.f32.u32 %f3, %r1; mov.f32 %f1, %f3;", "ld.global.f32 %f2, [%rd5]; add.f32 %f1, %f2, %f1; mul.f32 %f1, %f1, %f3;", "st.global.f32 [%rd2], %f1;"),
	"from the thread*":   gridLoop("mul.lo.u32 %r20, %r1, 77;", "ld.global.u32 %r21, [%rd5]; add.u32 %r20, %r20, %r21;", "st.global.u32 [%rd2], %r20;"),
	"by a parameter":     gridLoop("mov.f32 %f1, 0f00000000; cvt.rn.f32.u32 %f3, %r9;", "ld.global.f32 %f2, [%rd5]; fma.rn.f32 %f1, %f2, %f3, %f1;", "st.global.f32 [%rd2], %f1;"),
	"from the CTA*":      gridLoop("mov.u32 %r20, %r6; mul.lo.u32 %r22, %r6, 3;", "ld.global.u32 %r21, [%rd5]; mad.lo.u32 %r20, %r20, %r22, %r21;", "st.global.u32 [%rd2], %r20;"),
	"bounds differ*":     gridLoop("mov.u32 %r20, 0; sub.s32 %r9, %r9, %r6; sub.s32 %r9, %r9, %r6;", "ld.global.u32 %r21, [%rd5]; add.u32 %r20, %r20, %r21;", "st.global.u32 [%rd2], %r20;"),
	"shared memory":      gridLoop("mov.u32 %r20, 0;", "ld.global.u32 %r21, [%rd5]; add.u32 %r20, %r20, %r21;", "mov.u32 %r25, smem; mad.lo.u32 %r25, %r4, 4, %r25; st.shared.u32 [%r25], %r20; bar.sync 0; xor.b32 %r26, %r4, 31; mov.u32 %r25, smem; mad.lo.u32 %r25, %r26, 4, %r25; ld.shared.u32 %r21, [%r25]; st.global.u32 [%rd2], %r21;"),
	"stored before**":    gridLoop("mov.u32 %r20, 0; st.global.u32 [%rd2], %r20;", "ld.global.u32 %r21, [%rd5]; add.u32 %r20, %r20, %r21;", "st.global.u32 [%rd2], %r20;"),
	"a barrier before**": gridLoop("mov.u32 %r20, 0; bar.sync 0;", "ld.global.u32 %r21, [%rd5]; add.u32 %r20, %r20, %r21;", "st.global.u32 [%rd2], %r20;"),
	"a fence before**":   gridLoop("mov.u32 %r20, 0; membar.gl;", "ld.global.u32 %r21, [%rd5]; add.u32 %r20, %r20, %r21;", "st.global.u32 [%rd2], %r20;"),
	"an atomic before**": gridLoop("mov.u32 %r20, 0; atom.global.add.u32 %r21, [%rd2], 1;", "ld.global.u32 %r21, [%rd5]; add.u32 %r20, %r20, %r21;", "st.global.u32 [%rd2], %r20;"),
	"volatile before**":  gridLoop("mov.u32 %r20, 0; ld.volatile.global.u32 %r22, [%rd2];", "ld.global.u32 %r21, [%rd5]; add.u32 %r20, %r20, %r21;", "st.global.u32 [%rd2], %r20;"),
	"volatile**":         gridLoop("mov.u32 %r20, 0;", "ld.volatile.global.u32 %r21, [%rd5]; add.u32 %r20, %r20, %r21;", "st.global.u32 [%rd2], %r20;"),
	"stored around**":    gridLoop("mov.u32 %r20, 0; mov.u32 %r30, 0;\nO:", "ld.global.u32 %r21, [%rd5]; add.u32 %r20, %r20, %r21;", "st.global.u32 [%rd2], %r20; add.u32 %r30, %r30, 1; setp.lt.u32 %p2, %r30, 3; @%p2 bra O;"),
	"in place**":         gridLoop("mov.u32 %r20, 0;", "ld.global.u32 %r21, [%rd5]; add.u32 %r20, %r20, %r21;", "mul.wide.u32 %rd6, %r1, 4; add.u64 %rd6, %rd1, %rd6; st.global.u32 [%rd6+128], %r20; st.global.u32 [%rd2], %r20;"),
	"counts in place**":  gridLoop("mov.u32 %r20, 0;", "ld.global.u32 %r21, [%rd5]; add.u32 %r20, %r20, %r21;", "mul.wide.u32 %rd6, %r1, 4; add.u64 %rd6, %rd1, %rd6; red.global.add.u32 [%rd6+256], %r20; st.global.u32 [%rd2], %r20;"),
	"later in place*":    gridLoop("mov.u32 %r20, 0;", "ld.global.u32 %r21, [%rd5]; add.u32 %r20, %r20, %r21;", "setp.eq.u32 %p2, %r6, 4; selp.b64 %rd6, %rd1, %rd2, %p2; mul.wide.u32 %rd7, %r4, 4; add.u64 %rd7, %rd6, %rd7; @!%p2 bra F; st.global.u32 [%rd7+640], %r20; F: st.global.u32 [%rd2], %r20;"),
	"again*":             gridLoop("mov.u32 %r20, 0; mov.u32 %r30, 0;\nO:", "ld.global.u32 %r21, [%rd5]; add.u32 %r20, %r20, %r21;", "add.u32 %r30, %r30, 1; setp.lt.u32 %p2, %r30, 3; @%p2 bra O; st.global.u32 [%rd2], %r20;"),
}

// nextRoom is a laboratory for such a kernel, with data and room for results.
type nextRoom struct {
	*laboratory
	data, out uint64
	in, got   []byte
}

const nextWords = 1 << 15

func newNextRoom(t *testing.T, body string) *nextRoom {
	t.Helper()
	r := &nextRoom{laboratory: newLaboratory(t, "k.ptx", nextHeader+body+"\n\tret;\n}\n")}
	r.data, _ = r.arena.Alloc(4*nextWords+1<<14, mem.Info{Label: "data"})
	r.out, _ = r.arena.Alloc(1<<18, mem.Info{Label: "out"})
	r.in, r.got = r.arena.Bytes(r.data, 4*nextWords+1<<14), r.arena.Bytes(r.out, 1<<18)
	return r
}

// fill has other data for each seed: numbers, and floats of every kind.
func (r *nextRoom) fill(seed uint64) {
	d := rand.New(rand.NewPCG(seed, 1))
	for i := 0; i < len(r.in); i += 4 {
		x := d.Uint32()
		if x%64 != 0 { // else any bits: NaNs and infinities are rare enough
			x = x&0x807fffff | 0x3f800000
		}
		r.in[i], r.in[i+1], r.in[i+2], r.in[i+3] = byte(x), byte(x>>8), byte(x>>16), byte(x>>24)
	}
	clear(r.got)
}

// memory is a copy of both buffers.
func (r *nextRoom) memory() []byte { return append(bytes.Clone(r.got), r.in...) }

func (r *nextRoom) launchN(t *testing.T, compile host.Compiler, grid, block, n uint32) (machine.Stats, string) {
	t.Helper()
	s, err := r.launch(t, "k", [3]uint32{grid, 1, 1}, [3]uint32{block, 1, 1}, func(x *host.Launch) { x.Compile = compile }, r.data, r.out, n)
	return s, fmt.Sprint(err)
}

// TestNextWarps holds loops that are run for the next warps to the interpreter, with every number of turns, warps and CTAs,
// with other data in each launch of the same code; and warps do take what others have run.
func TestNextWarps(t *testing.T) {
	for name, body := range nextCases {
		t.Run(name, func(t *testing.T) {
			for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
				took, led := compareNext(t, body, jit.Options{Vectors: v})
				if none := strings.HasSuffix(name, "**"); none != (led == 0) || (took == 0) && !strings.HasSuffix(name, "*") {
					t.Errorf("%v: turns have been run for others %d times, and taken by %d warps", v, led, took)
				}
			}
			_, _ = compareNext(t, body, jit.Leaving(jit.Options{}, func(pc int32) bool { return pc%11 == 7 }))
		})
	}
}

// nextShapes are grids, blocks and how often all threads go round, in 1/8 of a turn.
var nextShapes = []struct{ grid, block, eighths uint32 }{
	{4, 192, 80}, {4, 192, 83}, {20, 32, 95}, {1, 1024, 100}, {7, 256, 64}, {3, 128, 61}, {2, 544, 57}, {9, 96, 10}, {5, 320, 40}, {5, 320, 49}, {13, 64, 200}, {2, 33, 90},
	{6, 128, 0}, {6, 128, 1}, {1, 32, 2000}, {40, 64, 85}, {3, 992, 60},
}

func compareNext(t *testing.T, body string, o jit.Options) (took, led uint64) {
	t.Helper()
	r := newNextRoom(t, body)
	install := engine(t, o).Install
	counts := jit.CountDuring(func() {
		for i, s := range nextShapes {
			r.keep = false
			for again := range uint64(2) { // the same code, once more
				seed := uint64(i)*2 + again
				n := s.grid * s.block * s.eighths / 8
				r.fill(seed)
				decoder := r.decoder
				r.keep = false
				want, wrong := r.launchN(t, nil, s.grid, s.block, n)
				memory := r.memory()
				r.fill(seed)
				if again != 0 {
					r.decoder, r.keep = decoder, true
				}
				got, fault := r.launchN(t, install, s.grid, s.block, n)
				if fault != wrong || !bytes.Equal(r.memory(), memory) || got.Steps != want.Steps || got.LaneOps != want.LaneOps {
					t.Errorf("%v, %d CTAs of %d, n %d, launch %d: memory equal: %v; %d steps and %d lane-ops, the interpreter %d and %d; %s, the interpreter %s",
						o, s.grid, s.block, n, again, bytes.Equal(r.memory(), memory), got.Steps, got.LaneOps, want.Steps, want.LaneOps, fault, wrong)
				}
			}
		}
	})
	for _, c := range counts {
		took += c.Times("a warp takes its turns")
		led += c.Times("turns of each of some warps")
	}
	return took, led
}

// TestNextFaults: where the data ends before the bound says so, in a turn or a warp, the same lanes fault as in the interpreter.
func TestNextFaults(t *testing.T) {
	r := newNextRoom(t, nextCases["sum"])
	const threads = 7 * 192
	whole := uint32(len(r.in) / 4)
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		install := engine(t, jit.Options{Vectors: v}).Install
		for _, over := range []uint32{0, 1, 31, 32, 100, 192, 500, threads, 3 * threads} {
			r.fill(1)
			_, want := r.launchN(t, nil, 7, 192, whole+over)
			r.fill(1)
			_, got := r.launchN(t, install, 7, 192, whole+over)
			if got != want || (got == "<nil>") != (over == 0) {
				t.Errorf("%v, %d words too far: %s\nthe interpreter: %s", v, over, got, want)
			}
		}
	}
}
