package converge

// Making kernels smaller that fail.

// Size counts the nodes that are left.
func (k *Kernel) Size() (n int) {
	k.each(func(*Node) { n++ })
	return n
}

// each visits the nodes that are not dropped, outer ones first: those of functions that are called, too.
func (k *Kernel) each(visit func(*Node)) {
	var walk func(list []*Node)
	walk = func(list []*Node) {
		for _, n := range list {
			if n.dropped {
				continue
			}
			visit(n)
			for _, arm := range n.Arms {
				walk(arm)
			}
		}
	}
	walk(k.Nodes)
	called := map[*Func]bool{}
	callsOf(k.Nodes, called)
	for _, f := range k.Funcs {
		if called[f] {
			walk(f.Nodes)
		}
	}
}

// Shrink makes a kernel as small as it can be that still fails: fewer threads, then without nodes, many at once first,
// then one by one, and without branches and loops around bodies, until nothing can go.
func (k *Kernel) Shrink(fails func() bool) {
	k.fewer(fails)
	for size := k.Size(); size >= 1; {
		if gone := k.pass(size, fails); gone && size == 1 {
			continue
		}
		size /= 2
	}
	k.plainer(fails)
	k.fewer(fails)
}

// fewer tries smaller shapes.
func (k *Kernel) fewer(fails func() bool) {
	for _, grid := range []int{1, 2, 3, 4, 8, 16, 32} {
		for _, threads := range []int{1, 2, 4, 31, 32, 33, 64, 128} {
			was := k.Shape
			if grid > was.Grid || threads > was.Threads || grid == was.Grid && threads == was.Threads {
				continue
			}
			if k.Shape = line(threads, grid); fails() {
				return
			}
			k.Shape = was
		}
	}
}

// plainer tries the first style and the shortest way of everything.
func (k *Kernel) plainer(fails func() bool) {
	for _, change := range []func(){
		func() { k.Fin = false }, func() { k.Fixed = false }, func() { k.Last = 0 }, func() { k.Columns = k.Threads },
	} {
		was := *k
		if change(); !fails() {
			*k = was
		}
	}
	k.each(func(n *Node) {
		was := *n
		if n.Group, n.Style = false, 0; was.Group || was.Style != 0 {
			if !fails() {
				*n = was
			}
		}
		was = *n
		if n.Cond != nil && n.Kind == Exit {
			if n.Cond = nil; !fails() {
				*n = was
			}
		}
	})
}

// pass tries to drop each run of size nodes that follow each other, and with size 1 to lay bodies bare.
func (k *Kernel) pass(size int, fails func() bool) (gone bool) {
	var list []*bool
	k.each(func(n *Node) {
		list = append(list, &n.dropped)
		if size == 1 && len(n.Arms) > 0 && !n.bare {
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
