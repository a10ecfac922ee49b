package jit_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// batchHeader has the thread's number in its CTA in %r1, the CTA's in %r2, the place of the thread's
// word in %rd3 and a shared word of its own in %r5.
const batchHeader = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
	.reg .b32 %r<30>; .reg .b64 %rd<9>; .reg .pred %p, %q, %z; .reg .f32 %f<9>; .reg .b64 %zero; .reg .b32 %nil;
	.shared .align 4 .b32 s[2048];
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x; mov.u32 %r6, %tid.y; mov.u32 %r7, %tid.z; mov.u32 %r8, %ntid.x; mov.u32 %r9, %ntid.y;
	mad.lo.u32 %r6, %r7, %r9, %r6;
	mad.lo.u32 %r1, %r6, %r8, %r1;
	mul.lo.u32 %r8, %r8, %r9; mov.u32 %r9, %ntid.z; mul.lo.u32 %r8, %r8, %r9;
	mov.u32 %r2, %ctaid.x; mov.u32 %r6, %ctaid.y; mov.u32 %r7, %ctaid.z; mov.u32 %r9, %nctaid.x; mov.u32 %r10, %nctaid.y;
	mad.lo.u32 %r6, %r7, %r10, %r6;
	mad.lo.u32 %r2, %r6, %r9, %r2;
	mad.lo.u32 %r3, %r2, %r8, %r1;
	mul.wide.u32 %rd2, %r3, 4;
	add.u64 %rd3, %rd1, %rd2;
	mov.u32 %r4, s;
	shl.b32 %r5, %r1, 2;
	add.u32 %r5, %r5, %r4;
`

// batchBodies are kernels whose result depends on the order of warps, passes and CTAs, or on what
// is left of the CTA before.
var batchBodies = map[string]string{
	"exits":   "mad.lo.u32 %r6, %r3, 3, 1; st.global.u32 [%rd3], %r6; ret;",
	"place":   "mov.u32 %r6, %ctaid.x; mov.u32 %r7, %ctaid.y; mad.lo.u32 %r6, %r7, 100, %r6; mov.u32 %r7, %ctaid.z; mad.lo.u32 %r6, %r7, 10000, %r6; mov.u32 %r7, %smid; mad.lo.u32 %r6, %r7, 1000000, %r6; mov.u32 %r7, %clusterid.y; add.u32 %r6, %r6, %r7; st.global.u32 [%rd3], %r6; ret;",
	"unread":  "setp.eq.u32 %p, %r1, 7; @%p add.u32 %nil, %nil, 5; @%p add.u64 %zero, %zero, 9; cvt.u32.u64 %r6, %zero; selp.u32 %r7, 1, 2, %z; add.u32 %r6, %r6, %r7; add.u32 %r6, %r6, %nil; setp.ne.u32 %z, %r6, 0; st.global.u32 [%rd3], %r6; ret;",
	"zeroed":  "ld.shared.u32 %r6, [%r5+4096]; st.shared.u32 [%r5+4096], %r3; add.u32 %r6, %r6, 1; st.global.u32 [%rd3], %r6; ret;",
	"tickets": "mov.u32 %r6, 0; L: atom.global.add.u32 %r7, [%rd1+16384], 1; mad.lo.u32 %r7, %r7, %r6, %r7; st.global.u32 [%rd3], %r7; bar.sync 0; add.u32 %r6, %r6, 1; setp.lt.u32 %p, %r6, 3; @%p bra L; ret;",
	"reverse": "st.shared.u32 [%r5], %r3; bar.sync 0; sub.u32 %r6, %r8, %r1; shl.b32 %r6, %r6, 2; add.u32 %r6, %r6, %r4; ld.shared.u32 %r7, [%r6+-4]; st.global.u32 [%rd3], %r7; ret;",
	"loop": `mov.u32 %r6, 0; mov.u32 %r7, %r1; cvt.rn.f32.u32 %f1, %r1;
