package x86

import (
	"fmt"
	"strings"
	"testing"
)

// TestCount: what counts stands once in front of each piece, behind what masks the next instruction, and nothing sees it.
func TestCount(t *testing.T) {
	a, n := New(nil), 0
	list := a.List()
	seen := 0
	a.Watch(func(Mem) error { seen++; return nil })
	a.Count(func() (uint64, string) { n++; return 1<<40 + 8*uint64(n), fmt.Sprint("counted ", n) })
	again, on := a.NewLabel(), a.NewLabel()
	a.Bind(again)
	a.RR(CMP, S64, RAX, RCX)
	a.Jcc(E, on)
	a.Masked(K1).VVV(VADDPS, W512, 1, 2, 3)
	a.Jmp(again)
	a.Bind(on)
	a.RM(MOV, S64, RDX, At(RSI, 8))
	a.None(RET)
	if finish(t, a); n != 3 || seen != 1 {
		t.Errorf("%d pieces, %d operands in memory seen", n, seen)
	}
	counts := func(n int) string {
		return fmt.Sprintf("# counted %d\nmov qword ptr [rsp-8], rax\nmov qword ptr [rsp-16], rcx\nmovabs rax, %d\nmov rcx, qword ptr [rax]\n"+
			"lea rcx, [rcx+1]\nmov qword ptr [rax], rcx\nmov rcx, qword ptr [rsp-16]\nmov rax, qword ptr [rsp-8]\n# behind the counter\n", n, 1<<40+8*n)
	}
	want := ".L1:\n" + counts(1) + "cmp rax, rcx\nje .L2\n" + counts(2) + "vaddps zmm1 {k1}, zmm2, zmm3\njmp .L1\n.L2:\n" + counts(3) +
		"mov rdx, qword ptr [rsi+8]\nret\n"
	var got strings.Builder
	for _, l := range list.Lines {
		got.WriteString(l.Text + "\n")
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}
