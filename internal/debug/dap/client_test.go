package dap

// This file is a client for tests, over a pipe.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	godap "github.com/google/go-dap"

	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/vm"
	"ptxvm.invalid/ptxvm/report"
)

// programs opens the modules of testdata: one that reads n from args, with a buffer of 64 words as its first parameter.
func programs(a *Arguments, out, notes io.Writer) (*Program, error) {
	if a.Program == "" {
		return nil, errors.New("program is missing")
	}
	text, err := os.ReadFile(a.Program)
	if err != nil {
		return nil, err
	}
	m, err := vm.Compile(a.Program, text, nil)
	if err != nil {
		return nil, err
	}
	cfg := vm.DeviceConfig{MaxSteps: 1 << 40}
	n := uint32(3)
	for _, arg := range a.Args {
		if arg == "lazy" {
			cfg.Async = vm.AsyncLazy
		} else if _, err := fmt.Sscan(arg, &n); err != nil {
			return nil, err
		}
	}
	checks, err := vm.ParseSanitize(string(a.Sanitize))
	if err != nil {
		return nil, err
	}
	p := &Program{ExitCode: exitCode, File: beside(a.Program)}
	if a.Sanitize != "" {
		p.Checks = []string{string(a.Sanitize)}
	}
	p.Line = func(at report.Location) (string, bool) { return "", false }
	p.Target = debug.Target{Output: out, Open: func(w vm.Watch, seed uint64, out io.Writer) (*debug.Launch, error) {
		cfg := cfg
		cfg.Seed, cfg.Stdout, cfg.Sanitize = seed, out, checks
		return openLaunch(m, w, &cfg, n, notes, filepath.Base(a.Program) == "texture.ptx")
	}}
	return p, nil
}

// openLaunch makes one launch of the module's only kernel; textured: the texture line reads its buffer.
func openLaunch(m *vm.Module, w vm.Watch, cfg *vm.DeviceConfig, n uint32, notes io.Writer, textured bool) (*debug.Launch, error) {
	cfg.Engine, cfg.Workers, cfg.Deterministic, cfg.Memory, cfg.Arch = vm.Interp, 1, true, 1<<24, "sm_90"
	d, err := vm.NewDevice(cfg)
	if err != nil {
		return nil, err
	}
	debug.Prepare(d)
	p, err := d.Load(m)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	k, err := p.Kernel("k")
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	b, err := d.Alloc(256)
	if err == nil && textured {
		err = bindLine(d, p, b)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	shape := vm.Launch{Grid: vm.Dim3{X: 2}, Block: vm.Dim3{X: 64}}
	return &debug.Launch{Kernel: k, Shape: shape, Close: d.Close,
		Run: func(ctx context.Context) error {
			_, err := k.Watch(ctx, shape, w, b, n)
			return err
		},
		Result: func() error {
			_, err := fmt.Fprintln(notes, "results")
			return err
		},
	}, nil
}

// bindLine makes the texture line.
func bindLine(d *vm.Device, p *vm.Program, b vm.Buffer) error {
	f, err := vm.ParseSampleFormat("u32x1")
	if err != nil {
		return err
	}
	line, err := d.NewTexture(vm.TextureDesc{Name: "line", Buffer: b, Format: f, Width: 8})
	if err != nil {
		return err
	}
	return p.BindTexture("line", line)
}

func exitCode(end error) int {
	if end != nil {
		return 4
	}
	return 0
}

// beside finds files by their names beside a program.
func beside(program string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		path := filepath.Join(filepath.Dir(program), filepath.Base(name))
		_, err := os.Stat(path)
		return path, err == nil
	}
}

// client talks with a server.
type client struct {
	t        testing.TB
	to       io.WriteCloser
	from     *bufio.Reader
	seq      int
	thread   int                  // of the last stop
	events   []godap.EventMessage // that no test has waited for
	finished chan error
}

// newClient starts a server.
func newClient(t testing.TB, open Opener) *client {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	c := &client{t: t, to: toServer, from: bufio.NewReader(fromServer), finished: make(chan error, 1)}
	go func() {
		err := Serve(fromClient, toClient, open)
		_ = toClient.Close()
		_ = fromClient.Close()
		c.finished <- err
	}()
	t.Cleanup(func() {
		_ = toServer.Close()
		_, _ = io.Copy(io.Discard, c.from)
		if err := <-c.finished; err != nil {
			t.Error(err)
		}
	})
	return c
}

// send writes a request.
func (c *client) send(command string, arguments any) int {
	c.t.Helper()
	c.seq++
	data, err := json.Marshal(map[string]any{"seq": c.seq, "type": "request", "command": command, "arguments": arguments})
	if err != nil {
		c.t.Fatal(err)
	}
	if err := godap.WriteBaseMessage(c.to, data); err != nil {
		c.t.Fatal(err)
	}
	return c.seq
}

