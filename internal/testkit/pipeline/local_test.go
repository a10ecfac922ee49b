package pipeline

// This file has accesses to local memory: of all sizes, at offsets of all kinds, by all lanes, some, one and none.

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// localForms are statements at AD. %r10 and %rd10 have what is loaded.
var localForms = []struct {
	text  string
	align int
}{
	{"st.local.u32 [AD], %r3", 4}, {"ld.local.u32 %r10, [AD]", 4}, {"st.local.u8 [AD+1], %r3", 1}, {"ld.local.s8 %r10, [AD+3]", 1}, {"ld.local.u8 %r10, [AD]", 1},
	{"st.local.u16 [AD+2], %r3", 2}, {"ld.local.s16 %r10, [AD]", 2}, {"ld.local.u16 %r10, [AD+2]", 2}, {"st.local.u64 [AD+8], %rd8", 8}, {"ld.local.u64 %rd10, [AD]", 8},
	{"ld.local.s32 %rd10, [AD]", 4}, {"ld.local.s8 %rd10, [AD+1]", 1}, {"st.local.u8 [AD], %rd8", 1}, {"st.local.v2.u32 [AD], {%r3, %r5}", 8},
	{"ld.local.v2.u64 {%rd10, %rd11}, [AD]; xor.b64 %rd10, %rd10, %rd11", 16}, {"ld.local.v4.u8 {%r10, %r16, %r17, %r18}, [AD]; mad.lo.u32 %r10, %r16, 31, %r10; mad.lo.u32 %r10, %r17, 37, %r10; xor.b32 %r10, %r10, %r18", 4},
	{"st.local.v4.u32 [AD], {%r3, %r5, %r3, %r1}", 16}, {"st.local.v4.u8 [AD], {%r3, %r5, %r1, %r3}", 4}, {"st.local.v4.u16 [AD], {%h1, %h1, %h2, %h2}", 8}, {"ld.local.s8 %h3, [AD]; cvt.u32.u16 %r10, %h3", 1},
	{"st.local.u32 [AD], 77; ld.local.u32 %r10, [AD]", 4}, {"ld.local.f64 %rd10, [AD]", 8}, {"st.volatile.local.u32 [AD], %r3", 4},
}

// localPlaces put an offset into %rd5, a multiple of the register that is %r8; a constant has no register.
var localPlaces = map[string]string{
	"constant": "", "one": "mul.lo.u32 %r6, %r19, %r8; mul.wide.u32 %rd5, %r6, 1", "any": "and.b32 %r6, %r3, 3; mul.lo.u32 %r6, %r6, %r8; cvt.s64.s32 %rd5, %r6",
	"scaled": "and.b32 %r6, %r3, 3; add.s32 %r6, %r6, -1; mul.wide.s32 %rd5, %r6, 16; add.s64 %rd5, %rd5, 16", "strided": "shl.b32 %r6, %r1, 4; and.b32 %r6, %r6, 48; cvt.u64.u32 %rd5, %r6",
}

