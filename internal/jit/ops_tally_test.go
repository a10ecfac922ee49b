package jit_test

import (
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// tallies add in few places: BASE is where the counters begin, %r13 which one.
var tallies = []string{
	"and.b32 %r13, %r13, 15; shl.b32 %r13, %r13, 2; add.u32 %r12, %r13, BASE; red.shared.add.u32 [%r12], 1;",
	"shl.b32 %r13, %r13, 2; and.b32 %r13, %r13, 60; add.u32 %r12, BASE, %r13; red.shared.add.u32 [%r12+16], 0xfffffff1;",
	"and.b32 %r13, %r13, 3; shl.b32 %r13, %r13, 2; add.u32 %r12, BASE, %r13; red.shared.add.u32 [%r12+-4], %r9;",
	"shr.u32 %r13, %r13, 29; shl.b32 %r13, %r13, 2; add.u32 %r12, BASE, %r13; atom.shared.add.s32 %r20, [%r12], 7;",
	"and.b32 %r13, %r13, 124; add.u32 %r12, BASE, %r13; red.shared.add.u32 [%r12], 3;",
	"and.b32 %r13, %r13, 60; add.u32 %r12, BASE, %r13; red.shared.add.u32 [%r12], %r1;",
	"and.b32 %r13, %r13, 60; add.u32 %r12, BASE, %r13; add.u32 %r9, %r9, 1; red.shared.add.u32 [%r12], %r9;",
	"and.b32 %r13, %r13, 60; add.u32 %r17, %r9, BASE; sub.u32 %r17, %r17, 24; add.u32 %r12, %r17, %r13; add.u32 %r17, %r17, 4; red.shared.add.u32 [%r12], 1;",
	"and.b32 %r13, %r13, 60; add.u32 %r17, %r9, BASE; add.u32 %r12, %r17, %r13; setp.ge.u32 %p1, %r1, 3; @%p1 red.shared.add.u32 [%r12], 1;",
	"and.b32 %r13, %r13, 60; add.u32 %r12, BASE, %r13; setp.eq.u32 %p1, %r1, 5; @%p1 mov.u32 %r12, BASE; red.shared.add.u32 [%r12+4], 2;",
}

// tallyHeader gives each thread a number; tallyFooter keeps what every thread sees of the places
// where counters are.
const tallyHeader = "mul.lo.u32 %r13, %r1, 0x9e3779b1; mov.u32 %r11, smem; shl.b32 %r14, %r1, 2; add.u32 %r14, %r14, %r11; st.shared.u32 [%r14+64], %r1; bar.sync 0;\n"

func tallyFooter() string {
	b := new(strings.Builder)
	b.WriteString("bar.sync 0; mov.u32 %r15, 0;\n")
	for _, at := range []int{48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 8000, 8016, 8032, 8048, 8064, 8080, 8096, 8112, 8128, 8144, 8160, 8176} {
		fmt.Fprintf(b, "ld.shared.v4.u32 {%%r21, %%r22, %%r23, %%r24}, [%%r11+%d];\n", at)
		for r := 21; r < 25; r++ {
			fmt.Fprintf(b, "mad.lo.u32 %%r15, %%r15, 0x01000193, %%r%d;\n", r)
		}
	}
	return b.String() + "st.global.u32 [%rd2], %r15;"
}

// TestTallies compares the engines on them, at places that are a line and that are none, and where the last counters, which no lane
// means, would be outside.
func TestTallies(t *testing.T) {
	const atEnd = "and.b32 %r13, %r13, 1; mul.lo.u32 %r13, %r13, 4; and.b32 %r13, %r13, 60; add.u32 %r12, BASE, %r13; red.shared.add.u32 [%r12], 1;"
	for _, op := range append(tallies, atEnd) {
		places := []string{"64", "8012"}
		if op == atEnd {
			places = []string{"8184"}
		}
		for _, at := range places {
			t.Run(op+at, func(t *testing.T) {
				body := tallyHeader + "mov.u32 %r16, smem; add.u32 %r16, %r16, " + at + ";\n"
				if compareBlocks(t, body+strings.ReplaceAll(op, "BASE", "%r16")+tallyFooter(), nil) == 0 {
					t.Error("nothing ran in compiled code")
				}
			})
		}
	}
}

// TestTallyFaults: the counters are misaligned, or some of them outside.
func TestTallyFaults(t *testing.T) {
	for _, at := range []string{"8192", "8190", "8188", "8164", "8160", "8132", "-4", "-64", "2", "0x7fffffff", "0xf0000000", "-1028"} {
		for _, mask := range []string{"60", "124", "28", "12"} {
			body := tallyHeader + "mov.u32 %r16, smem; add.u32 %r16, %r16, " + at + "; and.b32 %r13, %r13, " + mask + "; add.u32 %r12, %r16, %r13; red.shared.add.u32 [%r12], 1;" + tallyFooter()
			l := newLaboratory(t, "k.ptx", patternHeader+body+"\n\tret;\n}\n")
			buf, _ := l.arena.Alloc(8192, mem.Info{Label: "buf"})
			want := l.fault(t, [3]uint32{32, 1, 1}, nil, buf+4096)
			for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
				if got := l.fault(t, [3]uint32{32, 1, 1}, engine(t, jit.Options{Vectors: v}).Install, buf+4096); got != want {
					t.Errorf("%s at %s, %v: %s\nthe interpreter: %s", mask, at, v, got, want)
				}
			}
		}
	}
}
