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
	"ptxvm.invalid/ptxvm/internal/jit/cc"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// shows are tuned kernels whose C is another one without a technique, and takes a compiler little time: they are tried first.
var shows = map[string]string{
	"tests": "conv3x3", "cta": "bytesadd", "hoist": "bytesadd", "sums": "gray",
	"coherent": "heat2d", "arms": "heat2d", "stores of all lanes": "bitonic", "indices": "bilinear", "runs": "bilinear", "wraps": "conv3x3", "restart": "bytesadd", "loops of all lanes": "calls", "groups of lanes": "sgemm",
	"reassociate": "gray", "powers of two": "bytesadd", "perm": "gray", "bits": "bytesadd", "strided sums": "gray", "strided products": "gray",
	"strided extensions": "gray", "lanes": "fft256", "extended sums": "sgemm", "ranges": "gray", "masks": "knapsack", "NaN payloads": "maxpool", "any": "bytesadd", "all": "gray",
	"masked": "knapsack", "contiguous": "base64", "gathers": "knapsack", "wide": "aossoa", "shuffles": "gray", "groups": "bytesadd",
}

// silent are techniques that change nothing in code of our own of these kernels: it has an order of its own, and computes no mask that
// nothing uses.
var silent = []string{"sums", "masks"}

// TestWithout leaves each technique out, in a kernel whose code is another one without it: there has to be one. With -full in all such,
// else techniques that are not C's own in our own code alone.
func TestWithout(t *testing.T) {
	backEnds(t, func(t *testing.T, b backEnd) {
		list := slices.DeleteFunc(kernels.All(), func(k kernels.Kernel) bool {
			return !k.Tuned() || !slices.Contains(taken, k.Name) && !(slices.Contains(waits, k.Name) && (b.own || k.Name == "sgemm"))
		})
		plain := map[string]string{}
		for _, name := range b.techniques() {
			t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) { b.without(t, name, list, plain) })
		}
	})
}

// techniques are those that are left out.
func (b backEnd) techniques() []string {
	if !b.own && !*full {
		return cc.Techniques
	}
	return slices.DeleteFunc(jit.TechniquesC(), func(name string) bool { return b.own && slices.Contains(cc.Techniques, name) })
}

// without leaves a technique out of kernels; plain has what the back end makes of them with all.
func (b backEnd) without(t *testing.T, name string, list []kernels.Kernel, plain map[string]string) {
	var fires []string
	slices.SortStableFunc(list, func(a, b kernels.Kernel) int { return cmp.Compare(order(a, name), order(b, name)) })
	for _, k := range list {
		if plain[k.Name] == "" {
			plain[k.Name] = b.made(t, k, nil)
		}
		if off := b.made(t, k, map[string]bool{name: true}); off == plain[k.Name] {
			continue
		}
		if fires = append(fires, k.Name); len(fires) == 1 || *full {
			text, r := source(t, k), k.Make(k.Small)
			c := &jit.PipelineC{Without: map[string]bool{name: true}}
			same(t, k.Name, &run(t, text, r, 1, nil)[0], run(t, text, r, 3, b.with(c, map[string]error{})))
		}
		if !*full && !*where {
			break
		}
	}
	if len(fires) == 0 && !(b.own && slices.Contains(silent, name)) {
		t.Errorf("without %q nothing is another one", name)
	}
	t.Log("it does something in", strings.Join(fires, ", "))
}

var where = flag.Bool("where", false, "say of all kernels whether a technique does something there")

// order is 0 for the kernel that shows a technique.
func order(k kernels.Kernel, name string) int {
	if shows[name] == k.Name {
		return 0
	}
	return 1
}

// made is what a back end makes of a kernel: code of our own, or C, by a device whose C compiler makes nothing of it.
func (b backEnd) made(t *testing.T, k kernels.Kernel, off map[string]bool) (text string) {
	t.Helper()
	path := os.Getenv("PATH")
	defer os.Setenv("PATH", path)
	if !b.own {
		compilerOf(t, "exit 9")
	}
	p := &jit.PipelineC{Own: b.own, Without: off, Text: func(kernel, c string) { text += c }, Note: func(string, error) {}}
	p.Bytes = func(kernel string, code []byte) { text += string(code) }
	p.Opt.Verify = true
	options := jit.ThroughC(jit.Options{Vectors: b.vectors}, p)
	run(t, source(t, k), k.Make(k.Small), 1, func(d *ptxvm.Device) error { return vm.CompileWith(d, options) })
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

// TestRandomWithout holds random kernels to the interpreter with each technique left out, -random of them for each, else two by code of
// our own and one by C; kernels with barriers are every second one of our own.
func TestRandomWithout(t *testing.T) {
	backEnds(t, func(t *testing.T, b backEnd) {
		each, n := *random, *seed
		if each == 6 {
			each = 1
			if b.own {
				each = 2
			}
		}
		for _, name := range b.techniques() {
			for i := range each {
				write, stream := wraps, uint64(37)
				if b.own && i%2 == 1 {
					write, stream = exchanges, 39
				}
				text, l := randomKernel(n, stream, write)
				b.compareRandom(t, text, l, &run(t, text, l.run(), 1, nil)[0], &jit.PipelineC{Without: map[string]bool{name: true}})
				n++
			}
		}
	})
}
