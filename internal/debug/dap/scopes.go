package dap

// This file shows what a frame has, by scopes.

import (
	"fmt"
	"math/bits"
	"strings"

	godap "github.com/google/go-dap"

	"ptxvm.invalid/ptxvm/internal/debug"
)

// scopeRow is a scope: its name and what is in it.
type scopeRow struct {
	name   string
	hint   string
	costly bool
	always bool // also if nothing is in it
	list   func(s *server, f frame, scope *debug.Scope) ([]godap.Variable, error)
}

// scopeRows are all there are, in the order in which clients show them.
func scopeRows() []scopeRow {
	return []scopeRow{
		{name: "Lane", hint: "registers", always: true, list: (*server).laneRegisters},
		{name: "Warp", hint: "registers", always: true, costly: true, list: (*server).warpRegisters},
		{name: "Parameters", hint: "arguments", list: (*server).parameters},
		{name: "Shared", hint: "locals", list: func(s *server, f frame, scope *debug.Scope) ([]godap.Variable, error) {
			return s.locals(f, scope, true)
		}},
		{name: "Local", hint: "locals", list: func(s *server, f frame, scope *debug.Scope) ([]godap.Variable, error) {
			return s.locals(f, scope, false)
		}},
		{name: "Specials", hint: "registers", always: true, costly: true, list: (*server).specials},
		{name: "Divergence", always: true, list: (*server).divergence},
		{name: "Barriers", list: (*server).barriers},
		{name: "Async", list: (*server).async},
		{name: "Images", costly: true, list: (*server).images},
	}
}

func (s *server) scopes(q *godap.ScopesRequest) (godap.ResponseMessage, error) {
	f, err := s.handles.frame(q.Arguments.FrameId)
	if err != nil {
		return nil, err
	}
	list := []godap.Scope{}
	err = s.in(f, func(scope *debug.Scope) error {
		for _, row := range scopeRows() {
			if !row.always {
				if content, err := row.list(s, f, scope); err != nil || len(content) == 0 {
					continue
				}
			}
			ref := s.handles.addContainer(&container{frame: f, list: row.list})
			list = append(list, godap.Scope{Name: row.name, PresentationHint: row.hint, Expensive: row.costly, VariablesReference: ref})
		}
		return nil
	})
	return &godap.ScopesResponse{Body: godap.ScopesResponseBody{Scopes: list}}, err
}

// laneRegisters are the registers that the function uses, of the lane.
func (s *server) laneRegisters(f frame, scope *debug.Scope) (out []godap.Variable, err error) {
	list, err := scope.Registers(nil, true)
	for i := range list {
		out = append(out, s.variable(f, scope, list[i].Name, list[i].Name, &list[i].Value))
	}
	return out, err
}

// shownLanes is how many values of a row stand on its line.
const shownLanes = 8

// warpRegisters are the registers of all lanes, each with a column a lane.
func (s *server) warpRegisters(f frame, scope *debug.Scope) (out []godap.Variable, err error) {
	list, err := scope.Registers(nil, true)
	for i := range list {
		name := list[i].Name
		e, err := debug.ParseExpr(name + "@warp")
		if err != nil {
			return nil, err
		}
		values, err := scope.EachLane(e)
		if err != nil {
			return nil, err
		}
		columns := func(s *server, f frame, scope *debug.Scope) ([]godap.Variable, error) {
			return s.columns(f, scope, name)
		}
		out = append(out, godap.Variable{Name: name, Value: s.rowText(scope, values), Type: typeName(&list[i].Value), EvaluateName: name + "@warp",
			IndexedVariables: bits.OnesCount32(scope.Warp.Live), VariablesReference: s.handles.addContainer(&container{frame: f, indexed: true, list: columns})})
	}
	return out, err
}

// rowText is the values of lanes on a line: one if all are equal.
func (s *server) rowText(scope *debug.Scope, values []debug.LaneValue) string {
	var words []string
	same := true
	for i := range values {
		words = append(words, textOf(scope, &values[i].Value, s.format))
		same = same && words[i] == words[0]
	}
	switch {
	case same && len(words) > 1:
		return fmt.Sprintf("%s in %d lanes", words[0], len(words))
	case len(words) > shownLanes:
		return strings.Join(words[:shownLanes], " ") + " …"
	}
	return strings.Join(words, " ")
}

// columns are the values of a register in the lanes of the warp that live and have it.
func (s *server) columns(f frame, scope *debug.Scope, name string) (out []godap.Variable, err error) {
	for m := scope.Warp.Live; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		text := fmt.Sprintf("%s@%d", name, lane)
		e, err := debug.ParseExpr(text)
		if err != nil {
			return nil, err
		}
		label := fmt.Sprintf("lane %d", lane)
		if v, err := scope.Eval(e); err != nil {
			out = append(out, godap.Variable{Name: label, Value: err.Error()}) // it is in another function
		} else {
			out = append(out, s.variable(f, scope, label, text, &v))
		}
	}
	return out, nil
}

// parameters are those of the function; what a pointer points to is below it.
func (s *server) parameters(f frame, scope *debug.Scope) (out []godap.Variable, err error) {
	list, err := scope.Arguments()
	for i := range list {
		p := &list[i]
		v := s.variable(f, scope, p.Name, p.Name, &p.Value)
		if to, ok := scope.Pointee(p); ok {
			inside := s.variable(f, scope, p.Name, p.Name, &to)
			v.Value = fmt.Sprintf("%#x", p.Value.Low)
			v.VariablesReference, v.IndexedVariables, v.MemoryReference = inside.VariablesReference, inside.IndexedVariables, inside.MemoryReference
		}
		out = append(out, v)
	}
	return out, err
}

// locals are the function's own variables and the shared ones that it may use: those in shared memory, or the others.
func (s *server) locals(f frame, scope *debug.Scope, shared bool) (out []godap.Variable, err error) {
	list, err := scope.Locals()
	for i := range list {
		if h := list[i].Value.Home; shared == (h != nil && h.Space == "shared") {
			out = append(out, s.variable(f, scope, list[i].Name, list[i].Name, &list[i].Value))
		}
	}
	return out, err
}

// specials are the special registers.
func (s *server) specials(f frame, scope *debug.Scope) (out []godap.Variable, err error) {
	list := scope.Specials()
	for i := range list {
		v := s.variable(f, scope, list[i].Name, list[i].Name, &list[i].Value)
		v.PresentationHint = &godap.VariablePresentationHint{Attributes: []string{"readOnly"}}
		out = append(out, v)
	}
	return out, nil
}

// images are the textures, surfaces and samplers of the device.
func (s *server) images(frame, *debug.Scope) (out []godap.Variable, err error) {
	for _, im := range s.session.Images() {
		v := stated(fmt.Sprintf("%#x", im.Handle), "%s", im.Text)
		v.EvaluateName = fmt.Sprintf("%s(%#x)", im.Kind, im.Handle)
		out = append(out, v)
	}
	return out, nil
}
