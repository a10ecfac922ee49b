package pages

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// figuresMark names the file whose rows the table behind it has.
var figuresMark = regexp.MustCompile(`^<!-- figures: ([a-z]+/[a-z-]+/[a-z0-9-]+\.csv) -->$`)

// figuresPages are the pages whose tables are all files, and figuresFolders where these lie.
var (
	figuresPages   = []string{"docs/performance.md", "docs/full-runs.md", "bench/NOTES.md"}
	figuresFolders = []string{"bench/figures", "docs/full-runs"}
)

// TestFigures: every table of these pages is a file, row by row, and every file is a table there. -update writes the tables.
func TestFigures(t *testing.T) {
	used := map[string]bool{}
	for _, page := range figuresPages {
		path := filepath.Join(root(t), filepath.FromSlash(page))
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		have := strings.ReplaceAll(string(text), "\r\n", "\n")
		want := withFigures(t, page, have, used)
		if *update && want != have {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, folder := range figuresFolders {
		files, err := filepath.Glob(filepath.Join(root(t), filepath.FromSlash(folder), "*.csv"))
		if err != nil || len(files) == 0 {
			t.Fatal("no figures", err)
		}
		for _, f := range files {
			if name := folder + "/" + filepath.Base(f); !used[name] {
				t.Errorf("%s is a table of none of %q", name, figuresPages)
			}
		}
	}
}

// withFigures is a page with the tables of its files, which are noted as used; what differs is an error unless it is written.
func withFigures(t *testing.T, page, text string, used map[string]bool) string {
	t.Helper()
	lines, code := strings.Split(text, "\n"), false
	var out []string
	for i := 0; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "```") {
			code = !code
		}
		if code || !strings.HasPrefix(lines[i], "|") {
			out = append(out, lines[i])
			continue
		}
		from := i
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "|") {
			i++
		}
		have := strings.Join(lines[from:i+1], "\n")
		m := figuresMark.FindStringSubmatch(lines[from-1])
		if m == nil {
			t.Errorf("%s:%d: a table without <!-- figures: FOLDER/NAME.csv --> above it", page, from+1)
			out = append(out, have)
			continue
		}
		used[m[1]] = true
		want := table(t, filepath.Join(root(t), filepath.FromSlash(m[1])))
		if have != want && !*update {
			t.Errorf("%s:%d: the table is not what %s says; -update writes it, as\n%s", page, from+1, m[1], want)
		}
		out = append(out, want)
	}
	return strings.Join(out, "\n")
}

// table writes a file of figures as a table; its second row is that of alignments.
func table(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(path, err)
	}
	var out []string
	for i, r := range rows {
		if i == 1 {
			out = append(out, "|"+strings.Join(r, "|")+"|")
			continue
		}
		for k := range r {
			r[k] = strings.ReplaceAll(r[k], "|", `\|`)
		}
		out = append(out, "| "+strings.Join(r, " | ")+" |")
	}
	return strings.Join(out, "\n")
}