L:	st.shared.u32 [%r5], %r7; fma.rn.f32 %f1, %f1, %f1, 0f3f800000; barrier.sync.aligned 1;
	add.u32 %r10, %r1, 33; rem.u32 %r10, %r10, %r8; shl.b32 %r10, %r10, 2; add.u32 %r10, %r10, %r4; ld.shared.u32 %r11, [%r10];
	mad.lo.u32 %r7, %r11, 5, %r7; bar.sync 0;
	add.u32 %r6, %r6, 1; setp.lt.u32 %p, %r6, 5; @%p bra L;
	cvt.rzi.u32.f32 %r11, %f1; add.u32 %r7, %r7, %r11; st.global.u32 [%rd3], %r7; ret;`,
	"many": `mov.u32 %r6, 0; mov.u32 %r7, %r1;
L:	bar.sync 0; mad.lo.u32 %r7, %r7, 3, %r6; add.u32 %r6, %r6, 1; setp.lt.u32 %p, %r6, 150; @%p bra L;
	atom.global.add.u32 %r9, [%rd1+16384], 1; mad.lo.u32 %r7, %r9, 64, %r7; st.global.u32 [%rd3], %r7; ret;`,
	"early":  "setp.gt.u32 %p, %r1, 70; @%p ret; st.shared.u32 [%r5], %r3; bar.sync 0; ld.shared.u32 %r6, [%r4+8]; add.u32 %r6, %r6, %r1; st.global.u32 [%rd3], %r6; bar.sync 0; st.global.u32 [%rd3], %r6; ret;",
	"odd":    "and.b32 %r6, %r1, 1; setp.eq.u32 %p, %r6, 1; @%p exit; st.shared.u32 [%r5], %r3; bar.sync 0; setp.gt.u32 %q, %r1, 40; @%q exit; ld.shared.u32 %r6, [%r4]; bar.sync 0; add.u32 %r6, %r6, %r1; st.global.u32 [%rd3], %r6; exit;",
	"arms":   "and.b32 %r6, %r1, 3; setp.eq.u32 %p, %r6, 1; mov.u32 %r7, 5; @%p bra A; mul.lo.u32 %r7, %r1, 7; A: st.shared.u32 [%r5], %r7; bar.sync 0; ld.shared.u32 %r6, [%r4]; add.u32 %r7, %r7, %r6; st.global.u32 [%rd3], %r7; ret;",
	"split":  "setp.gt.u32 %p, %r1, 20; @%p bra A; bar.sync 0; mov.u32 %r7, 1; bra.uni B; A: barrier.sync 0; mov.u32 %r7, 2; B: st.global.u32 [%rd3], %r7; ret;",
	"two":    "shr.u32 %r6, %r1, 5; and.b32 %r6, %r6, 1; setp.eq.u32 %p, %r6, 1; @%p bra A; bar.sync 1, 64; mov.u32 %r7, 1; bra.uni B; A: bar.arrive 1, 64; mov.u32 %r7, 2; B: bar.sync 0; st.global.u32 [%rd3], %r7; ret;",
	"vote":   "st.shared.u32 [%r5], %r3; setp.gt.u32 %p, %r1, 5; bar.red.popc.u32 %r6, 0, %p; bar.sync 2; ld.shared.u32 %r7, [%r4+4]; add.u32 %r6, %r6, %r7; st.global.u32 [%rd3], %r6; ret;",
	"clocks": "bar.sync 0; mov.u32 %r6, %clock; st.global.u32 [%rd3], %r6; ret;",
	"polls":  "mov.u32 %r6, 0; L: ld.volatile.global.u32 %r9, [%rd1+16384]; add.u32 %r6, %r6, 1; setp.lt.u32 %p, %r6, 300; @%p bra L; atom.global.add.u32 %r7, [%rd1+16384], 1; mad.lo.u32 %r7, %r7, 77, %r9; st.global.u32 [%rd3], %r7; bar.sync 0; st.global.u32 [%rd3], %r7; ret;",
	"lasts": `mov.u32 %r11, %nctaid.x; mad.lo.u32 %r12, %r11, 7, 3; mov.u32 %r13, %ctaid.x; mad.lo.u32 %r14, %r13, %r12, %r11;
	mov.u32 %r16, %nctaid.x; add.u32 %r17, %r16, 1; add.u32 %r18, %r18, %r11; setp.gt.u32 %p, %r14, 40; @%p add.u32 %r19, %r11, 9; bar.sync 0;
	setp.gt.u32 %q, %r1, 70; @%q bra A; add.u32 %r16, %r16, %r17; add.u32 %r20, %r12, %r19;
