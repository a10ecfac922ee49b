package dap

// This file begins and ends sessions.

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	godap "github.com/google/go-dap"

	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/debug/console"
)

func (s *server) initialize(q *godap.InitializeRequest) (godap.ResponseMessage, error) {
	switch format := q.Arguments.PathFormat; {
	case s.initial:
		return nil, errors.New("it has been answered")
	case format != "" && format != "path":
		return nil, fmt.Errorf("paths as %q are not served: want pathFormat \"path\"", format)
	}
	s.client, s.initial = q.Arguments, true
	return &godap.InitializeResponse{Body: capabilities()}, nil
}

// capabilities are what the table answers.
func capabilities() godap.Capabilities {
	has := func(name string) bool { return find(name) != nil }
	c := godap.Capabilities{
		SupportsConfigurationDoneRequest:  has("configurationDone"),
		SupportsFunctionBreakpoints:       has("setFunctionBreakpoints"),
		SupportsConditionalBreakpoints:    true,
		SupportsHitConditionalBreakpoints: true,
		SupportsLogPoints:                 true,
		SupportsEvaluateForHovers:         true,
		SupportsStepBack:                  has("stepBack") && has("reverseContinue"),
		SupportsSetVariable:               has("setVariable"),
		SupportsCompletionsRequest:        has("completions"),
		SupportsModulesRequest:            has("modules"),
		SupportsRestartRequest:            has("restart"),
		SupportsValueFormattingOptions:    true,
		SupportsExceptionInfoRequest:      has("exceptionInfo"),
		SupportsLoadedSourcesRequest:      has("loadedSources"),
		SupportsTerminateRequest:          has("terminate"),
		SupportsDataBreakpoints:           has("setDataBreakpoints"),
		SupportsReadMemoryRequest:         has("readMemory"),
		SupportsWriteMemoryRequest:        has("writeMemory"),
		SupportsDisassembleRequest:        has("disassemble"),
		SupportsSteppingGranularity:       true,
		SupportsInstructionBreakpoints:    has("setInstructionBreakpoints"),
		CompletionTriggerCharacters:       []string{"%", " "},
	}
	for _, f := range filters() {
		c.ExceptionBreakpointFilters = append(c.ExceptionBreakpointFilters,
			godap.ExceptionBreakpointsFilter{Filter: f.id, Label: f.label, Description: "Stops when " + f.stops, Default: f.on})
	}
	return c
}

func (s *server) launch(q *godap.LaunchRequest) (godap.ResponseMessage, error) {
	if s.session != nil {
		return nil, errors.New("something has been launched: restart runs it anew")
	}
	var a Arguments
	if len(q.Arguments) > 0 {
		if err := json.Unmarshal(q.Arguments, &a); err != nil {
			return nil, fmt.Errorf("arguments: %w", err)
		}
	}
	program, err := s.open(&a, output{s, "stdout"}, output{s, "stderr"})
	if err != nil {
		return nil, err
	}
	if a.Seed != nil {
		program.Target.Seed = *a.Seed
	}
	session, err := debug.Open(program.Target)
	if err != nil {
		return nil, err
	}
	s.asked, s.program, s.session = a, program, session
	s.breaks.make(a.NoDebug)
	session.Front = debug.Front{Interrupted: s.interrupted, Met: s.met, Reported: s.reported}
	s.console = &console.Console{Session: session, Out: &s.commands, Source: program.Line}
	s.texts.make(session.Code, program.File)
	s.refresh()
	s.then(func() { s.out.send(&godap.InitializedEvent{Event: event("initialized")}) })
	return &godap.LaunchResponse{}, nil
}

// then does something behind the response.
func (s *server) then(do func()) { s.after = append(s.after, do) }

func (s *server) attach(*godap.AttachRequest) (godap.ResponseMessage, error) {
	return nil, errors.New("a running program cannot be attached to: launch a PTX file, or the folder of a launch that exec --capture has written")
}

func (s *server) configurationDone(*godap.ConfigurationDoneRequest) (godap.ResponseMessage, error) {
	s.then(s.begin)
	return &godap.ConfigurationDoneResponse{}, nil
}

// begin lets a launch go on that stands at its first instruction.
func (s *server) begin() {
	s.motion = motion{}
	switch {
	case !s.session.Running():
		s.halted(&debug.Stop{Why: debug.Finished, Err: s.session.Ended().Err}, nil)
	case !s.asked.Moment.Start():
		s.move(motion{entry: true}, func() (*debug.Stop, error) { return s.session.GoTo(s.asked.Moment.Destination) })
	case s.asked.StopOnEntry || s.breaks.catches("entry"):
		s.halted(&debug.Stop{Why: debug.Began}, nil)
	default:
		if stop := s.session.BreakHere(); stop != nil {
			s.halted(stop, nil)
			return
		}
		s.move(motion{}, s.session.Continue)
	}
}

func (s *server) restart(q *godap.RestartRequest) (godap.ResponseMessage, error) {
	again := s.asked
	var body struct {
		Arguments json.RawMessage `json:"arguments"`
	}
	if len(q.Arguments) > 0 {
		if err := json.Unmarshal(q.Arguments, &body); err != nil {
			return nil, fmt.Errorf("arguments: %w", err)
		}
	}
	if len(body.Arguments) > 0 {
		again = Arguments{}
		if err := json.Unmarshal(body.Arguments, &again); err != nil {
			return nil, fmt.Errorf("arguments: %w", err)
		}
		if again.Program != s.asked.Program || !slices.Equal(again.Args, s.asked.Args) || again.Sanitize != s.asked.Sanitize || again.Cwd != s.asked.Cwd {
			return nil, errors.New("program, args, sanitize and cwd are those of the launch: launch a new session for others")
		}
	}
	seed := s.session.Seed
	if again.Seed != nil {
		seed = *again.Seed
	}
	if _, err := s.session.Restart(seed); err != nil {
		return nil, err
	}
	s.asked, s.over, s.stopped, s.told = again, false, nil, map[string]bool{}
	s.then(s.begin)
	return &godap.RestartResponse{}, nil
}

func (s *server) terminate(*godap.TerminateRequest) (godap.ResponseMessage, error) {
	s.then(s.terminated)
	return &godap.TerminateResponse{}, nil
}

// terminated tells that there is nothing more to debug.
func (s *server) terminated() {
	if !s.over {
		s.out.send(&godap.TerminatedEvent{Event: event("terminated")})
	}
	s.over = true
}

func (s *server) disconnect(*godap.DisconnectRequest) (godap.ResponseMessage, error) {
	s.leaving = true
	return &godap.DisconnectResponse{}, nil
}
