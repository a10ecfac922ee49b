package jit_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// tableKernel is an interpreter of a program of four bits a turn, in a loop. What it branches by is drawn from how the parameters say:
// by all lanes alike, by each lane, or beyond the table; GUARD stands before the branch, INDEX for its index.
const tableKernel = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 same, .param .u32 bad) {
	.reg .b32 %r<16>; .reg .b64 %d<4>; .reg .pred %p<4>;
	ld.param.u64 %d1, [p]; ld.param.u32 %r1, [same]; ld.param.u32 %r15, [bad];
	mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r4, %r3, 77, %r2;
	mov.u32 %r5, 0; mul.lo.u32 %r6, %r3, 0x9e3779b1; mad.lo.u32 %r6, %r1, %r2, %r6;
	setp.ne.u32 %p2, %r3, 2;
T:	.branchtargets A, B, C, C, D, B, E, NEXT, NEXT, AGAIN;
AGAIN:	mad.lo.u32 %r6, %r6, 1664525, 1013904223; add.u32 %r6, %r6, %r15;
	shr.u32 %r7, %r6, 28; min.u32 %r7, %r7, 9;
	setp.eq.u32 %p1, %r5, 30; @%p1 min.u32 %r7, %r7, 8;
	setp.eq.u32 %p3, %r7, 9; selp.u32 %r8, 1, 0, %p3; add.u32 %r5, %r5, %r8;
	BAD
	GUARDbrx.idx INDEX, T;
	add.u32 %r4, %r4, 100;
A:	add.u32 %r4, %r4, %r6;
	bra NEXT;
B:	mul.lo.u32 %r4, %r4, 3;
	setp.lt.u32 %p3, %r4, 0x40000000; @%p3 bra NEXT;
	xor.b32 %r4, %r4, 0x5555;
	bra NEXT;
C:	shr.u32 %r9, %r4, 7; xor.b32 %r4, %r4, %r9;
D:	add.u32 %r4, %r4, %r2;
	bra NEXT;
E:	not.b32 %r4, %r4;
NEXT:	add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 31; @%p1 bra AGAIN;
	mov.u32 %r11, %ntid.x; mad.lo.u32 %r10, %r3, %r11, %r2; mul.wide.u32 %d2, %r10, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r4;
	ret;
}
`

// TestTable holds branches by a table to the interpreter: all lanes alike and lanes that part, forwards and back, guards that hold
// for no lane, some and all, numbers that are not in the table in some lanes.
func TestTable(t *testing.T) {
	for _, guard := range []string{"", "@%p2 ", "@!%p2 "} {
		for name, bad := range map[string]string{"in": "", "one": "setp.eq.u32 %p3, %r2, 37; setp.eq.and.u32 %p3, %r5, 20, %p3; @%p3 mov.u32 %r7, 10;", "all": "setp.eq.u32 %p3, %r5, 20; @%p3 mov.u32 %r7, -1;"} {
			for _, index := range []string{"%r7", "3", "9"} {
				if index == "9" && guard != "@!%p2 " { // it would not end
					continue
				}
				src := strings.NewReplacer("GUARD", guard, "BAD", bad, "INDEX", index).Replace(tableKernel)
				t.Run(guard+name+" "+index, func(t *testing.T) { testTable(t, src) })
			}
		}
	}
}

func testTable(t *testing.T, src string) {
	l := newLaboratory(t, "k.ptx", src)
	buf, _ := l.arena.Alloc(1<<13, mem.Info{Label: "buf"})
	data := l.arena.Bytes(buf, 1<<13)
	run := func(block, same uint32, compile host.Compiler) (machine.Stats, string, []byte) {
		clear(data)
		s, err := l.launch(t, "k", [3]uint32{5, 1, 1}, [3]uint32{block, 1, 1}, func(x *host.Launch) { x.Compile, x.MaxSteps = compile, 1<<16 }, buf, same, uint32(0))
		return s, fmt.Sprint(err), bytes.Clone(data)
	}
	for _, o := range jit.Compilers() {
		for _, o := range []jit.Options{o, jit.Leaving(o, func(pc int32) bool { return pc%3 == 0 })} {
			for _, block := range []uint32{64, 41} {
				for same := range uint32(2) {
					want, wantErr, memory := run(block, same, nil)
					got, err, mem := run(block, same, engine(t, o).Install)
					what := fmt.Sprintf("%v, %d threads, by lane %d", o, block, same)
					if err != wantErr {
						t.Fatalf("%s: %s; the interpreter: %s", what, err, wantErr)
					}
					if !bytes.Equal(mem, memory) || err == "<nil>" && (got.Steps != want.Steps || got.LaneOps != want.LaneOps) {
						t.Fatalf("%s: %s; %d steps, %d lane-ops; the interpreter %d and %d", what, firstDifference(mem, memory), got.Steps, got.LaneOps, want.Steps, want.LaneOps)
					}
				}
			}
		}
	}
}

// TestTableParts: where lanes part at a branch by a table, code for some lanes is made as where they part at others, and no such
// branch is left to the interpreter from then on if its targets are behind it.
func TestTableParts(t *testing.T) {
	const src = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {
	.reg .b32 %r<8>; .reg .b64 %d<4>; .reg .pred %p<2>;
	ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r2, 0; mov.u32 %r3, %r1; mov.u32 %r4, 0;
T:	.branchtargets A, B, C, NEXT;
L:	mad.lo.u32 %r3, %r3, 1664525, 1013904223; shr.u32 %r5, %r3, 30;
	brx.idx %r5, T;
A:	add.u32 %r4, %r4, 1; bra NEXT;
B:	add.u32 %r4, %r4, 3; bra NEXT;
C:	add.u32 %r4, %r4, %r3;
NEXT:	add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 200; @%p1 bra L;
	mul.wide.u32 %d2, %r1, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r4;
	ret;
}
`
	for _, v := range jit.Runnable() {
		l := newLaboratory(t, "k.ptx", src)
		l.keep = true
		buf, _ := l.arena.Alloc(1<<13, mem.Info{Label: "buf"})
		data := l.arena.Bytes(buf, 1<<13)
		want, _ := l.launch(t, "k", [3]uint32{5, 1, 1}, [3]uint32{64, 1, 1}, func(*host.Launch) {}, buf)
		memory := bytes.Clone(data)
		e := engine(t, jit.Options{Vectors: v})
		var got machine.Stats
		for range 2 {
			clear(data)
			var err error
			got, err = l.launch(t, "k", [3]uint32{5, 1, 1}, [3]uint32{64, 1, 1}, func(x *host.Launch) { x.Compile, x.CompileParts = e.InstallWhole, e.Install }, buf)
			if err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(data, memory) || got.Steps != want.Steps || got.LaneOps != want.LaneOps {
			t.Errorf("%v: %s; %d steps, %d lane-ops; the interpreter %d and %d", v, firstDifference(data, memory), got.Steps, got.LaneOps, want.Steps, want.LaneOps)
		}
		for _, left := range got.Left {
			if left.Code.Insts[left.PC].Op == uop.BranchTable {
				t.Errorf("%v: the branch is left to the interpreter %d times", v, left.Times)
			}
		}
	}
}
