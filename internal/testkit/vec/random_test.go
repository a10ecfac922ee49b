//go:build !interp

package vec

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/rig"
	"ptxvm.invalid/ptxvm/internal/vm"
)

var (
	randomForms  = flag.String("random.forms", `^(cvt|set|setp|add|sub|mul|mad|fma|div|sqrt|rcp)\.`, "TestRandomOperands: forms that match")
	randomOf     = flag.Int("random.of", 16, "TestRandomOperands: one of so many forms")
	randomRounds = flag.Int("random.rounds", 3, "TestRandomOperands: launches of 32 lanes for each form")
	randomSeed   = flag.Uint64("random.seed", 1, "TestRandomOperands: the seed")
)

// TestRandomOperands executes forms on operands near those of their vectors, and on any, in the interpreter and in compiled code of
// both widths, for all lanes and for some; by the new pipeline with -pipeline (rig). What is listed as vector code is executed by no handler.
func TestRandomOperands(t *testing.T) {
	if _, _, err := jit.Here(); err != nil {
		t.Skip(err)
	}
	matches, r := regexp.MustCompile(*randomForms), rand.New(rand.NewPCG(*randomSeed, 2))
	list, err := Load("../../sem/testdata/vec")
	if err != nil {
		t.Fatal(err)
	}
	trials := map[jit.Vectors]*Runner{}
	for _, v := range widths {
		trials[v] = NewRunner()
		trials[v].Engine = ptxvm.JIT
		trials[v].Prepare = func(d *ptxvm.Device) error {
			o, err := vm.Pipeline(jit.Options{Vectors: v})
			if err != nil {
				return err
			}
			return vm.CompileWith(d, o)
		}
		if _, err := trials[v].device("sm_90a"); err != nil {
			t.Logf("%v: %v", v, err)
			delete(trials, v)
		}
	}
	by, seen, classes := NewRunner(), 0, compilers[0].complete.read(t)
	defer by.Close()
	for k, w := range list {
		if !matches.MatchString(w.Text) || !w.alone() || (uint64(k)+*randomSeed)%uint64(*randomOf) != 0 {
			continue
		}
		seen++
		x := w.random(t, by)
		for v, runner := range trials {
			y := w.random(t, runner)
			for range *randomRounds {
				compareRandom(t, r, v, x, y)
			}
			for _, h := range y.stats.Helpers {
				if classes[w.Stmts[0].Sel.Text()] == "" && *rig.NewPipeline == "" {
					t.Errorf("%s, %v: a handler executes %s", w.Text, v, h.Op)
				}
			}
			y.p.Unload()
		}
		x.p.Unload()
	}
	for _, r := range slices.Collect(maps.Values(trials)) {
		r.Close()
	}
	if t.Logf("%d forms", seen); seen < 10 && *randomOf == 16 {
		t.Errorf("only %d forms", seen)
	}
}

// alone reports whether a block is one statement on registers.
func (w *Wrapped) alone() bool {
	return w.Todo == "" && len(w.Stmts) == 1 && len(used(w.Stmts)) == 0 && len(w.Textures()) == 0 && w.Stmts[0].Guard == "" &&
		len(w.in) != 0 && len(w.out) != 0 && !slices.ContainsFunc(w.Cases, func(c Case) bool { return c.Warp })
}

func (w *Wrapped) random(t *testing.T, r *Runner) *execution {
	x, err := r.start(w, masked)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// compareRandom executes both on operands that it draws.
func compareRandom(t *testing.T, r *rand.Rand, v jit.Vectors, x, y *execution) {
	cases := make([]*Case, 32)
	for i := range cases {
		cases[i] = x.draw(r)
	}
	mask := []uint32{0xffffffff, r.Uint32(), 1 << r.IntN(32)}[r.IntN(3)]
	of := func(lane int) *Case { return cases[lane] }
	want, wantErr := x.launch(masked, mask, of)
	got, err := y.launch(masked, mask, of)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Errorf("%s, %v: %v; the interpreter: %v", x.Text, v, err, wantErr)
		return
	}
	for i := range want {
		if d := x.out[i%len(x.out)]; !same(got[i], want[i], d.bits()) {
			c := cases[i/len(x.out)]
			t.Errorf("%s, %v, mask %#x: %s of lane %d is %s, by the interpreter %s, of %s", x.Text, v, mask, d.name, i/len(x.out), hex(got[i], d.bits()), hex(want[i], d.bits()), c.operands())
			return
		}
	}
}

// operands are those of a case in words.
func (c *Case) operands() string {
	var list []string
	for _, v := range c.In {
		list = append(list, fmt.Sprintf("%#x", v[0].Lo))
	}
	return strings.Join(list, " ")
}

// draw makes operands of a lane: those of a case, changed a little, others, or small numbers.
func (w *Wrapped) draw(r *rand.Rand) *Case {
	c := &Case{}
	for i, in := range w.in {
		known := w.Cases[r.IntN(len(w.Cases))].In[i]
		lo, hi := known[r.IntN(len(known))].Bits(in.bits())
		switch r.IntN(6) {
		case 0:
		case 1:
			lo += uint64(r.IntN(5)) - 2
		case 2:
			lo ^= 1 << r.IntN(in.bits()&63+1)
		case 3:
			lo = r.Uint64() >> r.IntN(64)
		case 4:
			lo ^= r.Uint64() >> (64 - min(in.bits(), 64)/2)
		default:
			lo, hi = r.Uint64(), r.Uint64()
		}
		c.In = append(c.In, Values{{Lo: lo, Hi: hi}})
	}
	return c
}
