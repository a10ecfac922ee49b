// Package san holds the sanitizers: observers of a launch that report what a kernel may not rely on, though this
// machine gives it some value. They never change what a kernel does.
//
// This package says which there are (the table of this file), and which of them look at a launch (Plan). What they
// find, and the words for it, is package found.
package san

import (
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
)

// Set is a set of checks and of their options.
type Set uint16

// The checks and their options.
const (
	Init Set = 1 << iota
	Race
	Sync
	RaceStrict
	InitLoads
	Mem
	Leak
	Async
	AsyncFences
	LeakUnused
	AsyncWAR
	NaN
	NaNInf
)

// All is every check but those Apart, without options: "all" in lists.
const All = Mem | Init | Race | Sync | Leak | Async

// Apart are checks that are asked for by name alone, since correct kernels may do what they report.
const Apart = NaN

// Check is what a user asks for by name.
type Check struct {
	Name      string
	Set       Set
	Options   []Option
	Codes     []diag.Code // of its reports
	detectors []*detector // who looks
	Elsewhere string      // the tool of compute-sanitizer that it comes nearest to
}

// Option is a word behind a check's name and a colon.
type Option struct {
	Name  string
	Set   Set
	Alone bool // in place of the check's own
}

// Checks are all there are, in the order of their documentation.
var Checks = []Check{
	{"mem", Mem, nil, []diag.Code{diag.OutsideObject, diag.AfterFree}, []*detector{values}, "memcheck"},
	{"init", Init, []Option{{"loads", InitLoads, true}}, []diag.Code{diag.UninitializedRead}, []*detector{shadows, values}, "initcheck"},
	{"race", Race, []Option{{"strict", RaceStrict, false}}, []diag.Code{diag.DataRace}, []*detector{races}, "racecheck"},
	{"sync", Sync, nil, []diag.Code{diag.SyncMisuse, diag.Livelock}, []*detector{uses, peers}, "synccheck"},
	{"leak", Leak, []Option{{"unused", LeakUnused, false}}, []diag.Code{diag.Leak}, []*detector{operations, unused}, ""},
	{"async", Async, []Option{{"fences", AsyncFences, false}, {"war", AsyncWAR, false}}, []diag.Code{diag.AsyncInUse, diag.ProxyOrder, diag.TensorOrder}, []*detector{operations, shadows}, ""},
	{"nan", NaN, []Option{{"inf", NaNInf, false}}, []diag.Code{diag.NotANumber}, []*detector{computed}, ""},
}

// CheckOf is the name of the check that makes reports of a code; empty if none does.
func CheckOf(code diag.Code) string {
	for i := range Checks {
		if slices.Contains(Checks[i].Codes, code) {
			return Checks[i].Name
		}
	}
	return ""
}

// Parse reads a list of names, such as init,race:strict. The error of a name that is unknown lists those that there
// are.
func Parse(list string) (set Set, err error) {
	if list == "" {
		return 0, nil
	}
	for _, word := range strings.Split(list, ",") {
		one, err := parseOne(word)
		if err != nil {
			return 0, err
		}
		set |= one
	}
	return set, nil
}

// parseOne reads one word of a list.
func parseOne(word string) (Set, error) {
	name, option, optional := strings.Cut(word, ":")
	for i := range Checks {
		switch c := &Checks[i]; {
		case word != "" && c.Elsewhere == word:
			return 0, fmt.Errorf("ptxvm: there is no sanitizer %q; it is %s here", word, c.Name)
		case c.Name != name:
		case !optional:
			return c.Set, nil
		default:
			return c.option(option)
		}
	}
	if word == "all" {
		return All, nil
	}
	return 0, fmt.Errorf("ptxvm: there is no sanitizer %q; want %s", word, names())
}

// option returns the check with one of its options.
func (c *Check) option(name string) (Set, error) {
	var known []string
	for _, o := range c.Options {
		switch {
		case o.Name != name:
		case o.Alone:
			return o.Set, nil
		default:
			return c.Set | o.Set, nil
		}
		known = append(known, c.Name+":"+o.Name)
	}
	if known == nil {
		return 0, fmt.Errorf("ptxvm: sanitizer %q has no option %q; it has none", c.Name, name)
	}
	return 0, fmt.Errorf("ptxvm: sanitizer %q has no option %q; want %s", c.Name, name, strings.Join(known, ", "))
}

// names lists what may be asked for.
func names() string {
	list := []string{"all"}
	for _, c := range Checks {
		list = append(list, c.Name)
		for _, o := range c.Options {
			list = append(list, c.Name+":"+o.Name)
		}
	}
	return strings.Join(list, ", ")
}
