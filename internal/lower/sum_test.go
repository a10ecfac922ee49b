package lower

import (
	"fmt"
	"testing"
)

// TestSums: a register plus a constant is an instruction of its own in front of the statement, two for a special register;
// where it holds no whole number, the statement is refused.
func TestSums(t *testing.T) {
	const text = ".version 9.0\n.target sm_90\n.entry k { .reg .b16 h; .reg .b32 r, v; .reg .s32 s; .reg .f32 f; .reg .f16x2 p; .reg .b64 d; %s; ret; }\n"
	for stmt, insts := range map[string]int{
		"mov.u32 r, %laneid":           2,
		"mov.u32 r, %laneid+0":         2,
		"mov.u32 r, %laneid+7":         4,
		"mov.s32 s, v+-1":              3,
		"mov.b64 d, %clock64+7":        4,
		"mov.b32 f, %laneid+7":         4,
		"mov.b32 p, %laneid+7":         4,
		"mov.b32 {h, h}, %laneid+7":    4,
		"mov.v2.u32 {r, v}, %laneid+7": 4,
		"mov.b16 h, h+7":               3,
		"add.u32 r, v+7, v":            3,
		"mov.b32 f, f+7":               0,
		"mov.b32 r, p+7":               0,
	} {
		f := module(t, stmt, fmt.Appendf(nil, text, stmt)).Funcs[0]
		n := len(f.Insts)
		if len(f.Refused) > 0 {
			n = 0
		}
		if n != insts {
			t.Errorf("%s: %d instructions, want %d; refused %v", stmt, n, insts, f.Refused)
		}
	}
}
