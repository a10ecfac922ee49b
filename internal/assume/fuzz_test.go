package assume

import "testing"

// FuzzParse: what is read prints as text that reads as the same.
func FuzzParse(f *testing.F) {
	for i := range Table {
		for _, p := range Table[i].Positions {
			f.Add(Table[i].ID + "=" + p.Name)
			f.Add(" " + Table[i].Name + " = " + p.Name + ",")
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		if again, err := Parse(s.String()); err != nil || again != s {
			t.Errorf("%q reads as %q, and that as %q: %v", text, s, again, err)
		}
	})
}
