package main

// This file says what is wrong with a flag: what it wants, what it has, what was meant.

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ptxvm.invalid/ptxvm"
)

// flagError puts pflag's errors into words.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	switch {
	case errors.As(err, &unknown):
		err = unknownFlag(cmd, spelled(unknown))
	case errors.As(err, &invalid):
		err = fmt.Errorf("--%s %s: %w", invalid.GetFlag().Name, invalid.GetValue(), numberError(invalid.GetFlag(), invalid.Unwrap()))
	case errors.As(err, &missing) && missing.GetFlag() != nil:
		fl := missing.GetFlag()
		_, usage := pflag.UnquoteUsage(fl)
		err = fmt.Errorf("--%s needs a value: %s", fl.Name, usage)
	}
	return usageError{err}
}

// spelled is the flag as it was written: with one dash it is a row of letters to pflag.
func spelled(err *pflag.NotExistError) string {
	if letters := err.GetSpecifiedShortnames(); letters != "" {
		return "-" + letters
	}
	return "--" + err.GetSpecifiedName()
}

// unknownFlag suggests the nearest flag of the verb. Names have two dashes.
func unknownFlag(cmd *cobra.Command, written string) error {
	name, _, _ := strings.Cut(strings.TrimLeft(written, "-"), "=")
	var names []string
	cmd.Flags().VisitAll(func(fl *pflag.Flag) {
		if !fl.Hidden {
			names = append(names, fl.Name)
		}
	})
	if near := ptxvm.Nearest(name, names); near != "" {
		return fmt.Errorf("unknown flag: %s; did you mean --%s?", written, near)
	}
	return fmt.Errorf("unknown flag: %s; ptxvm %s --help lists those that there are", written, cmd.Name())
}

// numberError says what a number must be like; errors of our own flags say it themselves.
func numberError(fl *pflag.Flag, err error) error {
	var number *strconv.NumError
	switch {
	case !errors.As(err, &number):
		return err
	case strings.HasPrefix(fl.Value.Type(), "uint"):
		return errors.New("want a whole number from 0")
	}
	return errors.New("want a whole number")
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
