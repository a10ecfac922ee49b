package ptxvm_test

import (
	"os/exec"
	"testing"
)

// TestFace: this package's files are what internal/vm exports.
func TestFace(t *testing.T) {
	if out, err := exec.Command("go", "run", "./internal/gen/face", "-check").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
