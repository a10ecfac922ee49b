package ssa

import (
	"strings"
	"testing"
)

// atomics has both kinds of atomic operations.
const atomics = `func atomics
copy 0 lanes 32 of 0 from v0
check 1 bounds 0 lo 0 hi 4 align 4 store
state 1 pc 3 mask v1 undo 0
float:
  v1 = const.m #1
  v2 = const.x #64
  v3 = const.w #3
  v4 = inside.m v2 #1
  v5 = const.w #0
  v6 = strided.w v5 #1
  v7 = zext.x v6
  v8 = sum.w v6
b0 level 0():
  if v4 b1() else b2()
b1 level 2():
  atomiconce update add locked elem 4 count 1 align 4 base v2 step 0 disp 0 bounds 0 check 1 bits 0 pc 1 mask v4 arg v8
  v9 w = atomic update cas elem 4 count 1 align 4 base v2 step 4 disp 0 bounds 1 bits 32 state 1 pc 3 mask v1 arg v6 arg v3
  v10 x = atomic update exch locked elem 8 count 1 align 8 base v2 index v7 step 0 disp 8 bounds 1 bits 64 state 1 pc 3 mask v1 arg v7
  goto b2()
b2 level 0():
  return
`

// TestAtomics: atomic operations read back, and each of these changes is found.
func TestAtomics(t *testing.T) {
	f, err := Parse(atomics)
	if err != nil {
		t.Fatal(err)
	}
	readsBack(t, f)
	for _, c := range []struct{ from, to, want string }{
		{"align 4 store", "align 4", "check 1 does not cover it"},
		{"update add locked elem 4", "update add locked elem 8", "is none"},
		{"update add locked elem 4", "update add locked elem 2", "is none"},
		{"mask v4 arg v8", "mask v4 arg v6", "is none"},
		{"mask v4 arg v8", "mask v4", "is none"},
		{"mask v4 arg v8", "mask v4 arg v3 arg v3", "is none"},
		{"update add locked elem 4 count 1 align 4 base v2 step 0", "update add locked elem 4 count 1 align 4 base v2 step 4", "is none"},
		{"update cas elem", "update dec elem", "is none"},
		{"update exch locked elem 8", "update inc locked elem 8", "is none"},
		{"bits 64 state 1", "bits 0 state 1", "is none"},
		{"bits 32 state 1", "bits 32", "state 0"},
		{"update exch locked", "update exchange", "there is no such update"},
	} {
		changed := strings.Replace(atomics, c.from, c.to, 1)
		if changed == atomics {
			t.Errorf("%q is not there", c.from)
			continue
		}
		f, err := Parse(changed)
		if err == nil {
			err = Verify(f)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q in place of %q: %v, want %s", c.to, c.from, err, c.want)
		}
	}
}
