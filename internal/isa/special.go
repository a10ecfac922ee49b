package isa

// This file declares the special registers of chapter 10.

import (
	"fmt"
	"strconv"
	"strings"
)

// Special is a special register, without component. 0 is none.
type Special uint8

// SpecialInfo says what a special register is. All are read-only.
type SpecialInfo struct {
	Name    string // with its %
	Section string
	Type    Type   // of a component
	Lanes   int    // components x y z w; 1: a scalar
	Also    []Type // narrower types that code for old versions reads it with
	Needs   string // a directive that the kernel must have, "" if none
	Since   Gate
	Doc     string // what it is, in a few words
}

// LookupSpecial returns the special register of a name such as "%tid", without component.
func LookupSpecial(name string) (Special, bool) {
	s, ok := thePrelude.special[name]
	return s, ok
}

// Info returns what the register is.
func (s Special) Info() *SpecialInfo { return &thePrelude.specials[s] }

func (s Special) String() string { return s.Info().Name }

// Specials lists all special registers in the manual's order.
func Specials() []Special {
	all := make([]Special, 0, len(thePrelude.specials))
	for s := 1; s < len(thePrelude.specials); s++ {
		all = append(all, Special(s))
	}
	return all
}

// addSpecials reads one row; "%pm<0..3>" stands for four registers.
func (p *prelude) addSpecials(name, row string) error {
	row, doc, described := strings.Cut(row, " : ")
	row, gate, ok := strings.Cut(row, " since ")
	words := strings.Fields(row)
	if !ok || !described || len(words) < 3 {
		return fmt.Errorf("a special register is: section, type, length, since gate : what it is")
	}
	since, err := p.parseGate(gate)
	if err != nil {
		return err
	}
	lanes, err := strconv.Atoi(words[2])
	if err != nil {
		return err
	}
	info := SpecialInfo{Section: words[0], Type: p.typeByName[words[1]], Lanes: lanes, Since: since, Doc: doc}
	for _, w := range words[3:] {
		if t, ok := p.typeByName[w]; ok {
			info.Also = append(info.Also, t)
		} else {
			info.Needs = w
		}
	}
	return eachNumbered(name, func(full string) {
		info.Name = full
		p.special[full] = Special(len(p.specials))
		p.specials = append(p.specials, info)
	})
}

// eachNumbered expands "a<0..3>b".
func eachNumbered(name string, visit func(string)) error {
	head, rest, ok := strings.Cut(name, "<")
	if !ok {
		visit(name)
		return nil
	}
	span, tail, _ := strings.Cut(rest, ">")
	first, last, _ := strings.Cut(span, "..")
	n, err := atois([]string{first, last})
	if err != nil {
		return err
	}
	for i := n[0]; i <= n[1]; i++ {
		visit(head + strconv.Itoa(i) + tail)
	}
	return nil
}
