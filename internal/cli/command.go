package cli

// This file finds the verb that a command line names, and runs it.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Command is a verb, or the program with its verbs.
type Command struct {
	Use     string // name and arguments: "run FILE… [flags]"
	Short   string // one line
	Example string // of command lines, indented
	Hidden  bool   // understood, not listed
	Raw     bool   // all arguments are Run's, flags among them
	Leading bool   // flags stand before the first argument; what follows is Run's
	Columns int    // of the terminal that help is for; 0: 80. Of the program

	Args func(c *Command, args []string) error // whether these arguments are right; nil: any
	Run  func(c *Command, args []string) error

	// FlagError puts an UnknownFlag, BadValue or NoValue into words; of the program. nil: it stays.
	FlagError func(c *Command, err error) error
	// Complete lists words that a shell offers for an argument, or for the flag of a name (""; no dashes); nil: files.
	Complete map[string]func(args []string, typed string) []string

	parent *Command
	verbs  []*Command
	flags  Flags
	out    io.Writer
	ctx    context.Context
}

// Name is the first word of Use.
func (c *Command) Name() string { name, _, _ := strings.Cut(c.Use, " "); return name }

// Flags are the command's flags.
func (c *Command) Flags() *Flags { return &c.flags }

// Context is that of Execute.
func (c *Command) Context() context.Context { return cmp.Or(c.root().ctx, context.Background()) }

// Add adds verbs.
func (c *Command) Add(verbs ...*Command) {
	for _, v := range verbs {
		v.parent = c
	}
	c.verbs = append(c.verbs, verbs...)
	slices.SortFunc(c.verbs, func(a, b *Command) int { return cmp.Compare(a.Name(), b.Name()) })
}

// Verbs lists them by name, hidden ones, too.
func (c *Command) Verbs() []*Command { return c.verbs }

// Siblings names the verbs of the command that this is one of, those that are hidden, too.
func (c *Command) Siblings() (names []string) {
	for _, v := range c.root().verbs {
		names = append(names, v.Name())
	}
	return names
}

// Find returns the verb of a name, nil if there is none.
func (c *Command) Find(name string) *Command {
	i := slices.IndexFunc(c.verbs, func(v *Command) bool { return v.Name() == name })
	if i < 0 {
		return nil
	}
	return c.verbs[i]
}

func (c *Command) root() *Command {
	for c.parent != nil {
		c = c.parent
	}
	return c
}

// Execute runs a command line. Help goes to out.
func (c *Command) Execute(ctx context.Context, args []string, out io.Writer) error {
	c.ctx, c.out = ctx, out
	verb, args := c.choose(args)
	if !verb.Raw {
		rest, err := verb.flags.parse(args, verb.Leading)
		switch {
		case errors.Is(err, errHelp):
			return verb.Help()
		case err != nil && c.FlagError != nil:
			return c.FlagError(verb, err)
		case err != nil:
			return err
		}
		args = rest
	}
	if verb.Args != nil {
		if err := verb.Args(verb, args); err != nil {
			return err
		}
	}
	if verb.Run == nil {
		return verb.Help()
	}
	return verb.Run(verb, args)
}

// Parse sets the flags of a command line without a verb, and returns the other arguments.
func (c *Command) Parse(args []string) ([]string, error) { return c.flags.parse(args, c.Leading) }

// choose returns the verb that the first argument names, which may have verbs of its own, and the other arguments. Flags of
// the program itself stand before it.
func (c *Command) choose(args []string) (*Command, []string) {
	verb := c
	for len(args) > 0 {
		next := verb.Find(args[0])
		if next == nil {
			break
		}
		verb, args = next, args[1:]
	}
	return verb, args
}

// path is the words that call the command.
func (c *Command) path() string {
	if c.parent == nil {
		return c.Name()
	}
	return c.parent.path() + " " + c.Name()
}

// Help prints what the command is for and how it is used.
func (c *Command) Help() error {
	text := c.Usage()
	if c.Short != "" {
		text = c.Short + "\n\n" + text
	}
	_, err := io.WriteString(c.root().out, text)
	return err
}

// Usage is how the command is used: examples, verbs, flags.
func (c *Command) Usage() string {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if c.parent == nil {
		fmt.Fprintf(&b, "  %s VERB …\n", c.path())
	} else {
		use, _ := strings.CutSuffix(c.Use, " [flags]")
		flags := " [flags]"
		if len(c.flags.flags) == 0 {
			flags = ""
		}
		fmt.Fprintf(&b, "  %s %s%s\n", c.parent.path(), use, flags)
	}
	if c.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	c.listVerbs(&b)
	c.listFlags(&b)
	if len(c.verbs) > 0 {
		fmt.Fprintf(&b, "\n%s VERB --help has more about a verb.\n", c.path())
	}
	return b.String()
}

func (c *Command) listVerbs(b *strings.Builder) {
	width := 0
	shown := slices.DeleteFunc(slices.Clone(c.verbs), func(v *Command) bool { return v.Hidden })
	for _, v := range shown {
		width = max(width, len(v.Name()))
	}
	for i, v := range shown {
		if i == 0 {
			b.WriteString("\nVerbs:\n")
		}
		fmt.Fprintf(b, "  %-*s  %s\n", width, v.Name(), v.Short)
	}
}

// written is the flag as help shows it.
func (f *Flag) written() string {
	letter := "    "
	if f.Shorthand != "" {
		letter = "-" + f.Shorthand + ", "
	}
	value, _ := f.Words()
	return strings.TrimRight(letter+"--"+f.Name+" "+value, " ")
}
