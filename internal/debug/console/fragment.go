package console

import (
	"errors"
	"strings"

	"ptxvm.invalid/ptxvm/internal/debug"
)

// fragment prints REGISTERS as NAME, a matrix.
func (c *Console) fragment(args string) error {
	registers, as, ok := cutWord(args, "as")
	if !ok {
		return errors.New("Usage: print frag %r4..%r7 as mma.m16n8k16.a.f16")
	}
	scope, err := c.Session.Scope()
	if err != nil {
		return err
	}
	m, err := scope.Fragment(registers, as)
	if err != nil {
		return err
	}
	width := 0
	var words []string
	for i := range m.Cells {
		words = append(words, debug.FormatValue(&m.Cells[i], 0))
		width = max(width, len(words[i]))
	}
	for row := range m.Rows {
		var line []string
		for _, w := range words[row*m.Columns:][:m.Columns] {
			line = append(line, strings.Repeat(" ", width-len(w))+w)
		}
		c.printf("%3d  %s\n", row, strings.Join(line, " "))
	}
	return nil
}
