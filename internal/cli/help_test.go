package cli

import (
	"strings"
	"testing"
)

// TestHelpColumns: flags stand under their groups, and no line is wider than the terminal unless a word is.
func TestHelpColumns(t *testing.T) {
	var n int
	for _, columns := range []int{0, 60, 200} {
		cmd := &Command{Use: "draw FILE", Columns: columns}
		cmd.Flags().Int(&n, "alone", "", 0, "stands in no group")
		cmd.Flags().Group("Colours")
		cmd.Flags().Int(&n, "red", "", 3, strings.Repeat("word ", 60))
		cmd.Flags().Int(&n, "a-very-long-name-of-a-flag", "", 0, "`AND|ITS|VALUE` in short")
		cmd.Flags().Group("Sizes")
		cmd.Flags().Int(&n, "width", "", 0, "how wide")
		var b strings.Builder
		cmd.listFlags(&b)
		text, wide := b.String(), 0
		for line := range strings.Lines(text) {
			wide = max(wide, len(strings.TrimRight(line, "\n")))
		}
		if limit := max(columns, 60); columns != 0 && wide > limit || columns == 0 && wide > 80 || wide < 55 {
			t.Errorf("%d columns: a line has %d\n%s", columns, wide, text)
		}
		at := 0
		for _, want := range []string{"Flags:\n", "--alone", "Colours:\n", "--a-very-long-name-of-a-flag AND|ITS|VALUE\n", "AND|ITS|VALUE in short", "--red", "(default 3)", "Sizes:\n", "--width"} {
			i := strings.Index(text[at:], want)
			if i < 0 {
				t.Fatalf("%d columns: no %q behind %d in\n%s", columns, want, at, text)
			}
			at += i
		}
	}
}
