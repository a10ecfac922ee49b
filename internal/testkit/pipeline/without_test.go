package pipeline

// This file leaves techniques out, one by one: passes and parts of them, rules, what is done where code is built, classes of accesses in C.
// What kernels do stays the same.

import (
	"cmp"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// shows are tuned kernels whose C is another one without a technique, and takes a compiler little time: they are tried first.
var shows = map[string]string{
	"tests": "conv3x3", "cta": "bytesadd", "hoist": "bytesadd", "sums": "gray",
	"coherent": "heat2d", "indices": "bilinear", "runs": "bilinear", "wraps": "conv3x3", "restart": "bytesadd",
	"reassociate": "gray", "powers of two": "bytesadd", "perm": "gray", "bits": "bytesadd", "strided sums": "gray", "strided products": "gray",
	"strided extensions": "gray", "strided bits": "compact", "ranges": "gray", "masks": "knapsack", "NaN payloads": "maxpool", "any": "bytesadd", "all": "gray",
	"masked": "knapsack", "contiguous": "base64", "gathers": "knapsack", "wide": "aossoa", "shuffles": "gray", "groups": "bytesadd",
}

// TestWithout leaves each technique out, in a kernel whose C is another one without it: there has to be one. With -full in all such.
func TestWithout(t *testing.T) {
	needCompiler(t)
	list := slices.DeleteFunc(kernels.All(), func(k kernels.Kernel) bool { return !k.Tuned() || !slices.Contains(taken, k.Name) })
	plain := map[string]string{}
	for _, name := range jit.TechniquesC() {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			var fires []string
			slices.SortStableFunc(list, func(a, b kernels.Kernel) int { return cmp.Compare(order(a, name), order(b, name)) })
			for _, k := range list {
				if plain[k.Name] == "" {
					plain[k.Name] = printed(t, k, nil)
				}
				if off := printed(t, k, map[string]bool{name: true}); off == plain[k.Name] {
					continue
				}
				if fires = append(fires, k.Name); len(fires) == 1 || *full {
					text, r := source(t, k), k.Make(k.Small)
					c := &jit.PipelineC{Without: map[string]bool{name: true}}
					same(t, k.Name, &run(t, text, r, 1, nil)[0], run(t, text, r, 3, throughC.with(c, map[string]error{})))
				}
				if !*full && !*where {
					break
				}
			}
			if len(fires) == 0 {
				t.Errorf("without %q nothing is another one", name)
			}
			t.Log("it does something in", strings.Join(fires, ", "))
		})
	}
}

var where = flag.Bool("where", false, "say of all kernels whether a technique does something there")

// order is 0 for the kernel that shows a technique.
func order(k kernels.Kernel, name string) int {
	if shows[name] == k.Name {
		return 0
	}
	return 1
}

// printed is the C of a kernel, by a device whose C compiler makes nothing of it.
func printed(t *testing.T, k kernels.Kernel, off map[string]bool) (text string) {
	t.Helper()
	path := os.Getenv("PATH")
	defer os.Setenv("PATH", path)
	compilerOf(t, "exit 9")
	p := &jit.PipelineC{Without: off, Text: func(kernel, c string) { text += c }, Note: func(string, error) {}}
	p.Opt.Verify = true
	run(t, source(t, k), k.Make(k.Small), 1, func(d *ptxvm.Device) error { return vm.CompileWith(d, jit.ThroughC(jit.Options{}, p)) })
	return text
}

// same holds runs to what the interpreter does.
func same(t *testing.T, what string, want *outcome, got []outcome) {
	t.Helper()
	for i := range got {
		if diff := got[i].differs(want); diff != "" {
			t.Errorf("%s, run %d: %s", what, i, diff)
		}
	}
}

// TestRandomWithout holds random kernels to the interpreter with each technique left out: -random of them, else one for each technique.
func TestRandomWithout(t *testing.T) {
	needCompiler(t)
	n := *seed
	for _, name := range jit.TechniquesC() {
		for range max(1, *random/6) {
			text, l := randomKernel(n, 37, wraps)
			r := l.run()
			want := run(t, text, r, 1, nil)
			same(t, name+"\n"+text, &want[0], run(t, text, r, 2, throughC.with(&jit.PipelineC{Without: map[string]bool{name: true}}, map[string]error{})))
			n++
		}
	}
}
