package ir

// This file compares dominators, loops and layout with their definitions on random graphs.

import (
	"math/rand/v2"
	"testing"
)

// randomGraph has n nodes with up to three successors, mostly forward as in real code.
func randomGraph(r *rand.Rand, n int) *graph {
	g := newGraph(n)
	for v := range int32(n) {
		seen := map[int32]bool{}
		for range r.IntN(4) {
			to := v + 1 + r.Int32N(4)
			if r.IntN(4) == 0 {
				to = r.Int32N(int32(n))
			}
			if to > 0 && to < int32(n) && !seen[to] {
				seen[to] = true
				g.edge(v, to)
			}
		}
	}
	return g
}

// reachable is what from reaches (itself included) without entering the node skip.
func reachable(next [][]int32, skip int32, from ...int32) []bool {
	seen := make([]bool, len(next))
	var work []int32
	add := func(v int32) {
		if v != skip && !seen[v] {
			seen[v] = true
			work = append(work, v)
		}
	}
	for _, v := range from {
		add(v)
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, w := range next[v] {
			add(w)
		}
	}
	return seen
}

// dominates by definition: without a, v is not reached from the roots.
func dominates(next [][]int32, roots []int32, a, v int32) bool {
	return !reachable(next, a, roots...)[v]
}

func slowIdom(next [][]int32, roots []int32) []int32 {
	n := int32(len(next))
	out := filled(int(n), -1)
	live := reachable(next, -1, roots...)
	var doms [][]int32 // strict dominators of each node
	for v := range n {
		doms = append(doms, nil)
		for a := range n {
			if live[v] && live[a] && a != v && dominates(next, roots, a, v) {
				doms[v] = append(doms[v], a)
			}
		}
	}
	for v := range n { // the immediate one is dominated by all others
		for _, a := range doms[v] {
			if len(doms[a]) == len(doms[v])-1 {
				out[v] = a
			}
		}
	}
	return out
}

func TestDominatorsAgainstDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 400 {
		g := randomGraph(r, 2+r.IntN(18))
		roots := []int32{0}
		if i%2 == 1 {
			roots = append(roots, r.Int32N(int32(len(g.succs))))
		}
		want := slowIdom(g.succs, roots)
		got := immediateDominators(g.succs, g.preds, roots...)
		for v := range want {
			if got[v] != want[v] {
				t.Fatalf("graph %v roots %v: idom(%d) = %d, want %d", g.succs, roots, v, got[v], want[v])
			}
		}
	}
}

// TestLayout checks on random graphs that every reachable node stands once, that loop
// bodies are contiguous with the header first, and that in reducible graphs only edges to
// a dominating header go back.
func TestLayout(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	reducible := 0
	for range 2000 {
		g := randomGraph(r, 2+r.IntN(20))
		d := search(g.succs, 0)
		l := findLoops(g, d)
		order := layout(d, l)
		pos := positions(t, g, order)
		checkContiguous(t, g, l, order, pos)
		if checkForward(t, g, pos) {
			reducible++
		}
	}
	if reducible < 100 {
		t.Errorf("only %d reducible graphs among the samples", reducible)
	}
}

func positions(t *testing.T, g *graph, order []int32) []int32 {
	t.Helper()
	pos := filled(len(g.succs), -1)
	for i, v := range order {
		if pos[v] >= 0 {
			t.Fatalf("%v: node %d stands twice in %v", g.succs, v, order)
		}
		pos[v] = int32(i)
	}
	for v, is := range reachable(g.succs, -1, 0) {
		if is != (pos[v] >= 0) {
			t.Fatalf("%v: node %d reachable %v, position %d", g.succs, v, is, pos[v])
		}
	}
	return pos
}

func checkContiguous(t *testing.T, g *graph, l *loops, order, pos []int32) {
	t.Helper()
	for h := range l.isHead {
		if !l.isHead[h] {
			continue
		}
		end := pos[h]
		for v := range order {
			if inLoop(l, order[v], int32(h)) {
				end = max(end, int32(v))
			}
		}
		for p := pos[h]; p <= end; p++ {
			if !inLoop(l, order[p], int32(h)) {
				t.Fatalf("%v: loop %d is not contiguous in %v", g.succs, h, order)
			}
		}
	}
}

func inLoop(l *loops, v, head int32) bool {
	for ; v >= 0; v = l.header[v] {
		if v == head {
			return true
		}
	}
	return false
}

// checkForward reports whether g is reducible, and if so demands that every edge that goes
// back in the layout goes to a dominator.
func checkForward(t *testing.T, g *graph, pos []int32) bool {
	t.Helper()
	d := search(g.succs, 0)
	roots := []int32{0}
	for v := range g.succs {
		for _, w := range g.succs[v] {
			if d.pre[v] >= 0 && d.ancestor(w, int32(v)) && w != int32(v) && !dominates(g.succs, roots, w, int32(v)) {
				return false
			}
		}
	}
	for v := range g.succs {
		for _, w := range g.succs[v] {
			if pos[v] >= 0 && pos[w] <= pos[v] && w != int32(v) && !dominates(g.succs, roots, w, int32(v)) {
				t.Fatalf("%v: edge %d→%d goes back", g.succs, v, w)
			}
		}
	}
	return true
}

// TestDeepGraphs: a million blocks in a chain and in nested loops cost linear time and no stack.
func TestDeepGraphs(t *testing.T) {
	const n = 200_000
	g := newGraph(n)
	for v := range int32(n - 1) {
		g.edge(v, v+1)
		if v >= n/2 {
			g.edge(v, n-v) // nested loops, all closed behind each other
		}
	}
	d := search(g.succs, 0)
	l := findLoops(g, d)
	if got := len(layout(d, l)); got != n {
		t.Errorf("layout has %d nodes of %d", got, n)
	}
	if idom := immediateDominators(g.succs, g.preds, 0); idom[n-1] != n-2 {
		t.Errorf("idom of the last node is %d", idom[n-1])
	}
}
