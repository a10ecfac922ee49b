package isainfo

// This file explains parts of instructions, and targets.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// explainPart describes the entries that an opcode with some of its modifiers may still become: mma.sync, ld.global, mul.u32.
func explainPart(b *strings.Builder, name string) {
	name = strings.ToLower(cmp.Or(opcodeOf(name), name))
	list, more := partOf(name)
	if list == nil {
		return
	}
	if len(list) > 1 || more != "" {
		fmt.Fprintf(b, "%s: part of an instruction\n", name)
		var lines []isa.Described
		for _, e := range list {
			lines = append(lines, isa.Described{Name: e.Name, What: fmt.Sprintf("%s (PTX ISA %s)", e.Doc, newForm(e).Section)})
		}
		explainList(b, "Instructions", described(lines))
		b.WriteByte('\n')
	}
	for i, e := range list {
		if i > 0 {
			b.WriteByte('\n')
		}
		explainEntry(b, e)
	}
}

// partOf lists the entries of the longest opcode that a name begins with which have all of the modifiers behind it; more is these.
func partOf(name string) (list []*isa.Entry, more string) {
	tokens := strings.Split(name, ".")
	for n := len(tokens) - 1; n > 0; n-- {
		mods := tokens[n:]
		for _, e := range named(strings.Join(tokens[:n], ".")) {
			if hasAll(e, mods) {
				list = append(list, e)
			}
		}
		if list != nil {
			return list, strings.Join(mods, ".")
		}
	}
	return nil, ""
}

// hasAll reports whether an entry has all of some modifiers.
func hasAll(e *isa.Entry, mods []string) bool {
	have := e.Modifiers()
	for _, mod := range mods {
		if !slices.ContainsFunc(have, func(m isa.Mod) bool { return m.String() == "."+mod }) {
			return false
		}
	}
	return true
}

// explainTarget describes an architecture: since when it is there, and what it has that the one before has not.
func explainTarget(b *strings.Builder, name string) {
	t, err := isa.ParseTarget(strings.ToLower(strings.TrimPrefix(name, ".")))
	if err != nil {
		return
	}
	before, beside := besideTarget(t)
	fmt.Fprintf(b, "%v: a target architecture (.target %v; PTX ISA 11.1.2)\n", t, t)
	explainList(b, "Legal", []string{"since PTX " + isa.TargetSince(t).String()})
	explainList(b, "Beside it", beside)
	if before.IsZero() {
		return
	}
	var lines []isa.Described
	for _, e := range isa.Table().Entries() {
		if e.Available(isa.Latest, t) && !e.Available(isa.Latest, before) {
			lines = append(lines, isa.Described{Name: e.Name, What: e.Doc})
		}
	}
	explainList(b, fmt.Sprintf("Instructions that it has and %v has not (`ptxvm isa --target %v` lists all)", before, t), described(lines))
}

// besideTarget is the target that one goes on from, zero for the first, and its variants.
func besideTarget(t isa.Target) (before isa.Target, beside []string) {
	for _, u := range isa.Targets() {
		switch {
		case u.Arch == t.Arch && u != t:
			what := map[byte]string{0: "code for it runs on later ones, too", 'a': "code for this architecture alone", 'f': "code for its family"}[u.Suffix]
			beside = append(beside, fmt.Sprintf("%v: %s", u, what))
		case u.Arch < t.Arch && u.Suffix == 0:
			before = u
		}
	}
	if t.Suffix != 0 {
		before = isa.Target{Arch: t.Arch}
	}
	return before, beside
}
