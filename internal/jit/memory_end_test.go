package jit_test

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// TestReadOnly: code that has written to one allocation is launched with another one that kernels must not write, and faults where the
// interpreter does: of loads, stores and atomic operations at one address, at addresses that follow each other, anywhere and by index.
func TestReadOnly(t *testing.T) {
	places := []string{"mov.u64 %rd4, %rd1;", "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3;", "mul.lo.u32 %r10, %r1, 36; and.b32 %r10, %r10, 0xfc; cvt.u64.u32 %rd3, %r10; add.u64 %rd4, %rd1, %rd3;",
		"mul.lo.u32 %r10, %r1, 9; and.b32 %r10, %r10, 63; mul.wide.s32 %rd3, %r10, 4; add.s64 %rd4, %rd1, %rd3;"}
	for _, op := range []string{"ld.global.u32 %r11, [%rd4];", "st.global.u32 [%rd4], %r1;", "atom.global.add.u32 %r11, [%rd4], 1;", "red.global.xor.b32 [%rd4], 5;", "atom.global.cas.b32 %r11, [%rd4], 0, 7;"} {
		for _, place := range places {
			for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
				l := newLaboratory(t, "k.ptx", accessHeader+place+op+"\n\tret;\n}\n")
				l.keep = true
				install := engine(t, jit.Options{Vectors: v}).Install
				written, _ := l.arena.Alloc(4096, mem.Info{Label: "written"})
				kept, _ := l.arena.Alloc(4096, mem.Info{Label: "kept", ReadOnly: true})
				for _, at := range []uint64{written, written, kept, written} {
					want, got := l.fault(t, [3]uint32{64, 1, 1}, nil, at), l.fault(t, [3]uint32{64, 1, 1}, install, at)
					if faults := at == kept && !strings.HasPrefix(op, "ld"); got != want || (want != "<nil>") != faults {
						t.Errorf("%v, %s %s: %s, the interpreter %s", v, place, op, got, want)
					}
				}
			}
		}
	}
}
