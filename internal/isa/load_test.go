package isa

import "testing"

// TestDataLoads reads every entry; errors name file and line.
func TestDataLoads(t *testing.T) {
	isa, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d entries, %d modifiers, %d classes", len(isa.Entries()), isa.mods.len(), isa.classes.len())
}
