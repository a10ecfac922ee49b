package kernels

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var (
	seed      = flag.Uint64("seed", 1, "seed of the first kernel")
	count     = flag.Int("kernels", 6, "kernels to run")
	longCount = flag.Int("long", 3, "long kernels to run")
	duration  = flag.Duration("duration", 0, "run kernels for so long instead")
)

// TestKernels: compiled in every way, a kernel writes what it writes interpreted, with as many steps and lane-ops.
func TestKernels(t *testing.T) { testKernels(t, New, *count) }

// TestLong: the same of long kernels.
func TestLong(t *testing.T) { testKernels(t, NewLong, *longCount) }

func testKernels(t *testing.T, draw func(seed uint64) *Kernel, count int) {
	if len(Ways(0)) == 0 {
		t.Skip("no compiled code here")
	}
	start, nodes, n := time.Now(), 0, 0
	for ; *duration == 0 && n < count || time.Since(start) < *duration; n++ {
		s := *seed + uint64(n)
		k := draw(s)
		nodes += k.Size()
		err := Compare(k, s, Ways(s), nil)
		if err == nil {
			continue
		}
		t.Errorf("seed %d: %v", s, err)
		shrink(t, k, err, nil)
		t.Logf("least kernel:\n%s\nrepeat: go test ./internal/testkit/kernels -run %s -kernels 1 -long 1 -seed %d", k, t.Name(), s)
	}
	t.Logf("%d kernels of %d nodes", n, nodes)
}

// shrink makes a kernel as small as it can be that still fails alike: it differs in the same way, or cannot be run.
func shrink(t *testing.T, k *Kernel, err error, changed func(string) string) {
	t.Helper()
	var d *Difference
	if !errors.As(err, &d) {
		d = &Difference{blocks[0], Ways(0)[0], err.Error()}
		k.Shrink(func() bool {
			again := CompareIn(k, d.Block, []Way{d.Way}, changed)
			return again != nil && again.Error() == err.Error()
		})
		return
	}
	k.Shrink(func() bool { return errors.As(CompareIn(k, d.Block, []Way{d.Way}, changed), &d) })
	t.Logf("shrunk: %v", d)
}

// TestFound runs kernels that were different once, testdata/NAME.SEED.ptx, in the ways of the seed.
func TestFound(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	found := Kernel{own: longOwn}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		seed, err := strconv.ParseUint(strings.Split(name, ".")[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range [][3]uint32{{256, 1, 1}, {33, 1, 1}, {8, 8, 4}} {
			if err := found.compare(string(text), string(text), b, Ways(seed)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestShrink plants a defect, an instruction that is compiled as another one, and wants the kernel without what
// has nothing to do with it.
func TestShrink(t *testing.T) {
	ways := Ways(0)
	if len(ways) == 0 {
		t.Skip("no compiled code here")
	}
	for s := uint64(1); ; s++ {
		k := New(s)
		if k.Size() < 30 || !strings.Contains(k.String(), "bar.sync") {
			continue
		}
		planted := func(text string) string { return strings.ReplaceAll(text, "xor.b32 %v", "or.b32 %v") }
		err := Compare(k, s, ways[:1], planted)
		var d *Difference
		if !errors.As(err, &d) {
			continue
		}
		before := k.Size()
		shrink(t, k, err, planted)
		if n := k.Size(); n > 3 || !strings.Contains(k.String(), "xor.b32 %v") {
			t.Errorf("seed %d: %d of %d nodes are left:\n%s", s, n, before, k)
		}
		return
	}
}

// TestKernelText: what a kernel holds that is drawn, so that a generator that draws less is noticed.
func TestKernelText(t *testing.T) {
	seen := map[string]bool{}
	for s := range uint64(200) {
		text := New(s).String()
		for _, word := range words {
			seen[word] = seen[word] || strings.Contains(strings.TrimPrefix(text, head), word)
		}
	}
	for _, word := range words {
		if !seen[word] {
			t.Error(fmt.Errorf("no kernel has %q", word))
		}
	}
}

var words = []string{"bar.sync", "ld.shared.v4", "st.shared", "red.shared", "atom.global", "red.global", "ld.local", "st.local", "ld.global.nc", "v4.u8", "shfl.sync", "vote.sync",
	"redux.sync", "exit;", "LOOP", "brx.idx", "ELSE", "mad.wide", "div.u32", "selp", "@!%p", "add.s64 %a"}
