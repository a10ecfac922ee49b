package isa

// This file gives internal/gen what it writes down: names in their order, and where the
// entries are.

import (
	"fmt"
	"hash/crc32"
	"io/fs"
	"strings"
)

// Names are all names of the data, each list without the absent first.
type Names struct {
	IDs, Mods, Classes, Roles []string
	Types, Specials           []string
}

// Names returns what the generated constants are made from.
func (t *ISA) Names() Names {
	n := Names{IDs: t.ids.all[1:], Mods: t.mods.all[1:], Classes: t.classes.all[1:], Roles: t.roles.all[1:]}
	for _, typ := range Types() {
		n.Types = append(n.Types, typ.String())
	}
	for _, s := range Specials() {
		n.Specials = append(n.Specials, s.String())
	}
	return n
}

// IndexSource returns the Go expression of the index of a fully read data set.
func (t *ISA) IndexSource() (string, error) {
	files, err := dataFiles(dataFS)
	if err != nil {
		return "", err
	}
	var names, entries strings.Builder
	for i, f := range files {
		b, err := fs.ReadFile(dataFS, f)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&names, "{%q, %#08x},\n", f, crc32.ChecksumIEEE(b))
		t.indexFile(&entries, i, f, string(b))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "index{\nFiles: []indexFile{\n%s},\nEntries: []indexEntry{\n%s},\n", names.String(), entries.String())
	fmt.Fprintf(&b, "Mods: []string{\n%s},\nClasses: []string{\n%s},\nRoles: []string{\n%s},\n",
		quoted(t.mods.all[1:]), quoted(t.classes.all[1:]), quoted(t.roles.all[1:]))
	fmt.Fprintf(&b, "IDOrder: []uint16{\n%s},\nModOrder: []uint16{\n%s},\nClassOrder: []uint16{\n%s},\nRoleOrder: []uint16{\n%s},\n",
		numbers(t.ids.sorted()), numbers(t.mods.sorted()), numbers(t.classes.sorted()), numbers(t.roles.sorted()))
	b.WriteString("Opcodes: []opcode{\n")
	for _, op := range t.opcodes {
		ids := "nil"
		if op.ids != nil {
			ids = "[]ID{" + strings.ReplaceAll(strings.TrimSuffix(numbers(op.ids), "\n"), "\n", "") + "}"
		}
		fmt.Fprintf(&b, "{%q, %s},\n", op.name, ids)
	}
	b.WriteString("},\n}")
	return b.String(), nil
}

func (t *ISA) indexFile(out *strings.Builder, file int, name, text string) {
	offset := 0
	for _, src := range splitEntries(name, text) {
		offset += strings.Index(text[offset:], src.text)
		e := t.Entry(t.entryAt(src))
		fmt.Fprintf(out, "{%q, %q, %d, %d, %d, %d},\n", e.Name, strings.Join(e.Opcode, ""), file, src.line, offset, len(src.text))
	}
}

// entryAt returns the id of the entry whose header is at a place of the data.
func (t *ISA) entryAt(src entryText) ID {
	for id := range t.entries {
		if e := t.entries[id].entry; e != nil && e.File == src.file && e.Line == src.line {
			return ID(id)
		}
	}
	panic("BUG: " + src.file + " has an entry that was not read")
}

func quoted(list []string) string { return lines(list, "%q,", 10) }

func numbers[T ~uint16](list []T) string { return lines(list, "%d,", 20) }

// lines prints a list, so many items a line.
func lines[T any](list []T, format string, perLine int) string {
	var b strings.Builder
	for i, item := range list {
		fmt.Fprintf(&b, format, item)
		if i%perLine == perLine-1 || i == len(list)-1 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
