// Package kernels makes random kernels of what compiled code has most ways for: addresses that follow from
// few, memory of every space and width, barriers, lanes that part, loops; and runs them in both engines.
package kernels

import "strings"

// Kernel is a kernel
//
//	k(.param .u64 in, .param .u64 out, .param .u32 n)
//
// that reads around the middle of a buffer in and writes to a buffer out. Every register has a value before
// the first node, so whatever is dropped leaves a legal kernel.
type Kernel struct {
	Warps bool // it has operations across lanes: blocks are whole warps
	Local bool // it has local memory
	Nodes []*Node

	head, tail string // before the nodes, and behind them
	own        int    // bytes at the beginning of out that each thread writes at the end
}

// area is where a store's area of out begins, behind what threads write at the end.
func (k *Kernel) area(n int) int { return threads*gridX*gridY*k.own + n*outArea }

// outBytes is the size of out.
func (k *Kernel) outBytes() int { return k.area(outAreas) }

// Node is statements, a loop or a branch: Before, Body, Between, Other, After in this order.
type Node struct {
	Before, Between, After string
	Body, Other            []*Node

	dropped, bare bool // by Shrink: nothing of it is left, or only its Body
}

// Size counts the nodes that are left.
func (k *Kernel) Size() (n int) {
	k.each(func(*Node) { n++ })
	return n
}

// each visits the nodes that are not dropped, outer ones first.
func (k *Kernel) each(visit func(*Node)) {
	var walk func(list []*Node)
	walk = func(list []*Node) {
		for _, n := range list {
			if n.dropped {
				continue
			}
			visit(n)
			walk(n.Body)
			walk(n.Other)
		}
	}
	walk(k.Nodes)
}

// Shrink drops nodes without which the kernel still fails: many at once first (delta debugging), then one by
// one, and loops and branches from around their bodies, until nothing can go.
func (k *Kernel) Shrink(fails func() bool) {
	for size := k.Size(); size >= 1; {
		if gone := k.pass(size, fails); gone && size == 1 {
			continue
		}
		size /= 2
	}
}

// pass tries to drop each run of size nodes that follow each other, and with size 1 to lay bodies bare.
func (k *Kernel) pass(size int, fails func() bool) (gone bool) {
	var list []*bool
	k.each(func(n *Node) {
		list = append(list, &n.dropped)
		if size == 1 && len(n.Body) > 0 && !n.bare {
			list = append(list, &n.bare)
		}
	})
	for len(list) > 0 {
		some := list[:min(size, len(list))]
		list = list[len(some):]
		if try(some, fails) {
			gone = true
		}
	}
	return gone
}

// try sets switches that are off, and puts them back if the kernel fails no more.
func try(switches []*bool, fails func() bool) bool {
	var changed []*bool
	for _, s := range switches {
		if !*s {
			*s = true
			changed = append(changed, s)
		}
	}
	if len(changed) > 0 && fails() {
		return true
	}
	for _, s := range changed {
		*s = false
	}
	return false
}

// String is the module.
func (k *Kernel) String() string {
	var b strings.Builder
	b.WriteString(k.head)
	if k.Local {
		b.WriteString(headLocal)
	}
	var walk func(list []*Node)
	walk = func(list []*Node) {
		for _, n := range list {
			switch {
			case n.dropped:
			case n.bare:
				walk(n.Body)
			default:
				b.WriteString(n.Before)
				walk(n.Body)
				b.WriteString(n.Between)
				walk(n.Other)
				b.WriteString(n.After)
			}
		}
	}
	walk(k.Nodes)
	b.WriteString(k.tail)
	return b.String()
}
