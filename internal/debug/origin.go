package debug

// This file says where a value comes from: the launch runs again up to where it stands, with a record of what it executes.

import (
	"context"
	"errors"
	"fmt"
	"io"

	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/value"
	"ptxvm.invalid/ptxvm/internal/vm"
	"ptxvm.invalid/ptxvm/internal/why"
)

// Explained is where a value comes from.
type Explained struct {
	Value Value
	Root  *vm.Origin              // nil: nothing has written it since the launch began
	Name  func(*vm.Origin) string // of the memory that an origin is about: "in[3]"
}

// Bounds of an explanation: values behind each other and in all, and CTAs whose values are followed.
const (
	whyDepth  = 24
	whyValues = 4096
	whyCTAs   = 16
)

// Why says where the value of a register or of memory comes from, at the moment at which the launch stands.
func (s *Session) Why(e *Expr) (*Explained, error) {
	scope, err := s.Scope()
	if err != nil {
		return nil, err
	}
	v, err := scope.Eval(e)
	switch {
	case err != nil:
		return nil, err
	case e.warp:
		return nil, errors.New("why is for one lane: name it, as in %r1@5.")
	case v.Home == nil:
		return nil, fmt.Errorf("%s is neither a register nor memory.", e.Text)
	case v.Count > 0:
		return nil, fmt.Errorf("%s is an array: name an element, as in %s[3].", e.Text, e.Text)
	case len(s.edits) > 0:
		return nil, errors.New("Where a value comes from that set has changed, the launch does not tell: restart forgets what set has changed.")
	}
	find, first, err := s.finder(scope, &v)
	if err != nil {
		return nil, err
	}
	out := &Explained{Value: v, Name: s.nameOrigin(scope)}
	for ctas := first; ; {
		out.Root, err = s.explained(ctas, find)
		more := out.Root.CTAsBeyond()
		if err != nil || len(more) == 0 || len(ctas) >= whyCTAs {
			return out, err
		}
		ctas = append(ctas, more...)
		ctas = ctas[:min(len(ctas), whyCTAs)]
	}
}

// finder asks a record for a value, and lists the CTAs that are to be kept whole at first.
func (s *Session) finder(scope *Scope, v *Value) (find func(*why.Record) *why.Node, ctas []vm.Index3, err error) {
	limits := why.Limits{Depth: whyDepth, Nodes: whyValues}
	var rank uint64
	if scope.Warp != nil {
		id := scope.Warp.CTA().ID()
		ctas, rank = []vm.Index3{{X: id[0], Y: id[1], Z: id[2]}}, scope.Warp.Rank()
	}
	if v.Home.Register != "" {
		in := why.In{CTA: rank, Warp: scope.Warp.Index(), Lane: v.Home.Lane, Depth: scope.Frame.Depth()}
		r := scope.Func.Reg(v.Home.Register)
		row, used := scope.rows.of(scope.Func)(r)
		if r == ir.NoReg || !used {
			return nil, nil, fmt.Errorf("Nothing uses register %s.", v.Home.Register)
		}
		in.Row = row
		return func(r *why.Record) *why.Node { return r.Register(in, limits) }, ctas, nil
	}
	space, addr := split(v.Home.Space, v.Home.Addr)
	b := why.Bytes{Space: machine.Global, From: addr, To: addr + uint64(max(v.Type.Size(), 1))}
	switch space {
	case "shared", "local":
		x := scope.Warp.ExtentAt(map[string]machine.Space{"shared": machine.Shared, "local": machine.Local}[space], addr, b.To-b.From)
		b.Space, b.From, b.To = x.Space, x.From, x.To
		b.Home = why.Home(scope.Warp, &x, v.Home.Lane)
	case "param", "const":
		return nil, nil, fmt.Errorf("%s memory is as the launch found it.", space)
	}
	return func(r *why.Record) *why.Node { return r.Memory(b, limits) }, ctas, nil
}

// explained runs the launch again, with some CTAs kept whole, to where it stands.
func (s *Session) explained(ctas []vm.Index3, find func(*why.Record) *why.Node) (*vm.Origin, error) {
	until := s.Moment()
	if until == 0 {
		return nil, nil
	}
	r := new(run)
	r.steps.Until = until
	r.steps.At = func(p *machine.Pause) error {
		switch {
		case p.Moment >= until:
			return errLeft
		case p.Interrupted && (s.Front.Interrupted == nil || s.Front.Interrupted()):
			return errInterrupted
		}
		return nil
	}
	record := &vm.Record{CTAs: ctas}
	w := vm.StepBy(&r.steps)
	w.Record = record
	l, err := s.target.Open(w, s.Seed, io.Discard)
	if err != nil {
		return nil, err
	}
	s.current.Store(r)
	err = l.Run(context.Background())
	s.current.Store(s.run)
	var origin *vm.Origin
	if errors.Is(err, errInterrupted) {
		err = errInterrupted
	} else {
		origin, err = vm.ExplainBy(record, find)
	}
	return origin, errors.Join(err, l.Close())
}

// nameOrigin names memory by the parameter that points to it, or by its variable.
func (s *Session) nameOrigin(scope *Scope) func(*vm.Origin) string {
	type object struct {
		name string
		from uint64
		end  uint64
		elem value.Type
	}
	var objects []object
	if scope.Warp != nil {
		for _, p := range s.run.parts.Kernel.Params {
			v, err := (&evaluation{scope, scope.Lane}).loadParameter(p)
			if a, found := s.run.parts.Memory.Find(v.Low); err == nil && v.Count == 0 && v.Type.Bits() == 64 && found && a.Start == v.Low {
				objects = append(objects, object{parameterName(s.run.parts.Kernel, p), a.Start, a.End, scope.pointee(p.Name)})
			}
		}
	}
	for _, v := range s.run.parts.Module.Vars {
		if space, addr, err := scope.place(v); err == nil && space == "global" {
			objects = append(objects, object{shortName(v), addr, addr + uint64(v.Size), elementType(v)})
		}
	}
	return func(o *vm.Origin) string {
		if o.Space == "shared" {
			if name := s.SharedName(uint32(o.From)); name != "" {
				return name
			}
		}
		for i := range objects {
			if x := &objects[i]; o.Space == "global" && x.from <= o.From && o.From < x.end {
				return fmt.Sprintf("%s[%d]", x.name, (o.From-x.from)/uint64(max(x.elem.Size(), 1)))
			}
		}
		return fmt.Sprintf("%d bytes of %s memory at %#x", o.To-o.From, o.Space, o.From)
	}
}
