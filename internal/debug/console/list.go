package console

// This file lists lines and instructions.

import (
	"fmt"
	"strconv"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/report"
)

// listSize is how many lines list shows.
const listSize = 10

func (c *Console) list(args string) error {
	at, err := c.listAt(args)
	if err != nil {
		return err
	}
	from := at.Line
	shownAny := false
	for n := from; n < from+listSize; n++ {
		text, ok := c.sourceLine(report.Location{File: at.File, Line: n})
		if !ok {
			break
		}
		c.printf("%d\t%s\n", n, shown(text))
		shownAny = true
	}
	if !shownAny {
		return fmt.Errorf("Line number %d out of range; \"%s\" has fewer lines, or is not found.", from, at.File)
	}
	c.listed = report.Location{File: at.File, Line: from + listSize}
	return nil
}

// listAt is the first line to be listed.
func (c *Console) listAt(args string) (report.Location, error) {
	here, err := c.Session.Here()
	if err != nil && args == "" && c.listed.Line == 0 {
		return report.Location{}, err
	}
	around := func(l report.Location) report.Location {
		return report.Location{File: l.File, Line: max(1, l.Line-listSize/2)}
	}
	switch {
	case args == "" && c.listed.Line > 0:
		return c.listed, nil
	case args == "":
		return around(c.foundLine(&here)), nil
	}
	if n, err := strconv.Atoi(args); err == nil {
		return around(report.Location{File: c.foundLine(&here).File, Line: n}), nil
	}
	places, err := c.Session.Code.Find(args, here.Place)
	if err != nil {
		return report.Location{}, err
	}
	l, _ := c.Session.Code.Locate(places[0])
	return around(c.foundLine(&l)), nil
}

// foundLine is the line of an instruction in the source, where that can be found, else in the PTX.
func (c *Console) foundLine(l *debug.Location) report.Location {
	if len(l.Source) > 0 {
		if _, ok := c.sourceLine(l.Source[0]); ok {
			return l.Source[0]
		}
	}
	return l.PTX
}

// sourceLine reads a line of the PTX, or of the source.
func (c *Console) sourceLine(at report.Location) (string, bool) {
	if text, ok := c.Session.Code.PTXLine(at.File, at.Line); ok {
		return text, true
	}
	if c.Source == nil {
		return "", false
	}
	return c.Source(at)
}

func (c *Console) disassemble(args string) error {
	here, err := c.Session.Here()
	if args == "" && err != nil {
		return err
	}
	name := here.Func
	if args != "" {
		places, err := c.Session.Code.Find(args, here.Place)
		if err != nil {
			return err
		}
		name = places[0].Func
	}
	l := debug.Location{Place: debug.Place{Func: name}}
	c.printf("Dump of PTX for function %s:\n", diag.Escape(l.Name()))
	for pc := range c.Session.Code.Len(name) {
		c.instruction(debug.Place{Func: name, PC: pc}, here.Place)
	}
	c.printf("End of PTX dump.\n")
	return nil
}

// instruction prints one, with => where the focus stands.
func (c *Console) instruction(at, here debug.Place) {
	l, ok := c.Session.Code.Locate(at)
	if !ok {
		return
	}
	if label := c.Session.Code.Label(at); label != "" {
		c.printf("%s:\n", diag.Escape(label))
	}
	mark := "  "
	if at == here {
		mark = "=>"
	}
	c.printf("%s %4d  line %d\t%s\n", mark, at.PC, l.PTX.Line, diag.Escape(l.Text))
}

// instructions prints those from the focus on.
func (c *Console) instructions(n int) error {
	here, err := c.Session.Here()
	if err != nil {
		return err
	}
	for i := range n {
		c.instruction(debug.Place{Func: here.Func, PC: here.PC + int32(i)}, here.Place)
	}
	return nil
}