A:	mad.lo.u32 %r16, %r16, 64, %r14; mad.lo.u32 %r16, %r20, 4096, %r16; mad.lo.u32 %r16, %r18, 65536, %r16; add.u32 %r16, %r16, %r17; st.global.u32 [%rd3], %r16; ret;`,
	"turns": "mov.u32 %r6, 0; L: add.u32 %r6, %r6, 1; setp.lt.u32 %p, %r6, 40000; @%p bra L; atom.global.add.u32 %r7, [%rd1+16384], 1; st.global.u32 [%rd3], %r7; bar.sync 0; st.global.u32 [%rd3], %r7; ret;",
}

// batchShapes are blocks of warps, partial ones included.
var batchShapes = [][3]uint32{{256, 1, 1}, {33, 1, 1}, {16, 16, 1}, {8, 8, 4}, {32, 1, 1}, {1, 1, 1}, {64, 1, 1}}

// batchRun is a launch of 5 CTAs and what is to be equal: memory, counts, the fault.
func batchRun(t *testing.T, l *laboratory, buf uint64, grid, block [3]uint32, change func(*host.Launch)) (memory []byte, s machine.Stats, fault string) {
	t.Helper()
	out := l.arena.Bytes(buf, 1<<15)
	for i := 0; i < len(out); i += 4 {
		binary.LittleEndian.PutUint32(out[i:], bits.RotateLeft32(uint32(i)*0x9e3779b1, i%29))
	}
	s, err := l.launch(t, "k", grid, block, change, buf)
	if err != nil {
		fault = err.Error()
	}
	return bytes.Clone(out), s, fault
}

// compareBatch holds both widths to the interpreter.
func compareBatch(t *testing.T, src string, grid, block [3]uint32, options jit.Options, change func(*host.Launch)) {
	t.Helper()
	l := newLaboratory(t, "k.ptx", src)
	buf, _ := l.arena.Alloc(1<<15, mem.Info{Label: "buf"})
	with := func(compile host.Compiler) func(*host.Launch) {
		return func(x *host.Launch) {
			x.Compile = compile
			if change != nil {
				change(x)
			}
		}
	}
	memory, want, fault := batchRun(t, l, buf, grid, block, with(nil))
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		o := options
		o.Vectors = v
		e := engine(t, o)
		ran := fault != ""
		for range 2 { // the second launch finds register blocks that have been used
			got, s, err := batchRun(t, l, buf, grid, block, with(e.Install))
			ran = ran || s.NativeOps != 0
			switch {
			case err != fault:
				t.Errorf("%d: %q, the interpreter %q", v, err, fault)
			case fault == "" && (s.Steps != want.Steps || s.LaneOps != want.LaneOps || s.CTAs != want.CTAs || s.Splits != want.Splits || s.Parked != want.Parked):
				t.Errorf("%d: %d steps, %d lane-ops, %d CTAs, %d splits, %d parked; the interpreter %d, %d, %d, %d, %d", v, s.Steps, s.LaneOps, s.CTAs, s.Splits, s.Parked, want.Steps, want.LaneOps, want.CTAs, want.Splits, want.Parked)
			}
			for i := range got {
				if got[i] != memory[i] {
					t.Fatalf("%d: byte %d is %#x, the interpreter's %#x", v, i, got[i], memory[i])
				}
			}
		}
		if !ran {
			t.Errorf("%d: nothing ran in compiled code", v)
		}
	}
}

// TestBatch runs many warps and CTAs in one call of compiled code.
func TestBatch(t *testing.T) {
	names := slices.Sorted(maps.Keys(batchBodies))
	for i, name := range names {
		body, shapes := batchBodies[name], batchShapes
		if !slices.Contains([]string{"early", "loop", "odd", "unread"}, name) {
			shapes = slices.Concat(shapes[:1+i%2], shapes[2+i%5:3+i%5])
		}
		for _, block := range shapes {
			t.Run(fmt.Sprint(name, block), func(t *testing.T) {
				compareBatch(t, batchHeader+body+"\n}\n", [3]uint32{3, 2, 2}, block, jit.Options{}, nil)
			})
		}
	}
}

// TestBatchLeaving leaves for the interpreter at some instructions.
func TestBatchLeaving(t *testing.T) {
	for name, body := range batchBodies {
		for way := range int32(3) {
			t.Run(fmt.Sprint(name, way), func(t *testing.T) {
				o := jit.Leaving(jit.Options{}, func(pc int32) bool { return pc%7 == 2*way+1 })
				compareBatch(t, batchHeader+body+"\n}\n", [3]uint32{3, 2, 1}, [3]uint32{80, 1, 1}, o, nil)
			})
		}
	}
}

// TestBatchFaults faults in one warp of one CTA, in front of and behind a barrier, and exceeds limits.
func TestBatchFaults(t *testing.T) {
	for name, body := range map[string]string{
		"before": "setp.eq.u32 %p, %r3, 200; @%p mov.u64 %rd3, 64; st.global.u32 [%rd3], %r3; bar.sync 0; st.global.u32 [%rd3], %r2; ret;",
		"behind": "st.global.u32 [%rd3], %r3; bar.sync 0; setp.eq.u32 %p, %r3, 200; @%p mov.u64 %rd3, 65; st.global.u32 [%rd3], %r2; ret;",
		"never":  "setp.eq.u32 %p, %r3, 200; @!%p bra B; bar.sync 1, 256; B: st.global.u32 [%rd3], %r3; ret;",
	} {
		t.Run(name, func(t *testing.T) {
			compareBatch(t, batchHeader+body+"\n}\n", [3]uint32{5, 1, 1}, [3]uint32{96, 1, 1}, jit.Options{}, nil)
		})
	}
	endless := batchHeader + "L: add.u32 %r6, %r6, 1; bar.sync 0; bra L;\n}\n"
	compareBatch(t, endless, [3]uint32{1, 1, 1}, [3]uint32{96, 1, 1}, jit.Options{}, func(l *host.Launch) { l.MaxSteps = 1 << 17 })
}

// TestBatchWorkers divides CTAs among workers, in clusters and alone.
func TestBatchWorkers(t *testing.T) {
	for _, cluster := range []uint32{1, 2} {
		change := func(l *host.Launch) { l.Workers, l.Cluster = 3, [3]uint32{cluster, 1, 1} }
		for _, name := range []string{"exits", "loop", "early", "zeroed", "unread"} {
			t.Run(fmt.Sprint(name, cluster), func(t *testing.T) {
				compareBatch(t, batchHeader+batchBodies[name]+"\n}\n", [3]uint32{32, 1, 1}, [3]uint32{64, 1, 1}, jit.Options{}, change)
			})
		}
	}
}

// TestBatchStops cancels launches that go on for ever inside compiled code: round a barrier, and, as far
// as a test can wait, from CTA to CTA.
func TestBatchStops(t *testing.T) {
	for name, body := range map[string]string{
		"barrier": "L: add.u32 %r6, %r6, 1; bar.sync 0; bra L;",
		"CTAs":    "st.shared.u32 [%r5], %r6; ret;",
		"nothing": "ret;",
	} {
		l := newLaboratory(t, "k.ptx", batchHeader+body+"\n}\n")
		buf, _ := l.arena.Alloc(1<<15, mem.Info{Label: "buf"})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		l.ctx = ctx
		start := time.Now()
		_, err := l.launch(t, "k", [3]uint32{1 << 30, 1, 1}, [3]uint32{96, 1, 1}, func(x *host.Launch) {
			x.MaxSteps, x.Compile = 0, engine(t, jit.Options{}).Install
		}, buf)
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 20*time.Second {
			t.Errorf("%s: %v after %v", name, err, time.Since(start))
		}
	}
}
