package ssa

import (
	"strings"
	"testing"
)

// TestTables: a table that there is not, or that has other lanes than the copy, is told of.
func TestTables(t *testing.T) {
	for _, c := range []struct {
		lanes int
		imm   uint64
		fault string
	}{{32, 0, ""}, {16, 0, "table 0, which is not one of 32 lanes"}, {32, 1, "table 1, which is not one of 32 lanes"}} {
		f := New("f", 32)
		f.Tables = [][]uint64{make([]uint64, c.lanes)}
		b := f.NewBlock(0)
		v := f.add(Op{Code: Each, Type: W, Imm: c.imm})
		b.Add(&Effect{Kind: Ready, Args: []Value{v}})
		switch err := Verify(f); {
		case c.fault == "" && err != nil:
			t.Errorf("a table of %d lanes: %v", c.lanes, err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("table %d, the only one has %d lanes: %v, want %q", c.imm, c.lanes, err, c.fault)
		}
	}
}
