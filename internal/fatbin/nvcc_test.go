package fatbin

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
)

const source = `
__global__ void scale(float *p, float by) { p[blockIdx.x * blockDim.x + threadIdx.x] *= by; }
int main() { scale<<<1, 32>>>(nullptr, 2); }
`

// made runs nvcc on the source; the result is the file it writes.
func made(t *testing.T, compiler, name string, flags ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "scale.cu"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(compiler, append(flags, "-o", name, "scale.cu")...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("nvcc %v: %v\n%s", flags, err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// summary names the units of a file.
func summary(units []Unit) string {
	var out strings.Builder
	for _, u := range units {
		for _, x := range u.Texts {
			from := ""
			if x.Cubin {
				from = "cubin:"
			}
			fmt.Fprintf(&out, "%s%v ", from, x.Target)
			if t, ok := declared(x.PTX); !ok || t != x.Target {
				fmt.Fprintf(&out, "(declares %v) ", t)
			}
			if !strings.Contains(string(x.PTX), "_Z5scalePff") || !strings.Contains(string(x.PTX), "ret;") {
				out.WriteString("(not the whole text) ")
			}
		}
		for _, c := range u.Code {
			fmt.Fprintf(&out, "code:%v ", c)
		}
		for _, c := range u.LTO {
			fmt.Fprintf(&out, "lto:%v ", c)
		}
		out.WriteString("| ")
	}
	return strings.TrimSuffix(out.String(), " | ")
}

// TestCompilerFiles reads what nvcc makes of one kernel, in every packing and kind of file.
func TestCompilerFiles(t *testing.T) {
	compiler, err := nvcc.Find()
	if err != nil {
		t.Skip(nvcc.SkipMark, err)
	}
	three := "-fatbin -gencode arch=compute_75,code=compute_75 -gencode arch=compute_90a,code=compute_90a -gencode arch=compute_100f,code=compute_100f -gencode arch=compute_80,code=sm_80"
	const all = "sm_75 sm_90a sm_100f code:sm_80"
	for _, c := range []struct{ name, flags, want string }{
		{"zstd", three, all},
		{"lz4", three + " -compress-mode=speed", all},
		{"together with names", three + " -concat -lineinfo", "sm_75 sm_90a sm_100f cubin:sm_80"},
		{"cubin with lines", "-cubin -arch=sm_90 -lineinfo", "cubin:sm_90"},
		{"object", "-c -arch=sm_90", "code:sm_90 sm_90"},
	} {
		units, err := Read(made(t, compiler, "file", strings.Fields(c.flags)...), 0)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := summary(units); !sameWords(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// sameWords compares lists without their order, which is the compiler's.
func sameWords(a, b string) bool {
	count := map[string]int{}
	for _, w := range strings.Fields(a) {
		count[w]++
	}
	for _, w := range strings.Fields(b) {
		count[w]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}
