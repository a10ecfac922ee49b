package compiled_test

// This file holds what runs by default to where it has been run.

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/cli"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

// TestProven: a width that has not passed the engine matrix on real processors is off, and `version` says so.
func TestProven(t *testing.T) {
	rig.NeedJIT(t)
	all := jit.Proven
	defer func() { jit.Proven = all }()
	if why := cli.About().Why; strings.Contains(why, "proven") {
		t.Errorf("all are proven, and version says %q", why)
	}
	jit.Proven = []jit.Vectors{jit.AVX2}
	v, unproven, err := jit.Here()
	if err != nil || v != jit.AVX2 {
		t.Errorf("with AVX2 alone proven, %v is used: %v", v, err)
	}
	if why := cli.About().Why; unproven == jit.AVX512 && (!strings.Contains(why, "compiled for AVX2") || !strings.Contains(why, "AVX-512 has not been proven")) {
		t.Errorf("version says %q", why)
	}
	jit.Proven = nil
	if about := cli.About(); about.Engine != ptxvm.Interp.String() || !strings.Contains(about.Why, "proven") {
		t.Errorf("with nothing proven version says %q: %q", about.Engine, about.Why)
	}
	if d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Engine: ptxvm.JIT}); err == nil {
		d.Close()
		t.Error("with nothing proven there is an engine jit")
	}
}

// TestProvenWhere: docs/performance.md gives the processor and commit where each width passed last.
func TestProvenWhere(t *testing.T) {
	text, err := os.ReadFile("docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range jit.Proven {
		row := regexp.MustCompile(`(?m)^\| ` + v.String() + ` \| [^|]*(Xeon|EPYC|Core|Ryzen)[^|]* \| [0-9a-f]{7}[^|]* \| 20\d\d-\d\d-\d\d \|`)
		if !row.Match(text) {
			t.Errorf("docs/performance.md does not say where %v has passed", v)
		}
	}
}
