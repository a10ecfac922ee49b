package isa

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestAddedEntry: an entry that is added adds lines to the generated index, and changes none; so does a modifier that no
// other entry has.
func TestAddedEntry(t *testing.T) {
	before := indexText(t, dataFS)
	files := fstest.MapFS{}
	names, err := fs.Glob(dataFS, "data/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := fs.ReadFile(dataFS, name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = &fstest.MapFile{Data: b}
	}
	const header = "= 9.7.1.2 sub.int"
	integer := files["data/0901-integer.isa"]
	text := string(integer.Data)
	if !strings.Contains(text, header) {
		t.Fatalf("no %q", header)
	}
	added := "= 9.7.1.1 added.int  Added\nopcode added\nabout Says nothing.\nadded.plain.type d, a;\n.type = { .b32 }\n.plain = { .plain }\nd : reg .type\na : reg .type\nsince 1.0\n\n"
	integer.Data = []byte(strings.Replace(text, header, added+header, 1))
	after := indexText(t, files)
	if !strings.Contains(after, "added.int") || !strings.Contains(after, ".plain") {
		t.Fatal("the entry is not in the index")
	}
	rest := strings.Split(after, "\n")
	for line := range strings.SplitSeq(before, "\n") {
		i := slices.Index(rest, line)
		if i < 0 {
			t.Fatalf("%q is another line", line)
		}
		rest = rest[i+1:]
	}
}

// indexText is the generated index of data, with names as their constants.
func indexText(t *testing.T, data fs.FS) string {
	t.Helper()
	isa, err := loadSorted(data, Ptxas)
	if err != nil {
		t.Fatal(err)
	}
	same := func(name string) string { return name }
	text, err := isa.indexSource(data, same)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
