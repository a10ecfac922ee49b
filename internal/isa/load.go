package isa

// This file loads the data: through the generated index if it fits the data, else by
// reading every entry.

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// ISA is the loaded instruction set. It is safe for concurrent use.
type ISA struct {
	judge   Judge
	ids     names[ID]
	mods    names[Mod]
	classes names[Class]
	roles   names[Role]

	modTypes []Type             // by Mod
	repeat   map[Mod]bool       // may be written twice
	entries  []lazyEntry        // by ID
	source   func(ID) entryText // of an entry that is not parsed yet
	opcodes  []opcode           // sorted by name
	cache    formsCache

	sharedOnce sync.Once
	shared     []class // sets of the prelude, which each entry has
}

// lazyEntry is parsed when it is first asked for.
type lazyEntry struct {
	once  sync.Once
	entry *Entry
}

// opcode is a sequence of glued tokens, or the beginning of one.
type opcode struct {
	name string
	ids  []ID // in the order of the data; nil if only a beginning
}

// index is what internal/gen finds in the data, so that loading need not read it.
type index struct {
	Files                []indexFile
	Mods, Classes, Roles []string // sorted
	IDOrder              []ID     // by the spelling of their names
	Opcodes              []opcode // sorted
}

// indexFile is a file of the data: Head, then its entries, and no byte between or behind them.
type indexFile struct {
	Name    string
	Head    extent
	Entries []indexEntry
}

// indexEntry is an entry; its ID is its place among those of all files, from 1.
type indexEntry struct {
	Name, Opcode string
	extent
}

// extent is a piece of a file. Where it begins follows from those before it.
type extent struct {
	Lines, Length int
	Sum           uint32 // CRC-32 (IEEE)
}

// generated is set by zisa.go; nil while that file is being made.
var generated *index

// Table returns the instruction set as ptxas judges it. The data is read when it is first called.
var Table = sync.OnceValue(func() *ISA { return mustLoad(Ptxas) })

var manualTable = sync.OnceValue(func() *ISA { return mustLoad(Manual) })

func mustLoad(j Judge) *ISA {
	t, err := load(dataFS, generated, j)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return t
}

// Load reads all of the data without the index, for the generator and the data's tests. The
// errors name file and line.
func Load(j Judge) (*ISA, error) { return loadSorted(dataFS, j) }

// loadSorted reads the data twice: what it calls modifiers, classes and roles is numbered by its spelling, which is not known
// before the end. So one that is added takes a line between two others wherever it is first used.
func loadSorted(data fs.FS, j Judge) (*ISA, error) {
	found := newISA(&index{}, j)
	if err := found.readAll(data); err != nil {
		return found, err
	}
	t := newISA(&index{Mods: found.mods.spellings(), Classes: found.classes.spellings(), Roles: found.roles.spellings()}, j)
	return t, t.readAll(data)
}

func load(data fs.FS, ix *index, j Judge) (*ISA, error) {
	if ix == nil {
		return Load(j)
	}
	t := newISA(ix, j)
	texts, err := readIndexed(data, ix)
	if err != nil {
		return nil, err
	}
	if texts == nil { // the data was edited: names keep their numbers, new ones follow
		return t, t.readAll(data)
	}
	t.entries = make([]lazyEntry, t.ids.len())
	t.source = ix.sources(texts)
	t.opcodes = ix.Opcodes
	if t.opcodes == nil {
		t.opcodes = ix.sortedOpcodes()
	}
	t.finish()
	return t, nil
}

// sources returns where the text of an entry is found.
func (ix *index) sources(texts []func() string) func(ID) entryText {
	type place struct{ file, line, offset, length int }
	places := []place{{}}
	for i := range ix.Files {
		f := &ix.Files[i]
		line, offset := 1+f.Head.Lines, f.Head.Length
		for _, e := range f.Entries {
			places = append(places, place{i, line, offset, e.Length})
			line, offset = line+e.Lines, offset+e.Length
		}
	}
	return func(id ID) entryText {
		p := places[id]
		return entryText{ix.Files[p.file].Name, p.line, texts[p.file]()[p.offset : p.offset+p.length]}
	}
}

func newISA(ix *index, j Judge) *ISA {
	var ids []string
	for _, f := range ix.Files {
		for i := range f.Entries {
			ids = append(ids, f.Entries[i].Name)
		}
	}
	return &ISA{
		judge: j,
		ids:   newNames(ids, ix.IDOrder), mods: newNames[Mod](ix.Mods, nil), classes: newNames[Class](ix.Classes, nil), roles: newNames[Role](ix.Roles, nil),
	}
}

// readIndexed returns the files of the index, each read when it is first asked for; nil if one of them, or their
// number, changed.
func readIndexed(data fs.FS, ix *index) ([]func() string, error) {
	files, err := dataFiles(data)
	if err != nil || len(files) != len(ix.Files) {
		return nil, err
	}
	texts := make([]func() string, len(files))
	var buffer []byte
	for i, f := range ix.Files {
		if buffer, err = f.check(data, buffer); err != nil {
			return nil, nil
		}
		texts[i] = sync.OnceValue(func() string {
			b, err := fs.ReadFile(data, f.Name)
			if err != nil {
				panic("BUG: " + err.Error()) // it was there a moment ago
			}
			return string(b)
		})
	}
	return texts, nil
}

var errEdited = errors.New("the data is not what the index was made of")

// check reads a file, a extent at a time, and says whether the index was made of it. It returns the buffer to use again.
func (f *indexFile) check(data fs.FS, buffer []byte) ([]byte, error) {
	r, err := data.Open(f.Name)
	if err != nil {
		return buffer, err
	}
	defer r.Close()
	if buffer, err = f.Head.check(r, buffer); err != nil {
		return buffer, err
	}
	for i := range f.Entries {
		if buffer, err = f.Entries[i].check(r, buffer); err != nil {
			return buffer, err
		}
	}
	if n, _ := r.Read(make([]byte, 1)); n != 0 {
		return buffer, errEdited
	}
	return buffer, nil
}

