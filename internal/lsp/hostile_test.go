package lsp

// This file sends what no client should, and asks whether the server still answers.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/sourcegraph/jsonrpc2"
)

// framed is a message with its header.
func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

const (
	hello    = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`
	openK    = `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///k.ptx","languageId":"ptx","version":1,"text":".version 8.0\n.target sm_80\n.entry k() { add.u33; ret; }\n"}}}`
	pull     = `{"jsonrpc":"2.0","id":77,"method":"textDocument/diagnostic","params":{"textDocument":{"uri":"file:///k.ptx"}}}`
	goodbye  = `{"jsonrpc":"2.0","id":99,"method":"shutdown"}`
	endOfAll = `{"jsonrpc":"2.0","method":"exit"}`
)

// serve gives a server bytes, and returns its answers by id, and what it says without one.
func serve(t testing.TB, input string) (answers map[string]json.RawMessage, rest []string, err error) {
	t.Helper()
	var out bytes.Buffer
	err = Serve(context.Background(), strings.NewReader(input), &out, "test")
	answers = map[string]json.RawMessage{}
	in := bufio.NewReader(&out)
	for {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if e := (jsonrpc2.VSCodeObjectCodec{}).ReadObject(in, &m); e != nil {
			if !errors.Is(e, io.EOF) {
				t.Fatalf("the server wrote what is no message: %v", e)
			}
			return answers, rest, err
		}
		if id := string(m.ID); id != "" && id != "null" {
			answers[id] = append(m.Result, m.Error...)
		} else {
			rest = append(rest, string(m.Error))
		}
	}
}

// TestHostile: whatever comes between, the document is there afterwards, and judged.
func TestHostile(t *testing.T) {
	for _, c := range []struct{ name, input string }{
		{"no JSON", framed("{nonsense")},
		{"nothing", framed("")},
		{"a length that is no number", "Content-Length: many\r\n\r\n"},
		{"a length below zero", "Content-Length: -5\r\n\r\n"},
		{"a length beyond all bounds", "Content-Length: 99999999999999999999\r\n\r\n"},
		{"too short a length", "Content-Length: 10\r\n\r\n" + pull},
		{"too long a length", fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(pull)+40, pull)},
		{"a length of other letters", "Content-Length: 3\r\n\r\nK\u212aCONTENT-length: 2\r\n\r\n[]"},
		{"lengths within lengths", strings.Repeat("Content-Length: 40\r\n\r\n", 2000)},
		{"no header", "hello\r\n\r\nworld\r\n"},
		{"a long line", strings.Repeat("x", 1<<18) + "\r\n"},
		{"another header", "X-Thing: 1\r\n" + framed(`{"jsonrpc":"2.0","method":"$/setTrace","params":{}}`)},
		{"line feeds alone", "Content-Length: 2\n\n{}"},
		{"a batch", framed("[" + pull + "]")},
		{"neither request nor response", framed(`{"jsonrpc":"2.0"}`)},
		{"an answer to nothing", framed(`{"jsonrpc":"2.0","id":4711,"result":null}`)},
		{"unknown method", framed(`{"jsonrpc":"2.0","id":5,"method":"no/such"}`)},
		{"unknown notification", framed(`{"jsonrpc":"2.0","method":"no/such"}`)},
		{"params of another kind", framed(`{"jsonrpc":"2.0","id":6,"method":"textDocument/hover","params":[1,2]}`)},
		{"no params", framed(`{"jsonrpc":"2.0","id":6,"method":"textDocument/hover"}`)},
		{"no such document", framed(`{"jsonrpc":"2.0","id":6,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///x"},"position":{"line":0,"character":0}}}`)},
		{"a place far outside", framed(`{"jsonrpc":"2.0","id":6,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///k.ptx"},"position":{"line":2000000000,"character":-7}}}`)},
		{"a change of what is closed", framed(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///x","version":3},"contentChanges":[{"text":"x"}]}}`)},
		{"a change turned round", framed(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///k.ptx","version":3},"contentChanges":[{"range":{"start":{"line":9,"character":9},"end":{"line":0,"character":0}},"text":""}]}}`)},
		{"initialize again", framed(strings.Replace(hello, `"id":1`, `"id":8`, 1))},
		{"cancel what is not there", framed(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1234}}`)},
		{"cancel nonsense", framed(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":{}}}`)},
		{"closed and opened", framed(`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///k.ptx"}}}`) + framed(openK)},
		{"opened twice", framed(openK)},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers, _, err := serve(t, framed(hello)+framed(openK)+c.input+framed(pull)+framed(goodbye)+framed(endOfAll))
			if err != nil {
				t.Errorf("the session ended with %v", err)
			}
			if !strings.Contains(string(answers["77"]), "P3002") || answers["99"] == nil {
				t.Errorf("the document is lost: %s", answers)
			}
		})
	}
}

