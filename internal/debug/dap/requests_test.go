package dap

// This file makes every request that the table has.

import (
	"encoding/base64"
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

// requestTests has a test for each row of the table.
var requestTests = map[string]func(*client){
	"initialize": func(c *client) {
		r := ask[*godap.InitializeResponse](c, "initialize", args{"adapterID": "ptxvm", "pathFormat": "path"})
		if !r.Body.SupportsStepBack || !r.Body.SupportsDataBreakpoints || len(r.Body.ExceptionBreakpointFilters) < 5 || r.Body.SupportsRestartFrame {
			c.t.Errorf("capabilities %+v", r.Body)
		}
		c.says(c.refused("initialize", args{"adapterID": "ptxvm"}), "has been answered")
	},
	"launch": func(c *client) {
		ask[*godap.InitializeResponse](c, "initialize", args{"adapterID": "ptxvm"})
		c.says(c.refused("launch", args{}), "program is missing")
		c.says(c.refused("launch", args{"program": 5}), "arguments")
		c.says(c.refused("launch", args{"program": "testdata/none.ptx"}), "no such file")
		ask[*godap.LaunchResponse](c, "launch", args{"program": "testdata/k.ptx", "args": "4", "seed": 3})
		waitFor[*godap.InitializedEvent](c)
		c.says(c.refused("launch", args{"program": "testdata/k.ptx"}), "restart")
	},
	"attach": func(c *client) {
		ask[*godap.InitializeResponse](c, "initialize", args{"adapterID": "ptxvm"})
		c.says(c.refused("attach", args{"processId": 1}), "exec --capture")
	},
	"configurationDone": func(c *client) {
		c.begin("k.ptx", nil)
		ask[*godap.ConfigurationDoneResponse](c, "configurationDone", nil)
		if e := waitFor[*godap.ExitedEvent](c); e.Body.ExitCode != 0 {
			c.t.Errorf("exit code %d", e.Body.ExitCode)
		}
		waitFor[*godap.TerminatedEvent](c)
		if !c.printed("stderr", "results") {
			c.t.Error("no results")
		}
		c.says(c.refused("continue", args{"threadId": c.thread}), "has ended")
	},
	"restart": func(c *client) {
		c.enter("k.ptx", nil)
		c.moves("next", nil)
		ask[*godap.RestartResponse](c, "restart", args{"arguments": args{"program": "testdata/k.ptx", "stopOnEntry": true, "seed": 5}})
		if e := waitFor[*godap.StoppedEvent](c); e.Body.Reason != "entry" {
			c.t.Errorf("stopped for %q", e.Body.Reason)
		}
		c.says(c.command("info moment"), "Moment 0, seed 5")
		c.says(c.refused("restart", args{"arguments": args{"program": "other.ptx"}}), "launch a new session")
	},
	"terminate": func(c *client) {
		c.enter("k.ptx", nil)
		ask[*godap.TerminateResponse](c, "terminate", nil)
		waitFor[*godap.TerminatedEvent](c)
		c.says(c.refused("next", args{"threadId": c.thread}), "has ended")
		ask[*godap.RestartResponse](c, "restart", nil)
		waitFor[*godap.StoppedEvent](c)
	},
	"disconnect": func(c *client) {
		c.enter("k.ptx", nil)
		ask[*godap.DisconnectResponse](c, "disconnect", args{"terminateDebuggee": true})
	},
	"setBreakpoints":            testSetBreakpoints,
	"setFunctionBreakpoints":    testSetFunctionBreakpoints,
	"setInstructionBreakpoints": testSetInstructionBreakpoints,
	"setExceptionBreakpoints":   testSetExceptionBreakpoints,
	"dataBreakpointInfo":        testDataBreakpointInfo,
	"setDataBreakpoints":        testSetDataBreakpoints,
	"exceptionInfo": func(c *client) {
		e := c.enterTo("fault.ptx", nil)
		if e.Body.Reason != "exception" || !strings.Contains(e.Body.Text, "store") {
			c.t.Errorf("stopped for %q: %q", e.Body.Reason, e.Body.Text)
		}
		r := ask[*godap.ExceptionInfoResponse](c, "exceptionInfo", args{"threadId": c.thread})
		if r.Body.ExceptionId != "fault" || r.Body.Details == nil || !strings.Contains(r.Body.Details.StackTrace, "fault.ptx:8") {
			c.t.Errorf("%+v %+v", r.Body, r.Body.Details)
		}
		ask[*godap.ContinueResponse](c, "continue", args{"threadId": c.thread})
		if e := waitFor[*godap.ExitedEvent](c); e.Body.ExitCode != 4 {
			c.t.Errorf("exit code %d", e.Body.ExitCode)
		}
	},
	"continue": func(c *client) {
		c.enter("k.ptx", nil)
		ask[*godap.ContinueResponse](c, "continue", args{"threadId": c.thread})
		waitFor[*godap.TerminatedEvent](c)
	},
	"pause": func(c *client) {
		c.begin("forever.ptx", nil)
		ask[*godap.ConfigurationDoneResponse](c, "configurationDone", nil)
		for !c.printed("stdout", "running\n") {
			c.events = append(c.events, waitFor[*godap.OutputEvent](c))
		}
		c.says(c.refused("scopes", args{"frameId": 1}), "pause it first")
		ask[*godap.ThreadsResponse](c, "threads", nil)
		ask[*godap.PauseResponse](c, "pause", args{"threadId": c.thread})
		if e := waitFor[*godap.StoppedEvent](c); e.Body.Reason != "pause" {
			c.t.Errorf("stopped for %q", e.Body.Reason)
		}
		c.value("%i")
		ask[*godap.PauseResponse](c, "pause", args{"threadId": c.thread}) // it stands already
		c.value("%i")
	},
	"next": func(c *client) {
		c.enter("k.ptx", nil)
		if e := c.moves("next", nil); e.Body.Reason != "step" || !e.Body.AllThreadsStopped || e.Body.ThreadId != 1 {
			c.t.Errorf("%+v", e.Body)
		}
		c.at("k.cu", 9)
		before := c.frame(c.thread).InstructionPointerReference
		c.moves("next", args{"granularity": "instruction"})
		if after := c.frame(c.thread).InstructionPointerReference; after == before {
			c.t.Errorf("the instruction is still that at %s", after)
		}
		c.says(c.refused("next", args{"threadId": c.thread, "granularity": "page"}), "want instruction")
		c.says(c.refused("next", args{"threadId": 99}), "no thread 99")
	},
	"stepIn": func(c *client) {
		c.atCall()
		c.moves("stepIn", nil)
		if f := c.frame(c.thread); f.Name != "twice" || f.Line != 3 {
			c.t.Errorf("in %s, line %d", f.Name, f.Line)
		}
	},
	"stepOut": func(c *client) {
		c.atCall()
		c.says(c.refused("stepOut", args{"threadId": c.thread}), "kernel itself")
		c.moves("stepIn", nil)
		c.moves("stepOut", nil)
		if f := c.frame(c.thread); f.Name != "k" {
			c.t.Errorf("in %s", f.Name)
		}
	},
	"stepBack":        testStepBack,
	"reverseContinue": testReverseContinue,
	"threads": func(c *client) {
		c.enter("k.ptx", nil)
		list := ask[*godap.ThreadsResponse](c, "threads", nil).Body.Threads
		if len(list) != 2 || list[0].Name != "block (0,0,0) warp 0" || list[0].Id != 1 || list[1].Name != "block (0,0,0) warp 1" {
			c.t.Errorf("%+v", list)
		}
	},
	"stackTrace": func(c *client) {
		c.atCall()
		c.moves("stepIn", nil)
		r := ask[*godap.StackTraceResponse](c, "stackTrace", args{"threadId": c.thread})
		f := r.Body.StackFrames
		if r.Body.TotalFrames != 2 || len(f) != 2 || f[0].Name != "twice" || f[1].Name != "k" || f[1].Line != 14 || f[1].Source.Name != "k.cu" || f[1].InstructionPointerReference == "" {
			c.t.Errorf("%+v", f)
		}
		r = ask[*godap.StackTraceResponse](c, "stackTrace", args{"threadId": c.thread, "startFrame": 1, "levels": 5})
		if len(r.Body.StackFrames) != 1 || r.Body.StackFrames[0].Name != "k" {
			c.t.Errorf("%+v", r.Body)
		}
		if c.frame(2).Line != 8 {
			c.t.Errorf("the other warp is at %+v", c.frame(2))
		}
	},
	"scopes":      testScopes,
	"variables":   testVariables,
	"setVariable": testSetVariable,
	"evaluate":    testEvaluate,
	"completions": func(c *client) {
		c.enter("k.ptx", nil)
		complete := func(text string) (list []string) {
			for _, i := range ask[*godap.CompletionsResponse](c, "completions", args{"text": text, "column": len(text) + 1}).Body.Targets {
				list = append(list, text[:i.Start-1]+i.Text)
			}
			return list
		}
		c.says(strings.Join(complete("reverse-s"), " "), "reverse-step reverse-stepi")
		c.says(strings.Join(complete("print %i"), " "), "print %id")
		c.says(strings.Join(complete("1+%od"), " "), "1+%odd")
	},
	"source": func(c *client) {
		c.enter("k.ptx", nil)
		r := ask[*godap.SourceResponse](c, "source", args{"sourceReference": 1})
		c.says(r.Body.Content, "bar.sync 0;")
		c.says(c.refused("source", args{"sourceReference": 9}), "no source 9")
	},
	"loadedSources": func(c *client) {
		c.enter("k.ptx", nil)
		list := ask[*godap.LoadedSourcesResponse](c, "loadedSources", nil).Body.Sources
		if len(list) != 2 || list[0].Name != "k.ptx" || list[0].Path == "" || list[1].Name != "k.cu" || list[1].Path == "" {
			c.t.Errorf("%+v", list)
		}
	},
	"modules": func(c *client) {
		c.enter("k.ptx", nil)
		r := ask[*godap.ModulesResponse](c, "modules", args{})
		if r.Body.TotalModules != 1 || r.Body.Modules[0].Name != "k.ptx" {
			c.t.Errorf("%+v", r.Body)
		}
	},
	"readMemory":  testReadMemory,
	"writeMemory": testWriteMemory,
	"disassemble": testDisassemble,
}

// TestRequests holds the table to its tests: a request that is claimed is made.
func TestRequests(t *testing.T) {
	for _, h := range handlers() {
		test := requestTests[h.name]
		if test == nil {
			t.Errorf("nothing tests %s", h.name)
			continue
		}
		t.Run(h.name, func(t *testing.T) { test(newClient(t, programs)) })
	}
	if len(requestTests) != len(handlers()) {
		t.Errorf("%d tests for %d requests", len(requestTests), len(handlers()))
	}
}

// says holds a text to another that is part of it.
func (c *client) says(have, want string) {
	c.t.Helper()
	if !strings.Contains(have, want) {
		c.t.Errorf("%q lacks %q", have, want)
	}
}

// printed reports whether the client has been shown a text.
func (c *client) printed(category, text string) bool {
	for _, e := range c.events {
		if o, ok := e.(*godap.OutputEvent); ok && o.Body.Category == category && strings.Contains(o.Body.Output, text) {
			return true
		}
	}
	return false
}

// at holds the innermost frame of the thread that has stopped to a line.
func (c *client) at(file string, line int) {
	c.t.Helper()
	if f := c.frame(c.thread); f.Source.Name != file || f.Line != line {
		c.t.Errorf("at %s:%d, want %s:%d", f.Source.Name, f.Line, file, line)
	}
}

// enterTo is begin up to the first stop.
func (c *client) enterTo(program string, more args) *godap.StoppedEvent {
	c.t.Helper()
	c.begin(program, more)
	return c.configured()
}

// atCall stops at the call of a function.
func (c *client) atCall() {
	c.t.Helper()
	c.begin("k.ptx", nil)
	c.setLines("k.cu", args{"line": 14})
	c.configured()
	c.at("k.cu", 14)
}

// setLines sets breakpoints on lines.
func (c *client) setLines(file string, list ...args) []godap.Breakpoint {
	c.t.Helper()
	return ask[*godap.SetBreakpointsResponse](c, "setBreakpoints", args{"source": args{"path": "testdata/" + file}, "breakpoints": list}).Body.Breakpoints
}

func testSetBreakpoints(c *client) {
	c.begin("k.ptx", nil)
	list := c.setLines("k.cu", args{"line": 15, "condition": "%tid.x == 37"}, args{"line": 2}, args{"line": 99}, args{"line": 9, "condition": "%nosuch +"},
		args{"line": 12, "logMessage": "lane {%laneid} has {%x}"}, args{"line": 9, "hitCondition": "many"})
	if !list[0].Verified || list[0].Line != 15 || !list[1].Verified || list[1].Line != 3 || list[2].Verified || list[3].Verified || !list[4].Verified || list[5].Verified {
		c.t.Errorf("%+v", list)
	}
	c.says(list[2].Message, "No line 99")
	c.says(list[3].Message, "condition")
	c.says(list[5].Message, "hit condition")
	c.setLines("k.cu", args{"line": 15, "condition": "%tid.x == 37"}, args{"line": 12, "logMessage": "lane {%laneid} has {%x}"})
	e := c.configured()
	if e.Body.Reason != "breakpoint" || len(e.Body.HitBreakpointIds) != 1 || e.Body.HitBreakpointIds[0] != list[0].Id {
		c.t.Errorf("%+v", e.Body)
	}
	c.says(c.value("%tid.x"), "37")
	if !c.printed("console", "lane 0 has 0\n") {
		c.t.Error("nothing was logged")
	}
	list = c.setLines("k.ptx", args{"line": 56, "hitCondition": ">= 2"})
	c.setLines("k.cu")
	if !list[0].Verified || list[0].Line != 56 || list[0].Source.Name != "k.ptx" {
		c.t.Errorf("%+v", list)
	}
	c.moves("continue", nil)
	c.says(c.command("info breakpoints"), "already hit 2 times")
	if list = c.setLines("other.cu", args{"line": 1}); list[0].Verified {
		c.t.Errorf("%+v", list)
	}
}

func testSetFunctionBreakpoints(c *client) {
	c.begin("k.ptx", nil)
	list := ask[*godap.SetFunctionBreakpointsResponse](c, "setFunctionBreakpoints",
		args{"breakpoints": []args{{"name": "twice", "hitCondition": "3"}, {"name": "twise"}}}).Body.Breakpoints
	if !list[0].Verified || list[1].Verified {
		c.t.Errorf("%+v", list)
	}
	c.says(list[1].Message, "twice")
	if e := c.configured(); e.Body.Reason != "function breakpoint" {
		c.t.Errorf("%+v", e.Body)
	}
	if f := c.frame(c.thread); f.Name != "twice" {
		c.t.Errorf("in %s", f.Name)
	}
	c.says(c.value("%a"), "4") // thread 0 comes the third time
}

func testSetInstructionBreakpoints(c *client) {
	c.enter("k.ptx", nil)
	ref := c.frame(c.thread).InstructionPointerReference
	list := ask[*godap.SetInstructionBreakpointsResponse](c, "setInstructionBreakpoints",
		args{"breakpoints": []args{{"instructionReference": ref, "offset": 2}, {"instructionReference": "0x5"}}}).Body.Breakpoints
	if !list[0].Verified || list[1].Verified {
		c.t.Errorf("%+v", list)
	}
	if e := c.moves("continue", nil); e.Body.Reason != "instruction breakpoint" {
		c.t.Errorf("%+v", e.Body)
	}
	if have := c.frame(c.thread).InstructionPointerReference; have != list[0].InstructionReference || have == ref {
		c.t.Errorf("at %s, want %s", have, list[0].InstructionReference)
	}
}

func testSetExceptionBreakpoints(c *client) {
	c.begin("race.ptx", args{"sanitize": "race"})
	list := ask[*godap.SetExceptionBreakpointsResponse](c, "setExceptionBreakpoints",
		args{"filters": []string{"race", "mem", "nosuch", "block"}}).Body.Breakpoints
	if len(list) != 4 || !list[0].Verified || list[1].Verified || list[2].Verified || !list[3].Verified {
		c.t.Errorf("%+v", list)
	}
	c.says(list[1].Message, "\"sanitize\": \"mem\"")
	if e := c.configured(); e.Body.Reason != "entry" {
		c.t.Errorf("%+v", e.Body)
	}
	e := c.moves("continue", nil)
	c.says(e.Body.Text, "race")
	ask[*godap.SetExceptionBreakpointsResponse](c, "setExceptionBreakpoints", args{"filters": []string{}})
	ask[*godap.ContinueResponse](c, "continue", args{"threadId": c.thread})
	if e := waitFor[*godap.ExitedEvent](c); e.Body.ExitCode != 4 {
		c.t.Errorf("exit code %d", e.Body.ExitCode)
	}
}

func testDataBreakpointInfo(c *client) {
	c.enter("k.ptx", nil)
	info := func(a args) godap.DataBreakpointInfoResponseBody {
		return ask[*godap.DataBreakpointInfoResponse](c, "dataBreakpointInfo", a).Body
	}
	if r := info(args{"variablesReference": c.scope(c.thread, "Lane"), "name": "%x"}); r.DataId == nil || len(r.AccessTypes) != 1 {
		c.t.Errorf("%+v", r)
	}
	if r := info(args{"name": "s[3]"}); r.DataId == nil || len(r.AccessTypes) != 3 {
		c.t.Errorf("%+v", r)
	}
	if r := info(args{"name": "nosuch"}); r.DataId != nil || !strings.Contains(r.Description, "No symbol") {
		c.t.Errorf("%+v", r)
	}
}

func testSetDataBreakpoints(c *client) {
	c.enter("k.ptx", nil)
	id := func(name string) any {
		return ask[*godap.DataBreakpointInfoResponse](c, "dataBreakpointInfo", args{"name": name}).Body.DataId
	}
	list := ask[*godap.SetDataBreakpointsResponse](c, "setDataBreakpoints", args{"breakpoints": []args{
		{"dataId": id("s[3]"), "accessType": "write"}, {"dataId": "x"}, {"dataId": id("s[4]"), "accessType": "look"}}}).Body.Breakpoints
	if !list[0].Verified || list[1].Verified || list[2].Verified {
		c.t.Errorf("%+v", list)
	}
	e := c.moves("continue", nil)
	if e.Body.Reason != "data breakpoint" || e.Body.HitBreakpointIds[0] != list[0].Id {
		c.t.Errorf("%+v", e.Body)
	}
	c.says(e.Body.Description, "0 → 280, by k.cu:15")
	list = ask[*godap.SetDataBreakpointsResponse](c, "setDataBreakpoints", args{"breakpoints": []args{{"dataId": id("s[3]"), "accessType": "read"}}}).Body.Breakpoints
	if !list[0].Verified {
		c.t.Fatalf("%+v", list)
	}
	e = c.moves("continue", nil)
	c.says(e.Body.Description, "ld.shared.u32")
}

func testReverseContinue(c *client) {
	c.begin("k.ptx", nil)
	c.setLines("k.cu", args{"line": 9})
	c.configured()
	first := c.command("info moment")
	c.setLines("k.cu", args{"line": 9}, args{"line": 17})
	c.moves("continue", nil)
	for i := 0; !strings.Contains(c.command("info line"), "k.cu:17") && i < 5; i++ {
		c.moves("continue", nil)
	}
	c.setLines("k.cu", args{"line": 9, "condition": "%tid.x == 0"})
	c.moves("reverseContinue", nil)
	if have := c.command("info moment"); strings.Fields(have)[1] != strings.Fields(first)[1] {
		c.t.Errorf("%q, forwards %q", have, first)
	}
	if e := c.moves("reverseContinue", nil); e.Body.Reason != "entry" {
		c.t.Errorf("%+v", e.Body)
	}
}

func testReadMemory(c *client) {
	c.begin("k.ptx", nil)
	c.setLines("k.cu", args{"line": 17})
	c.configured()
	ref := c.variable(c.thread, "Shared", "s").MemoryReference
	read := func(a args) godap.ReadMemoryResponseBody {
		return ask[*godap.ReadMemoryResponse](c, "readMemory", a).Body
	}
	r := read(args{"memoryReference": ref, "offset": 4, "count": 4})
	if data, err := base64.StdEncoding.DecodeString(r.Data); err != nil || string(data) != "\x78\x00\x00\x00" { // (10+5)·2³
		c.t.Errorf("%x %+v", data, r)
	}
	r = read(args{"memoryReference": ref, "count": 1 << 20})
	if r.UnreadableBytes == 0 || r.UnreadableBytes >= 1<<20 {
		c.t.Errorf("%d bytes cannot be read", r.UnreadableBytes)
	}
	if r = read(args{"memoryReference": "0x8", "count": 16}); r.UnreadableBytes != 16 {
		c.t.Errorf("%+v", r)
	}
	out := c.variable(c.thread, "Parameters", "out")
	if r = read(args{"memoryReference": out.MemoryReference, "count": 256}); r.UnreadableBytes != 0 {
		c.t.Errorf("%+v", r)
	}
	c.says(c.refused("readMemory", args{"memoryReference": ref, "count": 1 << 40}), "want 0 to")
	c.says(c.refused("readMemory", args{"memoryReference": "here", "count": 4}), "no memory")
}

func testWriteMemory(c *client) {
	c.enter("k.ptx", nil)
	out := c.variable(c.thread, "Parameters", "out").MemoryReference
	data := base64.StdEncoding.EncodeToString([]byte{1, 2, 3, 4})
	if n := ask[*godap.WriteMemoryResponse](c, "writeMemory", args{"memoryReference": out, "offset": 8, "data": data}).Body.BytesWritten; n != 4 {
		c.t.Errorf("%d bytes", n)
	}
	c.says(c.value("[out+8]:b32"), "67305985")
	c.refused("writeMemory", args{"memoryReference": out, "offset": 254, "data": data})
	if n := ask[*godap.WriteMemoryResponse](c, "writeMemory", args{"memoryReference": out, "offset": 254, "data": data, "allowPartial": true}).Body.BytesWritten; n != 2 {
		c.t.Errorf("%d bytes", n)
	}
	c.says(c.refused("writeMemory", args{"memoryReference": out, "data": "?"}), "data")
}

func testDisassemble(c *client) {
	c.enter("k.ptx", nil)
	ref := c.frame(c.thread).InstructionPointerReference
	list := ask[*godap.DisassembleResponse](c, "disassemble", args{"memoryReference": ref, "instructionOffset": -2, "instructionCount": 5}).Body.Instructions
	if len(list) != 5 || list[2].Address != ref || list[2].Instruction != "mov.u32 %id, %tid.x;" || list[2].Symbol != "k" || list[2].Line != 8 || strings.Contains(list[0].Instruction, "mov") {
		c.t.Errorf("%+v", list)
	}
	c.says(c.refused("disassemble", args{"memoryReference": ref, "instructionCount": 1 << 30}), "want 0 to")
	c.says(c.refused("disassemble", args{"memoryReference": "x", "instructionCount": 1}), "no instruction")
}
