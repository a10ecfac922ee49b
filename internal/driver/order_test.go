package driver

import (
	"slices"
	"testing"
)

// TestGraphOrder: nodes that were added against their order come in it, as many as a long capture has; those that were added in
// it stay so; and a circle has no order.
func TestGraphOrder(t *testing.T) {
	const n = 100_000 // quadratic time would not end
	g := &graph{}
	for range n {
		g.nodes = append(g.nodes, &node{})
	}
	for i, node := range g.nodes[:n-1] {
		node.after = append(node.after, g.nodes[i+1])
	}
	list, circular := g.order()
	if slices.Reverse(list); circular != nil || !slices.Equal(list, g.nodes) {
		t.Errorf("a chain of %d nodes: %d in order", n, len(list))
	}
	slices.Reverse(g.nodes)
	if list, _ := g.order(); !slices.Equal(list, g.nodes) {
		t.Error("nodes in their order have been moved")
	}
	first, last := g.nodes[0], g.nodes[n-1]
	first.after = append(first.after, last)
	if list, circular := g.order(); list != nil || circular == nil {
		t.Errorf("a circle has an order of %d", len(list))
	}
}
