package dap

// This file shows values, and changes them.

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"

	"ptxvm.invalid/ptxvm/internal/debug"
)

// container is what holds variables: a scope, or an array.
type container struct {
	frame   frame
	indexed bool                                                                   // what it holds has numbers, no names
	list    func(s *server, f frame, scope *debug.Scope) ([]godap.Variable, error) // nil: an array
	array   debug.Value
	expr    string // of the array
}

// Bounds of answers.
const (
	maxVariables  = 1 << 16 // that one request may ask for
	someVariables = 1 << 10 // elements of an array for a client that asks for all
	shownElements = 8       // elements that stand in the value of an array
)

// typeName is the type of a value.
func typeName(v *debug.Value) string {
	name := v.Type.Name()
	if v.Object != nil {
		return v.Object.Kind
	}
	if name == "" {
		name = "pred"
	}
	if v.Count > 0 {
		return fmt.Sprintf("%s[%d]", name, v.Count)
	}
	return name
}

// textOf is a value as text, an array by its first elements.
func textOf(scope *debug.Scope, v *debug.Value, format byte) string {
	if v.Count == 0 {
		return debug.FormatValue(v, format)
	}
	list, err := scope.Elements(v, shownElements)
	if err != nil {
		return err.Error()
	}
	var words []string
	for i := range list {
		words = append(words, debug.FormatValue(&list[i], format))
	}
	if len(list) < v.Count {
		words = append(words, "…")
	}
	return "{" + strings.Join(words, ", ") + "}"
}

// variable is a value as the client shows it. expr is what evaluates to it.
func (s *server) variable(f frame, scope *debug.Scope, name, expr string, v *debug.Value) godap.Variable {
	out := godap.Variable{Name: name, Value: textOf(scope, v, s.format), Type: typeName(v), EvaluateName: expr, MemoryReference: s.memoryOf(f, v)}
	if v.Count > 0 {
		out.VariablesReference = s.handles.addContainer(&container{frame: f, indexed: true, array: *v, expr: expr})
		out.IndexedVariables = v.Count
	}
	return out
}

func (s *server) variables(q *godap.VariablesRequest) (godap.ResponseMessage, error) {
	a := &q.Arguments
	c, err := s.handles.container(a.VariablesReference)
	switch {
	case err != nil:
		return nil, err
	case a.Start < 0 || a.Count < 0:
		return nil, fmt.Errorf("start %d, count %d: want numbers that are not negative", a.Start, a.Count)
	case a.Count > maxVariables:
		return nil, fmt.Errorf("count %d: at most %d at once", a.Count, maxVariables)
	}
	defer s.formatted(a.Format)()
	list, err := s.content(c, a.Start, a.Count)
	if err != nil {
		return nil, err
	}
	if list == nil || a.Filter == "named" && c.indexed || a.Filter == "indexed" && !c.indexed {
		list = []godap.Variable{}
	}
	return &godap.VariablesResponse{Body: godap.VariablesResponseBody{Variables: list}}, nil
}

// formatted makes numbers be printed as a request says until the function that it returns is called.
func (s *server) formatted(f *godap.ValueFormat) func() {
	if f != nil && f.Hex {
		s.format = 'x'
	}
	return func() { s.format = 0 }
}

// content lists what a container holds, from one on; count 0: all.
func (s *server) content(c *container, start, count int) (list []godap.Variable, err error) {
	err = s.in(c.frame, func(scope *debug.Scope) (err error) {
		if c.list == nil {
			list, err = s.elements(c, scope, start, count)
			return err
		}
		if list, err = c.list(s, c.frame, scope); err != nil {
			return err
		}
		list = list[min(start, len(list)):]
		if count > 0 {
			list = list[:min(count, len(list))]
		}
		return nil
	})
	return list, err
}

