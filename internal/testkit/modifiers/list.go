package modifiers

// Lists in files: one entry a line, # begins a comment.

import (
	"bufio"
	"os"
	"slices"
	"strings"
)

// readList returns the entries of a file with their comments; a file that is not there is
// empty.
func readList(name string) (map[string]string, error) {
	f, err := os.Open(name)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list := map[string]string{}
	for s := bufio.NewScanner(f); s.Scan(); {
		entry, comment, _ := strings.Cut(s.Text(), "#")
		if entry = strings.TrimSpace(entry); entry != "" {
			list[entry] = strings.TrimSpace(comment)
		}
	}
	return list, nil
}

// writeList writes a list; entries that it had keep their comments.
func writeList(name, head string, entries []string) error {
	known, err := readList(name)
	if err != nil {
		return err
	}
	slices.Sort(entries)
	var b strings.Builder
	b.WriteString("# " + head + "\n")
	for _, e := range entries {
		if c := known[e]; c != "" {
			e += "  # " + c
		}
		b.WriteString(e + "\n")
	}
	return os.WriteFile(name, []byte(b.String()), 0o666)
}
