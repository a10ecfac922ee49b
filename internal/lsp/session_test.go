package lsp

// This file plays recorded sessions: each command is sent as a client sends it, and what the server answers is compared.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/sourcegraph/jsonrpc2"

	"ptxvm.invalid/ptxvm/internal/check"
	"ptxvm.invalid/ptxvm/internal/lsp/doc"
)

var update = flag.Bool("update", false, "write what the server answers into the sessions")

// client speaks to a server over pipes, and keeps the texts of its documents in step.
type client struct {
	t     testing.TB
	conn  *jsonrpc2.Conn
	enc   doc.Encoding
	texts map[string]*doc.Snapshot
	done  chan error

	mu        sync.Mutex
	published map[string]publishParams
	messages  []string
	arrived   chan struct{}
}

type pipe struct {
	io.Reader
	io.Writer
}

func (pipe) Close() error { return nil }

// newClient starts a server and says initialize.
func newClient(t testing.TB, abilities string) *client {
	t.Helper()
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	c := &client{t: t, texts: map[string]*doc.Snapshot{}, done: make(chan error, 1),
		published: map[string]publishParams{}, arrived: make(chan struct{}, 1000)}
	go func() {
		err := Serve(context.Background(), toServer, fromServer, "test")
		_ = fromServer.Close()
		_ = toServer.Close()
		c.done <- err
	}()
	c.conn = jsonrpc2.NewConn(context.Background(), jsonrpc2.NewBufferedStream(pipe{toClient, fromClient},
		jsonrpc2.VSCodeObjectCodec{}), c)
	var result struct {
		Capabilities struct {
			PositionEncoding string `json:"positionEncoding"`
		} `json:"capabilities"`
	}
	c.call("initialize", json.RawMessage(`{"capabilities":`+abilities+`}`), &result)
	c.notify("initialized", struct{}{})
	for _, e := range encodings {
		if e.name == result.Capabilities.PositionEncoding {
			c.enc = e.unit
		}
	}
	return c
}

// Handle keeps what the server sends by itself.
func (c *client) Handle(_ context.Context, _ *jsonrpc2.Conn, req *jsonrpc2.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch req.Method {
	case "textDocument/publishDiagnostics":
		var p publishParams
		_ = json.Unmarshal(*req.Params, &p)
		c.published[p.URI] = p
		c.arrived <- struct{}{}
	case "window/logMessage", "window/showMessage":
		var p messageParams
		_ = json.Unmarshal(*req.Params, &p)
		c.messages = append(c.messages, p.Message)
	}
}

func (c *client) call(name string, params, result any) {
	c.t.Helper()
	if err := c.try(name, params, result); err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
}

func (c *client) try(name string, params, result any) error {
	return c.conn.Call(context.Background(), name, params, result)
}

func (c *client) notify(name string, params any) {
	c.t.Helper()
	if err := c.conn.Notify(context.Background(), name, params); err != nil {
		c.t.Fatal(err)
	}
}

// close ends the session as the protocol wants it.
func (c *client) close() {
	c.t.Helper()
	c.call("shutdown", nil, nil)
	c.notify("exit", nil)
	if err := <-c.done; err != nil {
		c.t.Errorf("the server ended with %v", err)
	}
}

func uriOf(name string) string { return "file:///work/" + name }

func (c *client) open(name, text string) {
	c.texts[name] = doc.New(name, []byte(text), check.Options{})
	var p didOpenParams
	p.TextDocument.URI, p.TextDocument.LanguageID, p.TextDocument.Version, p.TextDocument.Text = uriOf(name),
		"ptx", 1, text
	c.notify("textDocument/didOpen", p)
}

func (c *client) edit(name string, at doc.Span, text string) {
	before := c.texts[name]
	r := rangeIn(before, at, c.enc)
	c.texts[name] = before.Edit(at, text)
	c.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uriOf(name), "version": 2},
		"contentChanges": []any{map[string]any{"range": r, "text": text}}})
}

