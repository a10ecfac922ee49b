package mutants

import "testing"

// TestCompiler wants each mutant of the compiler's list killed.
func TestCompiler(t *testing.T) {
	ms, err := Wrong(moduleRoot(t), compilerText)
	if err != nil {
		t.Fatal(err)
	}
	if !*run && !*full {
		t.Skip("run with -mutants: it builds programs")
	}
	r, err := NewRunner(moduleRoot(t), &Compiler, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var sum tally
	if err := r.RunAll(ms, func(res Result) { sum.add(t, res, nil) }); err != nil {
		t.Fatal(err)
	}
	t.Logf("%v", &sum)
}
