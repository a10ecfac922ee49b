package jit_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// apartHeader has addresses of lanes that do not follow each other: %rd3 in the buffer, aligned for 16 bytes,
// many the same; %r12 in shared memory, %r13 the distance of both from the start, %r14 and %r15 data, and in
// %p1 some lanes.
const apartHeader = `
	mul.lo.u32 %r10, %r1, 0x9e3779b1; shr.u32 %r13, %r10, 9; and.b32 %r13, %r13, 0xff0; xor.b32 %r14, %r10, 0x5555; not.b32 %r15, %r14;
	cvt.u64.u32 %rd4, %r13; add.u64 %rd3, %rd1, %rd4; mov.u32 %r11, smem; add.u32 %r12, %r11, %r13; cvt.u64.u32 %rd5, %r14; shl.b64 %rd6, %rd5, 33; or.b64 %rd5, %rd5, %rd6;
	st.shared.u32 [%r12], %r14; st.shared.u32 [%r12+4096], %r15; bar.sync 0;
	and.b32 %r16, %r10, 0x700; setp.ne.u32 %p1, %r16, 0;
	mul.wide.u32 %rd7, %r1, 32; add.u64 %rd7, %rd7, %rd1;
`

// apartFooter keeps what the access has loaded, and what is in shared memory where it has stored.
const apartFooter = `
	bar.sync 0;
	ld.shared.u32 %r20, [%r12]; ld.shared.u32 %r21, [%r12+4096]; add.u32 %r20, %r20, %r21;
	st.global.v4.u32 [%rd7+16384], {%r14, %r15, %r17, %r20}; st.global.u64 [%rd7+16400], %rd5; cvt.u32.u16 %r18, %h1; st.global.u32 [%rd7+16408], %r18;
`

// apartStatements are accesses; SP is the state space, AD the address.
var apartStatements = []string{
	"ld.SP.u32 %r14, [AD];", "ld.SP.u32 %r14, [AD+12];", "ld.SP.u32 %r14, [AD+-16];", "ld.SP.s32 %rd5, [AD];", "ld.SP.u64 %rd5, [AD+8];", "ld.SP.f32 %f1, [AD+4]; mov.b32 %r14, %f1;",
	"ld.SP.u8 %r14, [AD+3];", "ld.SP.s8 %r14, [AD+5];", "ld.SP.u16 %r14, [AD+6];", "ld.SP.s16 %r14, [AD+2];", "ld.SP.s8 %h1, [AD+7];", "ld.SP.u8 %h1, [AD+1];", "ld.SP.s16 %h1, [AD];",
	"ld.SP.v2.u32 {%r14, %r15}, [AD];", "ld.SP.v4.u32 {%r14, %r15, %r17, %r18}, [AD+16];", "ld.SP.v4.u32 {%r14, _, _, %r17}, [AD];", "ld.SP.v2.u64 {%rd8, %rd5}, [AD];", "ld.SP.v2.u16 {%h1, %h2}, [AD];",
	"st.SP.u32 [AD], %r14;", "st.SP.u32 [AD+8], 77;", "st.SP.u32 [AD+-16], %r9;", "st.SP.u64 [AD+8], %rd5;", "st.SP.u8 [AD+3], %r14;", "st.SP.u16 [AD+2], %r14;",
	"st.SP.v2.u32 [AD], {%r14, %r15};", "st.SP.v4.u32 [AD+16], {%r14, %r15, %r1, 5};", "st.SP.v2.u64 [AD], {%rd5, %rd1};", "ld.SP.u32 %r14, [AD+2048]; st.SP.u32 [AD], %r14;",
	"ld.SP.u64 AD64, [AD]; add.u64 %rd5, %rd5, AD64;", "ld.SP.v2.u32 {%r12, %r14}, [AD]; mov.u32 %r12, smem;",
}

// apartPlaces are where one stands: for all lanes, under a guard, for lanes that have parted, in a loop.
var apartPlaces = []string{
	"OP", "@%p1 bra A; OP\nA:",
	"mov.u32 %r19, 0;\nL: OP add.u32 %r19, %r19, 1; setp.lt.u32 %p2, %r19, %r2; @%p2 bra L;",
	"GUARDED",
}

// TestApart compares the engines on lanes whose addresses follow from nothing, in compiled code.
func TestApart(t *testing.T) {
	for i, op := range apartStatements {
		for j, space := range []string{"global", "shared"} {
			if space == "shared" && strings.Contains(op, "AD64") || space == "global" && strings.Contains(op, "{%r12") {
				continue
			}
			at := map[string]string{"global": "%rd3", "shared": "%r12"}[space]
			text := strings.NewReplacer("SP", space, "AD64", "%rd8", "AD", at).Replace(op)
			if strings.Contains(op, "+-16") {
				text = "add.u64 %rd3, %rd3, 16; add.u32 %r12, %r12, 16; " + text + " sub.u32 %r12, %r12, 16;"
			}
			for k, place := range apartPlaces {
				if !*allShapes && k != (i+j)%len(apartPlaces) {
					continue
				}
				guarded := "@%p1 " + strings.ReplaceAll(strings.TrimSuffix(text, ";"), "; ", "; @%p1 ") + ";"
				body := apartHeader + strings.NewReplacer("OP", text, "GUARDED", guarded).Replace(place) + apartFooter
				t.Run(fmt.Sprint(k, " ", text), func(t *testing.T) {
					if compareBlocks(t, body, nil) == 0 {
						t.Error("nothing ran in compiled code")
					}
				})
			}
		}
	}
}

