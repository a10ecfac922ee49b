package ssa

import (
	"strings"
	"testing"
)

// inGroups runs a warp's store in four groups of eight lanes, of which two are here: each lane stores what is at home, and one more.
const inGroups = `func groups
copy 0 lanes 32 of 0 from v0
copy 1 lanes 8 of 0 from v20
waits
check 1 bounds 0 lo 0 hi 32 align 4 store
state 1 pc 3 mask v20 undo 0
float:
  v20 = const.m #1
  v21 = const.x #0
  v22 = const.w #1
b0 level 0():
  v30 = arg.x #0
  v33 num m = spare n 3
  v31 = inside.m v30 #1
  v34 = and.m v31, v33
  if v34 b1() else b3()
b1 level 2 lanes 8():
  v40 w@1 = resume row 128
  steps n 2 mask v20
  lanes n 8 mask v20
  v41 = add.w@1 v40, v22
  store elem 4 count 1 align 4 base v30 step 4 disp 0 bounds 0 check 1 bits 32 pc 4 mask v20 arg v41
  keep row 256 v41
  goto b2()
b2 level 2 lanes 8():
  v42 w@1 = resume n 8 row 128
  keep n 8 row 256 v42
  goto b3()
b3 level 2():
  spend n 3
  v43 w = resume row 128
  keep row 384 v43
  return
`

// TestGroupsText: groups read back as they were printed.
func TestGroupsText(t *testing.T) {
	f, err := Parse(inGroups)
	if err != nil {
		t.Fatal(err)
	}
	readsBack(t, f)
	if f.LanesIn(f.Blocks[1]) != 8 || f.LanesIn(f.Blocks[3]) != 32 {
		t.Errorf("groups of %d and %d lanes", f.LanesIn(f.Blocks[1]), f.LanesIn(f.Blocks[3]))
	}
}

// TestGroupsVerified: what a group may not do is found.
func TestGroupsVerified(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"keep n 8 row 256 v42", "keep n 8 row 256 v42 row 384 v40\n  keep n 4 row 256 v42", "is of 8 lanes from 4 on"},
		{"keep n 8 row 256 v42", "keep n 32 row 256 v42", "is of 8 lanes from 32 on"},
		{"keep row 384 v43", "keep row 384 v42", "has v42 of 8"},
		{"v42 w@1 = resume n 8", "v42 w = resume n 8", "has v42 of 32"},
		{"keep row 256 v41", "leave state 1 pc 3 mask v20\n  keep row 256 v41", "leaves while a group of the warp runs"},
		{"keep row 256 v41", "keep row 256 v41 pred 4 v20", "a predicate of a group"},
		{"lo 0 hi 32", "lo 0 hi 28", "does not cover it"},
		{"b1 level 2 lanes 8()", "b1 level 2()", "has v40 of 8"},
		{"v33 num m = spare n 3", "v33 num m = spare", "spare in b0 is none"},
	} {
		text := strings.Replace(inGroups, c.old, c.new, 1)
		f, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := Verify(f); text == inGroups || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
}

// TestUndo: what was taken back is made again as it was.
func TestUndo(t *testing.T) {
	f := New("f", 32)
	b := f.NewBlock(0)
	w := f.NewParam(b, W, true)
	sum := f.Bin(Add, w, f.Word(3))
	mark, before := f.Mark(), f.String()
	build := func() Value {
		f.NewCopy(8, false)
		c := f.NewBlock(2)
		c.Lanes = 8
		f.Checks = append(f.Checks, Check{Hi: 4, Align: 1})
		return f.Bin(Mul, f.Bin(Add, f.Strided(sum, 1), f.NewParam(c, W, false)), f.Strided(w, 1))
	}
	v := build()
	text := f.String()
	if f.Undo(mark); f.String() != before || f.Copy != 0 || f.index.n != 2 {
		t.Errorf("copy %d, %d operations are known, and it is\n%s", f.Copy, f.index.n, f)
	}
	if again := build(); again != v || f.String() != text {
		t.Errorf("v%d was v%d:\n%s", again, v, f)
	}
}
