package jit_test

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// countLoop is a loop of so many turns that counts in shared memory: %r10 is where that begins, %rd3 a byte of each thread, %rd4 a
// word. Behind it each thread sees every 32nd word.
func countLoop(begin, turn, turns string) string {
	first, next := "cvt.u64.u32 %rd6, %r25; add.u64 %rd3, %rd1, %rd6;", "add.u64 %rd3, %rd3, 256;"
	switch {
	case strings.Contains(turn, "%rd4"):
		first, next = "mul.wide.u32 %rd6, %r25, 4; add.u64 %rd4, %rd1, %rd6;", "add.u64 %rd4, %rd4, 1024;"
	case strings.Contains(turn, "ld.global.u16"):
		first = "mul.wide.u32 %rd6, %r25, 2; add.u64 %rd3, %rd1, %rd6;"
	}
	return `mov.u32 %r10, smem; add.u32 %r11, %r10, %r8; st.shared.u32 [%r11+64], %r1; bar.sync 0; mov.u32 %r15, 0; mov.u32 %r20, 0; mad.lo.u32 %r25, %r3, %r5, %r2;
` + first + begin + `
L: ` + turn + `
` + next + ` add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, ` + turns + `; @%p1 bra L;
bar.sync 0; and.b32 %r16, %r1, 31; shl.b32 %r16, %r16, 2; mov.u32 %r17, 0;
M: add.u32 %r18, %r16, %r10; ld.shared.u32 %r19, [%r18]; mad.lo.u32 %r15, %r15, 0x01000193, %r19; add.u32 %r16, %r16, 128; add.u32 %r17, %r17, 1; setp.lt.u32 %p1, %r17, 64; @%p1 bra M;
st.global.u32 [%rd2+40000], %r15;`
}

// countLoops are what such loops do in front of them and in a turn; they run in passes, unless a name ends with a star.
var countLoops = map[string][2]string{
	"bytes":               {"", "ld.global.u8 %h1, [%rd3]; mul.wide.u16 %r12, %h1, 4; add.u32 %r13, %r12, %r10; atom.shared.add.u32 %r14, [%r13], 1;"},
	"bytes, displaced":    {"", "ld.global.u8 %r12, [%rd3+3]; shl.b32 %r13, %r12, 2; add.u32 %r13, %r10, %r13; red.shared.add.u32 [%r13+16], 0xfffffff1;"},
	"bytes, signed":       {"", "ld.global.s8 %r12, [%rd3]; and.b32 %r12, %r12, 255; shl.b32 %r13, %r12, 2; add.u32 %r13, %r10, %r13; red.shared.add.u32 [%r13], %r9;"},
	"bytes, twice read":   {"", "ld.global.u8 %r12, [%rd3]; add.u32 %r15, %r15, %r12; shl.b32 %r13, %r12, 2; add.u32 %r13, %r10, %r13; red.shared.add.u32 [%r13], 1;"},
	"some bits":           {"", "ld.global.u8 %r12, [%rd3]; shr.u32 %r12, %r12, 3; shl.b32 %r13, %r12, 2; add.u32 %r13, %r10, %r13; red.shared.xor.b32 [%r13+1024], %r9;"},
	"bits in their place": {"", "ld.global.u32 %r12, [%rd4]; and.b32 %r12, %r12, 0x3fc; add.u32 %r13, %r10, %r12; red.shared.add.u32 [%r13], 1;"},
	"ten bits":            {"add.u32 %r21, %r10, 64;", "ld.global.u32 %r12, [%rd4]; shr.u32 %r12, %r12, 7; and.b32 %r12, %r12, 1023; shl.b32 %r12, %r12, 2; add.u32 %r13, %r21, %r12; red.shared.add.u32 [%r13+-64], 3;"},
	"eleven bits":         {"", "ld.global.u32 %r12, [%rd4]; and.b32 %r12, %r12, 0x1ffc; add.u32 %r13, %r12, %r10; red.shared.add.u32 [%r13], 5;"},
	"every other":         {"", "ld.global.u8 %r12, [%rd3]; shl.b32 %r12, %r12, 3; add.u32 %r13, %r12, %r10; red.shared.add.u32 [%r13+4], 5;"},
	"halves":              {"", "ld.global.u16 %r12, [%rd3]; and.b32 %r12, %r12, 0x1ff; shl.b32 %r12, %r12, 2; add.u32 %r13, %r12, %r10; red.shared.or.b32 [%r13], %r9;"},
	"high bits lost":      {"", "ld.global.u32 %r12, [%rd4]; and.b32 %r12, %r12, 0xc000007f; shl.b32 %r12, %r12, 2; add.u32 %r13, %r12, %r10; red.shared.add.u32 [%r13], 1;"},
	"two":                 {"add.u32 %r21, %r9, 7;", "ld.global.u8 %r12, [%rd3]; shl.b32 %r13, %r12, 2; add.u32 %r13, %r10, %r13; red.shared.add.u32 [%r13], %r21; red.shared.and.b32 [%r13+4096], %r9;"},
	"by a number":         {"add.u32 %r21, %r9, %r10;", "ld.global.u8 %r12, [%rd3]; shl.b32 %r13, %r12, 2; add.u32 %r13, %r21, %r13; red.shared.add.u32 [%r13], 1;"},
	"would be outside":    {"add.u32 %r21, %r10, 8064;", "ld.global.u8 %r12, [%rd3]; and.b32 %r12, %r12, %r9; shl.b32 %r13, %r12, 2; add.u32 %r13, %r21, %r13; red.shared.add.u32 [%r13], 1;"},
	"by a row*":           {"", "ld.global.u8 %r12, [%rd3]; shl.b32 %r13, %r12, 2; add.u32 %r13, %r10, %r13; red.shared.add.u32 [%r13], %r1;"},
	"by what changes*":    {"mov.u32 %r21, 5;", "ld.global.u8 %r12, [%rd3]; shl.b32 %r13, %r12, 2; add.u32 %r13, %r10, %r13; red.shared.add.u32 [%r13], %r21; add.u32 %r21, %r21, 3;"},
	"read*":               {"", "ld.global.u8 %r12, [%rd3]; shl.b32 %r13, %r12, 2; add.u32 %r13, %r10, %r13; red.shared.add.u32 [%r13], 1; ld.shared.u32 %r14, [%r11]; xor.b32 %r15, %r15, %r14;"},
	"answered*":           {"", "ld.global.u8 %r12, [%rd3]; shl.b32 %r13, %r12, 2; add.u32 %r13, %r10, %r13; atom.shared.add.u32 %r14, [%r13], 1; xor.b32 %r15, %r15, %r14;"},
	"exchanged*":          {"", "ld.global.u8 %r12, [%rd3]; shl.b32 %r13, %r12, 2; add.u32 %r13, %r10, %r13; atom.shared.exch.b32 _, [%r13], 7;"},
	"any*":                {"", "ld.global.u32 %r12, [%rd4]; and.b32 %r12, %r12, 0xffc; min.u32 %r12, %r12, 2000; add.u32 %r13, %r10, %r12; red.shared.add.u32 [%r13], 1;"},
	"low bits":            {"", "ld.global.u8 %r12, [%rd3]; and.b32 %r12, %r12, 254; shl.b32 %r13, %r12, 1; add.u32 %r13, %r10, %r13; red.shared.add.u32 [%r13], 1;"},
}

