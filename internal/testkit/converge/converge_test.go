package converge

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/report"
)

var (
	count    = flag.Int("converge.kernels", 300, "kernels to run")
	seed     = flag.Uint64("seed", 1, "seed of the first kernel")
	duration = flag.Duration("duration", 0, "run kernels for so long instead")
	keep     = flag.String("converge.keep", "", "a folder for the least kernels that fail, as conv-SEED.ptx")
	engines  = flag.String("converge.engines", "interp,jit,auto", "engines to run them in")
)

// TestConverge: in every engine, width and number of workers a kernel writes what the oracle says, launch after launch.
func TestConverge(t *testing.T) {
	list := asked(t)
	var drawn, nodes, failed atomic.Int64
	start := time.Now()
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for {
				n := drawn.Add(1) - 1
				if *duration == 0 && n >= int64(*count) || *duration != 0 && time.Since(start) >= *duration {
					drawn.Add(-1)
					return
				}
				s := *seed + uint64(n)
				k := New(s)
				nodes.Add(int64(k.Size()))
				if err := k.Compare(Ways(list, s)); err != nil {
					failed.Add(1)
					explain(t, k, s, err)
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d kernels of %d nodes, %d of which fail", drawn.Load(), nodes.Load(), failed.Load())
}

// asked are the engines that the flag names.
func asked(t *testing.T) (list []ptxvm.Engine) {
	t.Helper()
	for _, name := range strings.Split(*engines, ",") {
		e, err := ptxvm.ParseEngine(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	if slices.Contains(list, ptxvm.CC) {
		t.Setenv("XDG_CACHE_HOME", t.TempDir()) // of what the C compiler makes nothing stays
	}
	return list
}

// explain says what differs, and shows the least kernel that does.
func explain(t *testing.T, k *Kernel, s uint64, err error) {
	var d *Difference
	if errors.As(err, &d) {
		k.Shrink(func() bool { return errors.As(k.Compare([]Way{d.Way}), &d) })
	}
	text := fmt.Sprintf("// seed %d: %v\n%s", s, err, k)
	if d != nil {
		text = fmt.Sprintf("// seed %d: %v\n%s", s, d, k)
	}
	t.Errorf("seed %d: %v\nleast kernel:\n%s\nrepeat: go test ./internal/testkit/converge -run %s -converge.kernels 1 "+
		"-converge.engines %s -seed %d", s, err, text, t.Name(), *engines, s)
	if *keep == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(*keep, fmt.Sprintf("conv-%d.ptx", s)), []byte(text), 0o644); err != nil {
		t.Error(err)
	}
}

// TestFound: kernels that compiled code got wrong once, of each sort one, write what they write interpreted.
func TestFound(t *testing.T) {
	ways := Ways(asked(t), 2)
	eachFound(t, func(name, text string, k *Kernel) {
		if err := k.found(text, ways); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
}

// eachFound visits the kernels of testdata, of which there are only the texts.
func eachFound(t *testing.T, visit func(name, text string, k *Kernel)) {
	t.Helper()
	files, err := filepath.Glob("testdata/*.ptx")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		k, rows := &Kernel{}, 0
		if _, err := fmt.Sscanf(string(text), shapeLine, &k.Columns, &rows, &k.Grid, &k.Slots); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		k.Threads = k.Columns * rows
		visit(name, string(text), k)
	}
}

// found holds a kernel of which there is only the text to the interpreter.
func (k *Kernel) found(text string, ways []Way) error {
	m, err := ptxvm.Compile("kernel.ptx", []byte(text), nil)
	if err != nil {
		return err
	}
	d, err := k.load(m, Way{Engine: ptxvm.Interp, Workers: 1})
	if err != nil {
		return err
	}
	defer d.Close()
	want, err := d.launch(k)
	if err != nil {
		return err
	}
	for _, w := range ways {
		if err := k.compare(m, w, want); err != nil {
			return err
		}
	}
	return nil
}

// TestLegal: sanitizers have nothing to say about kernels, which are right by construction, except what early exits
// bring: shuffles take values of lanes that have ended, which are not used, and barriers do without those. What ended
// threads have written is not ordered in their sense, so races are looked for without exits.
func TestLegal(t *testing.T) {
	n := min(*count, 30)
	for s := *seed; s < *seed+uint64(n); s++ {
		k := New(s)
		sanitized(t, k, s, ptxvm.SanitizeAll&^ptxvm.SanitizeRace)
		k.each(func(n *Node) { n.dropped = n.Kind == Exit })
		sanitized(t, k, s, ptxvm.SanitizeAll)
	}
}

// sanitized wants no report about a kernel.
func sanitized(t *testing.T, k *Kernel, s uint64, checks ptxvm.Sanitize) {
	t.Helper()
	m, err := ptxvm.Compile("kernel.ptx", []byte(k.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := k.load(m, Way{Engine: ptxvm.Interp, Workers: 1, Sanitize: checks})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	_, err = d.launch(k)
	var found *report.SanitizerError
	if err != nil && !errors.As(err, &found) {
		t.Errorf("seed %d: %v\n%s", s, err, k)
	}
	for _, r := range reports(found) {
		if !strings.Contains(r.Msg, "takes the value of lane") && !strings.Contains(r.Msg, "ended without this barrier") {
			t.Errorf("seed %d: %v\n%s", s, r, k)
		}
	}
}

// reports are those of an error that may be nil.
func reports(e *report.SanitizerError) []*report.Report {
	if e == nil {
		return nil
	}
	return e.Reports
}

// TestDrawn: what kernels hold, so that it is noticed if fewer kinds are drawn.
func TestDrawn(t *testing.T) {
	var all strings.Builder
	var met [3][64]int // plainly, in groups, under a guard
	for s := range uint64(300) {
		k := New(s)
		all.WriteString(k.String())
		k.each(func(n *Node) {
			if n.Kind == Meet {
				met[0][n.Mode]++
				met[1][n.Mode] += int(bit(n.Group))
				met[2][n.Mode] += int(bit(n.Only))
			}
		})
	}
	for i, op := range meetings {
		if met[0][i] < 20 || met[1][i] == 0 && !op.alone || met[2][i] == 0 && op.plain {
			t.Errorf("%s is drawn %d times in 300 kernels, %d in groups, %d under a guard",
				op.name, met[0][i], met[1][i], met[2][i])
		}
	}
	text := all.String()
	for _, word := range drawn {
		if n := strings.Count(text, word); n < 10 {
			t.Errorf("%q is %d times in 300 kernels", word, n)
		}
	}
}

var drawn = []string{
	"vote.sync.all", "vote.sync.any", "vote.sync.uni", "vote.sync.ballot",
	"match.any.sync.b32", "match.any.sync.b64", "match.all.sync.b32", "match.all.sync.b64",
	"shfl.sync.up", "shfl.sync.down", "shfl.sync.bfly", "shfl.sync.idx", "redux.sync.add", "redux.sync.min.s32",
	"redux.sync.and", "elect.sync", "activemask", "bar.warp.sync", "mbarrier.init", "mbarrier.arrive",
	"mbarrier.test_wait.parity", "mbarrier.try_wait.shared", "mbarrier.inval", "atom.shared.exch", "red.shared",
	"red.global", "bar.sync", "bar.red.popc", "bar.red.and", "brx.idx", "call (r0), f1", "%ctaid.x", "%nctaid.x",
	"%lanemask_lt", "%laneid", "%tid.y", ".reqntid", ".callprototype", "call (r0), %d", "bra S",
	"exit;", "bra FIN", "bra BACK", "bra X", "bra.uni", "\tret;", ", -1;", ", 0xff", ", %mask;", "@%p3 bra L", "@%p0 exit",
	"not.b32 %m",
}

// TestShrink plants a defect, another lane that is elected, and wants the kernel without what is not part of it.
func TestShrink(t *testing.T) {
	found := 0
	for s := uint64(1); found < 3; s++ {
		k := New(s)
		fails := func() bool { return planted(t, k) }
		before := k.Size()
		if before < 20 || !fails() {
			continue
		}
		found++
		if k.Shrink(fails); k.Size() > 3 || !fails() || !strings.Contains(k.String(), "elect.sync") {
			t.Errorf("seed %d: %d of %d nodes are left:\n%s", s, k.Size(), before, k)
		}
	}
}

// planted reports whether a kernel writes something else if another lane is elected.
func planted(t *testing.T, k *Kernel) bool {
	t.Helper()
	m, err := ptxvm.Compile("kernel.ptx", []byte(strings.ReplaceAll(k.String(), ", 100, 0,", ", 99, 0,")), nil)
	if err != nil {
		t.Fatal(err)
	}
	return k.compare(m, Way{Engine: ptxvm.Interp, Workers: 1}, k.Evaluate()) != nil
}

// What compiled code holds where it is left and entered is looked at meanwhile.
func init() { machine.Checked = true }
