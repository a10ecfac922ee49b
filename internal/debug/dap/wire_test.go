package dap

// This file sends what no client should.

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flag"

	godap "github.com/google/go-dap"
)

var update = flag.Bool("update", false, "write testdata/session.txt and docs/dap.md anew")

// message is a message as it is sent.
func message(text string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text) }

// TestBrokenMessages: an answer that says what is wrong, and what comes behind a broken message is answered; the end of the input
// within one is an error.
func TestBrokenMessages(t *testing.T) {
	initialize := message(`{"seq":2,"type":"request","command":"initialize","arguments":{"adapterID":"x"}}`)
	for _, c := range []struct{ in, says, end string }{
		{message(`{"seq":1,`) + initialize, "unexpected end of JSON", ""},
		{message(`[]`) + initialize, "cannot unmarshal", ""},
		{message(`{"seq":1,"type":"event","event":"stopped"}`) + initialize, `of type \"event\"`, ""},
		{message(`{"seq":1,"type":"request","command":"fly"}`) + initialize, `\"fly\" is no request`, ""},
		{message(`{"seq":1,"type":"request","command":"cancel"}`) + initialize, `cancel is not served`, ""},
		{message(`{"seq":1,"type":"request","command":"next","arguments":{"threadId":"x"}}`) + initialize, "threadId", ""},
		{message(`{"seq":1,"type":"request","command":"next"}`) + initialize, "next: initialize comes first", ""},
		{initialize + message(`{"seq":3,"type":"request","command":"next"}`), "next: nothing has been launched", ""},
		{initialize + message(`{"seq":3,"type":"request","command":"launch"}`), "program is missing", ""},
		{"content-length:" + initialize[len("Content-Length:"):], `"supportsStepBack":true`, ""},
		{"Content-Type: x\r\n" + initialize, `"supportsStepBack":true`, ""},
		{"Content-Length: 5000000\r\n\r\n" + initialize, "at most", ""},
		{"Content-Length: 99999999999999999999\r\n\r\n" + initialize, "want Content-Length", ""},
		{"Content-Length: -1\r\n\r\n" + initialize, "want Content-Length", ""},
		{"Content-Length: 400\r\n\r\n" + strings.Repeat(" ", 400-len(initialize)) + initialize, "invalid character", ""},
		{"\r\n" + initialize, "lacks Content-Length", ""},
		{strings.Repeat("x", 1<<20) + "\r\n" + initialize, "no line of a header", ""},
		{strings.Repeat("x: y\r\n", 1<<16) + initialize, `"supportsStepBack":true`, ""},
		{"Content-Length: 10\r\n\r\n{}", "within a message", "within a message"},
		{"Content-Length: 10", "within a message", "within a message"},
		{"", "", ""},
	} {
		var out bytes.Buffer
		err := Serve(strings.NewReader(c.in), &out, programs)
		name := fmt.Sprintf("%.60q", c.in)
		if !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: %s lacks %q", name, out.String(), c.says)
		}
		if (err == nil) != (c.end == "") || err != nil && !strings.Contains(err.Error(), c.end) {
			t.Errorf("%s: ends with %v, want %q", name, err, c.end)
		}
		if c.end == "" && strings.Contains(c.in, "initialize") && !strings.Contains(out.String(), "supportsStepBack") {
			t.Errorf("%s: what comes behind is not answered: %s", name, out.String())
		}
	}
}

// TestRunning answers while the launch runs, and ends it by each request that does so.
func TestRunning(t *testing.T) {
	for _, end := range []string{"disconnect", "terminate", "restart", ""} {
		c := newClient(t, programs)
		c.begin("forever.ptx", nil)
		ask[*godap.ConfigurationDoneResponse](c, "configurationDone", nil)
		c.says(c.refused("evaluate", args{"expression": "%i"}), "pause it first")
		c.says(c.refused("configurationDone", nil), "the launch runs")
		switch end {
		case "":
			list := c.setLines("forever.ptx", args{"line": 22, "condition": "%i > 5000"})
			if !list[0].Verified {
				t.Errorf("%+v", list)
			}
			waitFor[*godap.StoppedEvent](c)
			c.at("forever.ptx", 22)
			c.moves("stepBack", args{"granularity": "instruction"})
		case "restart":
			ask[*godap.RestartResponse](c, "restart", args{"arguments": args{"program": "testdata/forever.ptx", "stopOnEntry": true}})
			waitFor[*godap.StoppedEvent](c)
		default:
			if r := c.try(end, nil); !r.GetResponse().Success {
				t.Errorf("%s: %s", end, r.GetResponse().Message)
			}
		}
	}
}

