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
var figuresMark = regexp.MustCompile(`^<!-- figures: (bench/figures/[a-z0-9-]+\.csv) -->$`)

// TestFigures: every table of docs/performance.md is a file of bench/figures, row by row, and every file is a table there.
func TestFigures(t *testing.T) {
	const root = "../../.."
	text, err := os.ReadFile(filepath.Join(root, "docs", "performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	used, code := map[string]bool{}, false
	for i := 0; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "```") {
			code = !code
		}
		if code || !strings.HasPrefix(lines[i], "|") {
			continue
		}
		from := i
		for i < len(lines) && strings.HasPrefix(lines[i], "|") {
			i++
		}
		m := figuresMark.FindStringSubmatch(lines[from-1])
		if m == nil {
			t.Errorf("docs/performance.md:%d: a table without <!-- figures: bench/figures/NAME.csv --> above it", from+1)
			continue
		}
		used[m[1]] = true
		want := table(t, filepath.Join(root, filepath.FromSlash(m[1])))
		if have := strings.Join(lines[from:i], "\n"); have != want {
			t.Errorf("docs/performance.md:%d: the table is not what %s says; it would be\n%s", from+1, m[1], want)
		}
	}
	files, err := filepath.Glob(filepath.Join(root, "bench", "figures", "*.csv"))
	if err != nil || len(files) == 0 {
		t.Fatal("no figures", err)
	}
	for _, f := range files {
		if name := "bench/figures/" + filepath.Base(f); !used[name] {
			t.Errorf("%s is no table of docs/performance.md", name)
		}
	}
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
		out = append(out, "| "+strings.Join(r, " | ")+" |")
	}
	return strings.Join(out, "\n")
}
