package cudart

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// loader loads the file that it is given and runs its kernel.
const loader = `#include "driver.h"
int cuModuleLoad(handle *, const char *);
int main(int n, char **args) {
	handle m, f;
	ptr d;
	unsigned by = 5, words = 1, got;
	begin();
	OK(cuModuleLoad(&m, args[n - 1]));
	OK(cuModuleGetFunction(&f, m, "add"));
	OK(cuModuleGetGlobal_v2(&d, NULL, m, "total"));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, (void *[]){&d, &by, &words}, NULL));
	OK(cuMemcpyDtoH_v2(&got, d, 4));
	WANT(got, 12);
	passed();
}
`

// TestStandIn: what ptxvm writes under the name ptxas, from a command line such as Triton's, the driver loads; what is no
// PTX is refused as ptxas does, and so are options that it does not have.
func TestStandIn(t *testing.T) {
	needPrograms(t)
	libraries, command, dir := Libraries(t), ptxvm(t), t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	header := readText(t, filepath.Join(Root(t), "testdata", "cuda", "driver.h"))
	write("driver.h", header)
	_, text, _ := strings.Cut(header, "kernels[] =")
	text, _, _ = strings.Cut(text, ";\n\n")
	ptx := strings.NewReplacer("\n\t\"", "", "\"\n", "", `\n`, "\n", `"`, "").Replace(text)
	source, cubin, ptxas := write("add.ptx", ptx), filepath.Join(dir, "add.cubin"), filepath.Join(dir, "ptxas")
	if err := os.Symlink(command, ptxas); err != nil {
		t.Fatal(err)
	}
	call := func(args ...string) (string, error) {
		out, err := exec.Command(ptxas, args...).CombinedOutput()
		return string(out), err
	}
	if out, err := call("--version"); err != nil || !strings.Contains(out, "release 13.5") {
		t.Errorf("--version: %v %s", err, out)
	}
	if out, err := call("-lineinfo", "--fmad=false", "-v", "--opt-level", "0", "--regAllocOptLevel=2", "-O3", "-m64", "--gpu-name=sm_90", source, "-o", cubin); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	program := filepath.Join(dir, "loader")
	if out, err := exec.Command("gcc", "-w", "-O1", "-o", program, write("loader.c", loader), "-L", libraries, "-lcuda").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	run(t, expected{stdout: []string{"PASSED"}}, libraries, command, "exec", program, cubin)
	for _, bad := range [][]string{{write("bad.ptx", strings.Replace(ptx, "add.u32", "add.s23", 1)), "-o", cubin}, {"--no-such", source}, {"--gpu-name=sm_50", source}, {source, source}, {}, {source, "-o"}} {
		if out, err := call(bad...); err == nil {
			t.Errorf("%v: no error: %s", bad, out)
		}
	}
}