// TestOutOfOrder: what comes before initialize and after shutdown is refused, and the end without shutdown is an error.
func TestOutOfOrder(t *testing.T) {
	answers, _, err := serve(t, framed(pull)+framed(hello)+framed(goodbye)+framed(strings.Replace(pull, "77", "78",
		1))+framed(endOfAll))
	if err != nil || !strings.Contains(string(answers["77"]), "-32002") || !strings.Contains(string(answers["78"]),
		"-32600") {
		t.Errorf("%v, %s", err, answers)
	}
	for _, input := range []string{"", framed(hello), framed(hello)[:40], framed(hello) + framed(endOfAll)} {
		if _, _, err := serve(t, input); !errors.Is(err, ErrNoShutdown) {
			t.Errorf("%q: %v", input, err)
		}
	}
}

// TestCancel: a request that was cancelled while it waited is answered with the code for that, and the next one as ever.
func TestCancel(t *testing.T) {
	s := &server{running: map[jsonrpc2.ID]context.CancelFunc{}}
	s.ready = sync.NewCond(&s.mu)
	s.Handle(t.Context(), nil, &jsonrpc2.Request{Method: "textDocument/diagnostic", ID: jsonrpc2.ID{Num: 7}})
	params := json.RawMessage(`{"id":7}`)
	s.Handle(t.Context(), nil, &jsonrpc2.Request{Method: "$/cancelRequest", Notif: true, Params: &params})
	if len(s.queue) != 1 || s.queue[0].ctx.Err() == nil {
		t.Error("the request waits as if nothing had been said")
	}
}

// FuzzServe: no bytes make the server hang, or write what is no message.
func FuzzServe(f *testing.F) {
	f.Add(framed(hello) + framed(openK) + framed(pull) + framed(goodbye) + framed(endOfAll))
	f.Add(framed(hello) + "Content-Length: 5\r\n\r\n" + framed(pull))
	f.Add("Content-Length: 0\r\n\r\n[]")
	f.Add("\u0130\u212aContent-Length: 1\r\n\r\n1")
	f.Fuzz(func(t *testing.T, input string) { _, _, _ = serve(t, input) })
}

// FuzzRequest: no parameters of any method make it panic.
func FuzzRequest(f *testing.F) {
	f.Add("textDocument/completion", `{"textDocument":{"uri":"file:///k.ptx"},"position":{"line":2,"character":17}}`, "add.")
	f.Add("textDocument/rename", `{"textDocument":{"uri":"file:///k.ptx"},"position":{"line":2,"character":8},"newName":"%x"}`, ".reg .b32 %r<3>; mov.u32 %r1, %r2;")
	f.Add("textDocument/rangeFormatting", `{"textDocument":{"uri":"file:///k.ptx"},"range":{"start":{"line":1,"character":0},"end":{"line":9,"character":0}}}`, "} .func f() {")
	f.Fuzz(func(t *testing.T, name, params, body string) {
		text, _ := json.Marshal(".version 8.0\n.target sm_80\n.entry k() {" + body + "; ret; }\n")
		open := `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///k.ptx","version":1,"text":` + string(text) + `}}}`
		method, _ := json.Marshal(name)
		if !json.Valid([]byte(params)) {
			params = "null"
		}
		ask := `{"jsonrpc":"2.0","id":5,"method":` + string(method) + `,"params":` + params + `}`
		answers, _, _ := serve(t, framed(hello)+framed(open)+framed(ask)+framed(goodbye)+framed(endOfAll))
		if strings.Contains(string(answers["5"]), "defect in ptxvm") {
			t.Errorf("%s %s: %s", name, params, answers["5"])
		}
	})
}
