package ssa

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// read is a text of testdata as a function.
func read(t *testing.T, name string) *Func {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestText: what is printed reads back, and prints the same.
func TestText(t *testing.T) {
	for _, name := range []string{"saxpy.ssa", "reverse.ssa"} {
		readsBack(t, read(t, name))
	}
}

func readsBack(t *testing.T, f *Func) {
	t.Helper()
	if err := Verify(f); err != nil {
		t.Fatal(err)
	}
	text := f.String()
	again, err := Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := Verify(again); err != nil {
		t.Error(err)
	}
	if got := again.String(); got != text {
		t.Errorf("read back and printed:\n%s\nwas:\n%s", got, text)
	}
}

// TestSyntax: what is no function is refused, with the line.
func TestSyntax(t *testing.T) {
	for text, want := range map[string]string{
		"func f\nb1 level 0():\n": "line 2: b1 is not the next block", "func f\nb0 level 0():\n goto b1()\n": "there is no b1",
		"func f\nb0 level 0():\n jump b0\n": "jump is no operation and no effect", "func f\nv1 = add.q v2, v3\n": "q is no type",
		"func f\nv1 = const.w\n": "the line ends too early", "func f\nfloat:\n v1 = const.w #1\n v1 = const.w #2\n": "v1 is there already",
		"func f\ngoto b0()\n": "this belongs into a block", "func f\nv1 =\n": "nothing is behind =", "func f extra\n": "extra is too much",
		"func f\nb0 level 0():\n steps n x mask v1\n": "x is no number", "state 1 box 3 v1\n": "a state has no box",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestVerify: each of these changes of a function that is right is found.
func TestVerify(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "saxpy.ssa"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, want string }{
		{"v13 = shl.w v11, v2", "v13 = shl.w v11, v3", "shl of type x"},
		{"v14 = add.w v12, v13", "v14 = add.w v12, v15", "does not come before it"},
		{"goto b2(v66)", "goto b2()", "0 arguments for the 1 parameters"},
		{"goto b2(v66)", "goto b2(v33)", "not like parameter v11"},
		{"if v26 b3() else b4()", "if v40 b3() else b4()", "condition v40 is no number"},
		{"check 1 bounds 0 lo 0 hi 128", "check 1 bounds 0 lo 0 hi 127", "check 1 does not cover it"},
		{"check 1 bounds 0 lo 0 hi 128", "check 1 bounds 0 lo 4 hi 128", "check 1 does not cover it"},
		{"hi 128 align 4 store", "hi 128 align 4", "check 2 does not cover it"},
		{"check 1 bounds 0 lo 0 hi 128 align 4", "check 1 bounds 0 lo 0 hi 128 align 2", "check 1 does not cover it"},
		{"if v26 b3() else b4()", "if v26 b4() else b3()", "check 1 does not cover it"},
		{"if v26 b3() else b4()", "if v18 b3() else b4()", "check 1 does not cover it"},
		{"v23 = inside.m v21 #1", "v23 = inside.m v22 #1", "check 1 does not cover it"},
		{"base v21 step 4", "base v21 step 8", "check 1 does not cover it"},
		{"base v21 step 4 disp 0", "base v21 step 4 disp 4", "check 1 does not cover it"},
		{" state 1 pc 9", " pc 9", "state 0"},
		{"slot 8 v12 row 128 v15 pred 4 v40", "slot 8 v15 pred 4 v40", "v15 is at home at 8"},
		{"steps n 14 mask v40", "steps n 14", "has no mask"},
		{"mask v4 arg v33", "mask v4 arg v46", "uses v41, which b4 computes too late"},
		{"v32 = ffma.w v9, v30, v31", "v32 = ffma.w v9, v30, v8", "ffma of lanes and number v8"},
	} {
		changed(t, text, c.from, c.to, c.want)
	}
}

// TestVerifyWaits: so are these, of one whose warps wait.
func TestVerifyWaits(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "reverse.ssa"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, want string }{
		{"waits\n", "", "barrier in b"},
		{" entry 3", "", "barrier in b"},
		{"barrier state 2", "barrier", "state 0"},
		{"= resume row 128", "= resume", "resume in b10 is none"},
		{"= resume slot 1032", "= resume pred 1032", "is at home at 1032"},
		{"slot 1032 v45 row 256 v45\n  if", "slot 1032 v41 row 256 v45\n  if", "v41 is at home at 1032"},
	} {
		changed(t, text, c.from, c.to, c.want)
	}
}

// changed holds the verifier to finding a change.
func changed(t *testing.T, text []byte, from, to, want string) {
	t.Helper()
	f, err := Parse(strings.Replace(string(text), from, to, 1))
	if !strings.Contains(string(text), from) || err != nil {
		t.Errorf("%s: %v", from, err)
		return
	}
	if err := Verify(f); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s → %s: %v, want %s", from, to, err, want)
	}
}
