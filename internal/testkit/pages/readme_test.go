package pages

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestReadmeFigures: the figures under "How fast" in README are those of bench/figures, rounded as they are written there.
func TestReadmeFigures(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	broad := rows(t, "broad-kernels-against-c.csv")
	i := slices.IndexFunc(broad, func(r []string) bool { return r[0] == "only measured" && r[1] == "both" })
	measured := broad[i] // the half that is not tuned on, both sizes
	tuned := rows(t, "twelve-kernels-that-compiled-code-was-tuned-on.csv")
	i = slices.IndexFunc(tuned, func(r []string) bool { return r[0] == "matmul" })                     // loops come before
	tuned = slices.DeleteFunc(tuned[i:], func(r []string) bool { return strings.Contains(r[0], ",") }) // the same kernel by other flags
	if len(tuned) != 12 {
		t.Fatalf("%d kernels", len(tuned))
	}
	for row, want := range map[string][2]float64{
		"| 39 ordinary kernels, which the compiler was never tuned on, with AVX2": {number(t, measured[6]), number(t, measured[7])},
		"| the same, with AVX-512":                            {number(t, measured[3]), number(t, measured[4])},
		"| twelve kernels that it was tuned on, with AVX-512": meanAndLeast(t, tuned, 4),
		"| the twelve, with AVX2":                             meanAndLeast(t, tuned, 8),
	} {
		m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(row) + `[^|]*\| ([^|]+) \| ([^|]+) \|`).FindStringSubmatch(string(text))
		if m == nil {
			t.Errorf("README has no row %q", row)
			continue
		}
		for i, have := range m[1:] {
			if want := times(want[i]); have != want {
				t.Errorf("README, %s: %s, and the figures say %s", row, have, want)
			}
		}
	}
}

// times says a share of C's speed as README does.
func times(share float64) string {
	switch {
	case share >= 1:
		return fmt.Sprintf("%.1f times faster", share)
	case share < 0.1:
		return fmt.Sprintf("%.0f times slower", 1/share)
	}
	return fmt.Sprintf("%.1f times slower", 1/share)
}

// rows reads a file of figures without its two heads.
func rows(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "..", "bench", "figures", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return list[2:]
}

// meanAndLeast is of a column.
func meanAndLeast(t *testing.T, list [][]string, column int) [2]float64 {
	t.Helper()
	logs, least := 0.0, math.Inf(1)
	for _, r := range list {
		v := number(t, r[column])
		logs, least = logs+math.Log(v), min(least, v)
	}
	return [2]float64{math.Exp(logs / float64(len(list))), least}
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
