package console

// This file shows what there is: registers, variables, the state of the machine.

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/quote"
)

// subject is what info shows.
type subject struct {
	name string
	show func(c *Console, args string) error
}

// subjects of info, and of info cuda.
func subjects() []subject {
	return []subject{
		{"all-registers", func(c *Console, args string) error { return c.registers(args, true) }},
		{"args", func(c *Console, _ string) error { return c.arguments() }},
		{"breakpoints", func(c *Console, _ string) error { return c.infoBreakpoints() }},
		{"cuda", (*Console).infoCuda},
		{"display", func(c *Console, _ string) error { return c.infoDisplay() }},
		{"frame", func(c *Console, _ string) error { return c.showFrame() }},
		{"functions", func(c *Console, _ string) error { return c.functions() }},
		{"line", func(c *Console, _ string) error { return c.infoLine() }},
		{"locals", func(c *Console, _ string) error { return c.locals() }},
		{"moment", func(c *Console, _ string) error { return c.moment() }},
		{"registers", func(c *Console, args string) error { return c.registers(args, false) }},
		{"source", func(c *Console, _ string) error { return c.infoSource() }},
		{"watchpoints", func(c *Console, _ string) error { return c.infoBreakpoints() }},
	}
}

// infoWords are those that may stand behind info.
func infoWords(before []string) (list []string) {
	from := subjects()
	if len(before) > 0 && before[0] == "cuda" {
		from = cudaSubjects()
	}
	for _, s := range from {
		list = append(list, s.name)
	}
	return list
}

func (c *Console) info(args string) error {
	if args == "" {
		return fmt.Errorf("\"info\" must be followed by the name of an info command: %s.", strings.Join(infoWords(nil), ", "))
	}
	return choose(c, subjects(), args, "info")
}

// choose finds a subject by its name, or the beginning of it.
func choose(c *Console, list []subject, args, what string) error {
	word, rest, _ := strings.Cut(args, " ")
	var begun []subject
	for _, s := range list {
		if s.name == word {
			return s.show(c, strings.TrimSpace(rest))
		}
		if strings.HasPrefix(s.name, word) {
			begun = append(begun, s)
		}
	}
	var names []string
	for _, s := range list {
		names = append(names, s.name)
	}
	switch {
	case len(begun) == 0:
		return fmt.Errorf("Undefined %s command: \"%s\".  Try \"help info\".%s", what, word, debug.Similar(word, names))
	case len(begun) > 1 && !(what == "info" && begun[0].name == "line"):
		names = nil
		for _, s := range begun {
			names = append(names, s.name)
		}
		return fmt.Errorf("Ambiguous %s command \"%s\": %s.", what, word, strings.Join(names, ", "))
	}
	return begun[0].show(c, strings.TrimSpace(rest))
}

// registers shows those that are named, else those whose values are still used, or all.
func (c *Console) registers(args string, all bool) error {
	scope, err := c.Session.Scope()
	if err != nil {
		return err
	}
	list, err := scope.Registers(strings.Fields(args), all)
	if err != nil {
		return err
	}
	for i := range list {
		r := &list[i]
		c.printf("%-15s %-18s %s\n", diag.Escape(r.Name), debug.FormatValue(&r.Value, 'x'), debug.FormatValue(&r.Value, 0))
	}
	return nil
}

func (c *Console) arguments() error {
	scope, err := c.Session.Scope()
	if err != nil {
		return err
	}
	list, err := scope.Arguments()
	if err != nil {
		return err
	}
	return c.symbols(scope, list, "No arguments.")
}

func (c *Console) locals() error {
	scope, err := c.Session.Scope()
	if err != nil {
		return err
	}
	list, err := scope.Locals()
	if err != nil {
		return err
	}
	return c.symbols(scope, list, "No locals.")
}

// symbols prints names with their values; pointers in hexadecimal.
func (c *Console) symbols(scope *debug.Scope, list []debug.Symbol, no string) error {
	if len(list) == 0 {
		c.printf("%s\n", no)
	}
	for i := range list {
		s := &list[i]
		format := byte(0)
		if s.Value.Type.Bits() == 64 && !s.Value.Type.Float() {
			format = 'x'
		}
		text, err := c.text(scope, &s.Value, format)
		if err != nil {
			text = err.Error()
		}
		c.printf("%s = %s\n", diag.Escape(s.Name), text)
	}
	return nil
}

func (c *Console) functions() error {
	for _, name := range c.Session.Code.Functions() {
		l, _ := c.Session.Code.Locate(debug.Place{Func: name})
		c.printf("%s\t%s\n", quote.Place(l.Line()), diag.Escape(l.Name()))
	}
	return nil
}

func (c *Console) infoLine() error {
	l, err := c.Session.Here()
	if err != nil {
		return err
	}
	c.printf("Instruction %d of %s is at %s.\n", l.PC, diag.Escape(l.Name()), places(&l))
	return nil
}

