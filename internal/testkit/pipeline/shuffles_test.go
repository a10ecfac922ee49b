package pipeline

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/load"
)

// TestReduction: a sum of all lanes of a warp, by lanes that differ in a bit, takes whole vectors, halves and neighbours: by AVX2 there is no
// permutation of eight lanes, and no choice between vectors.
func TestReduction(t *testing.T) {
	var text strings.Builder
	text.WriteString(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(.param .u64 at)\n{\n\t.reg .b32 %r<40>;\n\t.reg .b64 %rd<4>;\n" +
		"\tld.param.u64 %rd1, [at];\n\tmov.u32 %r1, %tid.x;\n\tmul.wide.u32 %rd2, %r1, 4;\n\tadd.u64 %rd1, %rd1, %rd2;\n\tld.global.u32 %r2, [%rd1];\n")
	for _, by := range []string{"16", "8", "4", "2", "1"} {
		text.WriteString("\tshfl.sync.bfly.b32 %r3, %r2, " + by + ", 31, -1;\n\tadd.s32 %r2, %r2, %r3;\n")
	}
	text.WriteString("\tst.global.u32 [%rd1], %r2;\n\tret;\n}\n")
	m, err := load.Text("kernel", text.String())
	if err != nil {
		t.Fatal(err)
	}
	code, err := decoded(m, m.Func("kernel"), ir.LaunchShape{BlockX: 32, BlockY: 1, BlockZ: 1})
	if err != nil {
		t.Fatal(err)
	}
	isel, err := jit.Stage(code, "jit-isel", jit.AVX2)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(isel, "vpshufd"); n < 8 {
		t.Errorf("%d exchanges of neighbours, want 8 or more", n)
	}
	for _, not := range []string{"vpermd", "vblendvps"} {
		if strings.Contains(isel, not) {
			t.Errorf("there is %s in\n%s", not, isel)
		}
	}
}
