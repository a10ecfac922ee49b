package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/syntax"
)

// TestRelease: files that share memory one after the other, small and large, right and wrong, get the diagnostics
// that they get alone, and what they said before stays.
func TestRelease(t *testing.T) {
	names, _ := filepath.Glob("testdata/*.ptx")
	names = slices.Concat(names, names)
	slices.Sort(names[len(names)/2:])
	said := func(list diag.List) string {
		var b strings.Builder
		if err := diag.WriteText(&b, list, diag.TextOptions{}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var lists []diag.List
	var want []string
	for i, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text = text[:len(text)*(4-i%3)/4] // some break off
		_, alone := Check(syntax.Parse(name, text), Options{})
		want = append(want, said(alone))

		info, list := Check(syntax.Parse(name, text), Options{})
		lists = append(lists, list)
		info.Release()
	}
	for i, list := range lists {
		if got := said(list); got != want[i] {
			t.Errorf("%s: want\n%s\nhave\n%s", names[i], want[i], got)
		}
	}
	if len(lists) < 20 {
		t.Errorf("%d files", len(lists))
	}
}
