package findings

// This file tells reports apart: which are about the same, and by what name tools know one again.

import (
	"slices"
	"sync"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/san/found"
	"ptxvm.invalid/ptxvm/report"
)

// identity is a hash of kind, object, kernel and the two lines, each named by its first instruction: the same for every pair of
// instructions that report.Fold joins, for both directions of a race, and wherever lines have moved.
func (s *Scene) identity(f *found.Counted, w *found.Words, r *report.Report) string {
	kind, either := f.Kind.EitherWay()
	places := []string{
		s.Kernel + " " + Named(s.Module, firstOfLine(s.Module, &f.Then)),
		s.KernelBefore + " " + Named(s.Before, firstOfLine(s.Before, &f.Op)),
	}
	if either {
		slices.Sort(places)
	}
	object := r.Object
	if f.Extent.Space == machine.Registers {
		object = "" // of one line, whichever it is
	}
	return report.ID(append(places, w.Code.String(), found.WordsOf(kind).Name, object)...)
}

// firstOfLine is the first instruction of a function that has the same head in the source as one of it; that one itself where the
// source is not known.
func firstOfLine(m *ir.Module, at *machine.Place) *machine.Place {
	if at.Func == nil {
		return at
	}
	_, source, _ := Locate(m, at.Func, at.PC)
	head, ok := report.Head(source)
	if !ok {
		return at
	}
	for pc := range at.PC {
		_, source, _ = Locate(m, at.Func, pc)
		if first, ok := report.Head(source); ok && first.File == head.File && first.Line == head.Line {
			return &machine.Place{Site: machine.Site{Func: at.Func, PC: pc}}
		}
	}
	return at
}

// Objects names what the accesses of a launch touch, quickly, since it is asked at every report: allocations and the variables in
// static shared memory.
type Objects struct {
	Scene
	once   sync.Once
	shared []*ir.Var
}

// Of tells objects apart: it is the same of two reports if they are about one object, as far as names go. It is empty of what has
// no name, as registers have none in the source.
func (o *Objects) Of(r *found.Report) string {
	x := &r.Extent
	switch {
	case r.Object != "":
		return r.Object
	case x.From == x.To:
	case x.Space == machine.Global:
		if a, ok := o.Memory.Find(x.From); ok {
			return o.allocationName(&a)
		}
	case x.Space == machine.Shared && o.Func != nil:
		o.once.Do(func() { o.shared = sharedVariables(o.Func) })
		if v := holding(o.shared, x.From-uint64(o.Launch.Target.ReservedShared)); v != nil {
			return v.Name
		}
	}
	return ""
}
