// Package cli reads command lines: verbs, flags in the GNU manner, help, completion for shells. It needs little of the
// standard library, above all not net, so that the command is a static binary wherever it is built.
package cli

// This file holds the flags of a verb.

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Value is what a flag sets.
type Value interface {
	String() string
	Set(text string) error
	Type() string // what help calls a value if the flag's usage quotes no name
}

// Words is a Value of several arguments: Take gets those that stand behind the flag, at least one, and returns what is left of them.
type Words interface {
	Value
	Take(args []string) (rest []string, err error)
}

// Flag is one of a verb's flags.
type Flag struct {
	Name      string
	Shorthand string // one letter; empty without
	Usage     string // a word in `backquotes` names the value
	Default   string // as text
	Alone     string // the value of a flag that is written without one; empty if it needs one
	Hidden    bool   // understood, not listed
	Group     string // the heading that help lists it under; empty: Flags

	// Names puts the relative names of files in a value into a folder, for values that stand in a file of options; nil: there
	// are none in it.
	Names func(dir, value string) string

	Value Value
	given bool
}

// NamesFile lets the whole value be a file or folder; "" and - are none.
func (f *Flag) NamesFile() {
	f.Names = func(dir, value string) string {
		if value == "" || value == "-" || filepath.IsAbs(value) {
			return value
		}
		return filepath.Join(dir, value)
	}
}

// List reports whether values add up instead of replacing each other.
func (f *Flag) List() bool { _, list := f.Value.(*listValue); return list }

// words is the value if it is one of several arguments, else nil.
func (f *Flag) words() Words { w, _ := f.Value.(Words); return w }

// Words returns what help calls the value, empty for a switch, and the usage without quotes.
func (f *Flag) Words() (value, usage string) {
	before, rest, quoted := strings.Cut(f.Usage, "`")
	if name, after, closed := strings.Cut(rest, "`"); quoted && closed {
		return name, before + name + after
	}
	switch typ := f.Value.Type(); typ {
	case "bool":
		return "", f.Usage
	default:
		return typ, f.Usage
	}
}

// zeros are the texts of defaults that need no word.
var zeros = []string{"", "0", "false", "[]", "0s"}

// HasDefault reports whether the default is worth a word.
func (f *Flag) HasDefault() bool { return !slices.Contains(zeros, f.Default) }

// Flags are the flags of a verb. The zero value has none.
type Flags struct {
	flags map[string]*Flag
	short map[string]*Flag

	group  string   // of the flags that are declared next
	groups []string // in the order of their declaration
}

// Group begins a group of flags, which help lists under a heading of their own.
func (s *Flags) Group(heading string) {
	s.group = heading
	if !slices.Contains(s.groups, heading) {
		s.groups = append(s.groups, heading)
	}
}

// Add declares a flag. It panics if the name is taken.
func (s *Flags) Add(value Value, name, shorthand, usage string) *Flag {
	if s.flags == nil {
		s.flags, s.short = map[string]*Flag{}, map[string]*Flag{}
	}
	if s.flags[name] != nil || shorthand != "" && s.short[shorthand] != nil {
		panic("BUG: flag " + name + " is declared twice")
	}
	f := &Flag{Name: name, Shorthand: shorthand, Usage: usage, Default: value.String(), Value: value, Group: s.group}
	if value.Type() == "bool" {
		f.Alone = "true"
	}
	s.flags[name] = f
	if shorthand != "" {
		s.short[shorthand] = f
	}
	return f
}

// Lookup returns the flag of a name, nil if there is none.
func (s *Flags) Lookup(name string) *Flag { return s.flags[name] }

// All lists the flags by name.
func (s *Flags) All() []*Flag {
	var list []*Flag
	for _, f := range s.flags {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *Flag) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Given reports whether the flag was set.
func (s *Flags) Given(name string) bool { f := s.flags[name]; return f != nil && f.given }

// Set sets a flag as if it were given.
func (s *Flags) Set(name, text string) error {
	f := s.flags[name]
	if f == nil {
		return &UnknownFlag{"--" + name}
	}
	if err := f.Value.Set(text); err != nil {
		return &BadValue{f, text, err}
	}
	f.given = true
	return nil
}

// CopyGiven marks the flags as given that are so in another set of the same flags.
func (s *Flags) CopyGiven(from *Flags) {
	for name, f := range from.flags {
		if own := s.flags[name]; own != nil {
			own.given = f.given
		}
	}
}

// UnknownFlag says that a verb has no such flag.
type UnknownFlag struct{ Written string } // with its dashes

func (e *UnknownFlag) Error() string { return "unknown flag: " + e.Written }

// BadValue says that a flag does not take a value.
type BadValue struct {
	Flag *Flag
	Text string
	Err  error
}

func (e *BadValue) Error() string { return fmt.Sprintf("--%s %s: %v", e.Flag.Name, e.Text, e.Err) }
func (e *BadValue) Unwrap() error { return e.Err }

// NoValue says that the value of a flag is missing.
type NoValue struct{ Flag *Flag }

func (e *NoValue) Error() string {
	_, usage := e.Flag.Words()
	return fmt.Sprintf("--%s needs a value: %s", e.Flag.Name, usage)
}

// errHelp says that help is wanted.
var errHelp = errors.New("help")

// parse sets flags and returns the other arguments: --name value, --name=value, -n value, -nvalue, -abc for three
// switches; behind -- nothing is a flag. With leading, nothing is one behind the first other argument.
func (s *Flags) parse(args []string, leading bool) (rest []string, err error) {
	for len(args) > 0 && err == nil {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "--":
			return append(rest, args...), nil
		case strings.HasPrefix(arg, "--"):
			args, err = s.long(arg, args)
		case len(arg) > 1 && arg[0] == '-':
			args, err = s.letters(arg, args)
		case leading:
			return append(append(rest, arg), args...), nil
		default:
			rest = append(rest, arg)
		}
	}
	return rest, err
}

// long sets --name[=value] and returns what is left of the arguments.
func (s *Flags) long(arg string, args []string) ([]string, error) {
	name, text, has := strings.Cut(arg[2:], "=")
	f := s.flags[name]
	switch {
	case f == nil && name == "help":
		return nil, errHelp
	case f == nil:
		return nil, &UnknownFlag{arg}
	case !has && f.Alone != "":
		text = f.Alone
	case !has && len(args) == 0:
		return nil, &NoValue{f}
	case f.words() != nil:
		if has {
			args = append([]string{text}, args...)
		}
		rest, err := f.words().Take(args)
		if err != nil {
			return nil, &BadValue{f, args[0], err}
		}
		f.given = true
		return rest, nil
	case !has:
		text, args = args[0], args[1:]
	}
	return args, s.Set(name, text)
}

// letters sets the flags of -abc: switches, then perhaps one with its value behind it.
func (s *Flags) letters(arg string, args []string) ([]string, error) {
	for left := arg[1:]; left != ""; {
		f := s.short[left[:1]]
		text := left[1:]
		switch {
		case f == nil && left[0] == 'h':
			return nil, errHelp
		case f == nil:
			return nil, &UnknownFlag{arg}
		case f.Alone != "":
			text, left = f.Alone, text
		case text == "" && len(args) == 0:
			return nil, &NoValue{f}
		case text == "":
			text, args, left = args[0], args[1:], ""
		default:
			text, left = strings.TrimPrefix(text, "="), ""
		}
		if err := s.Set(f.Name, text); err != nil {
			return nil, err
		}
	}
	return args, nil
}
