package mcp

// This file makes a call of a tool, and puts what came of it into words.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ptxvm.invalid/ptxvm/internal/launchlang"
)

// call is one call of a tool.
type call struct {
	server *Server
	ctx    context.Context
}

// result is what a tool answers. Failed: it could not do what was asked; a kernel with bugs is no failure.
type result struct {
	Content    []content `json:"content"`
	Structured any       `json:"structuredContent,omitempty"`
	Failed     bool      `json:"isError"`
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// outcome is the object of a result. Exit: docs/exit-codes.md.
type outcome struct {
	Exit   int    `json:"exit"`
	Replay string `json:"replay"`
	Report any    `json:"report,omitempty"` // of run and sanitize as in docs/json.md, of grade as in docs/grade.md
}

// past is the exit status from which on a command has not done what it was asked: docs/exit-codes.md.
const past = 7

// usageExit is the exit status of a command line that cannot be carried out.
const usageExit = 2

// call calls a tool. The error is one of the protocol.
func (s *Server) call(ctx context.Context, params json.RawMessage) (*result, error) {
	var p struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, &rpcError{invalidParams, "tools/call wants a name and arguments"}
	}
	at := slices.IndexFunc(s.tools, func(t *tool) bool { return t.Name == p.Name })
	if at < 0 {
		return nil, &rpcError{invalidParams, "there is no tool " + p.Name}
	}
	c := &call{s, ctx}
	line, err := s.tools[at].line(c, p.Arguments)
	if err != nil {
		return failure(err.Error()), nil
	}
	return c.run(line), nil
}

func failure(text string) *result {
	return &result{Content: []content{{"text", text}}, Failed: true}
}

// run runs a command line under the server's limits.
func (c *call) run(line *commandLine) *result {
	ctx, cancel := context.WithTimeout(c.ctx, c.server.Timeout+startup)
	defer cancel()
	args := slices.Concat(line.args, line.limits)
	report := ""
	if line.report {
		dir, err := os.MkdirTemp(c.server.Folder, "report")
		if err != nil {
			return failure(err.Error())
		}
		defer os.RemoveAll(dir)
		report = filepath.Join(dir, "report.json")
		args = append(args, "--report="+report)
	}
	done, err := c.server.Run(ctx, line.program, args, c.server.Output)
	if err != nil {
		return failure(err.Error())
	}
	return c.result(line, done, report)
}

// startup is what a call may take beyond its time, to load modules and to write reports.
const startup = 10 * time.Second

// result puts what a command has said into words.
func (c *call) result(line *commandLine, done Done, report string) *result {
	o := outcome{Exit: done.Exit, Replay: replay(line)}
	text := string(done.Out) + string(done.Err)
	if line.read != nil {
		text, o.Report = line.read(done)
	}
	if written, err := os.ReadFile(report); err == nil && len(written) <= c.server.Output*4 && json.Valid(written) {
		o.Report = json.RawMessage(written)
	}
	var b strings.Builder
	b.WriteString(strings.TrimRight(text, "\n"))
	if b.Len() == 0 && done.Exit == 0 {
		b.WriteString(orElse(line.silence, "no errors"))
	}
	if done.Cut > 0 {
		fmt.Fprintf(&b, "\n… %d more bytes; the command line below gives all", done.Cut)
	}
	if done.Exit < 0 {
		fmt.Fprintf(&b, "\nit was ended: it took more than %s, or the client has cancelled it", c.server.Timeout+startup)
	}
	fmt.Fprintf(&b, "\nreplay: %s", o.Replay)
	failed := done.Exit < 0 || done.Exit == usageExit || done.Exit >= past
	return &result{Content: []content{{"text", strings.TrimLeft(b.String(), "\n")}}, Structured: o, Failed: failed}
}

// replay is a command line for a shell.
func replay(line *commandLine) string {
	words := []string{line.program}
	for _, arg := range line.args {
		words = append(words, launchlang.ShellWord(arg))
	}
	return strings.Join(words, " ")
}

// file is the absolute path of a module, which is no flag whatever its name; one that came as text is written first, under a name
// that the same text has again.
func (c *call) file(m module) (string, error) {
	switch {
	case (m.PTX == "") == (m.Path == ""):
		return "", errors.New("give the module as ptx, or its path")
	case m.Path != "":
		return filepath.Abs(m.Path)
	}
	return c.write(m.PTX, "ptx")
}

// write writes a text to a file of a kind, and gives its path.
func (c *call) write(text, kind string) (string, error) {
	sum := sha256.Sum256([]byte(text))
	path := filepath.Join(c.server.Folder, "kernel-"+hex.EncodeToString(sum[:8])+"."+kind)
	part, err := os.CreateTemp(c.server.Folder, "part") // another call may be reading what this one writes
	if err != nil {
		return "", err
	}
	_, err = part.WriteString(text)
	return path, errors.Join(err, part.Close(), os.Rename(part.Name(), path))
}
