package ir

// This file finds the loop forest (Havlak) and the layout order that keeps loops together.

// loops is the forest: a loop is named by its header.
type loops struct {
	header []int32 // innermost loop around a node; for a header, the loop around its loop; -1 none
	isHead []bool
}

// loopFinder unites loop bodies into their headers, from inner to outer.
type loopFinder struct {
	d      *dfs
	out    *loops
	rep    []int32   // union-find
	entry  [][]int32 // predecessors that are not back edges; grows by edges into irreducible loops
	budget int       // bounds that growth: past it, loops are merged less exactly, never wrongly laid out
	inBody []int32   // stamp: node was taken into the body of this header
}

func findLoops(g *graph, d *dfs) *loops {
	n := len(g.succs)
	f := &loopFinder{d: d, out: &loops{header: filled(n, -1), isHead: make([]bool, n)},
		rep: make([]int32, n), entry: make([][]int32, n), inBody: filled(n, -1)}
	edges := 0
	for i := range f.rep {
		f.rep[i] = int32(i)
		edges += len(g.succs[i])
	}
	f.budget = 8*edges + 1000
	for i := len(d.order) - 1; i >= 0; i-- {
		f.loopAt(d.order[i], g.preds[d.order[i]])
	}
	return f.out
}

// loopAt collects the body of the loop that w heads, if any back edge enters w.
func (f *loopFinder) loopAt(w int32, preds []int32) {
	var body []int32
	for _, v := range preds {
		switch {
		case f.d.pre[v] < 0: // unreachable
		case !f.d.ancestor(w, v):
			f.entry[w] = append(f.entry[w], v)
		case v == w:
			f.out.isHead[w] = true
		default:
			f.out.isHead[w] = true
			body = f.take(body, w, f.find(v))
		}
	}
	for i := 0; i < len(body); i++ {
		for _, y := range f.entry[body[i]] {
			y = f.find(y)
			if f.d.ancestor(w, y) {
				body = f.take(body, w, y)
			} else if f.budget > 0 { // a second way into the loop: irreducible
				f.budget--
				f.entry[w] = append(f.entry[w], y)
			}
		}
	}
	for _, x := range body {
		f.out.header[x] = w
		f.rep[x] = w
	}
}

func (f *loopFinder) take(body []int32, w, x int32) []int32 {
	if x == w || f.inBody[x] == w {
		return body
	}
	f.inBody[x] = w
	return append(body, x)
}

func (f *loopFinder) find(v int32) int32 {
	for f.rep[v] != v {
		f.rep[v] = f.rep[f.rep[v]]
		v = f.rep[v]
	}
	return v
}

// layout returns the reachable nodes in reverse post-order, with the body of every loop
// contiguous behind its header: the pre-order of the loop forest, siblings in reverse
// post-order. For reducible graphs this is topological but for back edges: an edge between
// two siblings a and b leaves from a node at or behind a's header and enters b at its
// header, and reverse post-order is topological on such edges.
func layout(d *dfs, l *loops) []int32 {
	n := len(l.header)
	first, next := filled(n+1, -1), filled(n, -1) // children lists; n is the root
	for _, v := range d.post {                    // prepending gives reverse post-order
		parent := l.header[v]
		if parent < 0 {
			parent = int32(n)
		}
		next[v], first[parent] = first[parent], v
	}
	order := make([]int32, 0, len(d.post))
	stack := []int32{first[n]}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		if v < 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		stack[len(stack)-1] = next[v]
		order = append(order, v)
		stack = append(stack, first[v])
	}
	return order
}
