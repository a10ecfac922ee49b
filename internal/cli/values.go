package cli

// This file holds the values that flags of Go's own types have.

import (
	"errors"
	"strconv"
	"strings"
)

// String declares a flag for text.
func (s *Flags) String(to *string, name, shorthand, def, usage string) *Flag {
	*to = def
	return s.Add((*stringValue)(to), name, shorthand, usage)
}

// Bool declares a switch.
func (s *Flags) Bool(to *bool, name, shorthand, usage string) *Flag {
	return s.Add((*boolValue)(to), name, shorthand, usage)
}

// Int declares a flag for a whole number.
func (s *Flags) Int(to *int, name, shorthand string, def int, usage string) *Flag {
	*to = def
	return s.Add((*intValue)(to), name, shorthand, usage)
}

// Uint64 declares a flag for a whole number from 0.
func (s *Flags) Uint64(to *uint64, name, shorthand string, def uint64, usage string) *Flag {
	*to = def
	return s.Add((*uintValue)(to), name, shorthand, usage)
}

// List declares a flag that may be given several times.
func (s *Flags) List(to *[]string, name, shorthand, usage string) *Flag {
	return s.Add((*listValue)(to), name, shorthand, usage)
}

type stringValue string

func (v *stringValue) String() string        { return string(*v) }
func (v *stringValue) Type() string          { return "string" }
func (v *stringValue) Set(text string) error { *v = stringValue(text); return nil }

type boolValue bool

func (v *boolValue) String() string { return strconv.FormatBool(bool(*v)) }
func (v *boolValue) Type() string   { return "bool" }

func (v *boolValue) Set(text string) error {
	b, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("want true or false")
	}
	*v = boolValue(b)
	return nil
}

type intValue int

func (v *intValue) String() string { return strconv.Itoa(int(*v)) }
func (v *intValue) Type() string   { return "int" }

func (v *intValue) Set(text string) error {
	n, err := strconv.ParseInt(text, 0, 0)
	if err != nil {
		return errors.New("want a whole number")
	}
	*v = intValue(n)
	return nil
}

type uintValue uint64

func (v *uintValue) String() string { return strconv.FormatUint(uint64(*v), 10) }
func (v *uintValue) Type() string   { return "uint" }

func (v *uintValue) Set(text string) error {
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return errors.New("want a whole number from 0")
	}
	*v = uintValue(n)
	return nil
}

type listValue []string

func (v *listValue) String() string        { return "[" + strings.Join(*v, ",") + "]" }
func (v *listValue) Type() string          { return "string" }
func (v *listValue) Set(text string) error { *v = append(*v, text); return nil }
