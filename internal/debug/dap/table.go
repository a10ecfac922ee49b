package dap

// This file is the table of requests: what is not here is refused by name, and docs/dap.md is made from it.

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	godap "github.com/google/go-dap"
)

// handler is one row.
type handler struct {
	name string
	when when
	ends bool // it ends what the launch does, if it runs
	does string
	// serve returns a response of which the body alone is filled.
	serve func(*server, godap.RequestMessage) (godap.ResponseMessage, error)
}

// when says in which state a request is answered.
type when uint8

const (
	anytime     when = iota
	initialized      // behind initialize
	launched         // behind launch, also while the launch runs
	standing         // behind launch, while it stands
)

// on adapts a handler of one type of requests.
func on[Q godap.RequestMessage](serve func(*server, Q) (godap.ResponseMessage, error)) func(*server, godap.RequestMessage) (godap.ResponseMessage, error) {
	return func(s *server, q godap.RequestMessage) (godap.ResponseMessage, error) {
		typed, ok := q.(Q)
		if !ok {
			return nil, fmt.Errorf("BUG: a request of type %T", q)
		}
		return serve(s, typed)
	}
}

var (
	makeTable sync.Once
	table     []*handler
)

// handlers is the table.
func handlers() []*handler {
	makeTable.Do(func() {
		table = slices.Concat(sessionRequests(), stopRequests(), moveRequests(), lookRequests())
	})
	return table
}

// find is the row of a request; nil if there is none.
func find(name string) *handler {
	for _, h := range handlers() {
		if h.name == name {
			return h
		}
	}
	return nil
}

func sessionRequests() []*handler {
	return []*handler{
		{"initialize", anytime, false, "Says what the server can do. It comes first, once.", on((*server).initialize)},
		{"launch", initialized, false, "Compiles the program and brings the launch to its first instruction; its arguments stand below.", on((*server).launch)},
		{"attach", initialized, false, "Refused: a kernel is launched by the debugger. Capture the launch of a program (`exec --capture`) and launch the capture.", on((*server).attach)},
		{"configurationDone", standing, false, "Lets the launch go on from its first instruction, unless `stopOnEntry` or `moment` say where to stop.", on((*server).configurationDone)},
		{"restart", launched, true, "Runs the launch anew, with another `seed`, `moment` or `stopOnEntry` if its arguments have one, and forgets what was changed.", on((*server).restart)},
		{"terminate", launched, true, "Ends the launch.", on((*server).terminate)},
		{"disconnect", anytime, true, "Ends the session, and the launch with it.", on((*server).disconnect)},
	}
}

func stopRequests() []*handler {
	return []*handler{
		{"setBreakpoints", launched, false, "Breakpoints on lines of the PTX, or of the source that `.loc` names, with conditions, hit counts (`3`, `>= 3`, `% 10`) and log messages, in which `{EXPR}` is a value. A line without instructions moves to the next one that has some. A hit is a warp that comes there.", on((*server).setBreakpoints)},
		{"setFunctionBreakpoints", launched, false, "Breakpoints on kernels, functions and labels, or any location that `break` takes.", on((*server).setFunctionBreakpoints)},
		{"setInstructionBreakpoints", launched, false, "Breakpoints on PTX instructions by the addresses of `disassemble`.", on((*server).setInstructionBreakpoints)},
		{"setExceptionBreakpoints", launched, false, "Which faults, reports and beginnings stop the launch: the filters below.", on((*server).setExceptionBreakpoints)},
		{"dataBreakpointInfo", standing, false, "Whether a variable or an expression can be watched: registers and what is computed from them for changes, memory for reads, too.", on((*server).dataBreakpointInfo)},
		{"setDataBreakpoints", standing, false, "Stops when a value changes (`write`), or when memory is read (`read`) or touched at all (`readWrite`).", on((*server).setDataBreakpoints)},
		{"exceptionInfo", standing, false, "The whole text of the fault, the deadlock or the report that has stopped the launch.", on((*server).exceptionInfo)},
	}
}

func moveRequests() []*handler {
	return []*handler{
		{"continue", standing, false, "Goes on to the next breakpoint, watchpoint, fault or report, or to the end. Behind a fault it ends the launch.", on((*server).goOn)},
		{"pause", launched, false, "Stops a launch that runs, between two instructions.", on((*server).pause)},
		{"next", standing, false, "Goes to the next line of the thread's lane, over calls; `granularity: instruction` steps by PTX instructions.", on((*server).next)},
		{"stepIn", standing, false, "Goes to the next line or instruction, also in a function that is called.", on((*server).stepIn)},
		{"stepOut", standing, false, "Goes on until the function has returned. Refused in a kernel.", on((*server).stepOut)},
		{"stepBack", standing, false, "Goes back to the line or the instruction before, over calls.", on((*server).stepBack)},
		{"reverseContinue", standing, false, "Goes back to where a breakpoint would have stopped the launch last, or before the instruction that changed a watched value.", on((*server).reverseContinue)},
	}
}

func lookRequests() []*handler {
	return []*handler{
		{"threads", launched, false, "A thread is a warp that is on the device: that of the focus first, at most 256. While the launch runs, those of the last stop.", on((*server).listThreads)},
		{"stackTrace", standing, false, "The calls that lead to the lane in focus, with inlined ones; each names its PTX instruction.", on((*server).stackTrace)},
		{"scopes", standing, false, "Lane, Warp, Parameters, Shared, Local, Specials, Divergence, Barriers, Async and Images, those that have something to show.", on((*server).scopes)},
		{"variables", standing, false, "What a scope or an array holds; elements are paged by `start` and `count`.", on((*server).variables)},
		{"setVariable", standing, false, "Gives a register of the lane, or memory, the value of an expression.", on((*server).setVariable)},
		{"evaluate", standing, false, "The value of an expression; with `context: repl` also the commands of the terminal (`help` lists them).", on((*server).evaluate)},
		{"completions", standing, false, "What the debug console may go on with.", on((*server).completions)},
		{"source", launched, false, "The text of PTX that is no file.", on((*server).sourceText)},
		{"loadedSources", launched, false, "The PTX, and the files of its source that are found.", on((*server).loadedSources)},
		{"modules", launched, false, "The PTX modules that were linked.", on((*server).modules)},
		{"readMemory", standing, false, "Bytes of global, shared, local, constant or parameter memory.", on((*server).readMemory)},
		{"writeMemory", standing, false, "Stores bytes there.", on((*server).writeMemory)},
		{"disassemble", standing, false, "PTX instructions by address. An instruction takes one address.", on((*server).disassemble)},
	}
}

// WriteReference writes the tables of requests and of exception filters as docs/dap.md has them.
func WriteReference(w io.Writer) error {
	var b strings.Builder
	b.WriteString("\n## Requests\n\n| request | while the launch runs | what it does |\n|---|---|---|\n")
	for _, h := range handlers() {
		meanwhile := ""
		switch {
		case h.ends:
			meanwhile = "yes, and ends it"
		case h.when == standing && h.name != "configurationDone":
			meanwhile = "no: pause first"
		case h.when == launched:
			meanwhile = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", h.name, meanwhile, h.does)
	}
	b.WriteString("\n## Exception filters\n\n| filter | by default | stops when |\n|---|---|---|\n")
	for _, f := range filters() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.id, map[bool]string{true: "on", false: "off"}[f.on], f.stops)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
