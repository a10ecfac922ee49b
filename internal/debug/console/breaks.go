package console

// This file holds the commands about breakpoints and watchpoints.

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/quote"
)

func (c *Console) breakAt(args string) error   { return c.breakpoint(args, false) }
func (c *Console) breakOnce(args string) error { return c.breakpoint(args, true) }

// breakpoint reads LOCATION [thread T] [if COND].
func (c *Console) breakpoint(args string, once bool) error {
	b := &debug.Breakpoint{Temporary: once}
	location, cond, conditional := cutWord(args, "if")
	if conditional {
		e, err := debug.ParseExpr(cond)
		if err != nil {
			return err
		}
		b.Condition = e
	}
	location, filter, filtered := cutWord(location, "thread")
	if filtered {
		var err error
		if b.Thread, err = threads(filter); err != nil {
			return err
		}
	}
	b.Location = location
	if err := c.Session.Break(b); err != nil {
		return err
	}
	word := "Breakpoint"
	if once {
		word = "Temporary breakpoint"
	}
	l, _ := c.Session.Code.Locate(b.Places[0])
	at := fmt.Sprintf("file %s, line %d.", diag.Escape(l.Line().File), l.Line().Line)
	if n := len(b.Places); n > 1 {
		at = fmt.Sprintf("%s (%d locations)", quote.Place(l.Line()), n)
	}
	c.printf("%s %d at %s\n", word, b.Number, at)
	return nil
}

// cutWord divides a text at a word that stands alone.
func cutWord(text, word string) (before, after string, found bool) {
	padded := " " + text + " "
	i := strings.Index(padded, " "+word+" ")
	if i < 0 {
		return strings.TrimSpace(text), "", false
	}
	return strings.TrimSpace(padded[:i]), strings.TrimSpace(padded[i+len(word)+2:]), true
}

// threads reads (x,y,z), a thread of any block, or (x,y,z)/(x,y,z), a block and a thread of it.
func threads(text string) (*debug.Threads, error) {
	block, thread, both := strings.Cut(text, "/")
	t := &debug.Threads{AnyBlock: !both}
	var err error
	if both {
		if t.Block, err = parsePoint(block); err != nil {
			return nil, err
		}
	} else {
		thread = block
	}
	t.Thread, err = parsePoint(thread)
	return t, err
}

// parsePoint reads x, or (x), (x,y), (x,y,z); what is left out is 0.
func parsePoint(text string) (p [3]uint32, err error) {
	inner := strings.TrimSpace(text)
	if strings.HasPrefix(inner, "(") && strings.HasSuffix(inner, ")") {
		inner = inner[1 : len(inner)-1]
	}
	parts := strings.Split(inner, ",")
	if len(parts) > 3 {
		return p, fmt.Errorf("Invalid coordinates \"%s\": want x, or (x,y,z).", text)
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(strings.TrimSpace(part), 0, 32)
		if err != nil {
			return p, fmt.Errorf("Invalid coordinates \"%s\": want x, or (x,y,z).", text)
		}
		p[i] = uint32(n)
	}
	return p, nil
}

func (c *Console) watch(args string) error      { return c.watchpoint(args, debug.OnChange) }
func (c *Console) watchReads(args string) error { return c.watchpoint(args, debug.OnRead) }
func (c *Console) watchAll(args string) error   { return c.watchpoint(args, debug.OnAccess) }

func (c *Console) watchpoint(args string, kind debug.WatchKind) error {
	text, cond, conditional := cutWord(args, "if")
	if text == "" {
		return errors.New("Argument required (expression to compute).")
	}
	b := &debug.Breakpoint{}
	e, err := debug.ParseExpr(text)
	if err == nil && conditional {
		b.Condition, err = debug.ParseExpr(cond)
	}
	if err != nil {
		return err
	}
	if err := c.Session.Watch(b, e, kind); err != nil {
		return err
	}
	c.printf("%s %d: %s\n", watchTitles[kind], b.Number, diag.Escape(text))
	return nil
}

