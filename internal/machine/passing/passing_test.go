package passing

import (
	"slices"
	"testing"
)

func memory(off, size uint32) Home { return Home{{Kind: Memory, Off: off, Size: size}} }
func row(k Kind, off uint32) Home  { return Home{{Kind: k, Off: off}} }

// TestFits: a call may give more than a function wants, and larger; never less, and never in another kind of place.
func TestFits(t *testing.T) {
	for name, c := range map[string]struct {
		call, callee Side
		want         bool
	}{
		"alike":                     {Side{[]Home{row(Row32, 128)}, nil}, Side{[]Home{row(Row32, 0)}, nil}, true},
		"more than is wanted":       {Side{[]Home{row(Row32, 0), row(Pred, 4)}, nil}, Side{[]Home{row(Row32, 0)}, nil}, true},
		"less than is wanted":       {Side{}, Side{[]Home{row(Row32, 0)}, nil}, false},
		"another width":             {Side{[]Home{row(Row64, 0)}, nil}, Side{[]Home{row(Row32, 0)}, nil}, false},
		"memory for a register":     {Side{[]Home{memory(0, 4)}, nil}, Side{[]Home{row(Row32, 0)}, nil}, false},
		"more memory":               {Side{[]Home{memory(0, 16)}, nil}, Side{[]Home{memory(4, 8)}, nil}, true},
		"too little memory":         {Side{[]Home{memory(0, 4)}, nil}, Side{[]Home{memory(4, 8)}, nil}, false},
		"a result that is dropped":  {Side{nil, []Home{nil}}, Side{nil, []Home{row(Row128, 0)}}, true},
		"a result that none has":    {Side{nil, []Home{row(Row32, 0)}}, Side{}, false},
		"a result that is narrower": {Side{nil, []Home{row(Row64, 0)}}, Side{nil, []Home{row(Row32, 0)}}, false},
	} {
		if got := c.call.Fits(c.callee); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestMisfit: both signatures are named.
func TestMisfit(t *testing.T) {
	call := Side{[]Home{memory(0, 16), row(Row128, 0)}, []Home{nil}}
	const want = "the call passes (16 bytes in .param, a register of 128 bits) and takes (_), " +
		"f has (a predicate) and returns ()"
	if got := call.Misfit("f", Side{[]Home{row(Pred, 0)}, nil}); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestMoves: what both sides have goes from one to the other, part by part, and no more of it than both have.
func TestMoves(t *testing.T) {
	have := []Home{memory(8, 12), {{Kind: Row32, Off: 128}, {Kind: Pred, Off: 4}}, row(Row64, 0)}
	want := []Home{memory(0, 8), {{Kind: Row32, Off: 256}}}
	if got := slices.Collect(Moves(have, want)); !slices.Equal(got, []Move{{Memory, 8, 0, 8}, {Row32, 128, 256, 0}}) {
		t.Errorf("%v", got)
	}
	for range Moves(have, want) {
		break
	}
}
