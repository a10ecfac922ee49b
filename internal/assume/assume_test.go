package assume

import (
	"regexp"
	"strings"
	"testing"
)

// TestTable: every row is whole, identifiers and names are unique, and each has a choice.
func TestTable(t *testing.T) {
	if len(Table) > capacity {
		t.Fatalf("%d rows; a Set holds %d", len(Table), capacity)
	}
	seen := map[string]bool{}
	for i := range Table {
		r := &Table[i]
		if !regexp.MustCompile(`^U[1-9]\d*$`).MatchString(r.ID) || !regexp.MustCompile(`^[a-z][a-z0-9-]+$`).MatchString(r.Name) {
			t.Errorf("row %d: identifier %q, name %q", i, r.ID, r.Name)
		}
		if seen[r.ID] || seen[r.Name] {
			t.Errorf("%s %s is there twice", r.ID, r.Name)
		}
		seen[r.ID], seen[r.Name] = true, true
		if r.Section == "" || r.About == "" || r.Chance < 0 || r.Chance > 100 {
			t.Errorf("%s: section %q, about %q, chance %d", r.ID, r.Section, r.About, r.Chance)
		}
		checkPositions(t, r)
	}
}

func checkPositions(t *testing.T, r *Row) {
	t.Helper()
	if len(r.Positions) < 2 {
		t.Errorf("%s: %d positions are no choice", r.ID, len(r.Positions))
	}
	names := map[string]bool{}
	for _, p := range r.Positions {
		if names[p.Name] || p.Means == "" || strings.ContainsAny(p.Name, ",= |") || p.Name == "" {
			t.Errorf("%s: position %+v", r.ID, p)
		}
		names[p.Name] = true
	}
}

// TestParse reads what String writes, by identifier and by name, and refuses the rest in words.
func TestParse(t *testing.T) {
	s, err := Parse("u3=low, absneg-f64=bits")
	if err != nil || s.At(Container4) != 1 || s.At(AbsNegF64) != 1 || s.At(ShiftLanes) != 0 {
		t.Fatalf("have %v, %v", s, err)
	}
	if again, err := Parse(s.String()); err != nil || again != s {
		t.Errorf("%q reads as %v, %v", s, again, err)
	}
	if s, err := Parse(""); err != nil || s != (Set{}) {
		t.Errorf("nothing reads as %v, %v", s, err)
	}
	if have := s.Describe(Container4); have != "U3 b4x16-container=low" {
		t.Errorf("described as %q", have)
	}
	for text, want := range map[string]string{
		"U3":                         `"U3" has no position: want U3=mid|low`,
		"U3=high":                    `U3 (b4x16-container) has no position "high": want mid|low`,
		"U99=low":                    `no assumption is called "U99"; there are U1, U2, U3`,
		"U3=low,":                    `no assumption is called ""`,
		"U3=low,b4x16-container=mid": `U3 (b4x16-container) is given twice`,
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Parse(%q): have %v, want %q", text, err, want)
		}
	}
}
