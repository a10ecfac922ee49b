package ssa

import (
	"strings"
	"testing"
)

// locals has accesses to local memory of four words: at a constant, at a number and at an index.
const locals = `func locals
copy 0 lanes 32 of 0 from v0
warps 4 in v1
check 1 bounds -1 lo 0 hi 512 align 128 store
float:
  v2 = const.w #0
  v3 = const.m #1
  v4 = const.w #3
  v5 = const.w #7
  v6 = const.w #5
  v7 = const.x #2
  v8 = rows.x v1 #4096
  v9 = minu.w v1, v4
  v10 = shl.w v9, v5
  v11 = zext.x v10
  v12 = add.x v8, v11
  v13 = strided.w v2 #1
  v14 = minu.w v13, v4
  v15 = shl.w v14, v6
  v16 = add.w v15, v13
  v17 = sext.x v16
  v18 = shl.x v17, v7
b0 level 0():
  goto b1(v2)
b1 level 2(v1 num w):
  v19 w = load elem 4 count 1 align 4 base v8 step 4 disp 384 bounds -1 check 1 bits 32 pc 1 mask v3
  store elem 1 count 1 align 1 base v12 step 4 disp 3 bounds -1 check 1 bits 32 pc 2 mask v3 arg v19
  v20 w = load elem 4 count 1 align 4 base v8 index v18 step 0 disp 0 bounds -1 check 1 bits 32 pc 3 mask v3
  return
`

// TestLocals: accesses to local memory need no test where their offsets are bounded, and are found where they are not.
func TestLocals(t *testing.T) {
	f, err := Parse(locals)
	if err != nil {
		t.Fatal(err)
	}
	readsBack(t, f)
	for _, c := range []struct{ from, to, want string }{
		{"disp 384", "disp 388", "check 1 does not cover it"}, {"disp 3 ", "disp 0 ", ""}, {"disp 3 ", "disp 4 ", "check 1 does not cover it"},
		{"const.w #3", "const.w #4", "check 1 does not cover it"}, {"hi 512", "hi 511", "check 1 does not cover it"}, {"align 128 store", "align 128", "check 1 does not cover it"},
		{"disp 384", "disp -4", "check 1 does not cover it"}, {"rows.x v1", "rows.x v4", "check 1 does not cover it"},
		{"bounds -1 check 1 bits 32 pc 1", "bounds 0 check 1 bits 32 pc 1", "check 1 does not cover it"},
		{"v9 = minu.w v1, v4", "v9 = maxu.w v1, v4", "check 1 does not cover it"}, {"v14 = minu.w v13, v4", "v14 = add.w v13, v4", "check 1 does not cover it"},
	} {
		f, err := Parse(strings.Replace(locals, c.from, c.to, 1))
		if err == nil {
			err = Verify(f)
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q in place of %q: %v, want %q", c.to, c.from, err, c.want)
		}
	}
}
