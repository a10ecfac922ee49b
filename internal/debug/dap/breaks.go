package dap

// This file sets breakpoints. A client gives all of a kind at once; those that stay as they were keep their hits.

import (
	"cmp"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	godap "github.com/google/go-dap"

	"ptxvm.invalid/ptxvm/internal/debug"
)

// breakpoints are those of the client.
type breakpoints struct {
	sets map[string][]*placed // by what the client gives at once: a file, functions, instructions, data
	of   map[*debug.Breakpoint]*placed
	on   map[string]bool // exception filters
	off  bool            // nothing stops the launch
}

func (b *breakpoints) make(off bool) {
	b.sets, b.of, b.on, b.off = map[string][]*placed{}, map[*debug.Breakpoint]*placed{}, map[string]bool{}, off
	for _, f := range filters() {
		b.on[f.id] = f.on
	}
}

// catches reports whether a filter is on.
func (b *breakpoints) catches(filter string) bool { return b.on[filter] && !b.off }

// wanted is a breakpoint as the client gives it.
type wanted struct {
	at        string // a location, an address, or what is watched
	condition string
	hit       string
	log       string
	access    string // of data: read, write, readWrite
}

// placed is a breakpoint of the client that there is.
type placed struct {
	*debug.Breakpoint
	want   wanted
	reason string // of the stopped event
	hit    *hitCondition
	log    []logPart // nil: it stops
	answer godap.Breakpoint
}

// replace makes the breakpoints of a set those that the client wants. set makes one of them; what it is given has its conditions.
func (s *server) replace(name, reason string, list []wanted, set func(*placed) error) []godap.Breakpoint {
	answers := []godap.Breakpoint{}
	var kept []*placed
	before := s.breaks.sets[name]
	for _, want := range list {
		p := takeEqual(&before, want)
		if p == nil {
			p = &placed{Breakpoint: &debug.Breakpoint{}, want: want, reason: reason}
			if err := p.read(); err != nil {
				answers = append(answers, godap.Breakpoint{Message: err.Error()})
				continue
			}
			if err := set(p); err != nil {
				answers = append(answers, godap.Breakpoint{Message: err.Error()})
				continue
			}
			p.answer.Id, p.answer.Verified = p.Number, true
			s.breaks.of[p.Breakpoint] = p
		}
		kept = append(kept, p)
		answers = append(answers, p.answer)
	}
	for _, p := range before {
		delete(s.breaks.of, p.Breakpoint)
		_ = s.session.Delete(p.Number) // a command of the console may have deleted it
	}
	s.breaks.sets[name] = kept
	return answers
}

// takeEqual takes a breakpoint that is as the client wants one out of a list; nil: there is none.
func takeEqual(list *[]*placed, want wanted) *placed {
	for i, p := range *list {
		if p.want == want {
			*list = append((*list)[:i:i], (*list)[i+1:]...)
			return p
		}
	}
	return nil
}

// read reads the conditions and the message.
func (p *placed) read() (err error) {
	if text := strings.TrimSpace(p.want.condition); text != "" {
		if p.Condition, err = debug.ParseExpr(text); err != nil {
			return fmt.Errorf("condition: %w", err)
		}
	}
	if text := strings.TrimSpace(p.want.hit); text != "" {
		if p.hit, err = parseHit(text); err != nil {
			return err
		}
	}
	if p.want.log != "" {
		p.log, err = parseLog(p.want.log)
	}
	return err
}

// hitCondition compares how often a breakpoint was met.
type hitCondition struct {
	op string
	n  int
}

// hitOperators are those of hit conditions, longer ones first.
var hitOperators = []string{"==", ">=", "<=", ">", "<", "%", "="}

func parseHit(text string) (*hitCondition, error) {
	h := &hitCondition{op: "=="}
	number := text
	for _, op := range hitOperators {
		if rest, ok := strings.CutPrefix(text, op); ok {
			h.op, number = op, rest
			break
		}
	}
	var err error
	if h.n, err = strconv.Atoi(strings.TrimSpace(number)); err != nil || h.n < 0 || h.op == "%" && h.n == 0 {
		return nil, fmt.Errorf("hit condition %q: want a number, or one behind ==, >, >=, <, <= or %%", text)
	}
	return h, nil
}

