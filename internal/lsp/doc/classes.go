package doc

// This file says of registers whether the lanes of a warp have one value in them, by the classes that the machine goes by when it
// keeps such values once.

import (
	"context"
	"strings"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/lower"
)

// classes are those of one function's registers.
type classes struct {
	regs   map[string]ir.Reg
	any    *ir.Solution // for blocks of every shape
	likely *ir.Solution // for the shape that .reqntid says, else for blocks of one dimension
	given  bool         // .reqntid says it
}

// The shapes that classes are solved for: in the first, each index of the thread differs between lanes in no order.
var (
	anyShape  = ir.LaunchShape{BlockX: 3, BlockY: 3, BlockZ: 3, Clusters: true}
	lineShape = ir.LaunchShape{BlockX: 256, BlockY: 1, BlockZ: 1}
)

// classes are those of the function at a place; nil if there is none, or if something is wrong with the text.
func (s *Snapshot) classes(ctx context.Context, at Pos) (*classes, error) {
	v, err := s.verdict(ctx)
	if err != nil || v.diags.HasErrors() || v.loose {
		return nil, err
	}
	i := v.around(at)
	if i < 0 {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, known := s.solved[i]; known {
		return c, nil
	}
	w := s.parts[i]
	if w == nil {
		w = s.alone(v, i)
	}
	c := w.classes(w.Part(v.funcs[i].head))
	if s.solved == nil {
		s.solved = map[int]*classes{}
	}
	s.solved[i] = c
	return c, nil
}

// classes are those of the function whose statement begins at a place of the view; nil if it cannot be executed.
func (w *View) classes(head Pos) *classes {
	m, err := lower.Module(w.Info, lower.Options{})
	if err != nil {
		return nil
	}
	for _, f := range w.Info.Funcs {
		if w.File.Span(f.Node.Range).Start != head {
			continue
		}
		for _, g := range m.Funcs {
			if g.Name == f.Object.Name && g.Defined {
				return solve(g)
			}
		}
	}
	return nil
}

func solve(f *ir.Func) *classes {
	c := &classes{regs: make(map[string]ir.Reg, len(f.Regs)), any: f.Solve(anyShape, nil)}
	for r := range f.Regs {
		c.regs[f.Regs[r].Name] = ir.Reg(r)
	}
	shape := lineShape
	if n := f.Perf.ReqNTid; n[0] > 0 {
		shape, c.given = ir.LaunchShape{BlockX: n[0], BlockY: max(n[1], 1), BlockZ: max(n[2], 1), Clusters: true}, true
	}
	c.likely = f.Solve(shape, nil)
	return c
}

// of says in a word and in a sentence how the lanes' values of a register differ; "" if that is not known, as of a name that an
// inner block declares again.
func (c *classes) of(name string) (short, text string) {
	r, ok := c.regs[name]
	if _, twice := c.regs[name+"~2"]; !ok || twice {
		return "", ""
	}
	where := "in blocks of one dimension"
	if c.given {
		where = "in blocks as `.reqntid` has them"
	}
	switch kind := c.likely.Regs[r].Kind; {
	case c.any.Regs[r].Kind == ir.Uniform:
		return "uniform", "Uniform: while the lanes of a warp are together, they have one value."
	case kind == ir.Uniform:
		return "uniform", "Uniform " + where + ": while the lanes of a warp are together, they have one value."
	case kind == ir.Affine:
		return "by lane", "By lane: " + where + " it grows by the same from lane to lane."
	case kind == ir.Periodic:
		return "by lane", "By lane: " + where + " rows of lanes repeat, and within one it grows by the same."
	}
	return "by lane", "By lane: it may differ from lane to lane in any way."
}

// uniformity is the sentence about the register that a name at a place is.
func (s *Snapshot) uniformity(ctx context.Context, at Pos, name string) string {
	c, err := s.classes(ctx, at)
	if err != nil || c == nil {
		return ""
	}
	_, text := c.of(strings.TrimSpace(name))
	return text
}