func (c *Console) infoSource() error {
	l, err := c.Session.Here()
	if err != nil {
		return err
	}
	c.printf("PTX file is %s\n", diag.Escape(l.PTX.File))
	if len(l.Source) == 0 {
		c.printf("No .loc names the source of this instruction.\n")
		return nil
	}
	c.printf("Source file is %s\n", diag.Escape(l.Source[0].File))
	if _, ok := c.sourceLine(l.Source[0]); !ok {
		c.printf("The source file is not found (--source-root).\n")
	}
	return nil
}

func (c *Console) moment() error {
	if n, known := c.Session.Length(); known {
		c.printf("Moment %d of %d, seed %d.\n", c.Session.Moment(), n, c.Session.Seed)
		return nil
	}
	c.printf("Moment %d, seed %d.\n", c.Session.Moment(), c.Session.Seed)
	return nil
}

// cuda moves the focus, or says where it is.
func (c *Console) cuda(args string) error {
	words := strings.Fields(strings.NewReplacer(",", " ", "(", " ( ", ")", " ) ").Replace(args))
	to, err := c.aimed(words)
	if err != nil {
		return err
	}
	if len(words) > 0 && len(words)%2 == 0 {
		if err := c.Session.SetFocus(to); err != nil {
			return err
		}
		c.printf("%s\n", c.switched())
		return c.showFrame()
	}
	if !c.Session.Running() {
		return debug.ErrNotRunning
	}
	f := c.Session.Focus()
	c.printf("kernel %s, block %s, thread %s, warp %d, lane %d\n", diag.Escape(c.Session.Kernel().Base()), point(f.CTA), c.thread(), f.Warp, f.Lane)
	return nil
}

// aimed reads pairs of what is named and its number. words is filled up to an even number where something is named.
func (c *Console) aimed(words []string) (debug.Focus, error) {
	to := c.Session.Focus()
	for i := 0; i < len(words); {
		what := words[i]
		if i++; i == len(words) {
			if strings.HasPrefix("kernelblockthreadwarplane", what) && what != "" {
				return to, nil // a question
			}
			return to, fmt.Errorf("cuda %s: want kernel, block, thread, warp or lane, and a number.", what)
		}
		p, n, err := coordinates(words[i:])
		if err != nil {
			return to, err
		}
		i += n
		if to, err = c.part(to, what, p); err != nil {
			return to, err
		}
	}
	return to, nil
}

// coordinates reads x, or ( x y z ), and says how many words that were.
func coordinates(words []string) ([3]uint32, int, error) {
	if words[0] != "(" {
		p, err := parsePoint(words[0])
		return p, 1, err
	}
	for i, w := range words {
		if w == ")" {
			p, err := parsePoint(strings.Join(words[1:i], ","))
			return p, i + 1, err
		}
	}
	return [3]uint32{}, 0, errors.New("A parenthesis is not closed.")
}

// part puts one coordinate into a focus.
func (c *Console) part(to debug.Focus, what string, p [3]uint32) (debug.Focus, error) {
	switch {
	case strings.HasPrefix("kernel", what) && p == [3]uint32{}, strings.HasPrefix("grid", what), strings.HasPrefix("device", what):
		return to, nil
	case strings.HasPrefix("block", what):
		to.CTA, to.Warp, to.Lane = p, 0, 0
	case strings.HasPrefix("thread", what):
		shape := c.Session.BlockShape()
		if p[0] >= shape[0] || p[1] >= shape[1] || p[2] >= shape[2] {
			return to, fmt.Errorf("Thread %s is not in the block of %s threads.", point(p), point(shape))
		}
		n := p[0] + shape[0]*(p[1]+shape[1]*p[2])
		to.Warp, to.Lane = int(n/32), int(n%32)
	case strings.HasPrefix("warp", what):
		to.Warp, to.Lane = int(p[0]), c.firstLane(to.CTA, int(p[0]))
	case strings.HasPrefix("lane", what):
		if p[0] > 31 {
			return to, fmt.Errorf("A warp has lanes 0 to 31, not %d.", p[0])
		}
		to.Lane = int(p[0])
	case strings.HasPrefix("kernel", what):
		return to, errors.New("There is one kernel, number 0.")
	default:
		return to, fmt.Errorf("cuda \"%s\": want kernel, block, thread, warp or lane.", what)
	}
	return to, nil
}

// firstLane is the first living lane of a warp, 0 if there is none.
func (c *Console) firstLane(cta [3]uint32, warp int) int {
	if p := c.Session.Pause(); p != nil {
		for _, b := range p.CTAs() {
			if b.ID() == cta && warp >= 0 && warp < len(b.Warps()) && b.Warps()[warp].Live != 0 {
				return bits.TrailingZeros32(b.Warps()[warp].Live)
			}
		}
	}
	return 0
}

// locations are the words that a location may be.
func locations(c *Console, _ []string) []string {
	list := c.Session.Code.Functions()
	for _, f := range c.Session.Code.Files() {
		list = append(list, f+":")
	}
	return list
}

// symbols are the names that an expression may have.
func symbols(c *Console, _ []string) (list []string) {
	scope, err := c.Session.Scope()
	if err != nil {
		return nil
	}
	return scope.Names()
}