// next reads a message.
func (c *client) next() godap.Message {
	c.t.Helper()
	m, err := godap.ReadProtocolMessage(c.from)
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

// try sends a request and waits for its response, which may be an error.
func (c *client) try(command string, arguments any) godap.ResponseMessage {
	c.t.Helper()
	seq := c.send(command, arguments)
	for {
		switch m := c.next().(type) {
		case godap.EventMessage:
			c.events = append(c.events, m)
		case godap.ResponseMessage:
			if m.GetResponse().RequestSeq != seq {
				c.t.Fatalf("%s: a response to request %d, not %d", command, m.GetResponse().RequestSeq, seq)
			}
			return m
		}
	}
}

// ask sends a request that must be answered.
func ask[R godap.ResponseMessage](c *client, command string, arguments any) R {
	c.t.Helper()
	m := c.try(command, arguments)
	r, ok := m.(R)
	if !ok {
		c.t.Fatalf("%s: %s", command, m.GetResponse().Message)
	}
	return r
}

// refused sends a request that must not be done, and returns why.
func (c *client) refused(command string, arguments any) string {
	c.t.Helper()
	m, ok := c.try(command, arguments).(*godap.ErrorResponse)
	if !ok {
		c.t.Fatalf("%s is not refused", command)
	}
	if m.Command != command || m.Message == "" {
		c.t.Errorf("%s: refused as %q, %q", command, m.Command, m.Message)
	}
	return m.Message
}

// waitFor waits for an event of a type.
func waitFor[E godap.EventMessage](c *client) E {
	c.t.Helper()
	for i, e := range c.events {
		if typed, ok := e.(E); ok {
			c.events = append(c.events[:i:i], c.events[i+1:]...)
			c.note(e)
			return typed
		}
	}
	for {
		m := c.next()
		if typed, ok := m.(E); ok {
			c.note(typed)
			return typed
		}
		if e, ok := m.(godap.EventMessage); ok {
			c.events = append(c.events, e)
		}
	}
}

// note remembers which thread has stopped.
func (c *client) note(e godap.EventMessage) {
	if stopped, ok := e.(*godap.StoppedEvent); ok {
		c.thread = stopped.Body.ThreadId
	}
}

type args = map[string]any

// begin initializes and launches.
func (c *client) begin(program string, more args) {
	c.t.Helper()
	ask[*godap.InitializeResponse](c, "initialize", args{"adapterID": "ptxvm", "linesStartAt1": true, "columnsStartAt1": true, "pathFormat": "path"})
	all := args{"program": filepath.Join("testdata", program)}
	for k, v := range more {
		all[k] = v
	}
	ask[*godap.LaunchResponse](c, "launch", all)
	waitFor[*godap.InitializedEvent](c)
}

// enter is begin up to the first instruction.
func (c *client) enter(program string, more args) *godap.StoppedEvent {
	c.t.Helper()
	all := args{"stopOnEntry": true}
	for k, v := range more {
		all[k] = v
	}
	c.begin(program, all)
	return c.configured()
}

// configured ends the configuration, and waits for a stop.
func (c *client) configured() *godap.StoppedEvent {
	c.t.Helper()
	ask[*godap.ConfigurationDoneResponse](c, "configurationDone", nil)
	return waitFor[*godap.StoppedEvent](c)
}

// moves sends a request that lets the launch go on or back, and waits until it stops.
func (c *client) moves(command string, more args) *godap.StoppedEvent {
	c.t.Helper()
	all := args{"threadId": c.thread}
	for k, v := range more {
		all[k] = v
	}
	if r := c.try(command, all); !r.GetResponse().Success {
		c.t.Fatalf("%s: %s", command, r.GetResponse().Message)
	}
	return waitFor[*godap.StoppedEvent](c)
}

// frame is the innermost frame of a thread.
func (c *client) frame(thread int) godap.StackFrame {
	c.t.Helper()
	return ask[*godap.StackTraceResponse](c, "stackTrace", args{"threadId": thread}).Body.StackFrames[0]
}

// value evaluates an expression in the innermost frame of the thread that has stopped.
func (c *client) value(text string) string {
	c.t.Helper()
	return ask[*godap.EvaluateResponse](c, "evaluate", args{"expression": text, "frameId": c.frame(c.thread).Id, "context": "watch"}).Body.Result
}

// command does a command of the terminal.
func (c *client) command(text string) string {
	c.t.Helper()
	return ask[*godap.EvaluateResponse](c, "evaluate", args{"expression": text, "context": "repl"}).Body.Result
}

// scope is the number of a scope of a thread's innermost frame; 0: it has none of the name.
func (c *client) scope(thread int, name string) int {
	c.t.Helper()
	for _, s := range ask[*godap.ScopesResponse](c, "scopes", args{"frameId": c.frame(thread).Id}).Body.Scopes {
		if s.Name == name {
			return s.VariablesReference
		}
	}
	return 0
}

// list lists variables.
func (c *client) list(ref int, more args) []godap.Variable {
	c.t.Helper()
	all := args{"variablesReference": ref}
	for k, v := range more {
		all[k] = v
	}
	return ask[*godap.VariablesResponse](c, "variables", all).Body.Variables
}

// variable finds one of a scope.
func (c *client) variable(thread int, scope, name string) godap.Variable {
	c.t.Helper()
	for _, v := range c.list(c.scope(thread, scope), nil) {
		if v.Name == name {
			return v
		}
	}
	c.t.Fatalf("scope %s has no %s", scope, name)
	return godap.Variable{}
}