func (c *Console) catch(args string) error {
	event, cond, conditional := cutWord(args, "if")
	if event != "divergence" {
		return fmt.Errorf("catch \"%s\": want divergence; faults, deadlocks and reports stop the launch as it is.", event)
	}
	b := &debug.Breakpoint{}
	if conditional {
		e, err := debug.ParseExpr(cond)
		if err != nil {
			return err
		}
		b.Condition = e
	}
	c.Session.CatchParting(b)
	c.printf("Catchpoint %d (divergence)\n", b.Number)
	return nil
}

// numbers reads a list of them.
func numbers(args string) (list []int, err error) {
	for _, word := range strings.Fields(args) {
		n, err := number(word)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

func number(word string) (int, error) {
	n, err := strconv.Atoi(word)
	if err != nil {
		return 0, fmt.Errorf("Invalid number \"%s\".", word)
	}
	return n, nil
}

func (c *Console) delete(args string) error {
	list, err := numbers(args)
	if err != nil {
		return err
	}
	return c.Session.Delete(list...)
}

func (c *Console) disable(args string) error { return c.enabled(args, false) }
func (c *Console) enable(args string) error  { return c.enabled(args, true) }

func (c *Console) enabled(args string, on bool) error {
	list, err := numbers(args)
	if err != nil {
		return err
	}
	return c.Session.Enable(on, list...)
}

func (c *Console) condition(args string) error {
	word, cond, _ := strings.Cut(args, " ")
	if word == "" {
		return errors.New("Argument required (breakpoint number).")
	}
	n, err := number(word)
	if err != nil {
		return err
	}
	b, err := c.Session.Breakpoint(n)
	if err != nil {
		return err
	}
	if cond = strings.TrimSpace(cond); cond == "" {
		b.Condition = nil
		c.printf("Breakpoint %d now unconditional.\n", n)
		return nil
	}
	e, err := debug.ParseExpr(cond)
	if err == nil {
		err = c.Session.CheckCondition(b, e)
	}
	if err == nil {
		b.Condition = e
	}
	return err
}

func (c *Console) ignore(args string) error {
	list, err := numbers(args)
	if err != nil {
		return err
	}
	if len(list) != 2 {
		return errors.New("Usage: ignore N COUNT")
	}
	b, err := c.Session.Breakpoint(list[0])
	if err != nil {
		return err
	}
	b.Ignore = max(0, list[1])
	c.printf("Will ignore next %d crossings of breakpoint %d.\n", b.Ignore, b.Number)
	return nil
}

// infoBreakpoints lists them as gdb does.
func (c *Console) infoBreakpoints() error {
	all := c.Session.Breakpoints()
	if len(all) == 0 {
		c.printf("No breakpoints or watchpoints.\n")
		return nil
	}
	c.printf("%-8s%-15s%-5s%-4s%s\n", "Num", "Type", "Disp", "Enb", "Where")
	for _, b := range all {
		kind, where := "breakpoint", diag.Escape(b.Location)
		switch {
		case b.Watch != nil:
			kind = b.Watch.Kind.String()
		case b.Parting:
			kind = "catchpoint"
		default:
			var words []string
			for _, p := range b.Places {
				l, _ := c.Session.Code.Locate(p)
				words = append(words, fmt.Sprintf("in %s at %s", diag.Escape(functionName(&l)), quote.Place(l.Line())))
			}
			where = strings.Join(words, ", ")
		}
		keep, on := "keep", "y"
		if b.Temporary {
			keep = "del"
		}
		if b.Disabled {
			on = "n"
		}
		c.printf("%-8d%-15s%-5s%-4s%s\n", b.Number, kind, keep, on, where)
		if b.Thread != nil {
			c.printf("\tstop only in %s\n", b.Thread)
		}
		if b.Condition != nil {
			c.printf("\tstop only if %s\n", diag.Escape(b.Condition.Text))
		}
		if b.Hits > 0 {
			c.printf("\tbreakpoint already hit %d time%s\n", b.Hits, map[bool]string{true: "", false: "s"}[b.Hits == 1])
		}
	}
	return nil
}
