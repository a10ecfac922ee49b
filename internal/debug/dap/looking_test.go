package dap

// This file looks at scopes, variables and expressions, and goes back.

import (
	"strings"
	"testing"

	godap "github.com/google/go-dap"
)

func testScopes(c *client) {
	c.begin("k.ptx", nil)
	c.setLines("k.cu", args{"line": 12})
	c.configured()
	var names []string
	for _, s := range ask[*godap.ScopesResponse](c, "scopes", args{"frameId": c.frame(c.thread).Id}).Body.Scopes {
		names = append(names, s.Name)
	}
	c.says(strings.Join(names, " "), "Lane Warp Parameters Shared Local Specials Divergence")
	list := c.list(c.scope(c.thread, "Divergence"), nil)
	if len(list) != 2 || list[0].Name != "lanes 55555555" || !strings.Contains(list[0].Value, "runs; meets ffffffff at k.cu:13") || !strings.Contains(list[1].Value, "ready") {
		c.t.Errorf("%+v", list)
	}
	c.says(c.variable(c.thread, "Specials", "%tid.x").Value, "0")
	c.says(c.variable(c.thread, "Local", "kept").Value, "{0, 0, 0, 0}")
	old := c.frame(c.thread).Id
	c.moves("next", nil)
	c.says(c.refused("scopes", args{"frameId": old}), "until the launch moves")
}

// TestMachineScopes shows barriers, mbarriers and open operations.
func TestMachineScopes(t *testing.T) {
	c := newClient(t, programs)
	c.begin("k.ptx", nil)
	c.setLines("k.cu", args{"line": 16, "condition": "%tid.x == 32"})
	c.configured()
	c.moves("next", args{"granularity": "instruction"})
	for range 3 { // until the other warp waits at the barrier
		if c.scope(c.thread, "Barriers") == 0 {
			c.moves("stepIn", args{"granularity": "instruction"})
		}
	}
	c = newClient(t, programs)
	c.begin("async.ptx", args{"args": []string{"lazy"}})
	c.setLines("async.ptx", args{"line": 17})
	c.configured()
	ops := c.list(c.scope(c.thread, "Async"), nil)
	if len(ops) != 1 || !strings.Contains(ops[0].Value, "cp.async") || !strings.Contains(ops[0].Value, "shared") {
		t.Errorf("%+v", ops)
	}
	bars := c.list(c.scope(c.thread, "Barriers"), nil)
	if len(bars) != 1 || bars[0].Name != "mbarrier bar" || !strings.Contains(bars[0].Value, "64 of 64 arrivals") {
		t.Errorf("%+v", bars)
	}
}

// TestDeadlock stops where no thread can go on, and shows at which barriers.
func TestDeadlock(t *testing.T) {
	c := newClient(t, programs)
	e := c.enterTo("deadlock.ptx", nil)
	if e.Body.Reason != "exception" || !strings.Contains(e.Body.Text, "deadlock") {
		t.Errorf("%+v", e.Body)
	}
	if r := ask[*godap.ExceptionInfoResponse](c, "exceptionInfo", args{"threadId": c.thread}); r.Body.ExceptionId != "deadlock" {
		t.Errorf("%+v", r.Body)
	}
	thread := e.Body.ThreadId
	bars := c.list(c.scope(thread, "Barriers"), nil)
	if len(bars) == 0 || !strings.Contains(bars[0].Value, "wait") {
		t.Errorf("%+v", bars)
	}
}

func testVariables(c *client) {
	c.begin("k.ptx", nil)
	c.setLines("k.cu", args{"line": 17, "condition": "%tid.x == 0"})
	c.configured()
	if v := c.variable(c.thread, "Lane", "%x"); v.Value != "8" || v.Type != "u32" || v.EvaluateName != "%x" {
		c.t.Errorf("%+v", v)
	}
	row := c.variable(c.thread, "Warp", "%x")
	columns := c.list(row.VariablesReference, args{"filter": "indexed"})
	if row.IndexedVariables != 32 || len(columns) != 32 || columns[1].Name != "lane 1" || columns[1].Value != "120" || columns[1].EvaluateName != "%x@1" {
		c.t.Errorf("%+v %+v", row, columns)
	}
	c.says(c.variable(c.thread, "Warp", "%i").Value, "3 in 32 lanes")
	s := c.variable(c.thread, "Shared", "s")
	part := c.list(s.VariablesReference, args{"start": 62, "count": 10})
	if s.IndexedVariables != 64 || s.Type != "u32[64]" || len(part) != 2 || part[1].Name != "[63]" || part[1].Value != "5080" || part[1].EvaluateName != "s[63]" {
		c.t.Errorf("%+v %+v", s, part)
	}
	if hex := c.list(s.VariablesReference, args{"start": 63, "count": 1, "format": args{"hex": true}}); hex[0].Value != "0x13d8" {
		c.t.Errorf("%+v", hex)
	}
	out := c.variable(c.thread, "Parameters", "out")
	if out.IndexedVariables != 64 || len(c.list(out.VariablesReference, nil)) != 64 || !strings.HasPrefix(out.Value, "0x") {
		c.t.Errorf("%+v", out)
	}
	if named := c.list(s.VariablesReference, args{"filter": "named"}); len(named) != 0 {
		c.t.Errorf("%+v", named)
	}
	c.says(c.refused("variables", args{"variablesReference": s.VariablesReference, "start": -1}), "not negative")
	c.says(c.refused("variables", args{"variablesReference": s.VariablesReference, "count": 1 << 40}), "at most")
	c.says(c.refused("variables", args{"variablesReference": 1 << 40}), "no variables")
}