// TestSession plays a session as Visual Studio Code has it, and compares the whole of what is sent with testdata/session.txt: lines of
// the client begin with >, those of the server with <.
func TestSession(t *testing.T) {
	path := filepath.Join("testdata", "session.txt")
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var have, sent bytes.Buffer
	s := newServer(&sent, programs)
	for line := range strings.Lines(string(want)) {
		text, ours := strings.CutPrefix(strings.TrimRight(line, "\n"), "> ")
		if !ours {
			if !strings.HasPrefix(line, "< ") {
				have.WriteString(line)
			}
			continue
		}
		fmt.Fprintf(&have, "> %s\n", text)
		s.answer(decode([]byte(strings.ReplaceAll(text, "$HERE", here))))
		for sent.Len() > 0 {
			m, err := readAll(&sent)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&have, "< %s\n", strings.ReplaceAll(m, here, "$HERE"))
		}
	}
	if err := s.close(); err != nil {
		t.Error(err)
	}
	if *update {
		if err := os.WriteFile(path, have.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	compareLines(t, have.String(), string(want))
}

// readAll takes one message out of a buffer.
func readAll(b *bytes.Buffer) (string, error) {
	var size int
	if _, err := fmt.Fscanf(b, "Content-Length: %d\r\n\r\n", &size); err != nil {
		return "", err
	}
	return string(b.Next(size)), nil
}

func compareLines(t *testing.T, have, want string) {
	t.Helper()
	h, w := strings.Split(have, "\n"), strings.Split(want, "\n")
	for i := range max(len(h), len(w)) {
		if i >= len(h) || i >= len(w) || h[i] != w[i] {
			t.Fatalf("line %d is\n%s\nwant\n%s\n(-update writes it anew)", i+1, strings.Join(h[min(i, len(h)):min(i+1, len(h))], ""), strings.Join(w[min(i, len(w)):min(i+1, len(w))], ""))
		}
	}
}

// FuzzServe sends what comes to mind behind a launch: the server must end by itself.
func FuzzServe(f *testing.F) {
	session, err := os.ReadFile(filepath.Join("testdata", "session.txt"))
	if err != nil {
		f.Fatal(err)
	}
	var all strings.Builder
	for line := range strings.Lines(string(session)) {
		if text, ours := strings.CutPrefix(strings.TrimSpace(line), "> "); ours {
			all.WriteString(text + "\n")
			f.Add(text)
		}
	}
	f.Add(all.String())
	f.Add(`{"seq":1,"type":"request","command":"variables","arguments":{"variablesReference":1,"start":9223372036854775807}}`)
	f.Add(`{"seq":1,"type":"request","command":"readMemory","arguments":{"memoryReference":"0xffffffffffffffff shared 1 31","offset":-9223372036854775808,"count":5}}`)
	f.Add(`{"seq":1,"type":"request","command":"disassemble","arguments":{"memoryReference":"0x0","offset":-5,"instructionCount":100}}`)
	first := message(`{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"x"}}`) +
		message(`{"seq":2,"type":"request","command":"launch","arguments":{"program":"testdata/k.ptx","stopOnEntry":true}}`) +
		message(`{"seq":3,"type":"request","command":"configurationDone"}`) +
		message(`{"seq":4,"type":"request","command":"stackTrace","arguments":{"threadId":1}}`) +
		message(`{"seq":5,"type":"request","command":"scopes","arguments":{"frameId":1}}`)
	f.Fuzz(func(t *testing.T, lines string) {
		if strings.Contains(lines, "source") && strings.Contains(lines, "evaluate") {
			t.Skip("a command may read files")
		}
		in := first
		for line := range strings.Lines(lines) {
			in += message(strings.TrimSpace(line))
		}
		_ = Serve(strings.NewReader(in), io.Discard, programs) // an error is an answer
	})
}
