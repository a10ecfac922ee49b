package lsp

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"
)

var documentSize = flag.Int("document", 2, "MB of the document that TestLargeDocument opens")

// TestLargeDocument opens a large document, edits it, cancels a question that waits behind a long one, and sends it whole again: each
// message has its answer, and the document is the one that the client has.
func TestLargeDocument(t *testing.T) {
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_80\n")
	for n := 0; b.Len() < *documentSize<<20; n++ {
		fmt.Fprintf(&b, ".entry k%d() {\n\t.reg .b32 %%r<4>;\n%s\tret;\n}\n", n, strings.Repeat("\tadd.u32 %r1, %r2, 1;\n", 400))
	}
	text, _ := json.Marshal(b.String())
	open := `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///k.ptx","languageId":"ptx","version":1,"text":` + string(text) + `}}}`
	change := func(version int, edit string) string {
		return framed(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///k.ptx","version":%d},"contentChanges":[%s]}}`, version, edit))
	}
	ask := func(id int) string { return framed(strings.Replace(pull, `"id":77`, fmt.Sprintf(`"id":%d`, id), 1)) }
	answers, _, err := serve(t, framed(hello)+framed(open)+ask(4)+
		ask(5)+framed(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":5}}`)+
		change(2, `{"range":{"start":{"line":6,"character":8},"end":{"line":6,"character":9}},"text":"3"}`)+ask(6)+
		change(3, `{"text":`+string(text)+`}`)+ask(7)+
		change(4, `{"range":{"start":{"line":0,"character":0},"end":{"line":99999999,"character":0}},"text":".version 8.0\n.target sm_80\n"}`)+ask(8)+
		framed(goodbye)+framed(endOfAll))
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"4": `"items":[]`, "5": "-32800", "6": ".u32", "7": `"items":[]`, "8": `"items":[]`, "99": "null"} {
		if !strings.Contains(string(answers[id]), want) {
			t.Errorf("answer %s is %.200s, want %s in it", id, answers[id], want)
		}
	}
}
