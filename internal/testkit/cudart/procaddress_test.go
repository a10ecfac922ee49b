package cudart

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/testkit/nvcc"
)

// entry is a line of cuda.txt: a symbol, and what cuGetProcAddress knows it by.
type entry struct {
	symbol, name string
	version      int
	thread       bool
}

// entries reads the list.
func entries(t *testing.T) (list []entry) {
	t.Helper()
	for line := range strings.Lines(readText(t, filepath.Join(Root(t), "internal", "cudaabi", "cuda.txt"))) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		version, err := strconv.Atoi(f[2])
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, entry{f[0], f[1], version, slices.Contains(f[3:], "thread")})
	}
	return list
}

// header reads a header of the installed toolkit.
func header(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(toolkit(t), "include", name))
	if err != nil {
		t.Skip(nvcc.SkipMark + err.Error())
	}
	return string(text)
}

// TestDriverVersions compares the list with what NVIDIA's headers say: a type for each version of a function and for its double, and the
// symbol that a name stands for today.
func TestDriverVersions(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(toolkit(t), "include", "cuda*Typedefs.h"))
	if err != nil || len(files) == 0 {
		t.Skip(nvcc.SkipMark + "no headers with types of the driver's functions")
	}
	var have, want []string
	for _, file := range files {
		for _, m := range regexp.MustCompile(`PFN_(cu\w+?)_v(\d+)(_pt[ds][sz])?\)`).FindAllStringSubmatch(header(t, filepath.Base(file)), -1) {
			if m[1] != "cuWGLGetDevice" { // of Windows
				want = append(want, fmt.Sprint(m[1], " ", m[2], " ", m[3] != ""))
			}
		}
	}
	symbols := map[string][]string{}
	for _, e := range entries(t) {
		have = append(have, fmt.Sprint(e.name, " ", e.version, " ", e.thread))
		symbols[e.name] = append(symbols[e.name], e.symbol)
	}
	slices.Sort(have)
	slices.Sort(want)
	if have, want = slices.Compact(have), slices.Compact(want); !slices.Equal(have, want) {
		t.Errorf("versions differ: %v", difference(have, want))
	}
	n := 0
	for _, m := range regexp.MustCompile(`(?m)^\s*#define\s+(cu[A-Z]\w+)\s+(?:__CUDA_API_PT[DS][SZ]\()?(cu[A-Z]\w+)\)?\s*$`).FindAllStringSubmatch(header(t, "cuda.h"), -1) {
		if known := symbols[m[1]]; known != nil {
			if n++; !slices.Contains(known, m[2]) && m[2] != "cuGraphInstantiateWithFlags" { // which has another name, too
				t.Errorf("%s is %s in cuda.h, and %v in the list", m[1], m[2], known)
			}
		}
	}
	if n < 130 {
		t.Errorf("only %d names in cuda.h", n)
	}
}

// sought is the function that a version and flag of cuGetProcAddress ask for: the newest that there was, and of the calling thread's
// default stream if the flag asks for that and there is one.
func sought(list []entry, version int, thread bool) (best entry, ok bool) {
	for _, own := range []bool{true, false} {
		for _, e := range list {
			if e.thread == own && (thread || !own) && e.version <= version && (!ok || e.version > best.version) {
				best, ok = e, true
			}
		}
		if ok {
			break
		}
	}
	return best, ok
}

const askForFunctions = `#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
int cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *);
static int wrong, n;
static void ask(const char *name, int version, int flag, const char *symbol, int status) {
	void *got = &wrong, *want = *symbol ? dlsym(RTLD_DEFAULT, symbol) : NULL;
	int s = -1, e = cuGetProcAddress_v2(name, &got, version, flag, &s);
	n++;
	if (e || got != want || s != status || (*symbol && !want)) wrong++, printf("%s %d, flag %d: %d, status %d, another function than %s\n", name, version, flag, e, s, symbol);
}
int main(void) {
`

// TestGetProcAddress asks libcuda.so.1 for every function of the list by each flag, at the version that brought it, just before, and
// today.
func TestGetProcAddress(t *testing.T) {
	needPrograms(t)
	libraries := Libraries(t)
	byName := map[string][]entry{}
	var names []string
	for _, e := range entries(t) {
		if byName[e.name] == nil {
			names = append(names, e.name)
		}
		byName[e.name] = append(byName[e.name], e)
	}
	var text strings.Builder
	text.WriteString(askForFunctions)
	asked := 0
	for _, name := range names {
		versions := []int{13050}
		for _, e := range byName[name] {
			versions = append(versions, e.version-10, e.version)
		}
		slices.Sort(versions)
		for _, version := range slices.Compact(versions) {
			for flag := range 3 { // none, the legacy default stream, the thread's own
				e, ok := sought(byName[name], version, flag == 2)
				status := 0 // found
				if !ok {
					status = 2 // not in that version
				}
				fmt.Fprintf(&text, "\task(%q, %d, %d, %q, %d);\n", name, version, flag, e.symbol, status)
				asked++
			}
		}
	}
	text.WriteString("\task(\"cuNothing\", 13050, 0, \"\", 1);\n\tif (!wrong) printf(\"PASSED %d\\n\", n);\n\treturn wrong != 0;\n}\n")
	dir := t.TempDir()
	source, program := filepath.Join(dir, "ask.c"), filepath.Join(dir, "ask")
	if err := os.WriteFile(source, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("gcc", "-O0", "-o", program, source, "-L", libraries, "-Wl,--no-as-needed", "-lcuda", "-ldl")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run(t, expected{stdout: []string{fmt.Sprintf("PASSED %d", asked+1)}, env: []string{"LD_LIBRARY_PATH=" + libraries}}, libraries, program)
}
