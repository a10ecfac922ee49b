// Package opt has the passes of the compiler's new pipeline, one file each, which says what the pass does, and when it does not apply. A
// pass changes a ssa.Func by what analysis knows of it. Passes lists them in order; the last gives each pure operation a block, so that a back
// end can go through the function from its beginning to its end. testdata has pairs of texts, in front of a pass and behind it.
package opt

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/jit/analysis"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// Pass changes a function, or leaves it.
type Pass struct {
	Name string
	Run  func(*ssa.Func, *analysis.Cache, *Knobs) (changed bool) // whether blocks or edges are others
}

// Passes are all passes in order.
var Passes = []Pass{
	{"tests", tests}, // of addresses in loops, once for each base and block
	{"cta", forCTA},  // tests in front, once for all warps
	{"counts", counts},
	{"regions", regions}, // operations of each region between barriers are its own
	{"nan", nan},         // canonical where bits are seen
	{Placing, place},
}

// Placing is the pass that is never left out: what has no place cannot be printed.
const Placing = "place"

// Techniques are parts of passes that can be left out, by name.
var Techniques = []string{
	"hoist", // operations leave loops
	"sums",  // what alone uses lanes stands behind what makes them
}

// Knobs are what passes ask.
type Knobs struct {
	Off map[string]bool // techniques that are left out
}

// Options say how passes run.
type Options struct {
	Verify  bool                           // behind each pass
	Without map[string]bool                // passes and techniques that are left out; place is none of them
	Behind  func(pass string, text string) // called behind each pass, if not nil
}

// Run runs all passes.
func Run(f *ssa.Func, o Options) error {
	c, k := analysis.NewCache(f), &Knobs{Off: o.Without}
	for _, p := range Passes {
		if o.Without[p.Name] && p.Name != Placing {
			continue
		}
		if p.Run(f, c, k) {
			c.Clear()
		}
		if o.Verify {
			if err := ssa.Verify(f); err != nil {
				return fmt.Errorf("behind %s: %w", p.Name, err)
			}
		}
		if o.Behind != nil {
			o.Behind(p.Name, f.String())
		}
	}
	return nil
}
