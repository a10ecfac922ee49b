package jit_test

import (
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// sharedAtomics are operations on shared memory whose results nobody wants: by constants, by what all lanes have and by rows, at places that
// many lanes share.
var sharedAtomics = []string{
	"red.shared.add.u32 [%r12], 1;", "red.shared.add.u32 [%r12+8], %r9;", "red.shared.add.u32 [%r12+-4], %r1;", "red.shared.and.b32 [%r12], %r14;", "red.shared.or.b32 [%r12+4], %r10;", "atom.shared.xor.b32 %r20, [%r12], %r10;",
	"atom.shared.exch.b32 _, [%r12], %r1;", "red.shared.add.u64 [%r12+8], %rd5;", "red.shared.add.u64 [%r12], 0x123456789abc;", "red.shared.or.b64 [%r12], -2;",
	"shl.b32 %r13, %r1, 2; add.u32 %r13, %r13, %r11; red.shared.add.u32 [%r13], %r10;",
}

// TestSharedAtomics compares the engines on them.
func TestSharedAtomics(t *testing.T) {
	head := strings.Replace(apartHeader, "and.b32 %r13, %r13, 0xff0;", "and.b32 %r13, %r13, 0x1f8;", 1) + "add.u32 %r12, %r12, 8;\n"
	for i, op := range sharedAtomics {
		body := op
		if i%2 == 1 {
			body = "mov.u32 %r19, 0;\nL: " + op + " add.u32 %r19, %r19, 1; setp.lt.u32 %p2, %r19, 3; @%p2 bra L;"
		}
		t.Run(op, func(t *testing.T) {
			if compareBlocks(t, head+body+"\nsub.u32 %r12, %r12, 8;"+apartFooter, nil) == 0 {
				t.Error("nothing ran in compiled code")
			}
		})
	}
}

// TestSharedAtomicFaults: the address of one lane is outside or misaligned, in the second turn.
func TestSharedAtomicFaults(t *testing.T) {
	for i, op := range []string{"red.shared.add.u32 [%r12], 1;", "red.shared.add.u32 [%r12+8], %r1;", "red.shared.add.u64 [%r12+-16], %rd5;"} {
		for j, at := range []string{"8192", "8191", "8188", "8189", "8184", "8185", "8176", "16", "12", "8", "4", "0", "-4", "-8", "18", "0x7fffffff", "0x80000000"} {
			body := apartHeader + "and.b32 %r13, %r13, 0xff8; add.u32 %r13, %r13, 64; mov.u32 %r18, 0;\nL: " +
				fmt.Sprintf("setp.eq.u32 %%p2, %%r1, %d; setp.eq.and.u32 %%p2, %%r18, 1, %%p2; selp.b32 %%r12, %s, %%r13, %%p2; add.u32 %%r12, %%r12, %%r11;", (11*i+3*j)%32, at) + op +
				" add.u32 %r18, %r18, 1; setp.lt.u32 %p3, %r18, 2; @%p3 bra L; ld.shared.u32 %r14, [%r11+64]; st.global.u32 [%rd2], %r14;"
			l := newLaboratory(t, "k.ptx", accessHeader+body+"\n\tret;\n}\n")
			buf, _ := l.arena.Alloc(8192, mem.Info{Label: "buf"})
			want := l.fault(t, [3]uint32{32, 1, 1}, nil, buf+4096)
			for _, v := range []jit.Vectors{jit.AVX2, jit.AVX512} {
				if got := l.fault(t, [3]uint32{32, 1, 1}, engine(t, jit.Options{Vectors: v}).Install, buf+4096); got != want {
					t.Errorf("%s at %s, %v: %s\nthe interpreter: %s", op, at, v, got, want)
				}
			}
		}
	}
}
