package pipeline

// This file has branches by tables: indices that lanes have each, that all have and nothing says so, that are numbers; guards; short and
// long ways; straight on, in loops, and where some lanes run.

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/jit/build"
)

// tableKernel branches by INDEX in front of and behind PLACE. What is in the table goes on at A to E, or at once.
const tableKernel = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 s)
{
	.reg .pred %p<8>;
	.reg .b32 %r<24>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r5, [n]; ld.param.u32 %r8, [s];
	mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shl.b32 %r4, %r2, 5; add.s32 %r4, %r4, %r1;
	mul.wide.s32 %rd4, %r4, 8; add.s64 %rd4, %rd4, %rd1; ld.global.u32 %r3, [%rd4];
	shl.b32 %r6, %r2, 8; cvt.u64.u32 %rd5, %r6; add.s64 %rd5, %rd5, %rd1; ld.global.u32 %r7, [%rd5];
	and.b32 %r9, %r3, 4; setp.ne.u32 %p2, %r9, 0; setp.ne.u32 %p3, %r2, 1;
	mov.u32 %r12, %r3; mov.u32 %r13, 0;
T:	.branchtargets A, B, C, C, D, B, E, N, N, A;
	BEFORE
	INDEX
	BAD
	GUARDbrx.idx %r10, T;
	add.u32 %r12, %r12, 100;
A:	add.u32 %r12, %r12, %r13; LONG
	bra N;
B:	mul.lo.u32 %r12, %r12, 3;
	setp.lt.u32 %p1, %r12, 0x40000000; @%p1 bra N;
	xor.b32 %r12, %r12, 0x5555;
	bra N;
C:	shr.u32 %r14, %r12, 7; xor.b32 %r12, %r12, %r14; LONG
D:	add.u32 %r12, %r12, %r1;
	bra N;
E:	not.b32 %r12, %r12;
N:	mad.lo.u32 %r12, %r12, 1664525, 1013904223;
	BEHIND
	mul.wide.u32 %rd3, %r4, 4; add.s64 %rd3, %rd3, %rd2; st.global.u32 [%rd3], %r12;
	ret;
}
`

// tableForms are what stands for the words in it.
var tableForms = map[string]map[string]string{
	"INDEX": {
		"lane": "shr.u32 %r10, %r12, 28; min.u32 %r10, %r10, 9;", "alike": "add.u32 %r10, %r7, %r13; and.b32 %r10, %r10, 7;",
		"number": "add.u32 %r10, %r2, %r13; min.u32 %r10, %r10, 9;", "strided": "shr.u32 %r10, %r1, 2;", "three": "mov.u32 %r10, 3;",
	},
	"GUARD": {"": "", "lane": "@%p2 ", "number": "@!%p3 "},
	"BAD": {"": "", "one": "setp.eq.u32 %p5, %r4, 37; @%p5 mov.u32 %r10, 10;", "all": "setp.eq.u32 %p5, %r2, 2; @%p5 mov.u32 %r10, -1;",
		"off": "setp.eq.u32 %p5, %r9, 0; @%p5 mov.u32 %r10, 77;"},
	"LONG":   {"": "", "long": strings.Repeat("mad.lo.u32 %r12, %r12, 5, %r13; xor.b32 %r12, %r12, %r1;\n", 8)},
	"BEFORE": {"": "", "loop": "L:", "lanes": "L: setp.gt.u32 %p6, %r13, %r9; @%p6 bra O;", "some": "@%p2 bra O;", "number": "@!%p3 bra O;"},
}

// tableBehind ends what BEFORE begins.
var tableBehind = map[string]string{"": "", "loop": "add.u32 %r13, %r13, 1; setp.lt.u32 %p6, %r13, 9; @%p6 bra L;", "lanes": "add.u32 %r13, %r13, 1; bra L;\nO:", "some": "O:", "number": "O:"}

// TestTables holds them to the interpreter, as they are, in the copy for any lanes alone, and leaving.
func TestTables(t *testing.T) {
	ways := []jit.PipelineC{{}, {Build: build.Options{Rest: true}}, {Turn: 3}, {Build: build.Options{Leave: func(pc int32) bool { return pc%3 == 0 }}}}
	backEnds(t, func(t *testing.T, b backEnd) {
		n := 0
		for _, index := range slices.Sorted(maps.Keys(tableForms["INDEX"])) {
			for _, guard := range slices.Sorted(maps.Keys(tableForms["GUARD"])) {
				for _, bad := range slices.Sorted(maps.Keys(tableForms["BAD"])) {
					for _, before := range slices.Sorted(maps.Keys(tableForms["BEFORE"])) {
						for _, long := range []string{"", "long"} {
							if n++; !*full && n%7 != 0 && b.own || !b.own && n%97 != 0 || bad == "off" && guard != "lane" {
								continue
							}
							f := tableForms
							text := strings.NewReplacer("INDEX", f["INDEX"][index], "GUARD", f["GUARD"][guard], "BAD", f["BAD"][bad], "LONG", f["LONG"][long],
								"BEFORE", f["BEFORE"][before], "BEHIND", tableBehind[before]).Replace(tableKernel)
							b.holdTable(t, fmt.Sprintf("%s, guard %s, bad %s, before %s, %s", index, guard, bad, before, long), text, ways[n/7%len(ways)])
						}
					}
				}
			}
		}
	})
}

// holdTable holds one to the interpreter; the code does not leave but for what is not in the table.
func (b backEnd) holdTable(t *testing.T, what, text string, c jit.PipelineC) {
	t.Helper()
	keep("kernel.ptx", text)
	r := atomicRun(1, 0)
	refused := map[string]error{}
	want, got := run(t, text, r, 1, nil), run(t, text, r, 5, b.with(&c, refused))
	for k := range got {
		if c.Turn != 0 { // lanes that wait for those which rest go on without them
			got[k].stepsOf(&want[0])
		}
	}
	same(t, what, &want[0], got)
	if err := refused["k"]; err != nil || want[0].err == "" && c.Build.Leave == nil && c.Turn == 0 && got[4].byC != want[0].counts[2] {
		t.Errorf("%s: %v, %d of %d lane operations are compiled code's", what, err, got[4].byC, want[0].counts[2])
	}
}
