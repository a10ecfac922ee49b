package compiled_test

// This file runs the corpus and the vector files by the quick tier of compiled code.

import (
	"flag"
	"path/filepath"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
	"ptxvm.invalid/ptxvm/internal/testkit/vec"
)

var quickAll = flag.Bool("quick.all", false, "run all blocks of the vector files in both widths, not one of sixteen")

// TestCorpusQuick: the quick tier, in both widths, gives what the interpreter gives: memory, output, fault and counts.
func TestCorpusQuick(t *testing.T) {
	rig.NeedJIT(t)
	for _, c := range corpus.Cases() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			x := newCaseRun(t, &c)
			want, _ := x.with(t, ptxvm.Interp, nil)
			for _, v := range jit.Runnable() {
				o := jit.Options{Vectors: v, Quick: true}
				got, rep := x.with(t, ptxvm.JIT, compiledBy(o))
				if what := got.differs(&want); what != "" {
					t.Errorf("%v: %s", o, what)
				}
				t.Logf("%v: left %d times", o, rep.left)
			}
		})
	}
}

// TestVectorsQuick runs blocks of the vector files of package sem by the quick tier.
func TestVectorsQuick(t *testing.T) {
	rig.NeedJIT(t)
	files, err := filepath.Glob("internal/sem/testdata/vec/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no vector files", err)
	}
	for i, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			t.Parallel()
			blocks, err := vec.Parse(f)
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range jit.Runnable() {
				r := vec.NewRunner()
				r.Engine, r.Prepare = ptxvm.JIT, compiledBy(jit.Options{Vectors: v, Quick: true})
				defer r.Close()
				for n, b := range blocks {
					if !*quickAll && (n+i)%32 != 16*k {
						continue
					}
					for _, err := range r.Block(b) {
						t.Errorf("%v: %v", v, err)
					}
				}
			}
		})
	}
}
