package launchlang

// This file finds the names of files in the arguments of a launch, in whichever flag: an @ begins one at the start of DATA or of a
// sink, which is where the text begins, or behind a colon or an equals sign.

import (
	"path/filepath"
	"strings"
)

// Beside puts the relative names of files in an argument into a folder: what stands in a file of options is named from there.
// @- stays: it is no file.
func Beside(dir, text string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteByte(text[i])
		if text[i] != '@' || i > 0 && text[i-1] != ':' && text[i-1] != '=' {
			continue
		}
		name := text[i+1:]
		if end := strings.IndexAny(name, ",:}"); end >= 0 && name[:end] == ToStdout {
			name = ToStdout
		}
		if name != "" && name != ToStdout && !filepath.IsAbs(name) && filepath.Clean(dir) != "." {
			b.WriteString(filepath.Clean(dir))
			b.WriteByte(filepath.Separator)
		}
	}
	return b.String()
}
