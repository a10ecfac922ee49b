package amd64

import (
	"fmt"
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm/internal/jit/ssa"
)

// TestDoes: whatever looks at fuel has a warp's fuel kept, and one instruction of the interpreter's makes the way there.
func TestDoes(t *testing.T) {
	fuelled := []ssa.Kind{ssa.Fuel, ssa.Spare, ssa.Spend, ssa.KeepFuel, ssa.JoinFuel}
	for kind := ssa.Load; int(kind) < ssa.Kinds; kind++ {
		f := ssa.New("f", 32)
		f.NewBlock(0).Add(&ssa.Effect{Kind: kind, N: 3})
		want := does{help: kind == ssa.Helper, burn: slices.Contains(fuelled, kind)}
		if kind == ssa.Steps {
			want.most = 3
		}
		if got := whatDoes(f, false); got != want {
			t.Errorf("%v: %+v, want %+v", kind, got, want)
		}
	}
	f := ssa.New("f", 32)
	f.Waits = true
	if got := whatDoes(f, true); !got.wait || got.burn || !got.restart {
		t.Errorf("%+v", got)
	}
	f = ssa.New("f", 32)
	f.NewBlock(2).Add(&ssa.Effect{Kind: ssa.Steps, N: 3})
	f.NewBlock(3)
	f.Make(ssa.Field, ssa.W, uint64(sSMID))
	if got := whatDoes(f, false); got.most != 0 || !got.smid {
		t.Errorf("with a loop: %+v", got)
	}
}

// TestStarts: counts are kept in front of the first one on a way to an exit that begins the warp again, and where warps begin if it is not
// known there whether something has been counted.
func TestStarts(t *testing.T) {
	for _, c := range []struct {
		name  string
		count []int // blocks that count
		leave []int // and that leave warps at their start, behind that
		want  string
	}{
		{"no exit", []int{1, 2, 3}, nil, "never"},
		{"no count", nil, []int{1, 2, 3}, "never"},
		{"behind an exit", []int{3}, []int{1}, "never"},
		{"in front of an exit", []int{1}, []int{3}, "1"},
		{"on the way", []int{2}, []int{2}, "2"},
		{"twice", []int{1, 3}, []int{3}, "1"},
		{"where ways meet", []int{2}, []int{3}, "always"},
		{"behind where ways meet", []int{2, 3}, []int{4}, "always"},
		{"in the last warp", []int{4}, []int{1}, "never"},
	} {
		f := ssa.New("f", 32)
		f.States = append(f.States, ssa.State{Restart: true})
		var b []*ssa.Block
		for range 6 {
			b = append(b, f.NewBlock(2))
		}
		b[0].Add(&ssa.Effect{Kind: ssa.Begin}) // 0 → 1 → 2 → 3 → 4 → 1, and 1 → 3
		for _, e := range [][2]int{{0, 1}, {0, 5}, {1, 2}, {1, 3}, {2, 3}, {3, 4}, {4, 1}, {4, 5}} {
			b[e[0]].Jump(b[e[1]])
		}
		for _, i := range c.count {
			b[i].Add(&ssa.Effect{Kind: ssa.Lanes, N: 1})
		}
		for _, i := range c.leave {
			b[i].Add(&ssa.Effect{Kind: ssa.Leave, State: 1})
		}
		b[4].Add(&ssa.Effect{Kind: ssa.EndWarp})
		s, got := findStarts(f), "never"
		for i, keep := range s.keep {
			if keep {
				got = fmt.Sprint(i)
			}
		}
		if s.always {
			got = "always"
		}
		if got != c.want {
			t.Errorf("%s: kept %s, want %s", c.name, got, c.want)
		}
	}
}
