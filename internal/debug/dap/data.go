package dap

// This file sets data breakpoints. What is watched is named by a text that says the expression and the thread for which it is meant.

import (
	"encoding/json"
	"errors"
	"fmt"

	godap "github.com/google/go-dap"

	"ptxvm.invalid/ptxvm/internal/debug"
)

// dataID is such a text, as JSON.
type dataID struct {
	Expr  string    `json:"expr"`
	Block [3]uint32 `json:"block"`
	Warp  int       `json:"warp"`
	Lane  int       `json:"lane"`
	Level int       `json:"level,omitempty"`
}

func (s *server) dataBreakpointInfo(q *godap.DataBreakpointInfoRequest) (godap.ResponseMessage, error) {
	f, text := s.handles.focus(s.session), q.Arguments.Name
	if ref := q.Arguments.VariablesReference; ref != 0 {
		c, err := s.handles.container(ref)
		if err != nil {
			return nil, err
		}
		v, err := s.child(c, text)
		if err != nil {
			return nil, err
		}
		f, text = c.frame, v.EvaluateName
	} else if q.Arguments.FrameId != 0 {
		var err error
		if f, err = s.handles.frame(q.Arguments.FrameId); err != nil {
			return nil, err
		}
	}
	no := func(why string) (godap.ResponseMessage, error) {
		return &godap.DataBreakpointInfoResponse{Body: godap.DataBreakpointInfoResponseBody{Description: why}}, nil
	}
	if text == "" {
		return no(q.Arguments.Name + " is no value that changes")
	}
	e, err := debug.ParseExpr(text)
	if err != nil {
		return no(err.Error())
	}
	var v debug.Value
	if err := s.in(f, func(scope *debug.Scope) (err error) { v, err = scope.Eval(e); return err }); err != nil {
		return no(err.Error())
	}
	id, err := json.Marshal(dataID{text, f.CTA, f.Warp, f.Lane, f.level})
	if err != nil {
		return nil, err
	}
	body := godap.DataBreakpointInfoResponseBody{DataId: string(id), Description: text, AccessTypes: []godap.DataBreakpointAccessType{"write"}}
	if v.Home != nil && v.Home.Register == "" {
		body.AccessTypes = []godap.DataBreakpointAccessType{"read", "write", "readWrite"}
	} else {
		body.Description += fmt.Sprintf(" of block %s, warp %d, lane %d", point(f.CTA), f.Warp, f.Lane)
	}
	return &godap.DataBreakpointInfoResponse{Body: body}, nil
}

// accesses are the kinds of watchpoints.
var accesses = map[godap.DataBreakpointAccessType]debug.WatchKind{"": debug.OnChange, "write": debug.OnChange, "read": debug.OnRead, "readWrite": debug.OnAccess}

func (s *server) setDataBreakpoints(q *godap.SetDataBreakpointsRequest) (godap.ResponseMessage, error) {
	var list []wanted
	for _, b := range q.Arguments.Breakpoints {
		list = append(list, wanted{at: b.DataId, access: string(b.AccessType), condition: b.Condition, hit: b.HitCondition})
	}
	answers := s.replace("data", "data breakpoint", list, s.watch)
	return &godap.SetDataBreakpointsResponse{Body: godap.SetDataBreakpointsResponseBody{Breakpoints: answers}}, nil
}

// watch makes a watchpoint.
func (s *server) watch(p *placed) error {
	kind, ok := accesses[godap.DataBreakpointAccessType(p.want.access)]
	if !ok {
		return fmt.Errorf("access %q: want read, write or readWrite", p.want.access)
	}
	if p.hit != nil {
		return errors.New("data breakpoints take no hit condition")
	}
	var id dataID
	if err := json.Unmarshal([]byte(p.want.at), &id); err != nil {
		return errors.New("no such data: want a dataId of dataBreakpointInfo")
	}
	e, err := debug.ParseExpr(id.Expr)
	if err != nil {
		return err
	}
	f := frame{debug.Focus{CTA: id.Block, Warp: id.Warp, Lane: id.Lane}, id.Level}
	return s.in(f, func(*debug.Scope) error { return s.session.Watch(p.Breakpoint, e, kind) })
}
