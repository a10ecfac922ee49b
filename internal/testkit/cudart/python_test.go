package cudart

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
)

// pythonVariable names the interpreter of an environment that has the packages of testdata/python/requirements.txt.
const pythonVariable = "PTXVM_PYTHON"

// clientNames says which clients run.
var clientNames = flag.String("clients", "", "Python clients to run, a regular `expression`; empty: all")

// clientFlags are flags of exec that a client needs: CuPy's sorts and scans are PTX for sm_120; the bindings' client makes a fault
// on purpose, which else ends with status 3.
var clientFlags = map[string][]string{"cupy": {"--arch", "sm_120"}, "bindings": {"--error-exitcode", "0"}}

// TestPython runs the clients of testdata/python by ptxvm exec. A client prints PASSED when all values are right.
func TestPython(t *testing.T) {
	needPrograms(t)
	wanted := regexp.MustCompile("^(" + *clientNames + ")$")
	python := interpreter(t)
	clients, err := filepath.Glob(filepath.Join(Root(t), "testdata", "python", "client_*.py"))
	if err != nil || len(clients) == 0 {
		t.Fatal("no clients", err)
	}
	libraries := Libraries(t)
	command := ptxvm(t)
	for _, client := range clients {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(client), "client_"), ".py")
		if *clientNames != "" && !wanted.MatchString(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(command, append(append([]string{"exec"}, clientFlags[name]...), python, client)...)
			cmd.Env = append(os.Environ(), "PTXVM_LIB="+libraries, "PTXVM="+command, "DEV=CUDA", "PYTHONDONTWRITEBYTECODE=1",
				"TRITON_CACHE_DIR="+t.TempDir(), "CUPY_CACHE_DIR="+t.TempDir())
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASSED") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// interpreter finds Python with the packages: $PTXVM_PYTHON, or where .ci/python puts it.
func interpreter(t *testing.T) string {
	t.Helper()
	python := os.Getenv(pythonVariable)
	if python == "" {
		python = filepath.Join(Root(t), ".cuda", "python", "bin", "python")
	}
	if _, err := os.Stat(python); err != nil {
		t.Skip(nvcc.SkipMark + "no Python with the clients' packages (.ci/python makes one): " + err.Error())
	}
	return python
}
