package judge

// This file writes and reads recorded verdicts, so that they are checked where ptxas is missing.
//
// A line "module 8.0 sm_90" begins the cases of one version and target. A case is one line:
// accept or reject, "in function" if it stands in one, and the declarations it needs and the
// statement, with ~ between.

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

const (
	inFunction = "in function "
	outside    = "outside "
	separator  = " ~ "
)

// Write records cases with their verdicts.
func Write(w io.Writer, cases []*Case) error {
	sorted := slices.Clone(cases)
	slices.SortStableFunc(sorted, func(a, b *Case) int {
		return cmp.Or(cmp.Compare(a.Version, b.Version), cmp.Compare(a.Target.String(), b.Target.String()))
	})
	b := bufio.NewWriter(w)
	module := ""
	for _, c := range sorted {
		if m := fmt.Sprintf("module %v %v\n", c.Version, c.Target); m != module {
			module = m
			b.WriteString(m)
		}
		b.WriteString(c.line())
	}
	return b.Flush()
}

func (c *Case) line() string {
	if c.Ptxas != "" {
		return "reject " + c.Body() + "\n"
	}
	return "accept " + c.Body() + "\n"
}

// Body is the statement with what it needs, on one line.
func (c *Case) Body() string {
	var parts []string
	for _, d := range c.Outside {
		parts = append(parts, outside+d)
	}
	parts = append(append(parts, c.Inside...), c.Text)
	body := strings.Join(parts, separator)
	if c.Device {
		return inFunction + body
	}
	return body
}

// Read reads what Write has written. Changes and the texts of errors are not recorded.
func Read(r io.Reader) ([]*Case, error) {
	var out []*Case
	var module Case
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		verdict, rest, _ := strings.Cut(lines.Text(), " ")
		c := module
		switch verdict {
		case "#":
			continue
		case "module":
			if err := module.readModule(rest); err != nil {
				return nil, err
			}
			continue
		case "accept":
		case "reject":
			c.Ptxas = "rejects"
		default:
			return nil, fmt.Errorf("no verdict: %s", lines.Text())
		}
		c.SetBody(rest)
		out = append(out, &c)
	}
	return out, lines.Err()
}

func (c *Case) readModule(text string) (err error) {
	version, target, _ := strings.Cut(text, " ")
	if c.Version, err = isa.ParseVersion(version); err != nil {
		return err
	}
	c.Target, err = isa.ParseTarget(target)
	return err
}

// SetBody reads what Body has written.
func (c *Case) SetBody(text string) {
	text, c.Device = strings.CutPrefix(text, inFunction)
	parts := strings.Split(text, separator)
	for _, d := range parts[:len(parts)-1] {
		if decl, ok := strings.CutPrefix(d, outside); ok {
			c.Outside = append(c.Outside, decl)
		} else {
			c.Inside = append(c.Inside, d)
		}
	}
	c.Text = parts[len(parts)-1]
}
