package jit_test

import (
	"fmt"
	"testing"
)

// wordHeader has in %rd3 an address of each lane that is not aligned, in %p1 and %p2 some lanes.
const wordHeader = apartHeader + "and.b32 %r19, %r10, 7; cvt.u64.u32 %rd9, %r19; add.u64 %rd3, %rd3, %rd9; and.b32 %r16, %r10, 0x3000; setp.ne.u32 %p2, %r16, 0; mov.u32 %r14, 0;\n"

// take adds a byte of each lane to what the lane has got; where a predicate is given only for its lanes.
func take(disp int, guard string) string {
	load := fmt.Sprintf("ld.global.u8 %%r17, [%%rd3+%d]; mad.lo.u32 %%r14, %%r14, 33, %%r17;", disp)
	if guard == "" {
		return load + "\n"
	}
	label := fmt.Sprintf("Q%d", takes)
	takes++
	return fmt.Sprintf("@%s bra %s; %s\n%s:\n", guard, label, load, label)
}

var takes int // labels

// wordCases are bytes that are read one behind the other, with something between that a byte fetched before must not outlive.
func wordCases() map[string]string {
	four := func(from int, guards ...string) (s string) {
		for i := range 4 {
			s += take(from+i, guards[i%len(guards)])
		}
		return s
	}
	return map[string]string{
		"all":              four(0, "") + four(4, ""),
		"below":            four(-8, "") + four(-3, "") + take(-4, ""),
		"fewer and more":   take(0, "") + take(1, "%p1") + take(2, "%p2") + take(3, "") + take(0, "%p1") + take(1, "!%p1") + four(4, "%p1", "%p2", "!%p1", "!%p2") + four(4, "%p2", "%p1"),
		"signed":           "ld.global.s8 %r14, [%rd3+1]; ld.global.s8 %h1, [%rd3+2]; ld.global.u8 %h2, [%rd3+3]; ld.global.s8 %r15, [%rd3]; add.u16 %h1, %h1, %h2;",
		"store":            take(0, "") + "st.global.u8 [%rd3+1], %r1; " + four(0, "") + "@%p1 bra A; st.global.u16 [%rd7+16384], 9; st.global.u8 [%rd3+2], 5;\nA: " + four(0, "%p2"),
		"atomic":           "and.b64 %rd9, %rd3, -4; " + four(0, "") + "@%p1 bra A; red.global.add.u32 [%rd9], 0x01010101;\nA: " + four(0, "") + four(4, "%p2"),
		"other address":    "mov.u32 %r16, 0;\nL: " + four(0, "") + "add.u64 %rd3, %rd3, 1; " + "add.u32 %r16, %r16, 1; setp.lt.u32 %p3, %r16, 9; @%p3 bra L;",
		"of some lanes":    four(0, "") + "@%p1 bra A; add.u64 %rd3, %rd3, 64;\nA: " + four(0, "") + "@%p2 bra B; sub.u64 %rd3, %rd3, 32; " + take(1, "") + "bra.uni C;\nB: " + take(0, "") + take(2, "") + "\nC: " + four(0, "%p1"),
		"barrier":          four(0, "") + "bar.sync 0; st.global.u8 [%rd2], %r1; bar.sync 0; sub.u64 %rd3, %rd3, 1; " + four(0, "") + "bar.sync 0; " + four(0, "") + "@%p1 bra A; st.global.u8 [%rd2+2], %r14;\nA: bar.sync 0; " + four(1, "%p2"),
		"warps take turns": "mov.u32 %r16, 0;\nL: " + take(0, "") + "bar.sync 0; " + take(1, "") + take(2, "%p1") + "add.u32 %r16, %r16, 1; setp.lt.u32 %p3, %r16, 5; @%p3 bra L; " + take(3, ""),
		"many words":       four(0, "") + four(8, "") + four(0, "") + four(12, "%p1") + four(8, "%p1"),
	}
}

// TestWords compares the engines where bytes are fetched four at a time.
func TestWords(t *testing.T) {
	for name, body := range wordCases() {
		t.Run(name, func(t *testing.T) {
			body = wordHeader + body + apartFooter
			if compareBlocks(t, body, nil) == 0 {
				t.Error("nothing ran in compiled code")
			}
			compareBlocks(t, body, func(pc int32) bool { return pc%5 == 2 })
		})
	}
}