// at is the position behind the first place of a text.
func (c *client) at(name, text string) position {
	c.t.Helper()
	n := bytes.Index(c.texts[name].Text, []byte(text))
	if n < 0 {
		c.t.Fatalf("%s has no %q", name, text)
	}
	end := doc.Pos(n + len(text))
	return rangeIn(c.texts[name], doc.Span{Start: end, End: end}, c.enc).Start
}

func (c *client) place(name, text string) positionParams {
	return positionParams{documentParams{documentID{URI: uriOf(name)}}, c.at(name, text)}
}

// applied is a text after edits.
func (c *client) applied(name string, edits []textEdit) string {
	s := c.texts[name]
	offset := func(p position) doc.Pos { return s.Offset(p.Line, p.Character, c.enc) }
	slices.SortFunc(edits, func(a, b textEdit) int { return -cmp.Compare(offset(a.Range.Start), offset(b.Range.Start)) })
	text := string(s.Text)
	for _, e := range edits {
		text = text[:offset(e.Range.Start)] + e.NewText + text[offset(e.Range.End):]
	}
	return text
}

// show prints a range as lines and columns from 1.
func show(r textRange) string {
	return fmt.Sprintf("%d:%d-%d:%d", r.Start.Line+1, r.Start.Character+1, r.End.Line+1, r.End.Character+1)
}

// TestSessions plays testdata/*.session: archives with documents and, as comment, commands. What is indented behind a command is what
// the server answers.
func TestSessions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.session")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".session"), func(t *testing.T) { playFile(t, file) })
	}
}

func playFile(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	abilities := `{}`
	var out strings.Builder
	var p *player
	for line := range strings.Lines(string(archive.Comment)) {
		line = strings.TrimRight(line, "\n")
		if rest, ok := strings.CutPrefix(line, "# client "); ok {
			abilities = rest
		}
		if line == "" || line[0] == '#' {
			out.WriteString(line + "\n")
			continue
		}
		if line[0] == ' ' || line[0] == '\t' {
			continue
		}
		if p == nil {
			p = &player{client: newClient(t, abilities), archive: archive}
		}
		fmt.Fprintf(&out, "%s\n", line)
		for text := range strings.Lines(p.play(line)) {
			out.WriteString("\t" + strings.TrimRight(text, "\n") + "\n")
		}
	}
	p.close()
	if *update {
		archive.Comment = []byte(out.String())
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, want := out.String(), string(archive.Comment); got != want {
		t.Errorf("the session went otherwise (-update writes it):\n%s\nwant\n%s", got, want)
	}
}

// player plays one session.
type player struct {
	*client
	archive *txtar.Archive
	name    string
}

// words of a command: quoted ones are Go's strings.
func (p *player) words(line string) (list []string) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if line[0] == '"' {
			quoted, err := strconv.QuotedPrefix(line)
			if err != nil {
				p.t.Fatalf("%s: %v", line, err)
			}
			text, _ := strconv.Unquote(quoted)
			list, line = append(list, text), line[len(quoted):]
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		list, line = append(list, word), rest
	}
	return list
}

// play sends a command, and prints the answer.
func (p *player) play(line string) string {
	w := append(p.words(line), "", "")
	switch w[0] {
	case "open":
		p.name = w[1]
		for _, f := range p.archive.Files {
			if f.Name == w[1] {
				p.open(w[1], string(f.Data))
			}
		}
		return ""
	case "settings":
		p.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"ptxvm": json.RawMessage(w[1])}})
		return ""
	case "type": // text behind a place
		at := bytes.Index(p.texts[p.name].Text, []byte(w[1])) + len(w[1])
		p.edit(p.name, doc.Span{Start: doc.Pos(at), End: doc.Pos(at)}, w[2])
		return ""
	case "replace":
		at := bytes.Index(p.texts[p.name].Text, []byte(w[1]))
		p.edit(p.name, doc.Span{Start: doc.Pos(at), End: doc.Pos(at + len(w[1]))}, w[2])
		return ""
	}
	answer, err := p.ask(w)
	if err != nil {
		return "error: " + err.Error()
	}
	return answer
}
