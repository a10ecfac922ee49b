package pipeline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/testkit/load"
)

// TestShared compiles kernels whose values have parts that others share, sixty times over: who looks at each part as often as it is one never
// ends. A second is a thousand times what it takes.
func TestShared(t *testing.T) {
	for _, of := range []string{"%tid.x", "%ctaid.x", "[n]"} {
		for _, op := range []string{"add.u32 %r2, %r1, %r3", "xor.b32 %r2, %r1, %r3", "mul.lo.u32 %r2, %r1, %r3", "max.s32 %r2, %r1, %r3"} {
			for _, use := range []string{
				"mul.wide.u32 %rd2, %r2, 4;\n\tadd.u64 %rd2, %rd1, %rd2;\n\tst.global.u32 [%rd2], %r2",
				"setp.lt.s32 %p1, %r2, 77;\n\t@%p1 bra G;\n\tld.global.u32 %r4, [%rd3+512];\n\tst.global.u32 [%rd3], %r4;\nG:\n\tst.global.u32 [%rd3+4], %r2",
				"setp.lt.s32 %p1, %r2, 77;\n\t@%p1 bra G;\n\tmul.wide.s32 %rd2, %r2, 4;\n\tadd.u64 %rd2, %rd1, %rd2;\n\tld.global.u32 %r4, [%rd2];\n\tst.global.u32 [%rd3], %r4;\nG:\n\tbar.sync 0;\n\tst.global.u32 [%rd3+4], %r2",
			} {
				name := fmt.Sprint(of, " ", op, " ", use)
				code := sharedCode(t, of, op, use)
				done := make(chan error, 1)
				go func() {
					_, err := jit.Stage(code, "jit-asm", jit.AVX2)
					done <- err
				}()
				select {
				case err := <-done:
					if err != nil {
						t.Errorf("%s: %v", name, err)
					}
				case <-time.After(20 * time.Second):
					t.Fatalf("%s: no end", name)
				}
			}
		}
	}
}

// sharedCode is a kernel that uses a value so.
func sharedCode(t *testing.T, of, op, use string) *machine.Code {
	t.Helper()
	var text strings.Builder
	text.WriteString(".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(.param .u64 at, .param .u32 n)\n{\n\t.reg .b32 %r<9>;\n\t.reg .b64 %rd<9>;\n\t.reg .pred %p<3>;\n" +
		"\tld.param.u64 %rd1, [at];\n\tmov.u32 %r5, %tid.x;\n\tmul.wide.u32 %rd3, %r5, 4;\n\tadd.u64 %rd3, %rd1, %rd3;\n")
	if of[0] == '[' {
		fmt.Fprintf(&text, "\tld.param.u32 %%r1, %s;\n", of)
	} else {
		fmt.Fprintf(&text, "\tmov.u32 %%r1, %s;\n", of)
	}
	for range 60 {
		fmt.Fprintf(&text, "\tshl.b32 %%r3, %%r1, 1;\n\t%s;\n\tmov.u32 %%r1, %%r2;\n", op)
	}
	fmt.Fprintf(&text, "\t%s;\n\tret;\n}\n", use)
	m, err := load.Text("kernel", text.String())
	if err != nil {
		t.Fatal(err)
	}
	code, err := decoded(m, m.Func("kernel"), ir.LaunchShape{BlockX: 128, BlockY: 1, BlockZ: 1})
	if err != nil {
		t.Fatal(err)
	}
	return code
}