// holds reports whether the breakpoint stops at its hit of a number.
func (h *hitCondition) holds(hits int) bool {
	order := cmp.Compare(hits, h.n)
	switch h.op {
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case "%":
		return hits%h.n == 0
	}
	return order == 0
}

// logPart is text of a log message, or an expression.
type logPart struct {
	text string
	expr *debug.Expr // nil: text
}

// parseLog divides a message at its braces.
func parseLog(text string) (parts []logPart, err error) {
	for rest := text; rest != ""; {
		before, behind, found := strings.Cut(rest, "{")
		if before != "" {
			parts = append(parts, logPart{text: before})
		}
		if !found {
			break
		}
		inner, after, closed := strings.Cut(behind, "}")
		if !closed {
			return nil, fmt.Errorf("log message: { has no } behind it in %q", text)
		}
		e, err := debug.ParseExpr(inner)
		if err != nil {
			return nil, fmt.Errorf("log message: %w", err)
		}
		parts, rest = append(parts, logPart{expr: e}), after
	}
	return parts, nil
}

// met is told, while the launch runs or is about to, that it has come to a breakpoint.
func (s *server) met(b *debug.Breakpoint, at *debug.Scope) (stop bool) {
	if s.breaks.off {
		return false
	}
	p := s.breaks.of[b]
	switch {
	case p == nil:
		return true
	case s.motion.back:
		return p.log == nil // what hits there were before is not counted backwards
	case p.hit != nil && !p.hit.holds(p.Hits):
		return false
	case p.log == nil:
		return true
	}
	var text strings.Builder
	for _, part := range p.log {
		if part.expr == nil {
			text.WriteString(part.text)
		} else {
			text.WriteString(inText(at, part.expr))
		}
	}
	s.out.send(&godap.OutputEvent{Event: event("output"),
		Body: godap.OutputEventBody{Category: "console", Output: text.String() + "\n", Source: p.answer.Source, Line: p.answer.Line}})
	return false
}

// inText is an expression's value within a text, or what is wrong with it.
func inText(at *debug.Scope, e *debug.Expr) string {
	list, err := at.EachLane(e)
	if err != nil {
		return "{" + err.Error() + "}"
	}
	var words []string
	for i := range list {
		words = append(words, textOf(at, &list[i].Value, 0))
	}
	return strings.Join(words, " ")
}

func (s *server) setBreakpoints(q *godap.SetBreakpointsRequest) (godap.ResponseMessage, error) {
	given := q.Arguments.Breakpoints
	if given == nil {
		for _, line := range q.Arguments.Lines { // of clients from before conditions
			given = append(given, godap.SourceBreakpoint{Line: line})
		}
	}
	file, err := s.fileOf(&q.Arguments.Source)
	if err != nil {
		return nil, err
	}
	var list []wanted
	for _, b := range given {
		list = append(list, wanted{at: fmt.Sprintf("%s:%d", file, s.line(b.Line)), condition: b.Condition, hit: b.HitCondition, log: b.LogMessage})
	}
	answers := s.replace("file "+file, "breakpoint", list, func(p *placed) error {
		places, err := s.session.Code.Find(p.want.at, s.kernelPlace())
		if err != nil {
			return err
		}
		s.session.BreakAt(p.Breakpoint, places...)
		p.Location = p.want.at
		p.answer = s.answerAt(places, file)
		return nil
	})
	return &godap.SetBreakpointsResponse{Body: godap.SetBreakpointsResponseBody{Breakpoints: answers}}, nil
}

// answerAt says where a breakpoint has come to be: on a line of the file that it was given for, or, without one, of the source.
func (s *server) answerAt(places []debug.Place, file string) godap.Breakpoint {
	l, _ := s.session.Code.Locate(places[0])
	at := l.PTX
	for _, source := range l.Source {
		if source.File == file {
			at = source
		}
	}
	if file == "" && len(l.Source) > 0 && s.texts.source(l.Source[0].File).Path != "" {
		at = l.Source[0]
	}
	b := godap.Breakpoint{Source: s.texts.source(at.File), Line: s.clientLine(at.Line), InstructionReference: s.texts.address(places[0])}
	if n := len(places); n > 1 {
		b.Message = fmt.Sprintf("%d places", n)
	}
	return b
}

