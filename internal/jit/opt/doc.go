// Package opt has the passes of the compiler, one file each. A pass is a function of a ssa.Func and what analysis knows of it.
package opt

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/jit/analysis"
	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// Pass changes a function, or leaves it.
type Pass struct {
	Name string
	Run  func(*ssa.Func, *analysis.Cache) (changed bool)
}

// Passes are all passes in order.
var Passes = []Pass{
	{"place", place},
}

// Options say how passes run.
type Options struct {
	Verify  bool                           // behind each pass
	Without map[string]bool                // passes that are left out; place is none of them
	Behind  func(pass string, text string) // called behind each pass, if not nil
}

// Run runs all passes.
func Run(f *ssa.Func, o Options) error {
	c := analysis.NewCache(f)
	for _, p := range Passes {
		if o.Without[p.Name] {
			continue
		}
		if p.Run(f, c) {
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
