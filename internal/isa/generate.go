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

// IndexSource returns the Go expression of the index of a fully read data set. It has one item a line, and goID is
// what the constant of an entry's name is called, so that an entry that is added or edited changes no line but its own.
func (t *ISA) IndexSource(goID func(name string) string) (string, error) {
	return t.indexSource(dataFS, goID)
}

func (t *ISA) indexSource(data fs.FS, goID func(name string) string) (string, error) {
	files, err := dataFiles(data)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("index{\nFiles: []indexFile{\n")
	for _, f := range files {
		text, err := fs.ReadFile(data, f)
		if err != nil {
			return "", err
		}
		t.indexFile(&b, f, string(text))
	}
	b.WriteString("},\n")
	indexNames(&b, "Mods", t.mods.all)
	indexNames(&b, "Classes", t.classes.all)
	indexNames(&b, "Roles", t.roles.all)
	b.WriteString("IDOrder: []ID{\n")
	for _, id := range t.ids.sorted() {
		fmt.Fprintf(&b, "%s,\n", goID(t.ids.name(id)))
	}
	b.WriteString("},\n")
	b.WriteString("Opcodes: []opcode{\n")
	for _, op := range t.opcodes {
		t.indexOpcode(&b, op, goID)
	}
	b.WriteString("},\n}")
	return b.String(), nil
}

// indexFile writes a file as the extents that it is made of: what stands before its first entry, and its entries.
func (t *ISA) indexFile(b *strings.Builder, name, text string) {
	entries := splitEntries(name, text)
	head := text
	if len(entries) > 0 {
		head = text[:strings.Index(text, entries[0].text)]
	}
	fmt.Fprintf(b, "{%q, %s, []indexEntry{\n", name, extentOf(head))
	for _, src := range entries {
		e := t.Entry(t.entryAt(src))
		fmt.Fprintf(b, "{%q, %q, %s},\n", e.Name, strings.Join(e.Opcode, ""), extentOf(src.text))
	}
	b.WriteString("}},\n")
}

func extentOf(text string) string {
	return fmt.Sprintf("extent{%d, %d, %#08x}", strings.Count(text, "\n"), len(text), crc32.ChecksumIEEE([]byte(text)))
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

func indexNames(b *strings.Builder, kind string, all []string) {
	fmt.Fprintf(b, "%s: []string{\n", kind)
	for _, name := range all[1:] {
		fmt.Fprintf(b, "%q,\n", name)
	}
	b.WriteString("},\n")
}

// indexOpcode writes an opcode; where entries share it, an entry a line.
func (t *ISA) indexOpcode(b *strings.Builder, op opcode, constant func(string) string) {
	if op.ids == nil {
		fmt.Fprintf(b, "{%q, nil},\n", op.name)
		return
	}
	fmt.Fprintf(b, "{%q, []ID{\n", op.name)
	for _, id := range op.ids {
		fmt.Fprintf(b, "%s,\n", constant(t.ids.name(id)))
	}
	b.WriteString("}},\n")
}
