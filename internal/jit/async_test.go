package jit_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/queue"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// asyncKernel copies words to shared memory by cp.async, in a loop that threads wait in for an mbarrier, and words of some lanes by
// a group of their own, and one line a CTA by a bulk copy that thread 0 starts. Where the parameter q is set, the last copy of thread 40
// of %ctaid.x = 9 reads beyond the buffer.
const asyncKernel = `.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 q) {
	.shared .align 128 .b8 words[512];
	.shared .align 128 .b8 some[512];
	.shared .align 128 .b8 line[128];
	.shared .align 8 .b64 bar;
	.shared .align 8 .b64 done;
	.reg .b32 %r<24>;
	.reg .b64 %d<12>;
	.reg .pred %p<8>;
	ld.param.u64 %d1, [p];
	ld.param.u32 %r9, [q];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, words; mov.u32 %r5, some; mov.u32 %r6, bar; mov.u32 %r7, line; mov.u32 %r8, done;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra READY;
	mbarrier.init.shared.b64 [%r6], %r3;
	mbarrier.init.shared.b64 [%r8], 1;
	mbarrier.arrive.expect_tx.shared.b64 _, [%r8], 128;
	shl.b32 %r10, %r2, 7;
	cvt.u64.u32 %d2, %r10;
	add.u64 %d2, %d1, %d2;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], [%d2], 128, [%r8];
READY:
	bar.sync 0;
	mad.lo.u32 %r11, %r2, %r3, %r1;
	mad.lo.u32 %r12, %r1, 4, %r4;
	mov.u32 %r13, 0; mov.u32 %r14, 0;
TURN:
	mad.lo.u32 %r15, %r13, 37, %r11;
	mul.wide.u32 %d3, %r15, 4;
	add.u64 %d4, %d1, %d3;
	setp.eq.u32 %p2, %r2, 9; setp.eq.and.u32 %p2, %r1, 40, %p2; setp.eq.and.u32 %p2, %r13, 3, %p2; setp.ne.and.u32 %p2, %r9, 0, %p2;
	@%p2 add.u64 %d4, %d4, 0x100000;
	cp.async.ca.shared.global [%r12], [%d4], 4;
	cp.async.mbarrier.arrive.noinc.shared.b64 [%r6];
	and.b32 %r16, %r13, 1;
WAIT:
	mbarrier.try_wait.parity.shared.b64 %p3, [%r6], %r16;
	@!%p3 bra WAIT;
	xor.b32 %r17, %r1, 1; min.u32 %r17, %r17, %r3;
	mad.lo.u32 %r18, %r17, 4, %r4;
	ld.shared.u32 %r19, [%r18];
	mad.lo.u32 %r14, %r14, 5, %r19;
	and.b32 %r20, %r1, 3;
	setp.gt.u32 %p4, %r20, %r13;
	@%p4 bra NONE;
	mad.lo.u32 %r21, %r1, 4, %r5;
	cp.async.ca.shared.global [%r21], [%d1], 4;
	cp.async.commit_group;
	cp.async.wait_group 0;
	ld.shared.u32 %r22, [%r21];
	add.u32 %r14, %r14, %r22;
NONE:
	bar.sync 0;
	add.u32 %r13, %r13, 1;
	setp.lt.u32 %p5, %r13, 4;
	@%p5 bra TURN;
LAST:
	mbarrier.test_wait.parity.shared.b64 %p6, [%r8], 0;
	@!%p6 bra LAST;
	and.b32 %r23, %r1, 31;
	mad.lo.u32 %r23, %r23, 4, %r7;
	ld.shared.u32 %r23, [%r23];
	xor.b32 %r14, %r14, %r23;
	mul.wide.u32 %d5, %r11, 4;
	add.u64 %d6, %d1, %d5;
	st.global.u32 [%d6+16384], %r14;
	ret;
}
`

// TestAsync runs kernels with asynchronous operations in all modes and both widths: compiled, with handlers called for what they
// start, in mode eager alone; memory, counts and faults are the interpreter's. Handlers may be made to execute other instructions.
func TestAsync(t *testing.T) {
	l := newLaboratory(t, "k.ptx", asyncKernel)
	buf, _ := l.arena.Alloc(1<<15, mem.Info{Label: "buf"})
	data := l.arena.Bytes(buf, 1<<15)
	run := func(block, fault uint32, mode queue.Mode, compile host.Compiler) (machine.Stats, string, []byte) {
		clear(data)
		for i := range uint32(4096) {
			binary.LittleEndian.PutUint32(data[4*i:], i*0x9e3779b9)
		}
		s, err := l.launch(t, "k", [3]uint32{17, 1, 1}, [3]uint32{block, 1, 1}, func(x *host.Launch) { x.Compile, x.Async = compile, mode }, buf, fault)
		return s, fmt.Sprint(err), bytes.Clone(data)
	}
	every := func(n int32) func(pc int32) bool { return func(pc int32) bool { return n != 0 && pc%n == 0 } }
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		for _, mode := range []queue.Mode{queue.Eager, queue.Lazy, queue.Random} {
			for i, block := range []uint32{64, 128, 100, 41} {
				n := int32(i * 3 % 4)
				e := engine(t, jit.Helping(jit.Options{Vectors: v}, every(n)))
				for fault := range uint32(2) {
					want, wantErr, memory := run(block, fault, mode, nil)
					got, err, now := run(block, fault, mode, e.Install)
					what := fmt.Sprintf("%v, mode %d, %d threads, fault %d", v, mode, block, fault)
					if err != wantErr || (err == "<nil>") != (fault == 0) {
						t.Fatalf("%s: %s; the interpreter: %s", what, err, wantErr)
					}
					if !bytes.Equal(now, memory) || fault == 0 && (got.Steps != want.Steps || got.LaneOps != want.LaneOps) {
						t.Fatalf("%s: %s; %d steps, %d lane-ops; the interpreter %d and %d", what, firstDifference(now, memory), got.Steps, got.LaneOps, want.Steps, want.LaneOps)
					}
					if compiled := got.NativeOps != 0; compiled != (mode == queue.Eager) {
						t.Errorf("%s: %d lane-ops ran compiled", what, got.NativeOps)
					}
				}
			}
		}
	}
}
