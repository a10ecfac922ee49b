// Package fuzzseed makes inputs from which fuzzing of the front end starts. It imports nothing of ours, so
// that every room's own tests can use it.
package fuzzseed

import (
	"os"
	"path/filepath"
	"strings"
)

// Vectors wraps statements of the vector files as modules, one of so many. The files are found from the
// folder of a room.
func Vectors(add func(string), one int) {
	files, _ := filepath.Glob("../sem/testdata/vec/*.txt")
	n := 0
	for _, name := range files {
		text, _ := os.ReadFile(name)
		for line := range strings.Lines(string(text)) {
			if strings.ContainsRune(" #\n\t", rune(line[0])) {
				continue
			}
			if n++; n%one == 0 {
				statements, _, _ := strings.Cut(line, "#")
				add(".version 9.4\n.target sm_100a\n.entry k() {\n.reg .b32 a, b, c, d; .reg .pred p, q;\n" + statements + ";\n}\n")
			}
		}
	}
}
