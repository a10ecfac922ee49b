package inlineasm_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/inlineasm"
)

// installed are the folders of others' sources, if they are installed: NVIDIA's headers with CCCL, and Triton.
var installed = []string{"../../.cuda/nvidia/cu13/include", "../../.cuda/triton"}

// TestInstalled judges the inline assembly of NVIDIA's headers and of Triton: nothing is wrong with it.
func TestInstalled(t *testing.T) {
	judged, skipped := 0, 0
	for _, dir := range installed {
		if _, err := os.Stat(dir); err != nil {
			t.Skipf("%s is not installed", dir)
		}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			language, ok := inlineasm.LanguageOf(path)
			if err != nil || d.IsDir() || !ok && filepath.Ext(path) != "" {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			r, err := inlineasm.Judge(path, source, language, inlineasm.Options{})
			if err != nil {
				return err
			}
			for _, d := range r.Diagnostics {
				if !strings.Contains(d.Msg, "cvta") || !strings.HasSuffix(path, "sm_20_intrinsics.hpp") { // ptxas does not take these with 32-bit addresses either
					t.Error(d)
				}
			}
			judged += r.Judged
			skipped += len(r.Skipped)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d pieces judged, %d skipped", judged, skipped)
	if judged < 1000 {
		t.Errorf("%d pieces, want 1,000 and more", judged)
	}
}
