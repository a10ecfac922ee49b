package pipeline

import (
	"regexp"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/load"
)

// sums is a loop whose next turn wants the sum of what four arrays have, before a lane is done.
const sums = `.version 8.0
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 at, .param .u32 turns)
{
	.reg .pred %p;
	.reg .b32 %r<10>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [at];
	ld.param.u32 %r8, [turns];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	mov.u32 %r2, 0;
$turn:
	ld.global.u32 %r3, [%rd1];
	ld.global.u32 %r4, [%rd1+4096];
	ld.global.u32 %r5, [%rd1+8192];
	ld.global.u32 %r6, [%rd1+12288];
	add.s32 %r2, %r2, %r3;
	add.s32 %r2, %r2, %r4;
	add.s32 %r2, %r2, %r5;
	add.s32 %r2, %r2, %r6;
	add.u64 %rd1, %rd1, 128;
	sub.s32 %r8, %r8, 1;
	setp.ne.s32 %p, %r8, 0;
	@%p bra $turn;
	st.global.u32 [%rd1], %r2;
	ret;
}
`

// TestTakeLoads: a sum that only the next turn of a loop wants reads memory by its additions. Its loads, made at the end of the block for all parts,
// would take a register each by AVX2.
func TestTakeLoads(t *testing.T) {
	m, err := load.Text("kernel", sums)
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
	isel, _, _ = strings.Cut(isel, " cold(")
	added := regexp.MustCompile(`vpaddd %x\d+, \[global`).FindAllString(isel, -1)
	if len(added) < 16 || strings.Contains(isel, "= vmovups [global") {
		t.Errorf("%d additions read memory, want the 16 of four loads and none by a load alone:\n%s", len(added), isel)
	}
}