func testSetVariable(c *client) {
	c.begin("k.ptx", nil)
	c.setLines("k.cu", args{"line": 17, "condition": "%tid.x == 0"})
	c.configured()
	set := func(ref int, name, value string) godap.SetVariableResponseBody {
		return ask[*godap.SetVariableResponse](c, "setVariable", args{"variablesReference": ref, "name": name, "value": value}).Body
	}
	if r := set(c.scope(c.thread, "Lane"), "%x", "7*6"); r.Value != "42" {
		c.t.Errorf("%+v", r)
	}
	c.says(c.value("%x"), "42")
	set(c.variable(c.thread, "Warp", "%x").VariablesReference, "lane 5", "9")
	c.says(c.value("%x@5"), "9")
	set(c.variable(c.thread, "Shared", "s").VariablesReference, "[63]", "11")
	c.says(c.value("s[63]"), "11")
	c.says(c.refused("setVariable", args{"variablesReference": c.scope(c.thread, "Specials"), "name": "%tid.x", "value": "1"}), "not an lvalue")
	c.says(c.refused("setVariable", args{"variablesReference": c.scope(c.thread, "Divergence"), "name": "lanes ffffffff", "value": "1"}), "cannot be changed")
	c.says(c.refused("setVariable", args{"variablesReference": c.scope(c.thread, "Lane"), "name": "%none", "value": "1"}), "no variable")
}

func testEvaluate(c *client) {
	c.begin("k.ptx", nil)
	c.setLines("k.cu", args{"line": 17, "condition": "%tid.x == 0"})
	c.configured()
	frame := c.frame(c.thread).Id
	r := ask[*godap.EvaluateResponse](c, "evaluate", args{"expression": "s", "frameId": frame, "context": "hover"})
	if r.Body.IndexedVariables != 64 || r.Body.VariablesReference == 0 || r.Body.MemoryReference == "" {
		c.t.Errorf("%+v", r.Body)
	}
	r = ask[*godap.EvaluateResponse](c, "evaluate", args{"expression": "%id@warp", "frameId": frame, "context": "watch"})
	if list := c.list(r.Body.VariablesReference, nil); len(list) != 32 || list[31].Value != "31" {
		c.t.Errorf("%+v %+v", r.Body, list)
	}
	c.says(c.value("%x + 1"), "9")
	c.says(c.command("why s[0]"), "st.shared.u32")
	c.says(c.refused("evaluate", args{"expression": "%nosuch", "frameId": frame}), "No register")
	c.says(c.command("print/x %x"), "= 0x8")
	c.says(c.command("%x"), "8")
	c.says(c.command("info cuda warps"), "Fragments")
	c.says(c.refused("evaluate", args{"expression": "nosuch", "context": "repl"}), "Undefined command")
	c.command("cuda thread 5")
	if e := waitFor[*godap.StoppedEvent](c); e.Body.ThreadId != 1 {
		c.t.Errorf("%+v", e.Body)
	}
	c.says(c.value("%tid.x"), "5")
	c.command("reverse-stepi")
	waitFor[*godap.StoppedEvent](c)
	c.command("delete")
	c.command("continue")
	if e := waitFor[*godap.ExitedEvent](c); e.Body.ExitCode != 0 {
		c.t.Errorf("%+v", e.Body)
	}
}

func testStepBack(c *client) {
	c.begin("k.ptx", nil)
	c.setLines("k.cu", args{"line": 9})
	c.configured()
	for _, granularity := range []string{"line", "instruction"} {
		before := c.state()
		c.moves("next", args{"granularity": granularity})
		if c.state() == before {
			c.t.Errorf("a step by %s changes nothing", granularity)
		}
		c.moves("stepBack", args{"granularity": granularity})
		if after := c.state(); after != before {
			c.t.Errorf("forward and back by %s:\n%s\nbefore:\n%s", granularity, after, before)
		}
		c.moves("next", args{"granularity": granularity})
	}
}

// state is what the client can see of the launch.
func (c *client) state() string {
	c.t.Helper()
	var b strings.Builder
	b.WriteString(strings.Fields(c.command("info moment"))[1])
	for _, thread := range ask[*godap.ThreadsResponse](c, "threads", nil).Body.Threads {
		b.WriteString("\n" + thread.Name + " " + c.frame(thread.Id).InstructionPointerReference)
		for _, scope := range []string{"Warp", "Shared", "Local", "Divergence"} {
			for _, v := range c.list(c.scope(thread.Id, scope), nil) {
				b.WriteString("\n" + v.Name + " " + v.Value)
				if v.VariablesReference != 0 {
					for _, inner := range c.list(v.VariablesReference, nil) {
						b.WriteString(" " + inner.Value)
					}
				}
			}
		}
	}
	return b.String()
}
