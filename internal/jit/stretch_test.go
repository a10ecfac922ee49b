package jit_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
)

// stretchBody loads words behind each other with a guard each, and stores others there behind a barrier. The index is a
// multiple of their number, and of what says how they are accessed: first is added to the index and
// taken off again, each guard is a comparison, order has the words in the order of their accesses, between stands in front
// of every access, last guards the last store.
func stretchBody(words int, first uint32, compare string, order []int, between, last string) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "bar.sync 0; mul.lo.u32 %%r5, %%r1, %d; add.u32 %%r5, %%r5, %d; add.u32 %%r9, %%r9, %d; sub.u32 %%r6, %%r5, %d; mov.u32 %%r20, 1; mov.u32 %%r21, 2; mov.u32 %%r22, 3; mov.u32 %%r23, 4; mov.u32 %%r30, 0;\n", words, first, first, first)
	for k, w := range order {
		fmt.Fprintf(b, "add.s32 %%r%d, %%r5, %d; setp.%s %%p%d, %%r%d, %%r9; ", 10+k, w, compare, k+1, 10+k)
		if k == 0 {
			b.WriteString("mul.wide.s32 %rd4, %r6, 4; add.s64 %rd5, %rd1, %rd4; ")
		}
		fmt.Fprintf(b, "@%%p%d bra A%d; %s ld.global.u32 %%r%d, [%%rd5+%d];\nA%d: add.u32 %%r30, %%r30, %%r%d; ", k+1, k, between, 20+w, 4*w, k, 20+w)
	}
	b.WriteString("bar.sync 0;\n")
	for k, w := range order {
		guard := fmt.Sprintf("@%%p%d bra B%d;", k+1, k)
		if k == len(order)-1 && last != "" {
			guard = last
		}
		fmt.Fprintf(b, "%s mad.lo.u32 %%r31, %%r%d, 3, %%r30; %s st.global.u32 [%%rd5+%d], %%r31;\nB%d: ", guard, 20+w, between, 4*w, k)
	}
	return b.String() + "ret;"
}

// wordsBody accesses four words of each lane at distances from a place of its own, behind one guard: "ld v 16" adds them to
// what "st v 16" stores; w are others.
func wordsBody(accesses string) string {
	b := &strings.Builder{}
	b.WriteString("bar.sync 0; mul.lo.u32 %r5, %r1, 4; mul.wide.s32 %rd4, %r5, 4; add.s64 %rd5, %rd1, %rd4; add.u32 %r10, %r5, 3; setp.ge.s32 %p1, %r10, %r9;\n")
	for k := range 8 {
		fmt.Fprintf(b, "mad.lo.u32 %%r%d, %%r1, %d, 5; ", 20+k, 3*k+1)
	}
	b.WriteString("@%p1 bra A;\n")
	for _, access := range strings.Split(strings.TrimSuffix(accesses, ";"), "; ") {
		var op, list string
		at := 0
		fmt.Sscan(access, &op, &list, &at)
		for k := range 4 {
			word := 20 + k + 4*strings.Index("vw", list)
			if op == "ld" {
				fmt.Fprintf(b, "ld.global.u32 %%r30, [%%rd5+%d]; add.u32 %%r%d, %%r%d, %%r30;\n", at+4*k, word, word)
			} else {
				fmt.Fprintf(b, "st.global.u32 [%%rd5+%d], %%r%d;\n", at+4*k, word)
			}
		}
	}
	return b.String() + "A: add.u32 %r20, %r20, %r27; st.global.u32 [%rd3+24576], %r20; ret;"
}

// crowd has rows live from the beginning of a body to its end, so that none has registers to lend.
func crowd(body string) string {
	b, sum := &strings.Builder{}, &strings.Builder{}
	b.WriteString(".reg .b32 %c<16>; mov.u32 %r39, %r2; ")
	for k := range 16 {
		fmt.Fprintf(b, "mad.lo.u32 %%c%d, %%r2, %%r2, %d; ", k, k)
		fmt.Fprintf(sum, "xor.b32 %%r39, %%r39, %%c%d; ", k)
	}
	return b.String() + strings.TrimSuffix(body, "ret;") + strings.Repeat(sum.String(), 3) + "st.global.u32 [%rd3], %r39; ret;"
}

