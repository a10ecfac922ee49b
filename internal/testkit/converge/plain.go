package converge

// Kernels of which the compiler's new pipeline takes many: without shared memory, barriers of the CTA, atomic
// operations, and calls and branches by tables.

// votes are the operations of a warp that follow from which lanes execute, and of which of these a predicate holds.
var votes = map[string]bool{
	"vote.all": true, "vote.any": true, "vote.uni": true, "vote.ballot": true, "rank": true,
	"elect": true, "bar.warp": true, "activemask": true,
}

// NewPlain draws the kernel of a seed and leaves out what is not plain; of one kernel in four operations of a warp
// that are not votes, atomic operations and calls stay, so that compiled code leaves in front of them.
func NewPlain(seed uint64) *Kernel {
	k := New(seed)
	k.Plain = true
	k.Threads = max(k.Threads/32, 1) * 32
	k.Columns = k.Threads
	for range 3 { // what lies in arms that are left out is looked at no more
		k.each(func(n *Node) { n.plain(seed%4 == 0) })
	}
	return k
}

// plain drops a node, or makes it plain. Where it may have more, it may have all but what is shared.
func (n *Node) plain(more bool) {
	if n.Mode == byMatch && (n.Kind == If || n.Kind == Pair) {
		n.Mode = byBallot
	}
	n.Group = n.Group && more
	switch n.Kind {
	case Own, Barrier:
		n.dropped = true
	case Add:
		n.dropped = !more || addPlaces[n.Mode] == addSlot
	case Meet:
		name := meetings[n.Mode].name
		n.dropped = !votes[name] && (!more || name == "exchange" || name == "mbarrier")
	case Switch:
		n.Style = 0
		n.dropped = !more && (meets(n.Arms[0]) || meets(n.Arms[1]) || meets(n.Arms[2]) || meets(n.Arms[3]))
	case Call:
		n.Funcs = n.Funcs[:1]
	}
}
