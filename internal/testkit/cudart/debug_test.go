package cudart

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// unit is the script of docs/howto/debug.md.
const unit = `import numpy as np
from numba import cuda

@cuda.jit(lineinfo=True)
def unit(x, n, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] / n[i]

x, n, out = np.array([6.0, 0.0, 5.0]), np.array([3.0, 0.0, 2.0]), cuda.device_array(3)
launch = unit[1, 32]
launch(cuda.to_device(x), cuda.to_device(n), out)
print(out.copy_to_host())
`

// TestPythonDebug opens the launch of a script in the debugger, and looks at the NaN that it makes.
func TestPythonDebug(t *testing.T) {
	needPrograms(t)
	python := interpreter(t)
	if err := exec.Command(python, "-c", "import numba, numba.cuda").Run(); err != nil {
		t.Skip("numba is not installed beside this Python")
	}
	libraries, command, dir := Libraries(t), ptxvm(t), t.TempDir()
	for name, text := range map[string]string{"unit.py": unit, "commands": "continue\nreverse-stepi\nwhy %fd2\ninfo args\nprint param_2\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(command, "debug", "--batch", "--sanitize", "nan", "-x", "commands", "--", python, "unit.py")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PTXVM_LIB="+libraries, "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	for _, want := range []string{
		"[2.  nan 2.5]", "unit.py:8:1: P8011", "div.rn.f64     %fd3, %fd2, %fd1;", "(ptxvm) why %fd2\n%fd2 = 0", " param_4[1], as the launch found it", "\nparam_20 = 0x8", "$1 = 3",
	} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}
