package isa

import (
	"strings"
	"testing"
)

// TestDirectives: the data reads, and every entry says what it is, where it stands, since when,
// and has an example.
func TestDirectives(t *testing.T) {
	if len(Directives()) < 50 {
		t.Fatalf("%d directives", len(Directives()))
	}
	for _, d := range Directives() {
		if d.Doc == "" || d.About == "" || d.Form == "" || d.Since == nil || len(d.Examples) == 0 {
			t.Errorf("%s: lacks about, form, since or example", d.Name)
		}
		for _, other := range append(append(append([]string(nil), d.Excludes...), d.Needs...), d.Wants...) {
			if LookupDirective(other) == nil {
				t.Errorf("%s names %s, which is no directive", d.Name, other)
			}
		}
		if d != LookupDirective(d.Name) {
			t.Errorf("%s is not found by its name", d.Name)
		}
	}
}

// TestDirectiveErrors: what is wrong in the data is named by its place.
func TestDirectiveErrors(t *testing.T) {
	for text, want := range map[string]string{
		"= 11.1 .x":                            "a header is",
		"= 9.7: 11.1 .x A thing\nfoo bar":      "no clause",
		"= 11.1 .x A thing\nargs a":            "parsing",
		"= 11.1 .x A thing\nargs 1 many":       "neither string",
		"= 11.1 .x A thing\nsince 1.9":         "1.9",
		"= 11.1 .x A thing\n= 11.2 .x A thing": "twice",
	} {
		if _, err := readDirectives(text + "\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestArity reads how many values a directive takes, and which.
func TestArity(t *testing.T) {
	d, err := readDirectives("= 11.1 .x A thing\nargs 1..3 positive\n= 11.1 .y A thing\nargs 2 in 3..9\n")
	if err != nil {
		t.Fatal(err)
	}
	x, y := d.byName[".x"].d.Args, d.byName[".y"].d.Args
	if x.Least != 1 || x.Most != 3 || x.Lo != 1 || y.Least != 2 || y.Most != 2 || y.Lo != 3 || y.Hi != 9 {
		t.Errorf("%+v %+v", x, y)
	}
}
