package jit_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// forkWriter writes forks behind each other: %r14, %r17 and %r20 to %r23 are computed, %p2 and %p3 ask.
type forkWriter struct {
	*rand.Rand
	label int
}

func (w *forkWriter) row() string {
	return fmt.Sprintf("%%r%d", []int{14, 17, 20, 21, 22, 23}[w.IntN(6)])
}

// statement computes, compares or reads a byte of one of four words.
func (w *forkWriter) statement() string {
	switch w.IntN(11) {
	case 0:
		return fmt.Sprintf("mad.lo.u32 %s, %s, 33, %s;", w.row(), w.row(), w.row())
	case 1:
		return fmt.Sprintf("selp.b32 %s, 128, %s, %%p2;", w.row(), w.row())
	case 2:
		return fmt.Sprintf("setp.lt.u32 %%p2, %s, %s;", w.row(), w.row())
	case 3:
		return fmt.Sprintf("mov.b32 %%f1, %s; add.rn.f32 %%f1, %%f1, %%f2; mov.b32 %s, %%f1;", w.row(), w.row())
	case 4:
		return fmt.Sprintf("mov.u32 %s, %s;", w.row(), w.row())
	case 5:
		return "not.pred %p2, %p2;"
	case 6:
		return fmt.Sprintf("ld.global.s8 %s, [%%rd3+%d];", w.row(), w.IntN(16)-4)
	case 7:
		return "fma.rn.f32 %f3, %f3, %f2, %f3;"
	}
	return fmt.Sprintf("ld.global.u8 %s, [%%rd3+%d];", w.row(), w.IntN(16)-4)
}

// arm is up to three statements.
func (w *forkWriter) arm() (s string) {
	for range w.IntN(4) {
		s += w.statement()
	}
	return s
}

func (w *forkWriter) fork() string {
	w.label++
	n := w.label
	ask := fmt.Sprintf("and.b32 %%r16, %s, %d; setp.ne.u32 %%p3, %%r16, 0;", w.row(), 1<<w.IntN(7))
	guard := [...]string{"%p3", "!%p3", "%p2", "!%p2"}[w.IntN(4)]
	return fmt.Sprintf("%s %s @%s bra T%d; %s bra.uni M%d;\nT%d: %s\nM%d: ", w.arm(), ask, guard, n, w.arm(), n, n, w.arm(), n)
}

// series is a kernel's body: forks that some lanes do not come to, twice.
func (w *forkWriter) series(forks int) string {
	var b strings.Builder
	b.WriteString("mov.u32 %r17, %r10; mov.u32 %r20, 5; mov.u32 %r21, %r1; mov.u32 %r22, %r13; mov.u32 %r23, 0x7fa00001; mov.u32 %r24, 0; mov.b32 %f2, 0x7f812345; mov.f32 %f3, 0f3f800000; @%p1 bra OUT;\nAGAIN: ")
	for range forks {
		b.WriteString(w.fork())
	}
	b.WriteString("add.u32 %r24, %r24, 1; setp.lt.u32 %p3, %r24, 3; @%p3 bra AGAIN;\nOUT: selp.u32 %r16, 1, 2, %p2; add.u32 %r14, %r14, %r16; add.u32 %r15, %r20, %r21; xor.b32 %r15, %r15, %r22; st.global.f32 [%rd7+16412], %f3; add.u32 %r17, %r17, %r23;")
	return b.String()
}

// TestForks compares the engines on forks of some lanes whose arms compute and read bytes, and that leave among them.
func TestForks(t *testing.T) {
	for seed := range uint64(24) {
		w := &forkWriter{Rand: rand.New(rand.NewPCG(seed, 1))}
		body := strings.Replace(wordHeader, "mov.u32 %r14, 0;", "", 1) + w.series(2+w.IntN(24)) + apartFooter
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			if compareBlocks(t, body, nil) == 0 {
				t.Error("nothing ran in compiled code")
			}
			if seed%4 == 0 {
				compareBlocks(t, body, func(pc int32) bool { return pc%11 == 5 })
			}
		})
	}
}

// forkFaults is a kernel that goes through forks often; at last a lane's bytes move.
func forkFaults(at, reads string) string {
	body := strings.Replace(wordHeader, "bar.sync 0;", "", 1) + "mov.u32 %r20, 0; mov.u32 %r21, 0; mov.u32 %r24, 0; setp.gt.u32 %p1, %r1, 29; @%p1 exit;\nL: "
	for k := range 4 {
		body += fmt.Sprintf("setp.ge.u32 %%p3, %%r1, %s; @%%p3 bra T%d; ld.global.u8 %%r20, [%%rd3+%d]; bra.uni M%d;\nT%d: mov.u32 %%r20, 9;\nM%d: mad.lo.u32 %%r21, %%r21, 3, %%r20;\n", reads, k, k, k, k, k)
	}
	body += "st.global.u32 [%rd7], %r21; setp.eq.u32 %p2, %r1, 7; setp.eq.and.u32 %p2, %r24, 20, %p2; @%p2 add.s64 %rd3, %rd1, " + at + "; add.u32 %r24, %r24, 1; setp.lt.u32 %p3, %r24, 40; @%p3 bra L; st.global.u32 [%rd2], %r21;"
	return body
}

// TestForkFaults: the word of a lane is outside; a lane that reads none of its bytes is not stopped, one that reads one faults
// as in the interpreter, with nothing done that it would not have done.
func TestForkFaults(t *testing.T) {
	for _, at := range []string{"4096", "4095", "4093", "4092", "-4097", "1<<20"} {
		for _, reads := range []string{"0", "4", "7", "32"} {
			alikeFaults(t, fmt.Sprintf("%s, lanes below %s read", at, reads), forkFaults(at, reads), nil)
		}
	}
}
