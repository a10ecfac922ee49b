package main

// This file says what is wrong with a flag: what it wants, what it has, what was meant.

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"ptxvm.invalid/ptxvm/internal/cli"
)

// flagError makes a mistake in flags one of usage.
func flagError(cmd *cli.Command, err error) error {
	var unknown *cli.UnknownFlag
	if errors.As(err, &unknown) {
		err = unknownFlag(cmd, unknown.Written)
	}
	return usageError{err}
}

// unknownFlag suggests the nearest flag of the verb. Names have two dashes.
func unknownFlag(cmd *cli.Command, written string) error {
	written, _, _ = strings.Cut(written, "=")
	name := strings.TrimLeft(written, "-")
	var names []string
	for _, fl := range cmd.Flags().All() {
		if !fl.Hidden {
			names = append(names, fl.Name)
		}
	}
	if near := cli.Nearest(name, names); near != "" {
		return fmt.Errorf("unknown flag: %s; did you mean --%s?", written, near)
	}
	if len(cmd.Verbs()) > 0 {
		return behindVerb(cmd, written, name)
	}
	return fmt.Errorf("unknown flag: %s; ptxvm %s --help lists those that there are", written, cmd.Name())
}

// behindVerb says where a flag stands that was written before any verb: which verbs have it.
func behindVerb(root *cli.Command, written, name string) error {
	if strings.EqualFold(name, "v") {
		return fmt.Errorf("unknown flag: %s; ptxvm version prints the version", written)
	}
	var verbs []string
	for _, v := range root.Verbs() {
		if v.Flags().Lookup(name) != nil && !v.Hidden {
			verbs = append(verbs, "ptxvm "+v.Name()+" "+written)
		}
	}
	if len(verbs) > 0 {
		return fmt.Errorf("unknown flag: %s; it stands behind a verb: %s", written, strings.Join(verbs, ", "))
	}
	return fmt.Errorf("unknown flag: %s; ptxvm --help lists the verbs, ptxvm VERB --help their flags", written)
}

// durationFlag is a wall clock limit.
type durationFlag time.Duration

func (f *durationFlag) String() string { return time.Duration(*f).String() }
func (f *durationFlag) Type() string   { return "DURATION" }

func (f *durationFlag) Set(text string) error {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil && strings.Trim(text, "0123456789.") == "" && text != "":
		return fmt.Errorf("want a unit: %ss, %[1]sms or %[1]sm", text)
	case err != nil:
		return errors.New("want a duration such as 500ms, 10s or 2m")
	case d < 0:
		return errors.New("want a duration from 0, which is no limit")
	}
	*f = durationFlag(d)
	return nil
}