// TestCountLoops compares the engines on them, with so many turns that others have theirs in between, and leaving at some instructions.
func TestCountLoops(t *testing.T) {
	for name, c := range countLoops {
		for _, turns := range []string{"%r9", "37"} {
			t.Run(name+", "+turns, func(t *testing.T) {
				body := countLoop(c[0], c[1], turns)
				if compareBlocks(t, body, nil) == 0 {
					t.Error("nothing ran in compiled code")
				}
				compareBlocks(t, body, func(pc int32) bool { return pc%9 == 3 })
				for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
					if got := strings.Contains(listingOf(t, body, v), "turns of lanes"); got == strings.HasSuffix(name, "*") {
						t.Errorf("%v: passes: %v", v, got)
					}
				}
			})
		}
	}
}

// TestCountLoopFaults: the counters are misaligned, or outside.
func TestCountLoopFaults(t *testing.T) {
	for _, at := range []string{"8192", "8190", "7168", "7172", "-4", "2", "0x7fffffff", "0xf0000000", "-1028"} {
		for _, disp := range []string{"0", "4", "-4"} {
			body := countLoop("add.u32 %r21, %r10, "+at+"; mov.u32 %r22, %r21;", "ld.global.u8 %r12, [%rd3]; shl.b32 %r13, %r12, 2; add.u32 %r13, %r22, %r13; red.shared.add.u32 [%r13+"+disp+"], 1;", "90")
			l := newLaboratory(t, "k.ptx", patternHeader+body+"\n\tret;\n}\n")
			const size = 1 << 17
			buf, _ := l.arena.Alloc(size, mem.Info{Label: "buf"})
			for i, all := 0, l.arena.Bytes(buf, size); i < size; i++ {
				all[i] = byte(i / 300)
			}
			want := l.fault(t, [3]uint32{64, 1, 1}, nil, buf+size/2)
			for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
				if got := l.fault(t, [3]uint32{64, 1, 1}, engine(t, jit.Options{Vectors: v}).Install, buf+size/2); got != want {
					t.Errorf("%s%+s, %v: %s\nthe interpreter: %s", at, disp, v, got, want)
				}
			}
		}
	}
}
