package console

// This file says where the launch stands, and why.

import (
	"errors"
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/quote"
	"ptxvm.invalid/ptxvm/report"
)

// stop shows why and where the launch has stopped; instructions: as the PTX has it, also where there is source.
func (c *Console) stop(stop *debug.Stop, err error, instructions bool) error {
	if err != nil {
		return err
	}
	c.listed = report.Location{}
	if !c.Session.Running() {
		c.why(stop)
		return c.Session.Results()
	}
	l, err := c.Session.Here()
	if err != nil {
		return err
	}
	if stop.Frame {
		c.printf("%s\n", c.switched())
	}
	c.why(stop)
	if stop.Frame || stop.Moved || stop.Why != debug.Stepped {
		c.printf("%s\n", c.framed(&l))
	}
	c.printf("%s\n", c.lineOf(&l, instructions))
	c.showDisplays()
	return nil
}

// why says what has stopped the launch.
func (c *Console) why(stop *debug.Stop) {
	kernel := diag.Escape(c.Session.Kernel().Base())
	switch stop.Why {
	case debug.AtBreak:
		word := "Breakpoint"
		if stop.Break.Temporary {
			word = "Temporary breakpoint"
		}
		if stop.Break.Failed != nil {
			c.printf("Error in testing condition for breakpoint %d:\n%s\n", stop.Break.Number, escaped(stop.Break.Failed.Error()))
		}
		c.printf("\n%s %d, ", word, stop.Break.Number)
	case debug.AtWatch:
		c.watched(stop)
	case debug.Parted:
		c.printf("\nCatchpoint %d, lanes %08x and %08x part behind %s: %s\n", stop.Break.Number, stop.Parting.Lanes, stop.Parting.Others, quote.Place(stop.By.PTX), diag.Escape(stop.By.Text))
	case debug.Faulted:
		c.printf("\n%s\nThe launch stands before the instruction that ended it, at moment %d.\n", escaped(detail(stop.Err)), c.Session.Moment())
	case debug.Reports:
		c.printf("\n%s\nThe instruction before has done it, at moment %d.\n", escaped(withoutMoment(stop.Report)), c.Session.Moment()-1)
	case debug.Interrupted:
		c.printf("\nInterrupted at moment %d.\n", c.Session.Moment())
	case debug.NoMore:
		c.printf("\nNo more reverse-execution history.\n")
	case debug.Finished:
		if stop.Err != nil {
			c.printf("%s\n", escaped(detail(stop.Err)))
		}
		c.printf("[Kernel %s has ended at moment %d]\n", kernel, c.Session.Moment())
	}
}

// withoutMoment is a report as a session tells it, whose moment stands behind.
func withoutMoment(r *report.Report) string {
	told := *r
	told.Moment = nil
	return told.Detail()
}

// watchTitles are what watchpoints are called.
var watchTitles = map[debug.WatchKind]string{debug.OnChange: "Watchpoint", debug.OnRead: "Read watchpoint", debug.OnAccess: "Access (read/write) watchpoint"}

// watched says what a watchpoint has seen.
func (c *Console) watched(stop *debug.Stop) {
	b := stop.Break
	c.printf("\n%s %d: %s\n\n", watchTitles[b.Watch.Kind], b.Number, diag.Escape(b.Location))
	if b.Watch.Kind == debug.OnChange {
		c.printf("Old value = %s\nNew value = %s\n", stop.Old, stop.New)
	}
	if stop.By != nil {
		c.printf("by %s: %s\n", quote.Place(stop.By.PTX), diag.Escape(stop.By.Text))
	}
}

// detail is a report of several lines where there is one.
func detail(err error) string {
	var long interface{ Detail() string }
	if errors.As(err, &long) {
		return long.Detail()
	}
	return err.Error()
}

// switched names the thread in focus as cuda-gdb does.
func (c *Console) switched() string {
	f := c.Session.Focus()
	return fmt.Sprintf("[Switching focus to CUDA kernel %s, block %s, thread %s, warp %d, lane %d]",
		diag.Escape(c.Session.Kernel().Base()), point(f.CTA), c.thread(), f.Warp, f.Lane)
}

// thread is the thread in focus.
func (c *Console) thread() string {
	scope, err := c.Session.Scope()
	if err != nil || scope.Warp == nil {
		return "?"
	}
	return point(scope.Warp.Thread(scope.Lane))
}

func point(p [3]uint32) string { return fmt.Sprintf("(%d,%d,%d)", p[0], p[1], p[2]) }

// framed names the function and the place of an instruction.
func (c *Console) framed(l *debug.Location) string {
	return fmt.Sprintf("%s at %s, moment %d", diag.Escape(functionName(l)), quote.Place(l.Line()), c.Session.Moment())
}

// lineOf is the line that an instruction stands on: that of the source, where it can be found, else that of the PTX.
func (c *Console) lineOf(l *debug.Location, instructions bool) string {
	if !instructions && len(l.Source) > 0 && c.Source != nil {
		if text, ok := c.Source(l.Source[0]); ok {
			return fmt.Sprintf("%d\t%s", l.Source[0].Line, shown(text))
		}
	}
	text, ok := c.Session.Code.PTXLine(l.PTX.File, l.PTX.Line)
	if !ok {
		text = l.Text
	}
	if label := c.Session.Code.Label(l.Place); label != "" && !strings.Contains(text, label) {
		return fmt.Sprintf("%d\t%s:%s", l.PTX.Line, diag.Escape(label), shown(text))
	}
	return fmt.Sprintf("%d\t%s", l.PTX.Line, shown(text))
}

// shown makes a line of text safe for a terminal.
func shown(text string) string { return diag.Escape(strings.ReplaceAll(text, "\t", "    ")) }

func (c *Console) backtrace(args string) error {
	if err := none(args); err != nil {
		return err
	}
	frames, err := c.Session.Frames()
	if err != nil {
		return err
	}
	for i := range frames {
		c.printf("#%-3d%s at %s\n", i, diag.Escape(functionName(&frames[i])), places(&frames[i]))
	}
	return nil
}

// functionName is what a frame is called.
func functionName(l *debug.Location) string { return l.Name() }

// places is where an instruction stands, in the source and in the PTX.
func places(l *debug.Location) string {
	if len(l.Source) == 0 {
		return quote.Place(l.PTX)
	}
	var words []string
	for _, s := range l.Source {
		words = append(words, quote.Place(s))
	}
	return strings.Join(words, " inlined at ") + " (" + quote.Place(l.PTX) + ")"
}

func (c *Console) frame(args string) error {
	if args != "" {
		n, err := number(args)
		if err != nil {
			return err
		}
		if err := c.Session.SetLevel(n); err != nil {
			return err
		}
	}
	return c.showFrame()
}

func (c *Console) showFrame() error {
	l, err := c.Session.Here()
	if err != nil {
		return err
	}
	c.listed = report.Location{}
	c.printf("#%d  %s\n%s\n", c.Session.Level(), c.framed(&l), c.lineOf(&l, false))
	return nil
}

func (c *Console) up(args string) error {
	n, err := count(args)
	if err != nil {
		return err
	}
	if err := c.Session.SetLevel(c.Session.Level() + n); err != nil {
		return errors.New("Initial frame selected; you can't go up.")
	}
	return c.showFrame()
}

func (c *Console) down(args string) error {
	n, err := count(args)
	if err != nil {
		return err
	}
	if n > c.Session.Level() {
		return errors.New("Bottom (innermost) frame selected; you can't go down.")
	}
	if err := c.Session.SetLevel(c.Session.Level() - n); err != nil {
		return err
	}
	return c.showFrame()
}
