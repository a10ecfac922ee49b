package vec

// Blocks with one statement changed, for tests of what the vectors can tell apart.

import (
	"fmt"
	"path/filepath"
)

// Load reads all vector files of a directory and matches their blocks.
func Load(dir string) (all []*Wrapped, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no vector files in %s", dir)
	}
	for _, f := range files {
		blocks, err := Parse(f)
		if err != nil {
			return nil, err
		}
		for _, b := range blocks {
			w, err := Wrap(b)
			if err != nil {
				return nil, err
			}
			all = append(all, w)
		}
	}
	return all, err
}

// Differs runs a block with another statement in place of its i-th and tells whether any case
// has other results, or faults. It fails if the statement is not legal there or not executed.
func (r *Runner) Differs(w *Wrapped, i int, s *Statement) (bool, error) {
	if _, err := w.Match(s); err != nil {
		return false, err
	}
	changed := *w
	changed.Stmts = append([]*Statement(nil), w.Stmts...)
	changed.Stmts[i] = s
	x, err := r.start(&changed, masked)
	if err != nil {
		return false, err
	}
	defer x.p.Unload()
	if b := x.refused(); b == nil {
		return false, fmt.Errorf("%s: not executed", s.Text)
	}
	x.lanes(masked, 0xffffffff)
	for k := range w.Cases {
		if c := &w.Cases[k]; c.Warp && len(x.errs) == 0 {
			x.check(masked, c.Mask, func(int) *Case { return c })
		}
	}
	return len(x.errs) > 0, nil
}
