package text

import (
	"slices"
	"testing"
)

// TestWrap: lines are as long as they may be, in runes; a longer word has one of its own.
func TestWrap(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"", []string{""}},
		{" a  b ", []string{"a b"}},
		{"ab cd ef", []string{"ab cd", "ef"}},
		{"äö üß x", []string{"äö üß", "x"}},
		{"a overlong b c", []string{"a", "overlong", "b c"}},
	} {
		if have := Wrap(test.text, 5); !slices.Equal(have, test.want) {
			t.Errorf("%q: %q, want %q", test.text, have, test.want)
		}
	}
}