// kernelPlace is the kernel's first instruction.
func (s *server) kernelPlace() debug.Place { return debug.Place{Func: s.session.Kernel().Name} }

func (s *server) setFunctionBreakpoints(q *godap.SetFunctionBreakpointsRequest) (godap.ResponseMessage, error) {
	var list []wanted
	for _, b := range q.Arguments.Breakpoints {
		list = append(list, wanted{at: b.Name, condition: b.Condition, hit: b.HitCondition})
	}
	answers := s.replace("functions", "function breakpoint", list, func(p *placed) error {
		places, err := s.session.Code.Find(p.want.at, s.kernelPlace())
		if err != nil {
			return err
		}
		s.session.BreakAt(p.Breakpoint, places...)
		p.Location = p.want.at
		p.answer = s.answerAt(places, "")
		return nil
	})
	return &godap.SetFunctionBreakpointsResponse{Body: godap.SetFunctionBreakpointsResponseBody{Breakpoints: answers}}, nil
}

func (s *server) setInstructionBreakpoints(q *godap.SetInstructionBreakpointsRequest) (godap.ResponseMessage, error) {
	var list []wanted
	for _, b := range q.Arguments.Breakpoints {
		list = append(list, wanted{at: fmt.Sprintf("%s%+d", b.InstructionReference, b.Offset), condition: b.Condition, hit: b.HitCondition})
	}
	given := q.Arguments.Breakpoints
	places := map[string]debug.Place{}
	for i, b := range given {
		if at, ok := s.texts.instruction(b.InstructionReference, b.Offset); ok {
			places[list[i].at] = at
		}
	}
	answers := s.replace("instructions", "instruction breakpoint", list, func(p *placed) error {
		at, ok := places[p.want.at]
		if !ok {
			return fmt.Errorf("no instruction at %s: want an address of disassemble", p.want.at)
		}
		s.session.BreakAt(p.Breakpoint, at)
		l, _ := s.session.Code.Locate(at)
		p.Location = place(&l)
		p.answer = s.answerAt([]debug.Place{at}, "")
		return nil
	})
	return &godap.SetInstructionBreakpointsResponse{Body: godap.SetInstructionBreakpointsResponseBody{Breakpoints: answers}}, nil
}

func (s *server) setExceptionBreakpoints(q *godap.SetExceptionBreakpointsRequest) (godap.ResponseMessage, error) {
	clear(s.breaks.on)
	answers := []godap.Breakpoint{}
	for _, id := range q.Arguments.Filters {
		answers = append(answers, s.switchOn(id))
	}
	for _, f := range q.Arguments.FilterOptions {
		if f.Condition != "" {
			answers = append(answers, godap.Breakpoint{Message: f.FilterId + ": filters take no condition"})
			continue
		}
		answers = append(answers, s.switchOn(f.FilterId))
	}
	var list []wanted
	for _, id := range []string{filterBlock, filterParting} {
		if s.breaks.on[id] {
			list = append(list, wanted{at: id})
		}
	}
	s.replace("filters", "entry", list, func(p *placed) error {
		if p.want.at == filterParting {
			s.session.CatchParting(p.Breakpoint)
			return nil
		}
		p.Location, p.Thread = p.want.at, &debug.Threads{AnyBlock: true}
		s.session.BreakAt(p.Breakpoint, s.kernelPlace())
		return nil
	})
	return &godap.SetExceptionBreakpointsResponse{Body: godap.SetExceptionBreakpointsResponseBody{Breakpoints: answers}}, nil
}

// switchOn makes a filter stop the launch.
func (s *server) switchOn(id string) godap.Breakpoint {
	for _, f := range filters() {
		if f.id != id {
			continue
		}
		s.breaks.on[id] = true
		if isCheck(id) && !contains(s.program.Checks, id) {
			return godap.Breakpoint{Message: fmt.Sprintf("the launch does not look for it: launch with \"sanitize\": %q", id)}
		}
		return godap.Breakpoint{Verified: true}
	}
	return godap.Breakpoint{Message: fmt.Sprintf("no filter %q", id)}
}

func contains(list []string, word string) bool {
	for _, w := range list {
		if w == word {
			return true
		}
	}
	return false
}

// firstLane is the first lane of a mask.
func firstLane(mask uint32) int { return bits.TrailingZeros32(mask) & 31 }