func stretchBodies() map[string]string {
	up := []int{0, 1, 2, 3}
	return map[string]string{
		"four":           stretchBody(4, 0, "ge.s32", up, "", ""),
		"two":            stretchBody(2, 0, "ge.s32", up[:2], "", ""),
		"unsigned":       stretchBody(4, 0, "ge.u32", up, "", ""),
		"greater":        stretchBody(4, 3, "gt.s32", up, "", ""),
		"lower":          stretchBody(4, 0, "lt.s32", up, "", ""),
		"out of order":   stretchBody(4, 0, "ge.s32", []int{2, 0, 3, 1}, "", ""),
		"exit":           stretchBody(4, 0, "ge.s32", up, "", "@%p4 exit;"),
		"all exit":       stretchBody(4, 0, "ge.s32", up, "", "@%p4 exit; @%p3 exit;"),
		"no exit":        stretchBody(4, 0, "lt.s32", up, "", "@!%p4 ret;"),
		"wraps":          stretchBody(4, 0x7fffffff-2600, "ge.s32", up, "", ""),
		"wraps to 0":     stretchBody(4, 1<<32-2600, "ge.u32", up, "", ""),
		"rewritten":      stretchBody(4, 0, "ge.s32", up, "mov.u32 %r22, 7; mov.u32 %r32, %r21; mov.u32 %r23, %r32;", ""),
		"read":           stretchBody(4, 0, "ge.s32", up, "add.u32 %r30, %r30, %r23; xor.b32 %r30, %r30, %r22;", ""),
		"crowded":        crowd(stretchBody(4, 0, "ge.s32", up, "", "")),
		"two, crowded":   crowd(stretchBody(2, 0, "ge.s32", up[:2], "", "")),
		"numbers":        stretchBody(4, 0, "ge.s32", up, "add.u32 %r33, %r5, 9; add.u32 %r30, %r30, %r33;", ""),
		"a bound moves":  stretchBody(4, 0, "ge.s32", up, "add.u32 %r9, %r9, 1;", ""),
		"a base moves":   stretchBody(4, 0, "ge.s32", up, "add.u64 %rd5, %rd5, 16;", ""),
		"an index moves": stretchBody(4, 0, "ge.s32", up, "add.u32 %r5, %r5, 1;", ""),
		"loads between":  stretchBody(4, 0, "ge.s32", up, "ld.global.u32 %r30, [%rd3];", ""),
		"stores between": stretchBody(4, 0, "ge.s32", up, "st.global.u32 [%rd3+20480], %r30;", ""),
		"guards read":    stretchBody(4, 0, "ge.s32", up, "selp.b32 %r30, %r30, %r20, %p1;", ""),
		"guards live":    strings.Replace(wordsBody("ld v 0; st v 8192;"), "A: ", "A: selp.b32 %r27, %r27, %r20, %p1; ", 1),
		"guards in":      strings.Replace(wordsBody("ld v 0;"), "add.u32 %r21,", "@%p1 add.u32 %r30, %r30, 7; selp.b32 %r22, %r22, %r20, %p1; add.u32 %r21,", 1),
		"all exit first": strings.Replace(wordsBody("ld v 0; st v 8192;"), "@%p1 bra A;", "setp.lt.u32 %p2, %r1, 900; @%p2 bra X; ret; X: @%p1 bra A;", 1),
		"in place":       wordsBody("ld v 0; st v 0;"),
		"lanes before":   wordsBody("ld v -16; st v 0;"),
		"lanes behind":   wordsBody("ld v 16; st v 0;"),
		"stored before":  wordsBody("st v 0; ld v -16; st v 4096;"),
		"stored behind":  wordsBody("st v 0; ld v 16; st v 4096;"),
		"two loads":      wordsBody("ld v 0; ld w 16; st v 8192;"),
		"stored twice":   wordsBody("st v 0; st w 16;"),
		"stored back":    wordsBody("st v 0; st w -16;"),
		"end":            "add.u64 %rd1, %rd1, 12288;" + stretchBody(4, 0, "ge.s32", up, "", ""),
		"beyond":         "add.u64 %rd1, %rd1, 12292;" + stretchBody(4, 0, "ge.s32", up, "", ""),
		"unaligned":      "add.u64 %rd1, %rd1, 2;" + stretchBody(4, 0, "ge.s32", up, "", ""),
		"predicates":     "setp.gt.u32 %p7, %r3, 3; setp.gt.u32 %p8, %r2, 500;" + strings.NewReplacer("@%p2", "@%p7", "@%p3", "@%p8", "@%p4", "@!%p6").Replace("setp.lt.u32 %p6, %r1, 1200;"+stretchBody(4, 0, "ge.s32", up, "", "")),
		"shared":         ".shared .b8 s[8192]; mov.u32 %r34, s; cvt.u64.u32 %rd6, %r34;" + strings.NewReplacer("mul.wide.s32 %rd4, %r6, 4; add.s64 %rd5, %rd1, %rd4;", "shl.b32 %r35, %r2, 4; add.u32 %r36, %r34, %r35;", "ld.global.u32", "ld.shared.u32", "st.global.u32", "st.shared.u32", "[%rd5", "[%r36").Replace(strings.TrimSuffix(stretchBody(4, 0, "ge.s32", up, "", "@%p4 bra B3;"), "ret;")) + "bar.sync 0; ld.shared.u32 %r37, [%r36+8]; ld.shared.u32 %r38, [%r36+4]; xor.b32 %r37, %r37, %r38; st.global.u32 [%rd3], %r37; ret;",
	}
}

// TestStretches compares guarded accesses behind each other with the interpreter's: bounds that no lane reaches, all do
// and some do, by wrapping too, and bytes outside.
func TestStretches(t *testing.T) {
	for name, body := range stretchBodies() {
		t.Run(name, func(t *testing.T) {
			for _, block := range [][3]uint32{{256, 1, 1}, {32, 1, 1}, {16, 16, 1}, {8, 8, 4}, {33, 1, 1}, {1, 1, 1}} {
				bounds := []uint32{0, 2563, 2564, 5119, 1 << 20}
				if block[0] != 256 {
					bounds = bounds[3:]
				}
				for _, n := range bounds {
					compareSweep(t, body, [3]uint32{5, 1, 1}, block, n)
				}
			}
		})
	}
}

// TestStretchesAre counts the stretches of loads and of stores.
func TestStretchesAre(t *testing.T) {
	other := map[string]int{"shared": 1, "lower": 1, "no exit": 1, "a bound moves": 1, "a base moves": 0, "an index moves": 0, "loads between": 0, "stores between": 0,
		"in place": 1, "lanes before": 1, "lanes behind": 1, "stored before": 1, "stored behind": 1, "two loads": 1, "stored twice": 1, "stored back": 1, "guards live": 1, "guards in": 0, "all exit first": 1}
	counts := func(name string) int {
		if n, ok := other[name]; ok {
			return n
		}
		return 2
	}
	for name, body := range stretchBodies() {
		for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
			list := sweepListing(t, body, v)
			if n := len(regexp.MustCompile(`all lanes, from \d+ to \d+`).FindAllString(list, -1)); n != counts(name) {
				t.Errorf("%s, %v: %d stretches, not %d", name, v, n, counts(name))
			}
		}
	}
}
