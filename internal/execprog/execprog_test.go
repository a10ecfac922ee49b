package execprog

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// folder makes empty files.
func folder(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// variable is the value of one of a list.
func variable(env []string, name string) string {
	for _, line := range env {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return value
		}
	}
	return ""
}

// TestVariables: a value takes the place of another, or stands before it; defaults yield to what is set.
func TestVariables(t *testing.T) {
	env := []string{"A=1", "B=2"}
	if got := WithVariable(WithVariable(env, "A", "0", ":"), "B", "3", ""); !slices.Equal(got, []string{"A=0:1", "B=3"}) || env[0] != "A=1" {
		t.Errorf("%v, of %v", got, env)
	}
	t.Setenv("PTXVM_TEST_SET", "")
	if got := WithDefault(WithDefault(nil, "PTXVM_TEST_SET", "x"), "PTXVM_TEST_UNSET", "y"); !slices.Equal(got, []string{"PTXVM_TEST_UNSET=y"}) {
		t.Errorf("defaults: %v", got)
	}
	for _, c := range [][2]string{{"PTXVM_REPORT", "r.json"}, {"PTXVM_TRACE", "calls:t.txt"}} {
		if got := FromHere(c[0], c[1]); !strings.Contains(got, string(filepath.Separator)) || !strings.HasSuffix(got, c[1][strings.Index(c[1], ":")+1:]) {
			t.Errorf("%s=%s is %s", c[0], c[1], got)
		}
	}
	if FromHere("PTXVM_TRACE", "calls") != "calls" || FromHere("PTXVM_SEED", "7") != "7" {
		t.Error("a value without a file has changed")
	}
}

// TestLibraries: the folder that a variable names, or words on how to make one; those that are bundled are unpacked whole, once.
func TestLibraries(t *testing.T) {
	dir := folder(t, RuntimeLibrary, EngineLibrary)
	t.Setenv(libraryVariable, dir)
	if got, err := Libraries(nil); err != nil || got != dir {
		t.Errorf("%s, %v", got, err)
	}
	t.Setenv(libraryVariable, t.TempDir())
	if _, err := Libraries([]byte("no zip")); err == nil || !strings.Contains(err.Error(), ".ci/cudart") {
		t.Errorf("an empty folder: %v", err)
	}
	t.Setenv(libraryVariable, "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for _, name := range []string{RuntimeLibrary, EngineLibrary} {
		f, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.Write([]byte(name))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	first, err := unpackLibraries(archive.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	_ = os.Truncate(filepath.Join(first, EngineLibrary), 1)
	again, err := unpackLibraries(archive.Bytes())
	if text, _ := os.ReadFile(filepath.Join(again, EngineLibrary)); err != nil || again != first || string(text) != EngineLibrary {
		t.Errorf("a damaged folder becomes %s with %q, %v", again, text, err)
	}
}

// TestPrepare: what is no ELF file finds the libraries in its environment; names that start nothing are explained.
func TestPrepare(t *testing.T) {
	dir := folder(t, RuntimeLibrary, runtime12, EngineLibrary, auditLibrary, "libnvrtc.so.13", "env/bin/python", "env/lib/python3.12/site-packages/cupy_cuda12x-13.0.dist-info/METADATA", "program.py", "kernel.cu")
	t.Setenv("LD_PRELOAD", "")
	t.Setenv("LD_LIBRARY_PATH", "/before")
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		t.Setenv(name, "")
	}
	p, err := Prepare(dir, filepath.Join(dir, "env", "bin", "python"), "", "sm_90")
	if err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, want := range map[string]string{
		"LD_LIBRARY_PATH": dir + ":/before",
		"LD_PRELOAD":      strings.Join([]string{in(runtime12), in(RuntimeLibrary), in("libnvrtc.so.13")}, ":"),
		"LD_AUDIT":        in(auditLibrary),
		execVariableName:  dir,
		cachingVariable:   "1",
		tritonVariable:    dir,
	} {
		if got := variable(p.Env, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if p.Arch != "" || p.OwnFolder {
		t.Errorf("a script: %+v", p)
	}
	for name, want := range map[string]string{"kernel": "not found", "kernel.cu": "is source", "none.py": "is a script"} {
		if _, err := Prepare(dir, name, "", "sm_90"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestCaching: PyTorch's own allocator is chosen by 0 or by nothing.
func TestCaching(t *testing.T) {
	for value, want := range map[string]string{"0": "", "": "", "1": "1"} {
		t.Setenv(cachingVariable, value)
		if got := variable(withoutCaching([]string{cachingVariable + "=" + value}), cachingVariable); got != want {
			t.Errorf("%s=%s becomes %q, want %q", cachingVariable, value, got, want)
		}
	}
}