// TestApartFaults: one lane of many is outside, below, misaligned or beyond what 32 bits reach, with
// displacements of either sign, in an access that has met its allocation before: the fault is the interpreter's, and nothing has been done.
func TestApartFaults(t *testing.T) {
	far := []string{"4095", "4080", "4076", "4079", "-1", "-4", "2", "0x7fffffff", "0x80000000", "0xfffffff0", "0xffffffec", "-2048", "1<<13"}
	ops := []string{"ld.SP.u32 %r14, [AD];", "st.SP.u32 [AD], %r1;", "ld.SP.u8 %r14, [AD+12];", "ld.SP.u16 %r14, [AD+14];", "st.SP.v2.u32 [AD+8], {%r1, %r2};", "ld.SP.u64 %rd5, [AD+-8];", "ld.SP.v4.u32 {%r14, %r15, %r17, %r10}, [AD];", "ld.SP.u32 %r14, [AD+2048];"}
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, op := range ops {
		for _, space := range []string{"global", "shared"} {
			for _, d := range far {
				lane := rnd.IntN(32)
				body := strings.Replace(apartHeader, "bar.sync 0;", "", 1) + "mov.u32 %r18, 0; mov.u32 %r19, 0;\nL: " + strings.NewReplacer("SP", space, "AD", map[string]string{"global": "%rd3", "shared": "%r12"}[space]).Replace(op) +
					fmt.Sprintf("setp.eq.u32 %%p2, %%r1, %d; mov.u32 %%r19, %s; cvt.s64.s32 %%rd9, %%r19; @%%p2 add.s64 %%rd3, %%rd1, %%rd9; @%%p2 add.u32 %%r12, %%r11, %%r19; add.u32 %%r18, %%r18, 1; setp.lt.u32 %%p3, %%r18, 2; @%%p3 bra L;\n", lane, d) +
					"\nst.global.u32 [%rd2], %r14;"
				alikeFaults(t, fmt.Sprintf("%s, lane %d at %s", op, lane, d), body, nil)
			}
		}
	}
}

// TestApartAtTheEnd: narrow loads gather what lies behind them, but not behind an allocation.
func TestApartAtTheEnd(t *testing.T) {
	body := "mov.u32 %r20, 0;\nL: xor.b32 %r10, %r1, 5; cvt.u64.u32 %rd4, %r10; sub.u64 %rd3, %rd1, %rd4; ld.global.u8 %r11, [%rd3+-1]; and.b32 %r10, %r10, 30; cvt.u64.u32 %rd4, %r10; sub.u64 %rd3, %rd1, %rd4; ld.global.s16 %r12, [%rd3+-2]; add.u32 %r11, %r11, %r12; sub.u64 %rd2, %rd2, 4096; ld.global.u8 %r13, [%rd3+-3]; ld.global.u8 %r14, [%rd3+-2]; mad.lo.u32 %r11, %r13, %r14, %r11; ld.global.u8 %r13, [%rd3+-5]; mad.lo.u32 %r11, %r13, 77, %r11; xor.b32 %r10, %r1, 5; cvt.u64.u32 %rd4, %r10; sub.u64 %rd5, %rd1, %rd4; sub.u64 %rd5, %rd5, 1; ld.global.u8 %r13, [%rd5]; mad.lo.u32 %r11, %r13, 55, %r11; ld.global.u8 %r13, [%rd5]; mad.lo.u32 %r11, %r13, 55, %r11; st.global.u32 [%rd2], %r11; add.u64 %rd2, %rd2, 4096; add.u32 %r20, %r20, 1; setp.lt.u32 %p1, %r20, 3; @%p1 bra L;"
	for _, size := range []uint64{4096 + 256, 4096 + 255, 4096 + 254} {
		l := newLaboratory(t, "k.ptx", accessHeader+body+"\n\tret;\n}\n")
		buf, _ := l.arena.Alloc(size, mem.Info{Label: "buf"})
		all := l.arena.Bytes(buf, size)
		run := func(v jit.Vectors, native bool) (memory []byte, fault string) {
			for i := range all {
				all[i] = byte(i * 13)
			}
			if native {
				fault = l.fault(t, [3]uint32{32, 1, 1}, engine(t, jit.Options{Vectors: v}).Install, buf+size)
			} else {
				fault = l.fault(t, [3]uint32{32, 1, 1}, nil, buf+size)
			}
			return bytes.Clone(all), fault
		}
		memory, want := run(0, false)
		for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
			if m, got := run(v, true); got != want || !bytes.Equal(m, memory) {
				t.Errorf("%d bytes, %v: %s, the interpreter %s; memory equal: %v", size, v, got, want, bytes.Equal(m, memory))
			}
		}
	}
}
