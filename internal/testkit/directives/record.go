package directives

// This file writes and reads recorded verdicts, so that they are checked where ptxas is missing:
// a case a line, accept or reject, and the module with \n between its lines.

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Line is the module on one line.
func (c *Case) Line() string {
	return strings.ReplaceAll(strings.TrimSpace(c.Module()), "\n", `\n`)
}

// Write records cases with their verdicts.
func Write(w io.Writer, cases []*Case) error {
	b := bufio.NewWriter(w)
	for _, c := range cases {
		verdict := "accept"
		if c.Ptxas != "" {
			verdict = "reject"
		}
		fmt.Fprintf(b, "%s %s\n", verdict, c.Line())
	}
	return b.Flush()
}

// Read reads what Write has written. What a case is about is not recorded.
func Read(r io.Reader) ([]*Case, error) {
	var out []*Case
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		verdict, text, _ := strings.Cut(lines.Text(), " ")
		c := &Case{Head: strings.ReplaceAll(text, `\n`, "\n")}
		switch verdict {
		case "#":
			continue
		case "accept":
		case "reject":
			c.Ptxas = "rejects"
		default:
			return nil, fmt.Errorf("no verdict: %s", lines.Text())
		}
		out = append(out, c)
	}
	return out, lines.Err()
}
