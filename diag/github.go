package diag

// This file renders diagnostics as workflow commands, which GitHub shows beside the lines of a change.

import (
	"fmt"
	"io"
	"strings"
)

var githubWord = map[Severity]string{Error: "error", Warning: "warning", Remark: "notice"}

// WriteGitHub prints one workflow command a diagnostic: ::error file=…,line=…,endLine=…,col=…,endColumn=…,title=…::message.
// Columns count code points from 1.
func WriteGitHub(w io.Writer, list List) error {
	var b strings.Builder
	for i := range list {
		d := &list[i]
		fmt.Fprintf(&b, "::%s ", githubWord[d.Severity])
		if r, ok := regionOf(d.Source, d.Span); ok {
			fmt.Fprintf(&b, "file=%s,line=%d,endLine=%d,", githubProperty(d.Source.Name), r.StartLine, r.EndLine)
			if r.StartLine == r.EndLine { // columns of several lines are refused
				fmt.Fprintf(&b, "col=%d,endColumn=%d,", r.StartColumn, r.EndColumn)
			}
		}
		fmt.Fprintf(&b, "title=%v::%s\n", d.Code, githubData(d.Msg))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// githubData escapes the text of a command: it is one line, and % begins an escape.
func githubData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(Escape(s))
}

// githubProperty escapes a value among others, which commas and a double colon end.
func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData(s))
}