// elements are those of an array. Where the client asks for all of many, a last one says how to get the others.
func (s *server) elements(c *container, scope *debug.Scope, start, count int) (out []godap.Variable, err error) {
	n := max(0, c.array.Count-start)
	more := 0
	switch {
	case count > 0:
		n = min(n, count)
	case n > someVariables:
		n, more = someVariables, n-someVariables
	}
	if n == 0 {
		return nil, nil
	}
	part, home := c.array, *c.array.Home
	home.Addr += uint64(start) * uint64(c.array.Type.Size())
	part.Home, part.Count = &home, n
	list, err := scope.Elements(&part, n)
	for i := range list {
		name := fmt.Sprintf("[%d]", start+i)
		out = append(out, s.variable(c.frame, scope, name, c.expr+name, &list[i]))
	}
	if more > 0 && err == nil {
		out = append(out, stated("…", "%d more: ask for them by start and count, or in the console: print %s[%d]", more, c.expr, start+n))
	}
	return out, err
}

// child finds what a container holds by its name.
func (s *server) child(c *container, name string) (v godap.Variable, err error) {
	var list []godap.Variable
	if c.list == nil {
		i, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"))
		if err != nil || i < 0 || i >= c.array.Count {
			return v, fmt.Errorf("no element %s: there are %d", name, c.array.Count)
		}
		if list, err = s.content(c, i, 1); err != nil {
			return v, err
		}
	} else if list, err = s.content(c, 0, 0); err != nil {
		return v, err
	}
	for i := range list {
		if list[i].Name == name {
			return list[i], nil
		}
	}
	return v, fmt.Errorf("no variable %q is there", name)
}

func (s *server) setVariable(q *godap.SetVariableRequest) (godap.ResponseMessage, error) {
	c, err := s.handles.container(q.Arguments.VariablesReference)
	if err != nil {
		return nil, err
	}
	old, err := s.child(c, q.Arguments.Name)
	if err != nil {
		return nil, err
	}
	if old.EvaluateName == "" {
		return nil, fmt.Errorf("%s cannot be changed", q.Arguments.Name)
	}
	to, err := debug.ParseExpr(old.EvaluateName)
	if err != nil {
		return nil, err
	}
	from, err := debug.ParseExpr(q.Arguments.Value)
	if err != nil {
		return nil, err
	}
	defer s.formatted(q.Arguments.Format)()
	var body godap.SetVariableResponseBody
	err = s.in(c.frame, func(scope *debug.Scope) error {
		v, err := s.session.Set(to, from)
		if err == nil {
			body.Value, body.Type = textOf(scope, &v, s.format), typeName(&v)
		}
		return err
	})
	return &godap.SetVariableResponse{Body: body}, err
}

// frameOr is the frame of a number, or what the session looks at for 0.
func (s *server) frameOr(n int) (frame, error) {
	if n == 0 {
		return s.handles.focus(s.session), nil
	}
	return s.handles.frame(n)
}

// valueOf evaluates an expression in a frame: one with @warp for all lanes.
func (s *server) valueOf(f frame, text string) (body godap.EvaluateResponseBody, err error) {
	if strings.TrimSpace(text) == "" {
		return body, errors.New("there is no expression")
	}
	e, err := debug.ParseExpr(text)
	if err != nil {
		return body, err
	}
	err = s.in(f, func(scope *debug.Scope) error {
		list, err := scope.EachLane(e)
		switch {
		case err != nil:
			return err
		case e.Column():
			columns := func(s *server, f frame, scope *debug.Scope) (out []godap.Variable, err error) {
				list, err := scope.EachLane(e)
				for i := range list {
					v := s.variable(f, scope, fmt.Sprintf("lane %d", list[i].Lane), "", &list[i].Value)
					out = append(out, v)
				}
				return out, err
			}
			body.Result, body.IndexedVariables = s.rowText(scope, list), len(list)
			body.VariablesReference = s.handles.addContainer(&container{frame: f, indexed: true, list: columns})
			return nil
		}
		v := s.variable(f, scope, text, text, &list[0].Value)
		body = godap.EvaluateResponseBody{Result: v.Value, Type: v.Type, VariablesReference: v.VariablesReference, IndexedVariables: v.IndexedVariables, MemoryReference: v.MemoryReference}
		return nil
	})
	return body, err
}
