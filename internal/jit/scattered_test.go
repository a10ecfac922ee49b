package jit_test

import (
	"fmt"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// indexHeader has an index of each lane in %r12, which follows from nothing, some lanes in %p1, and a place of each lane in %rd7.
const indexHeader = `
	mul.lo.u32 %r10, %r1, 0x9e3779b1; shr.u32 %r12, %r10, 21; and.b32 %r16, %r10, 0x700; setp.ne.u32 %p1, %r16, 0;
	mul.wide.u32 %rd7, %r1, 32; add.u64 %rd7, %rd7, %rd1; mov.u32 %r14, 5; mov.u64 %rd5, 6; and.b32 %r13, %r10, 31; mov.u32 %r20, 0;
`

const indexFooter = "\nst.global.v2.u32 [%rd7+32768], {%r14, %r20}; st.global.u64 [%rd7+32776], %rd5;"

// indexCases are what kernels do with addresses that follow from an index.
var indexCases = map[string]string{
	"signed":         "mul.wide.s32 %rd3, %r12, 4; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r14, [%rd4+8]; sub.s32 %r11, 7, %r12; mul.wide.s32 %rd3, %r11, 4; add.s64 %rd6, %rd1, %rd3; ld.global.u32 %r20, [%rd6];",
	"unsigned":       "cvt.u64.u32 %rd8, %r12; shl.b64 %rd3, %rd8, 2; add.s64 %rd4, %rd3, %rd1; ld.global.u32 %r14, [%rd4+8]; mul.wide.u32 %rd9, %r12, 8; add.s64 %rd6, %rd1, %rd9; ld.global.u64 %rd5, [%rd6+-24];",
	"in place":       "mul.wide.s32 %rd3, %r12, 4; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r12, [%rd4]; and.b32 %r12, %r12, 0xfff; mul.wide.s32 %rd3, %r12, 4; add.s64 %rd6, %rd1, %rd3; ld.global.u32 %r14, [%rd6];",
	"stores":         "shr.u32 %r12, %r12, 3; mul.wide.s32 %rd3, %r12, 4; add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4+16384], %r1; st.global.u32 [%rd4+-16384], 7; ld.global.u32 %r14, [%rd4+16384];",
	"vectors":        "mul.wide.s32 %rd3, %r12, 16; add.s64 %rd4, %rd1, %rd3; ld.global.v4.u32 {%r14, _, %r20, %r11}, [%rd4]; add.u32 %r14, %r14, %r11; st.global.v2.u32 [%rd4+8], {%r1, %r14}; and.b32 %r11, %r12, 255; mul.wide.s32 %rd9, %r11, 128; add.s64 %rd6, %rd9, %rd1; ld.global.v2.u64 {%rd5, %rd8}, [%rd6+-16]; add.s64 %rd5, %rd5, %rd8;",
	"narrow scale":   "shl.b32 %r11, %r12, 2; cvt.u64.u32 %rd3, %r11; add.s64 %rd4, %rd3, %rd1; ld.global.u32 %r14, [%rd4+12]; shl.b32 %r11, %r12, 1; mul.wide.s32 %rd9, %r11, 4; add.s64 %rd6, %rd9, %rd1; ld.global.u64 %rd5, [%rd6];",
	"loop":           "mul.wide.s32 %rd3, %r12, 4; add.s64 %rd4, %rd1, %rd3;\nL: ld.global.u32 %r11, [%rd4]; add.s64 %rd4, %rd4, 4; mad.lo.u32 %r14, %r14, 3, %r11; add.u32 %r20, %r20, 1; setp.le.u32 %p2, %r20, %r13; @%p2 bra L;",
	"backwards":      "mul.wide.s32 %rd3, %r12, 8; add.s64 %rd4, %rd1, %rd3;\nL: ld.global.u64 %rd6, [%rd4+-8]; add.s64 %rd5, %rd5, %rd6; add.s64 %rd4, %rd4, -16; add.u32 %r20, %r20, 1; setp.le.u32 %p2, %r20, %r13; @%p2 bra L; ",
	"unrolled":       "mul.wide.u32 %rd3, %r12, 4; add.s64 %rd9, %rd1, %rd3; add.s64 %rd4, %rd9, 8;\nL: ld.global.u32 %r11, [%rd4+-8]; ld.global.u32 %r15, [%rd4+-4]; mad.lo.u32 %r14, %r14, 3, %r11; add.s64 %rd6, %rd4, 8; xor.b32 %r14, %r14, %r15; ld.global.u32 %r15, [%rd6]; add.u32 %r14, %r14, %r15; mov.u64 %rd4, %rd6; add.u32 %r20, %r20, 1; setp.le.u32 %p2, %r20, %r13; @%p2 bra L;",
	"two ways":       "mul.wide.s32 %rd3, %r12, 4; @%p1 bra A; add.s64 %rd4, %rd1, %rd3; bra.uni B;\nA: mul.wide.s32 %rd3, %r13, 4; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r20, [%rd4];\nB: ld.global.u32 %r14, [%rd4+4];",
	"guarded":        "mul.wide.s32 %rd3, %r12, 4; add.s64 %rd4, %rd1, %rd3; mul.wide.s32 %rd6, %r13, 4; @%p1 add.s64 %rd4, %rd1, %rd6; @!%p1 ld.global.u32 %r20, [%rd4]; ld.global.u32 %r14, [%rd4+4]; @%p1 st.global.u32 [%rd4+32764], %r14;",
	"barrier":        "mul.wide.s32 %rd3, %r12, 4; add.s64 %rd4, %rd1, %rd3; bar.sync 0; ld.global.u32 %r14, [%rd4]; bar.sync 0; @%p1 bra A; ld.global.u32 %r20, [%rd4+4]; \nA: bar.sync 0; ld.global.u32 %r11, [%rd4+8]; add.u32 %r14, %r14, %r11;",
	"atomics":        "mul.wide.s32 %rd3, %r12, 4; add.s64 %rd4, %rd1, %rd3; red.global.add.u32 [%rd4+16384], %r1; ld.global.u32 %r14, [%rd4]; @%p1 atom.global.xor.b32 %r20, [%rd4+32764], %r13; ld.volatile.global.u32 %r11, [%rd4]; add.u32 %r14, %r14, %r11;",
	"other readers":  "mul.wide.s32 %rd3, %r12, 4; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r14, [%rd4]; sub.s64 %rd5, %rd4, %rd1; add.s64 %rd6, %rd1, %rd3; ld.global.u32 %r20, [%rd6]; st.global.u64 [%rd7+64], %rd6;",
	"unknown step":   "mul.wide.s32 %rd3, %r12, 4; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r11, [%rd4]; @%p1 add.s64 %rd4, %rd4, 4; add.s64 %rd4, %rd4, 4; ld.global.u32 %r14, [%rd4];",
	"before a base":  "mul.wide.s32 %rd3, %r12, 4; mov.u64 %rd9, %rd1; @%p1 add.s64 %rd9, %rd9, 64; add.s64 %rd4, %rd9, %rd3; ld.global.u32 %r14, [%rd4];",
	"in order":       "shr.u32 %r11, %r10, 31; shr.u32 %r11, %r11, 1; add.u32 %r11, %r11, %r1; mul.wide.u32 %rd3, %r11, 4; add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4+4096], %r10; mul.wide.s32 %rd9, %r11, 8; add.s64 %rd6, %rd1, %rd9; cvt.u64.u32 %rd8, %r10; st.global.u64 [%rd6+16384], %rd8; @%p1 st.global.u32 [%rd4+8192], %r10; st.global.u32 [%rd4+12288], 9; ld.global.u32 %r14, [%rd4];",
	"nearly so":      "shr.u32 %r11, %r10, 31; shr.u32 %r11, %r11, 1; add.u32 %r11, %r11, %r1; and.b32 %r15, %r1, 24; setp.eq.u32 %p2, %r15, 16; xor.b32 %r15, %r11, 5; selp.u32 %r11, %r15, %r11, %p2; mul.wide.s32 %rd3, %r11, 4; add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4+-4096], %r10; mul.wide.s32 %rd9, %r11, 16; add.s64 %rd6, %rd1, %rd9; st.global.u32 [%rd6+16384], %r10;",
	"shared":         "mov.u64 %rd9, smem; and.b32 %r11, %r12, 255;\nL: mad.wide.u32 %rd4, %r11, 16, %rd9; ld.shared.u32 %r15, [%rd4+4]; mad.lo.u32 %r14, %r14, 3, %r15; st.shared.v2.u32 [%rd4], {%r1, %r14}; add.u32 %r11, %r11, 5; and.b32 %r11, %r11, 255; add.u32 %r20, %r20, 1; setp.le.u32 %p2, %r20, 9; @%p2 bra L;",
	"shared beside":  "mov.u64 %rd9, smem; shl.b32 %r12, %r12, 2; and.b32 %r11, %r12, 1020; mul.wide.s32 %rd3, %r11, 4; add.s64 %rd4, %rd9, %rd3; st.shared.v4.u32 [%rd4], {%r1, %r2, %r14, 7}; mul.wide.s32 %rd6, %r12, 4; add.s64 %rd8, %rd1, %rd6; ld.global.u32 %r20, [%rd8]; ld.shared.u64 %rd5, [%rd4+8];",
	"bytes in order": "shr.u32 %r11, %r10, 31; shr.u32 %r11, %r11, 1; add.u32 %r11, %r11, %r1; cvt.s64.s32 %rd3, %r11; add.s64 %rd4, %rd1, %rd3; ld.global.u8 %r14, [%rd4+3]; mul.wide.s32 %rd9, %r11, 2; add.s64 %rd6, %rd1, %rd9; ld.global.s16 %r20, [%rd6+-2];",
	"bytes apart":    "cvt.u64.u32 %rd3, %r12; add.s64 %rd4, %rd1, %rd3; ld.global.s8 %r14, [%rd4+-5]; mul.wide.s32 %rd9, %r12, 2; add.s64 %rd6, %rd1, %rd9; @%p1 ld.global.u16 %r20, [%rd6]; sub.s32 %r11, 7, %r12; cvt.s64.s32 %rd8, %r11; add.s64 %rd5, %rd8, %rd1; ld.global.u8 %r11, [%rd5]; add.u32 %r14, %r14, %r11; mov.u64 %rd5, 6;",
	"last bytes":     "shr.u32 %r11, %r10, 31; shr.u32 %r11, %r11, 1; add.u32 %r11, %r11, 65504; and.b32 %r15, %r1, 31; add.u32 %r11, %r11, %r15; cvt.s64.s32 %rd3, %r11; add.s64 %rd4, %rd1, %rd3; ld.global.u8 %r14, [%rd4]; and.b32 %r15, %r12, 7; sub.u32 %r15, 65535, %r15; cvt.u64.u32 %rd9, %r15; add.s64 %rd6, %rd1, %rd9; ld.global.u8 %r20, [%rd6];",
	"last halves":    "and.b32 %r15, %r12, 3; sub.u32 %r15, 32767, %r15; mul.wide.u32 %rd9, %r15, 2; add.s64 %rd8, %rd1, %rd9; ld.global.u16 %r14, [%rd8]; sub.u32 %r11, 32766, %r13; mul.wide.s32 %rd3, %r11, 2; add.s64 %rd4, %rd1, %rd3; ld.global.s16 %r20, [%rd4+2];",
	"bytes beside":   "cvt.s64.s32 %rd3, %r12; add.s64 %rd4, %rd1, %rd3; ld.global.u8 %r14, [%rd4]; ld.global.u8 %r20, [%rd4+1];",
	"far scale":      "and.b32 %r11, %r12, 127; mul.wide.s32 %rd3, %r11, 128; add.s64 %rd4, %rd1, %rd3; st.global.v2.u64 [%rd4+16], {%rd5, 7}; st.global.u32 [%rd4], %r2;",
}

// TestIndices compares the engines where lanes' addresses follow from an index, anywhere or one behind the other.
func TestIndices(t *testing.T) {
	for name, text := range indexCases {
		t.Run(name, func(t *testing.T) {
			body := indexHeader + text + indexFooter
			if compareBlocks(t, body, nil) == 0 {
				t.Error("nothing ran in compiled code")
			}
			compareBlocks(t, body, func(pc int32) bool { return pc%4 == 2 })
		})
	}
}

// TestIndexFaults: the index of one lane is outside, at either end of what 32 bits reach, or misaligned, after accesses that have met the allocation:
// the fault is the interpreter's and nothing else has been done.
func TestIndexFaults(t *testing.T) {
	ops := []string{
		"mul.wide.s32 %rd3, %r11, 4; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r14, [%rd4+4];",
		"mul.wide.u32 %rd3, %r11, 4; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r14, [%rd4+-8];",
		"mul.wide.s32 %rd3, %r11, 4; add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r1;",
		"cvt.s64.s32 %rd3, %r11; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r14, [%rd4];",
		"cvt.u64.u32 %rd3, %r11; add.s64 %rd4, %rd1, %rd3; st.global.u64 [%rd4], %rd5;",
		"cvt.s64.s32 %rd3, %r11; add.s64 %rd4, %rd1, %rd3; ld.global.u8 %r14, [%rd4+1];",
		"mul.wide.s32 %rd3, %r11, 2; add.s64 %rd4, %rd1, %rd3; ld.global.s16 %r14, [%rd4];",
		"mul.wide.s32 %rd3, %r11, 32; add.s64 %rd4, %rd1, %rd3; ld.global.v2.u64 {%rd5, %rd6}, [%rd4+16];",
		"mul.wide.s32 %rd3, %r11, 4; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r14, [%rd4]; add.s64 %rd4, %rd4, 4; ld.global.u32 %r14, [%rd4]; add.s64 %rd4, %rd4, 4; st.global.u32 [%rd4], %r14;",
	}
	bad := []string{"1021", "1022", "1023", "1024", "4092", "4093", "4096", "-1023", "-1024", "-1025", "-4096", "-4097", "127", "128", "-129", "0x7fffffff", "0x80000000", "0x40000000", "0xc0000000", "0x3fffffff"}
	for i, op := range ops {
		for j, d := range bad {
			body := "and.b32 %r12, %r1, 12; mov.u32 %r18, 0;\nL: and.b32 %r11, %r12, -8; " +
				fmt.Sprintf("setp.eq.u32 %%p2, %%r1, %d; setp.eq.and.u32 %%p2, %%r18, 1, %%p2; selp.b32 %%r11, %s, %%r11, %%p2; ", (7*i+5*j)%32, d) + op + " add.u32 %r18, %r18, 1; setp.lt.u32 %p3, %r18, 2; @%p3 bra L; st.global.u32 [%rd2], %r14;"
			if j%2 == 1 { // lanes have parted
				body = "setp.lt.u32 %p1, %r1, 40; @%p1 bra S; ret;\nS: setp.eq.u32 %p1, %r1, 33; @%p1 bra E;" + body + "\nE:"
			}
			alikeFaults(t, fmt.Sprintf("%s, %s", op, d), body, nil)
		}
	}
}

// TestSharedIndexFaults: the same in shared memory, whose limits are not in the table of bounds. What lies around the window of a CTA
// stays as it is.
func TestSharedIndexFaults(t *testing.T) {
	for i, op := range []string{
		"mad.wide.u32 %rd4, %r11, 16, %rd9; ld.shared.u32 %r14, [%rd4];",
		"mad.wide.s32 %rd4, %r11, 16, %rd9; st.shared.u32 [%rd4+4], %r1;",
		"mul.wide.u32 %rd3, %r11, 4; add.s64 %rd4, %rd9, %rd3; ld.shared.u32 %r14, [%rd4];",
		"mul.wide.s32 %rd3, %r11, 8; add.s64 %rd4, %rd9, %rd3; st.shared.u64 [%rd4], %rd5;",
		"cvt.s64.s32 %rd3, %r11; shl.b64 %rd3, %rd3, 4; add.s64 %rd4, %rd9, %rd3; ld.shared.v4.u32 {%r14, %r15, %r16, %r17}, [%rd4];",
	} {
		for j, d := range []string{"9", "511", "512", "513", "2047", "2048", "-1", "-64", "-100000", "1000000", "0x7fffffff", "0x80000000", "0x01000000", "0xff000000"} {
			body := "mov.u64 %rd9, smem; and.b32 %r12, %r1, 12; mov.u32 %r18, 0;\nL: and.b32 %r11, %r12, -8; " +
				fmt.Sprintf("setp.eq.u32 %%p2, %%r1, %d; setp.eq.and.u32 %%p2, %%r18, 1, %%p2; selp.b32 %%r11, %s, %%r11, %%p2; ", (7*i+5*j)%32, d) + op + " add.u32 %r18, %r18, 1; setp.lt.u32 %p3, %r18, 2; @%p3 bra L; st.global.u32 [%rd2], %r14;"
			if j%2 == 1 { // lanes have parted
				body = "setp.lt.u32 %p1, %r1, 40; @%p1 bra S; ret;\nS: setp.eq.u32 %p1, %r1, 33; @%p1 bra E;" + body + "\nE:"
			}
			alikeFaults(t, fmt.Sprintf("%s, %s", op, d), body, nil)
		}
	}
}

// TestIndexBases: another launch of the same code has another base, in the same allocation or another one, and what is tested follows it.
func TestIndexBases(t *testing.T) {
	src := accessHeader + indexHeader + "mov.u32 %r18, 0;\nL: and.b32 %r12, %r12, 63; mul.wide.s32 %rd3, %r12, 4; add.s64 %rd4, %rd1, %rd3; ld.global.u32 %r11, [%rd4]; mad.lo.u32 %r14, %r14, 3, %r11; add.u32 %r12, %r12, 1; add.u32 %r18, %r18, 1; setp.lt.u32 %p3, %r18, 9; @%p3 bra L; st.global.u32 [%rd2+1024], %r14;\n\tret;\n}\n"
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		l := newLaboratory(t, "k.ptx", src)
		l.keep = true
		install := engine(t, jit.Options{Vectors: v}).Install
		var places [3]uint64
		for i := range places {
			places[i], _ = l.arena.Alloc(4096, mem.Info{Label: "buf"})
		}
		for i, at := range []uint64{places[0], places[0] + 512, places[1], places[0] + 2, places[2] + 4, places[1] - 4096<<20, places[2]} {
			var memory, fault [2]string
			for native := range 2 {
				for k, p := range places {
					b := l.arena.Bytes(p, 4096)
					for i := range b {
						b[i] = byte(i*3 + k)
					}
				}
				compile := install
				if native == 0 {
					compile = nil
				}
				fault[native] = l.fault(t, [3]uint32{64, 1, 1}, compile, at)
				for _, p := range places {
					memory[native] += string(l.arena.Bytes(p, 4096))
				}
			}
			if fault[0] != fault[1] || memory[0] != memory[1] {
				t.Errorf("%v, launch %d: %s, the interpreter %s; memory equal: %v", v, i, fault[1], fault[0], memory[0] == memory[1])
			}
		}
	}
}
