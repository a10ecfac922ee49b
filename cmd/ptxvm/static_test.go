package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestStatic: nothing that the command is made of brings libc along, also where cgo is enabled.
func TestStatic(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, "fmt") {
		t.Fatal("the list of packages is not one:", deps)
	}
	for _, bad := range []string{"runtime/cgo", "net", "os/user", "plugin"} {
		if slices.Contains(deps, bad) {
			t.Errorf("%s is linked into the command; go list -deps says by what", bad)
		}
	}
}
