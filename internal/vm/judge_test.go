package vm_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// TestManualAcceptsCompilers: what nvcc and Triton write is valid for the manual, too.
func TestManualAcceptsCompilers(t *testing.T) {
	n := 0
	for _, dir := range []string{"../../testdata/cuda", "../../testdata/triton", "../../testdata/tensor"} {
		err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(name, ".ptx") {
				return err
			}
			n++
			src, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if _, err := vm.Compile(name, src, &vm.CompileConfig{Judge: vm.JudgeManual}); err != nil {
				t.Error(err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if n == 0 {
		t.Error("there are no files")
	}
}

// TestJudgeConfig: names of judges, and one that does not exist.
func TestJudgeConfig(t *testing.T) {
	for _, j := range []vm.Judge{vm.JudgePtxas, vm.JudgeManual} {
		if again, err := vm.ParseJudge(j.String()); err != nil || again != j {
			t.Errorf("%v reads as %v, %v", j, again, err)
		}
	}
	if _, err := vm.ParseJudge("nvcc"); err == nil || !strings.Contains(err.Error(), "want ptxas or manual") {
		t.Errorf("nvcc: %v", err)
	}
	if _, err := vm.Check("x", nil, &vm.CompileConfig{Judge: 9}); err == nil || !strings.Contains(err.Error(), "no judge 9") {
		t.Errorf("judge 9: %v", err)
	}
}
