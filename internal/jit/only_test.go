package jit_test

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine/sizes"
)

// TestOnlyRunningLanes: by AVX-512, code for some lanes rounds nothing of the others, which may hold subnormal
// numbers; code for all lanes has no mask.
func TestOnlyRunningLanes(t *testing.T) {
	l := newLaboratory(t, "k.ptx", batchHeader+`setp.lt.u32 %p, %r1, 3; @%p bra D; ld.global.f32 %f1, [%rd3]; add.f32 %f2, %f1, %f1; mul.f32 %f3, %f2, %f1; fma.rn.f32 %f4, %f3, %f2, %f1; sqrt.rn.f32 %f4, %f4;
	st.global.f32 [%rd3], %f4;
D:	ret;
}
`)
	f := l.m.Func("k")
	p, err := decode.New(l.m, l).Kernel(f, ir.LaunchShape{BlockX: 64, BlockY: 1, BlockZ: 1}, sizes.Of(90), uint32(f.SharedBytes), assume.Set{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := jit.Compile(p.Entry, f, jit.Options{Vectors: jit.AVX512, List: true})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	some := false
	for line := range strings.Lines(out.Listing) {
		some = strings.Contains(line, "# some lanes") || some && !strings.Contains(line, "# all lanes")
		for _, op := range []string{"vaddps", "vmulps", "vfmadd", "vsqrtps"} {
			if strings.Contains(line, op) {
				if strings.Contains(line, "}{z}") != some {
					t.Errorf("code for some lanes: %v: %s", some, line)
				}
				seen[op]++
			}
		}
	}
	for _, op := range []string{"vaddps", "vmulps", "vfmadd", "vsqrtps"} {
		if seen[op] < 4 {
			t.Errorf("%d times %s", seen[op], op)
		}
	}
}
