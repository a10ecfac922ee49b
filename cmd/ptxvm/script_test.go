package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ptxvm": main})
}

// TestScripts runs the command lines of testdata/script. $PTX is testdata/ptx, $CUDA the
// kernels that nvcc made, $TENSOR those of tensor memory, $NVCC the compiler if there is one.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  filepath.Join("testdata", "script"),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Condition: func(name string) (bool, error) {
			switch name {
			case "nvcc":
				_, err := nvcc.Find()
				return err == nil, nil
			case "jit":
				return compiles(), nil
			}
			return false, fmt.Errorf("condition %s: want nvcc or jit", name)
		},
		UpdateScripts: os.Getenv("PTXVM_UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			for name, dir := range map[string]string{"PTX": "testdata/ptx", "CUDA": "../../testdata/cuda", "TRITON": "../../testdata/triton", "TENSOR": "../../testdata/tensor"} {
				path, err := filepath.Abs(filepath.FromSlash(dir))
				if err != nil {
					return err
				}
				env.Setenv(name, path)
			}
			if path, err := nvcc.Find(); err == nil {
				env.Setenv("NVCC", path)
			}
			return nil
		},
	})
}

// compiles reports whether there is compiled code here: not on every processor, nor with the build tag interp (.ci/quick).
func compiles() bool {
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Engine: ptxvm.JIT})
	return err == nil && d.Close() == nil
}

// exits CODE ARGS… runs ptxvm and demands the exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE [ARGS…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var failed *exec.ExitError
	if err := ts.Exec("ptxvm", args[1:]...); errors.As(err, &failed) {
		got = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