func (s *extent) check(r io.Reader, buffer []byte) ([]byte, error) {
	buffer = slices.Grow(buffer[:0], s.Length)[:s.Length]
	if _, err := io.ReadFull(r, buffer); err != nil || crc32.ChecksumIEEE(buffer) != s.Sum {
		return buffer, errEdited
	}
	return buffer, nil
}

// dataFiles lists the files with entries, in order of chapters.
func dataFiles(data fs.FS) ([]string, error) {
	all, err := fs.Glob(data, "data/*.isa")
	var files []string
	for _, f := range all {
		if b := path.Base(f); b != "prelude.isa" && b != "special.isa" && b != "directives.isa" {
			files = append(files, f)
		}
	}
	return files, err
}

// readAll parses every entry; it goes on after errors and returns all of them.
func (t *ISA) readAll(data fs.FS) error {
	files, err := dataFiles(data)
	if err != nil {
		return err
	}
	var errs []error
	parsed := map[ID]*Entry{}
	opcodes := map[string][]ID{}
	for _, f := range files {
		b, err := fs.ReadFile(data, f)
		if err != nil {
			return err
		}
		for _, src := range splitEntries(f, string(b)) {
			e, err := t.parseBoth(src)
			if err == nil && parsed[e.ID] != nil {
				err = fmt.Errorf("%s:%d: %s is defined twice", f, e.Line, e.Name)
			}
			if err != nil {
				errs = append(errs, err)
				continue
			}
			parsed[e.ID] = e
			addOpcode(opcodes, strings.Join(e.Opcode, ""), e.ID)
		}
	}
	t.entries = make([]lazyEntry, t.ids.len())
	for id, e := range parsed {
		t.entries[id].entry = e
		t.entries[id].once.Do(func() {})
	}
	t.opcodes = sortOpcodes(opcodes)
	t.finish()
	return errors.Join(errs...)
}

// parseBoth reads an entry as both judges do, so that names have the same numbers in both
// tables, and returns the table's own.
func (t *ISA) parseBoth(src entryText) (own *Entry, err error) {
	for j := range Judge(len(judgeNames)) {
		e, errJ := t.parseEntry(src, j)
		if errJ != nil {
			return nil, errJ
		}
		if j == t.judge {
			own = e
		}
	}
	return own, nil
}

// addOpcode makes the opcode and all its beginnings known.
func addOpcode(all map[string][]ID, text string, id ID) {
	for i := 1; i < len(text); i++ {
		if text[i] == '.' {
			if _, known := all[text[:i]]; !known {
				all[text[:i]] = nil
			}
		}
	}
	all[text] = append(all[text], id)
}

func sortOpcodes(all map[string][]ID) []opcode {
	sorted := make([]opcode, 0, len(all))
	for name, ids := range all {
		sorted = append(sorted, opcode{name, ids})
	}
	slices.SortFunc(sorted, func(a, b opcode) int { return strings.Compare(a.name, b.name) })
	return sorted
}

// sortedOpcodes makes the list that an index of an older make lacks.
func (ix *index) sortedOpcodes() []opcode {
	all := map[string][]ID{}
	id := ID(0)
	for _, f := range ix.Files {
		for i := range f.Entries {
			id++
			addOpcode(all, f.Entries[i].Opcode, id)
		}
	}
	return sortOpcodes(all)
}

// opcode returns the opcode, or beginning of one, of a name; nil if there is none.
func (t *ISA) opcode(name string) *opcode {
	i, ok := slices.BinarySearchFunc(t.opcodes, name, func(o opcode, name string) int { return strings.Compare(o.name, name) })
	if !ok {
		return nil
	}
	return &t.opcodes[i]
}

// HasOpcode reports whether a name is an opcode, or the beginning of one: wgmma of wgmma.fence.
func (t *ISA) HasOpcode(name string) bool { return t.opcode(name) != nil }

func (t *ISA) modSet(names []string) map[Mod]bool {
	set := map[Mod]bool{}
	for _, name := range names {
		set[t.knownMod(name)] = true
	}
	return set
}

// finish fills what follows from the names.
func (t *ISA) finish() {
	t.modTypes = make([]Type, t.mods.len())
	for name, typ := range thePrelude.typeByName {
		if m := t.mods.lookup(name); m != 0 {
			t.modTypes[m] = typ
		}
	}
	t.repeat = t.modSet(thePrelude.repeat[t.judge])
	t.cache.init()
}

// Entry returns the entry of an id, nil for 0.
func (t *ISA) Entry(id ID) *Entry {
	if id == 0 || int(id) >= len(t.entries) {
		return nil
	}
	l := &t.entries[id]
	l.once.Do(func() {
		e, err := t.parseEntry(t.source(id), t.judge)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		l.entry = e
	})
	return l.entry
}

// Entries returns all entries in the order of the data.
func (t *ISA) Entries() []*Entry {
	all := make([]*Entry, 0, len(t.entries))
	for id := 1; id < len(t.entries); id++ {
		if e := t.Entry(ID(id)); e != nil {
			all = append(all, e)
		}
	}
	return all
}

// knownMod returns the modifier of a spelling, 0 if no entry has it.
func (t *ISA) knownMod(s string) Mod { return t.mods.lookup(s) }

func (t *ISA) modType(m Mod) Type {
	if int(m) < len(t.modTypes) {
		return t.modTypes[m]
	}
	return 0
}