// localKernel has statements one after the other, each on a variable of 80 bytes that all words of are written before and read behind; wrong is
// what becomes of an offset.
func localKernel(forms []int, place, wrong string, with func(string, int) string) string {
	var b strings.Builder
	b.WriteString(`.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 s)
{
	.reg .pred %p<6>;
	.reg .b16 %h<5>;
	.reg .b32 %r<22>;
	.reg .b64 %rd<20>;
	.local .align 16 .b8 first[32];
	.local .align 16 .b8 buf[80];
	ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; ld.param.u32 %r5, [n]; ld.param.u32 %r9, [s];
	mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; shl.b32 %r4, %r2, 5; add.s32 %r4, %r4, %r1;
	mul.wide.s32 %rd4, %r4, 8; add.s64 %rd4, %rd4, %rd1; ld.global.u32 %r3, [%rd4]; ld.global.u64 %rd8, [%rd4];
	and.b32 %r7, %r3, 4; setp.ne.u32 %p2, %r7, 0; setp.ne.u32 %p3, %r1, 5; setp.gt.u32 %p4, %r1, %r9;
	cvt.u16.u32 %h1, %r3; cvt.u16.u32 %h2, %r1; and.b32 %r19, %r5, 1;
	mov.u32 %r12, 0; mul.wide.u32 %rd3, %r4, 4; add.s64 %rd3, %rd3, %rd2;
`)
	for k, n := range forms {
		f := localForms[n]
		for w := range 20 {
			fmt.Fprintf(&b, "mad.lo.u32 %%r11, %%r3, %d, %d; st.local.u32 [buf+%d], %%r11;\n", 2*w+1, w*0x1234567, 4*w)
		}
		at := "buf+16"
		if place != "constant" {
			fmt.Fprintf(&b, "mov.u32 %%r8, %d; %s;\nmov.u64 %%rd6, buf; add.s64 %%rd5, %%rd5, %%rd6;\n%s", f.align, localPlaces[place], wrong)
			at = "%rd5"
		}
		text := strings.ReplaceAll(f.text, "AD+", at+"+")
		if text = strings.ReplaceAll(text, "AD", at); at != "%rd5" {
			text = strings.ReplaceAll(text, "buf+16+", "buf+17+")
			for m, by := range map[string]string{"17+1": "17", "17+2": "18", "17+3": "19", "17+8": "24"} {
				text = strings.ReplaceAll(text, m, by)
			}
		}
		fmt.Fprintf(&b, "mov.u32 %%r10, 7; mov.u64 %%rd10, 7; mov.u64 %%rd11, 0;\n%s\n", with(text, k))
		b.WriteString("mad.lo.u32 %r12, %r12, 31, %r10; cvt.u32.u64 %r10, %rd10; mad.lo.u32 %r12, %r12, 31, %r10; shr.u64 %rd10, %rd10, 32; cvt.u32.u64 %r10, %rd10; add.u32 %r12, %r12, %r10;\n")
		for w := range 20 {
			fmt.Fprintf(&b, "ld.local.u32 %%r11, [buf+%d]; mad.lo.u32 %%r12, %%r12, 31, %%r11;\n", 4*w)
		}
	}
	b.WriteString("ld.local.u32 %r11, [first+8]; add.u32 %r12, %r12, %r11; st.global.u32 [%rd3], %r12;\nret;\n}\n")
	return b.String()
}

// TestLocal holds all forms to the interpreter, in both copies, without -full a few of them in each way; no handler executes one.
func TestLocal(t *testing.T) {
	var all []int
	for n := range localForms {
		all = append(all, n)
	}
	chunks, k := slices.Collect(slices.Chunk(all, 5)), 0
	backEnds(t, func(t *testing.T, b backEnd) {
		for _, place := range slices.Sorted(maps.Keys(localPlaces)) {
			for _, mask := range slices.Sorted(maps.Keys(atomicMasks)) {
				if !b.own && !*full && (mask != "some" || place != "any" && place != "constant") {
					continue
				}
				for n, some := range chunks {
					if k++; *full || (k+n)%len(chunks) < 2 {
						text := localKernel(some, place, "", perStatement(atomicMasks[mask]))
						b.holdAtomics(t, fmt.Sprint(place, " ", mask, " ", some), text, atomicRun(len(some), 0))
					}
				}
			}
		}
	})
}

// perStatement puts a mask round each statement of a line.
func perStatement(with func(string, int) string) func(string, int) string {
	return func(s string, k int) (text string) {
		for i, one := range strings.Split(s, "; ") {
			text += with(one, 10*k+i) + "\n"
		}
		return text
	}
}

// TestLocalFaults: an offset that is misaligned or outside in one lane, or in all, faults as in the interpreter, unless the lane is off.
func TestLocalFaults(t *testing.T) {
	wrong := []string{"add.s64 %rd5, %rd5, 1;", "add.s64 %rd5, %rd5, 3000;", "add.s64 %rd5, %rd5, 0x100000000;", "sub.s64 %rd5, %rd5, 4000;", "add.s64 %rd5, %rd5, 48; and.b64 %rd5, %rd5, -16;", "mov.u64 %rd5, 112;"} // which is behind all variables
	backEnds(t, func(t *testing.T, b backEnd) {
		for k, off := range wrong {
			for _, n := range []int{0, 1, 9, 14, 5} {
				if !b.own && !*full && k+n != 1 {
					continue
				}
				for i, lane := range []string{"setp.ne.u32 %p1, %r4, 81; @%p1 bra G;\n", "setp.lt.u32 %p1, %r4, 64; @%p1 bra G;\n"} {
					place := []string{"any", "scaled", "one"}[(k+n+i)%3]
					for _, mask := range []string{"all", "one"} {
						text := localKernel([]int{n}, place, lane+off+"\nG:\n", perStatement(atomicMasks[mask]))
						b.holdAtomics(t, localForms[n].text+" "+off+" "+place+" "+mask, text, atomicRun(1, 0))
					}
				}
			}
		}
	})
}
