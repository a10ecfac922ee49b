package diag

// This file renders diagnostics the way ptxas does, for tools that parse its output.

import (
	"fmt"
	"io"
	"strings"
)

var ptxasWord = [...]string{Error: "error  ", Warning: "warning", Remark: "info   "}

// WritePtxas prints `ptxas FILE, line N; error   : message` for each diagnostic, and
// the closing fatal line if any is an error.
func WritePtxas(w io.Writer, list List) error {
	var b strings.Builder
	for i := range list {
		d := &list[i]
		if d.Source == nil {
			fmt.Fprintf(&b, "ptxas %s : %s\n", ptxasWord[d.Severity], Escape(d.Msg))
			continue
		}
		line, _ := d.Source.Position(d.Span.Start)
		fmt.Fprintf(&b, "ptxas %s, line %d; %s : %s\n", Escape(d.Source.Name), line, ptxasWord[d.Severity], Escape(d.Msg))
	}
	if list.HasErrors() {
		b.WriteString("ptxas fatal   : Ptx assembly aborted due to errors\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
