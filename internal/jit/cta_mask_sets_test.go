package jit_test

import (
	"bytes"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/host"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// TestCTAWordSets launches two kernels in turns whose words of borders lie at the same places and follow from the same
// differences, but are not the same: each launch begins with none.
func TestCTAWordSets(t *testing.T) {
	const body = "sub.s32 %r11, 2, %r54; mul.lo.s32 %r11, %r11, %r8; add.s32 %r12, %r3, -4; ld.global.u32 %r13, [%rd3]; " +
		"setp.gt.s32 %p1, %r12, %r11; @%p1 exit; add.u32 %r13, %r13, %r5; st.global.u32 [%rd3+32768], %r13;\nret;\n}\n"
	k := ctaHeader + body
	other := strings.NewReplacer(".entry k", ".entry l", "setp.gt", "setp.ge").Replace(k[strings.Index(k, ".visible"):])
	l := newLaboratory(t, "k.ptx", k+other)
	buf, _ := l.arena.Alloc(1<<17, mem.Info{Label: "buf"})
	all := l.arena.Bytes(buf, 1<<17)
	l.keep = true
	for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
		l.decoder = nil
		en := engine(t, jit.Options{Vectors: v})
		for i := range 8 {
			var memory [2][]byte
			for j, compile := range []host.Compiler{nil, en.Install} {
				clear(all)
				// Rows of four borders and one CTA without: the last but one is like the first that begins in the program.
				if _, err := l.launch(t, []string{"k", "l"}[i%2], [3]uint32{5, 3, 1}, square, func(x *host.Launch) { x.Compile = compile },
					buf, uint32(4), uint32(64), uint32(0)); err != nil {
					t.Fatal(err)
				}
				memory[j] = bytes.Clone(all)
			}
			if !bytes.Equal(memory[0], memory[1]) {
				t.Errorf("%v: launch %d differs from the interpreter's", v, i)
			}
		}
	}
}
