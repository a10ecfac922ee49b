// This file holds every case against the PTX it names, and the comparison against itself.

package corpus

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const testdata = "../../../testdata"

var (
	entry = regexp.MustCompile(`\.entry\s+(\w+)\(([^)]*)\)`)
	param = regexp.MustCompile(`\.param\s+(?:\.align\s+\d+\s+)?\.[a-z]+(\d+)`)
	file  = regexp.MustCompile(`(?m)^\s*\.file\s+\d+\s+"([^"]*)"`)
)

// signatures maps each kernel of a module to its parameters' sizes in bits.
func signatures(text string) map[string][]string {
	out := map[string][]string{}
	for _, e := range entry.FindAllStringSubmatch(text, -1) {
		sizes := []string{}
		for _, p := range param.FindAllStringSubmatch(e[2], -1) {
			sizes = append(sizes, p[1])
		}
		out[e[1]] = sizes
	}
	return out
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testdata, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCasesFitTheirModules(t *testing.T) {
	names := map[string]bool{}
	for _, c := range Cases() {
		if names[c.Name] {
			t.Errorf("%s: name used twice", c.Name)
		}
		names[c.Name] = true
		for _, arch := range c.Archs {
			kernels := signatures(read(t, c.Path(arch)))
			for _, l := range c.Make(Target{Arch: arch}).Launches {
				checkLaunch(t, c.Name, l, kernels)
			}
		}
	}
}

func checkLaunch(t *testing.T, name string, l Launch, kernels map[string][]string) {
	t.Helper()
	sizes, ok := kernels[l.Kernel]
	if !ok || len(sizes) != len(l.Args) {
		t.Errorf("%s: %s takes %d parameters (found %v), has %d arguments", name, l.Kernel, len(sizes), ok, len(l.Args))
		return
	}
	bits := map[int]string{1: "8", 2: "16", 4: "32", 8: "64"}
	for i, a := range l.Args {
		if bits[a.Elem.Size()] != sizes[i] {
			t.Errorf("%s: %s parameter %d has %s bits, the argument is %s", name, l.Kernel, i, sizes[i], a.Elem)
		}
	}
}

// Every module runs in some case, says how it was made, and names sources of its own folder only.
func TestModulesHaveCases(t *testing.T) {
	paths := map[string]bool{}
	for _, c := range Cases() {
		for _, arch := range c.Archs {
			paths[c.Path(arch)] = true
		}
	}
	for _, dir := range []string{"cuda", "triton"} {
		found, err := filepath.Glob(filepath.Join(testdata, dir, "*.ptx"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d modules, %v", dir, len(found), err)
		}
		for _, path := range found {
			name := dir + "/" + filepath.Base(path)
			if !paths[name] {
				t.Errorf("%s: no case", name)
			}
			checkProvenance(t, dir, name)
		}
	}
}

func checkProvenance(t *testing.T, dir, name string) {
	t.Helper()
	text := read(t, name)
	if !strings.HasPrefix(text, "// nvcc ") && !strings.HasPrefix(text, "// triton ") {
		t.Errorf("%s: the first line does not name its compiler", name)
	}
	if strings.Contains(text, "__nv_") || strings.Contains(text, "__internal_") {
		t.Errorf("%s: calls the device library", name)
	}
	for _, f := range file.FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(testdata, dir, f[1])); err != nil || strings.Contains(f[1], "/") {
			t.Errorf("%s: .file %q is no source beside it", name, f[1])
		}
	}
}

func TestTritonMetadata(t *testing.T) {
	for _, c := range Cases() {
		if !strings.HasPrefix(c.Module, "triton/") {
			continue
		}
		for _, arch := range c.Archs {
			var meta struct {
				Name   string
				Shared int
				Warps  int `json:"num_warps"`
			}
			if err := json.Unmarshal([]byte(read(t, fmt.Sprintf("%s.sm_%d.json", c.Module, arch))), &meta); err != nil {
				t.Fatal(err)
			}
			l := c.Make(Target{Arch: arch}).Launches[0]
			if l.Kernel != meta.Name || l.Shared != meta.Shared || l.Block != line(32*meta.Warps) {
				t.Errorf("%s: launch %s %d bytes %v, metadata %+v", c.Name, l.Kernel, l.Shared, l.Block, meta)
			}
		}
	}
}

// A case that its own inputs satisfy would pass without running anything.
func TestCasesCanFail(t *testing.T) {
	for _, c := range Cases() {
		run := c.Make(Target{Arch: c.Archs[0]})
		changed := run.Stdout != "" || run.Fault != nil || c.Name == "empty"
		for _, b := range run.Buffers {
			changed = changed || b.Check(b.Init) != nil
			if b.Want != nil && len(b.Want) != len(b.Init) {
				t.Errorf("%s: %s has %d bytes before and %d after", c.Name, b.Name, len(b.Init), len(b.Want))
			}
			if (b.Tol != Tolerance{}) == (b.Tol.Why == "") {
				t.Errorf("%s: %s: a tolerance needs a reason", c.Name, b.Name)
			}
		}
		if !changed {
			t.Errorf("%s: satisfied before it runs", c.Name)
		}
	}
}

func TestBufferCheck(t *testing.T) {
	b := inout("x", []float32{1, 2}, []float32{1, 2})
	if err := b.Check(encode([]float32{1, 2})); err != nil {
		t.Error(err)
	}
	const want = "x[1] = 2.5 (0x40200000), want 2 (0x40000000) (1 of 2 f32 elements differ)"
	if err := b.Check(encode([]float32{1, 2.5})); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	b.Tol = Tolerance{Abs: 0.1, Rel: 0.2}
	if b.Check(encode([]float32{1.3, 2.5})) != nil || b.Check(encode([]float32{1, 2.6})) == nil {
		t.Error("tolerance is Abs + Rel*|want|")
	}
	if b.Check(encode([]float32{1})) == nil {
		t.Error("a short buffer passes")
	}
}
