package ir

// This file holds the bare control-flow graph and its depth-first search. Node 0 is the
// entry. Everything here is iterative: the depth of hostile input must not become stack.

// graph is adjacency by node number.
type graph struct {
	succs, preds [][]int32
}

func newGraph(n int) *graph {
	return &graph{succs: make([][]int32, n), preds: make([][]int32, n)}
}

func (g *graph) edge(from, to int32) {
	g.succs[from] = append(g.succs[from], to)
	g.preds[to] = append(g.preds[to], from)
}

// dfs is one depth-first search.
type dfs struct {
	pre    []int32 // preorder number of a node, -1 if unreachable
	last   []int32 // highest preorder number in the node's subtree
	parent []int32 // tree parent of a node, -1 for a root
	order  []int32 // nodes in preorder
	post   []int32 // nodes in postorder
}

// search visits what the roots reach; successors are taken from the last to the first, so
// that in reverse post-order the first successor of a branch stands first.
func search(next [][]int32, roots ...int32) *dfs {
	n := len(next)
	d := &dfs{pre: filled(n, -1), last: make([]int32, n), parent: filled(n, -1),
		order: make([]int32, 0, n), post: make([]int32, 0, n)}
	left := make([]int32, n) // successors not taken yet
	var stack []int32
	enter := func(v, parent int32) {
		d.pre[v], d.parent[v] = int32(len(d.order)), parent
		d.order = append(d.order, v)
		left[v] = int32(len(next[v]))
		stack = append(stack, v)
	}
	for _, root := range roots {
		if d.pre[root] >= 0 {
			continue
		}
		for enter(root, -1); len(stack) > 0; {
			v := stack[len(stack)-1]
			if left[v] == 0 {
				stack = stack[:len(stack)-1]
				d.last[v] = int32(len(d.order)) - 1
				d.post = append(d.post, v)
				continue
			}
			left[v]--
			if w := next[v][left[v]]; d.pre[w] < 0 {
				enter(w, v)
			}
		}
	}
	return d
}

// ancestor reports whether a is v or above v in the search tree.
func (d *dfs) ancestor(a, v int32) bool {
	return d.pre[a] <= d.pre[v] && d.pre[v] <= d.last[a]
}

func filled(n int, v int32) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = v
	}
	return s
}
