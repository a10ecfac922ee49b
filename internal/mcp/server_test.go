package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// serverOf has a page and a folder; its programs say their arguments.
func serverOf(t testing.TB) *Server {
	echo := func(_ context.Context, program string, args []string, most int) (Done, error) {
		return Done{Out: []byte(program + " " + strings.Join(args, " ") + "\n")}, nil
	}
	pages := fstest.MapFS{"a.md": {Data: []byte("<!-- x -->\n# A page\n")}, "howto/b.md": {Data: []byte("# B\n")}, "c.txt": {}}
	return &Server{Version: "1", Run: echo, Pages: pages, Folder: t.TempDir(), Timeout: time.Minute, Memory: "1G", Output: 1 << 16}
}

// answers sends lines to a server, and gives what it has answered, by id.
func answers(t *testing.T, s *Server, lines ...string) map[string]string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Serve(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	byID := map[string]string{}
	for line := range strings.Lines(out.String()) {
		var r struct {
			Version string `json:"jsonrpc"`
			ID      json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Version != "2.0" {
			t.Fatalf("%v: %s", err, line)
		}
		if byID[string(r.ID)] != "" && string(r.ID) != "null" {
			t.Errorf("two answers to %s", r.ID)
		}
		byID[string(r.ID)] += line
	}
	return byID
}

func TestProtocol(t *testing.T) {
	for _, c := range []struct{ line, id, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "1", `"result":{}`},
		{`{"jsonrpc":"2.0","id":"a","method":"ping"}`, `"a"`, `"result":{}`},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}`, "1", `"protocolVersion":"2024-11-05"`},
		{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}`, "1", `"protocolVersion":"` + versions[0]},
		{`{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, "1", "-32601"},
		{`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, "1", `"title":"A page","uri":"ptxvm://docs/a.md"`},
		{`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ptxvm://docs/howto/b.md"}}`, "1", `"text":"# B\n"`},
		{`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"ptxvm://docs/../c.txt"}}`, "1", "-32002"},
		{`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///etc/passwd"}}`, "1", "-32002"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"none"}}`, "1", "-32602"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, "1", "-32602"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check"}}`, "1", "give the module as ptx, or its path"},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check","arguments":{"file":"x"}}}`, "1", `unexpected additional properties [\"file\"]`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check","arguments":{"path":7}}}`, "1", `"isError":true`},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, "1", "-32600"},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, "null", "-32600"},
		{`{`, "null", "-32700"},
		{strings.Repeat("x", maxMessage+1), "null", "at most"},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, "1", ""},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "null", ""},
	} {
		have := answers(t, serverOf(t), "", c.line, `{"jsonrpc":"2.0","id":9,"method":"ping"}`)
		if !strings.Contains(have[c.id], c.want) || c.want == "" && have[c.id] != "" {
			t.Errorf("%.100s\nhave %s\nwant %s", c.line, have[c.id], c.want)
		}
		if have["9"] == "" {
			t.Errorf("nothing is answered behind %.100s", c.line)
		}
	}
}

// TestLines: what each tool runs, and that no argument can become a flag of its own.
func TestLines(t *testing.T) {
	for _, c := range []struct{ name, arguments, want string }{
		{"check", `{"path":"/a/k.ptx","arch":"sm_90"}`, "ptxvm check --arch=sm_90 /a/k.ptx"},
		{"run", `{"path":"/a/k.ptx","grid":"2","args":["s32:1","--help"],"expect":["0=u32:1"]}`, "ptxvm run /a/k.ptx --grid=2 --arg=s32:1 --arg=--help --expect=0=u32:1"},
		{"run", `{"path":"/a/k.ptx","kernel":"--fix","seed":3}`, "ptxvm run /a/k.ptx --kernel=--fix --seed=3"},
		{"sanitize", `{"path":"/a/k.ptx","block":"64"}`, "ptxvm run /a/k.ptx --block=64 --sanitize=all"},
		{"sanitize", `{"path":"/a/k.ptx","checks":"race"}`, "ptxvm run /a/k.ptx --sanitize=race"},
		{"explain", `{"topic":"--help"}`, "ptxvm explain -- --help"},
		{"isa", `{"name":"-x","target":"sm_90"}`, "ptxvm isa --target=sm_90 -- -x"},
		{"grade", `{"candidate":"/a/c.py","reference":"/a/r.py","trials":2,"forbid":["aten::*mm*"]}`, "python -m ptxvm grade /a/c.py /a/r.py --trials=2 '--forbid=aten::*mm*'"},
	} {
		s := serverOf(t)
		have := answers(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+c.name+`","arguments":`+c.arguments+`}}`)
		if !strings.Contains(have["1"], `replay: `+c.want+`"`) {
			t.Errorf("%s %s: have %s\nwant %s", c.name, c.arguments, have["1"], c.want)
		}
	}
}

// TestCancel: a call that the client needs no more is ended, and others go on beside it.
func TestCancel(t *testing.T) {
	s := serverOf(t)
	began := make(chan bool)
	s.Run = func(ctx context.Context, _ string, args []string, _ int) (Done, error) {
		if slices.Contains(args, "wait") {
			began <- true
			<-ctx.Done()
			return Done{Exit: -1}, nil
		}
		return Done{Out: []byte("at once")}, nil
	}
	in, to := io.Pipe()
	from, out := io.Pipe()
	go func() { _ = out.CloseWithError(s.Serve(t.Context(), in, out)) }()
	say := func(line string) {
		if _, err := io.WriteString(to, line+"\n"); err != nil {
			t.Error(err)
		}
	}
	reply := json.NewDecoder(from)
	hear := func(id int, text string) {
		var r struct {
			ID     int
			Result json.RawMessage
		}
		if err := reply.Decode(&r); err != nil || r.ID != id || !strings.Contains(string(r.Result), text) {
			t.Errorf("have %d %s (%v), want %d %s", r.ID, r.Result, err, id, text)
		}
	}
	say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"explain","arguments":{"topic":"wait"}}}`)
	<-began
	say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"explain","arguments":{"topic":"go"}}}`)
	hear(2, "at once")
	say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	hear(1, "cancelled")
	_ = to.Close()
	if err := reply.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		t.Error("at the end of its input it does not end:", err)
	}
}

// TestClosed: where answers cannot be written the server ends.
func TestClosed(t *testing.T) {
	in, to := io.Pipe()
	from, out := io.Pipe()
	_ = from.Close()
	go func() {
		_, _ = io.WriteString(to, `{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n")
	}()
	if err := serverOf(t).Serve(t.Context(), in, out); !errors.Is(err, io.ErrClosedPipe) {
		t.Error("have", err)
	}
	_ = in.Close()
}

// FuzzServe: no input stops the server from answering the next one.
func FuzzServe(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run","arguments":{"ptx":"x","args":["in:u32:1"]}}}`)
	f.Add(`{"jsonrpc":"2.0","id":{},"method":"resources/read","params":{"uri":""}}`)
	f.Add("[[[[")
	s := serverOf(f)
	f.Fuzz(func(t *testing.T, line string) {
		var out bytes.Buffer
		if err := s.Serve(t.Context(), strings.NewReader(line+"\n"+`{"jsonrpc":"2.0","id":"last","method":"ping"}`), &out); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), `"id":"last","result":{}`) {
			t.Errorf("no answer behind %q: %s", line, out.String())
		}
	})
}
