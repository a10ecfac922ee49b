// Package converge makes random kernels of early exits, divergence and operations of whole warps, and says what they
// write: an oracle of its own evaluates a kernel's tree, lane by lane, and knows nothing of the machine. Kernels are
// right by construction: an operation's member mask holds just those living lanes that come to it, or more where the
// others surely end.
package converge

// Kernel is a kernel
//
//	k(.param .u64 out, .param .u64 acc, .param .u64 in)
//
// in which every thread writes its own words of out, and all add to acc.
type Kernel struct {
	Shape
	Nodes []*Node
	Funcs []*Func // each calls those before it
	Slots int     // words of out for each thread
	Fin   bool    // threads that jump to the end write a word there, as those do that come to it
	Last  int     // the Style in which threads find their words when they end
	Fixed bool    // the kernel says how large its blocks are
	Plain bool    // without memory that threads share (plain.go)
}

// Shape is what is launched: Grid blocks of Threads, Columns of which differ in x, the rest in y.
type Shape struct{ Threads, Columns, Grid int }

// line is a shape of blocks in x alone.
func line(threads, grid int) Shape { return Shape{threads, threads, grid} }

func (s Shape) rows() int { return s.Threads / s.Columns }

// Func is a device function of a mask, which holds the lanes that call it together, and a value.
type Func struct {
	Name  string
	Nodes []*Node
}

// Variables of a frame: data, those that begin alike in all threads of a CTA, and the counters of nested loops, which
// only their loops write.
const (
	dataVars    = 4
	uniformVars = 2
	counterVars = 3
	firstCount  = dataVars + uniformVars
	allVars     = firstCount + counterVars
)

// What threads share: words of their own, slots that are added to, and mbarriers.
const (
	maxThreads = 256
	slots      = 8
	slotsAt    = 4 * maxThreads
	mbarAt     = 8 * maxThreads
	sharedEnd  = mbarAt + 8*maxThreads
	inWords    = 64
	accSpread  = 8 // words of acc behind those of the CTAs
)

// Kind is what a node does.
type Kind uint8

// The kinds.
const (
	Set     Kind = iota // D = Arith of D and Value
	Store               // out[Slot] of the thread = A
	Load                // D = in[A]
	Add                 // to a slot, or to acc
	Own                 // D is exchanged with the thread's own word
	Meet                // an operation of the warp
	Barrier             // of the CTA, a reduction or a slot's value
	Exit                // lanes with Cond end; all if it is nil
	Break               // out of the loop whose body holds it
	Return              // out of the function whose body holds it
	If                  // Arms[0] with Cond, Arms[1] without
	Pair                // Arms 0 and 1, then Arms[2] in both at once, then Arms 3 and 4
	Switch              // by A
	Loop                // Trips, or as many as A says
	Call                // D = what a function makes of A
)

// Node is a statement.
type Node struct {
	Kind  Kind
	D     int // a variable that is written
	A, B  int // variables that are read
	K     uint32
	Mode  int // chooses among the ways to do it
	Style int // chooses among the ways to write it
	Slot  int
	Value Value
	Cond  *Cond
	Group bool    // Meet: lanes meet with those whose B agrees
	Only  bool    // Meet, Call: only lanes with Cond do it, under a guard
	Trips int     // 0: as A says
	Funcs []*Func // Call: this one, or one of two by bit K of A
	Arms  [][]*Node

	dropped, bare bool // by Shrink: nothing of it is left, or only its first arm that is not empty
}

// Value is an operand.
type Value struct {
	Of Source
	N  uint32
}

// Source is where a value comes from.
type Source uint8

// The sources.
const (
	FromVar Source = iota // N
	FromConst
	FromLane
	FromTid
	FromCTA     // a register that was read at the beginning
	FromCTAHere // %ctaid, read where it is used
	FromGrid
	FromThreads // of a block
	sources
)

// Cond is a condition.
type Cond struct {
	Of  Test
	N   uint32
	A   int
	Not bool
}

// Test is what a condition looks at.
type Test uint8

// The tests.
const (
	LaneBelow Test = iota
	LaneIs
	LaneBit
	TidBelow
	TidIs
	WarpBit // the same in a warp
	CTABit  // the same in a CTA, as the next
	GridAbove
	VarBit
	VarBelow
	tests
)

// uniform reports whether all lanes of a warp have the same answer.
func (c *Cond) uniform() bool { return c.Of == WarpBit || c.uniformCTA() }

// uniformCTA reports whether all threads of a CTA have the same answer.
func (c *Cond) uniformCTA() bool { return c.Of == CTABit || c.Of == GridAbove }

// lanes are those for which the condition holds, if that follows from their number.
func (c *Cond) lanes() (mask uint32, ok bool) {
	for i := range uint32(32) {
		var yes bool
		switch c.Of {
		case LaneBelow:
			yes = i < c.N
		case LaneIs:
			yes = i == c.N
		case LaneBit:
			yes = i>>c.N&1 != 0
		default:
			return 0, false
		}
		if yes != c.Not {
			mask |= 1 << i
		}
	}
	return mask, true
}

// live are the nodes that are left of a list, with the bodies of bare ones in their place.
func live(list []*Node) (out []*Node) {
	for _, n := range list {
		switch {
		case n.dropped:
		case n.bare:
			for _, b := range live(n.bareArm()) {
				if n.Kind != Loop || b.Kind != Break {
					out = append(out, b)
				}
			}
		default:
			out = append(out, n)
		}
	}
	return out
}

// bareArm is what is left of a bare node.
func (n *Node) bareArm() []*Node {
	if n.Kind == Pair {
		return n.Arms[2]
	}
	for _, arm := range n.Arms {
		if len(live(arm)) > 0 {
			return arm
		}
	}
	return nil
}

// ends reports whether no lane comes out of a list.
func ends(list []*Node) bool {
	for _, n := range live(list) {
		switch {
		case n.Kind == Exit && n.Cond == nil:
			return true
		case n.Kind == If && ends(n.Arms[0]) && ends(n.Arms[1]):
			return true
		}
	}
	return false
}

// meets reports whether a list has operations with member masks.
func meets(list []*Node) bool {
	for _, n := range live(list) {
		if n.Kind == Meet {
			return true
		}
		for _, f := range n.Funcs {
			if meets(f.Nodes) {
				return true
			}
		}
		for _, arm := range n.Arms {
			if meets(arm) {
				return true
			}
		}
	}
	return false
}

// waits reports whether a list of the kernel has operations with member masks, or barriers.
func waits(list []*Node) bool {
	for _, n := range live(list) {
		if n.Kind == Barrier {
			return true
		}
		for _, arm := range n.Arms {
			if waits(arm) {
				return true
			}
		}
	}
	return meets(list)
}

// breaks reports whether lanes break out of the loop whose body that is.
func breaks(body []*Node) bool {
	for _, n := range live(body) {
		if n.Kind == Break {
			return true
		}
	}
	return false
}
