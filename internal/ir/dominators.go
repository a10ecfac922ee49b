package ir

// This file finds immediate dominators: Lengauer and Tarjan's algorithm with path
// compression, O(m log n), so that hostile graphs cost no more than that.

// lengauerTarjan works on preorder numbers; it is used on the graph for dominators and on
// the reversed graph for post-dominators.
type lengauerTarjan struct {
	semi, idom, label, above []int32
	bucket                   [][]int32
	path                     []int32
}

// immediateDominators returns, per node, its immediate dominator; -1 for roots, for nodes
// dominated by nothing but several roots together, and for what no root reaches.
func immediateDominators(next, prev [][]int32, roots ...int32) []int32 {
	n := int32(len(next))
	// A virtual root in front of all roots: node n.
	all := append(append([][]int32{}, next...), roots)
	d := search(all, n)
	isRoot := make([]bool, n+1)
	for _, r := range roots {
		isRoot[r] = true
	}
	lt := newLengauerTarjan(len(d.order))
	for w := int32(len(d.order)) - 1; w > 0; w-- {
		v := d.order[w]
		lt.node(w, d.pre[d.parent[v]], func(visit func(int32)) {
			if isRoot[v] {
				visit(0)
			}
			for _, p := range prev[v] {
				if d.pre[p] >= 0 {
					visit(d.pre[p])
				}
			}
		})
	}
	lt.finish()
	out := filled(int(n), -1)
	for w := 1; w < len(d.order); w++ {
		if i := lt.idom[w]; i > 0 {
			out[d.order[w]] = d.order[i]
		}
	}
	return out
}

func newLengauerTarjan(n int) *lengauerTarjan {
	lt := &lengauerTarjan{semi: make([]int32, n), idom: filled(n, 0), label: make([]int32, n),
		above: filled(n, -1), bucket: make([][]int32, n)}
	for i := range lt.semi {
		lt.semi[i], lt.label[i] = int32(i), int32(i)
	}
	return lt
}

// node does the step for one node, in descending preorder.
func (lt *lengauerTarjan) node(w, parent int32, preds func(func(int32))) {
	preds(func(p int32) {
		if s := lt.semi[lt.eval(p)]; s < lt.semi[w] {
			lt.semi[w] = s
		}
	})
	s := lt.semi[w]
	lt.bucket[s] = append(lt.bucket[s], w)
	lt.above[w] = parent
	for _, v := range lt.bucket[parent] {
		if u := lt.eval(v); lt.semi[u] < lt.semi[v] {
			lt.idom[v] = u
		} else {
			lt.idom[v] = parent
		}
	}
	lt.bucket[parent] = nil
}

func (lt *lengauerTarjan) finish() {
	for w := 1; w < len(lt.semi); w++ {
		if lt.idom[w] != lt.semi[w] {
			lt.idom[w] = lt.idom[lt.idom[w]]
		}
	}
}

// eval returns the node with the least semidominator on the forest path above v.
func (lt *lengauerTarjan) eval(v int32) int32 {
	if lt.above[v] < 0 {
		return v
	}
	path := lt.path[:0]
	for u := v; lt.above[lt.above[u]] >= 0; u = lt.above[u] {
		path = append(path, u)
	}
	for i := len(path) - 1; i >= 0; i-- {
		u, a := path[i], lt.above[path[i]]
		if lt.semi[lt.label[a]] < lt.semi[lt.label[u]] {
			lt.label[u] = lt.label[a]
		}
		lt.above[u] = lt.above[a]
	}
	lt.path = path
	return lt.label[v]
}
