// Package queue orders asynchronous operations: which of them must come after which, when the steps of those
// that are open happen, and which of them a wait is for.
package queue

// Mode says when the steps of asynchronous operations happen. A correct kernel has the
// same results in all modes.
type Mode uint8

// The modes.
const (
	Eager  Mode = iota // at issue
	Lazy               // as late as the rules allow: sources are read late, too
	Random             // in between, by the launch's seed
)

// Step is how far an operation is.
type Step uint8

// The steps.
const (
	Issued Step = iota
	HasRead
	HasWritten
	HasSignalled
)

func (s Step) String() string { return [...]string{"issued", "read", "written", "over"}[s] }

// Pipe says where an operation queues. Pipes decide order: an operation of an ordered pipe
// takes its first step after the last step of all earlier ones in it.
type Pipe uint8

// The pipes.
const (
	Copy        Pipe = iota // cp.async: by lane, with groups, no order
	Bulk                    // bulk and bulk tensor operations: by lane, with groups, no order
	Store                   // st.async, red.async: no order
	Tensor                  // tcgen05.cp, shift, mma, commit of a CTA: ordered by pairs (TensorStep)
	TensorLoad              // tcgen05.ld of a warp: in order
	TensorStore             // tcgen05.st of a warp: in order
	Product                 // wgmma of a warp, with groups: in order
	Fabric                  // fabric operations: by lane, no order

	pipes = int(Fabric) + 1
)

// pipeFacts says what the kinds of pipes are like.
var pipeFacts = [pipes]struct {
	ordered bool
	shared  bool // one pipe for the CTA, whichever warp issues; else one for each warp
}{
	Tensor: {shared: true}, TensorLoad: {ordered: true}, TensorStore: {ordered: true}, Product: {ordered: true},
}

// TensorStep is what an operation of the pipe Tensor does, and of products which accumulator, of which shape.
type TensorStep struct {
	Kind        TensorKind
	Accumulator uint64
}

// TensorKind tells the operations of the pipe Tensor apart.
type TensorKind uint8

// The kinds.
const (
	TensorCommitted TensorKind = iota // tcgen05.commit
	TensorProduct                     // tcgen05.mma
	TensorCopy                        // tcgen05.cp
	TensorCopyLanes                   // tcgen05.cp.4x256b
	TensorShift
)

// Follows reports whether an operation comes after an earlier one of its pipe (9.7.16.6.2). Of the manual's
// pairs one is missing that kernels of NVIDIA's own libraries rely on: a copy waits for earlier products, whose
// scale factors it may replace.
func (t TensorStep) Follows(earlier TensorStep) bool {
	switch t.Kind {
	case TensorCommitted:
		return true
	case TensorProduct:
		return earlier.Kind != TensorProduct || earlier.Accumulator == t.Accumulator
	case TensorCopyLanes:
		return earlier.Kind == TensorShift || earlier.Kind == TensorProduct
	}
	return earlier.Kind == TensorProduct
}

// Entry is what the queue knows of an operation.
type Entry struct {
	Pipe Pipe
	// After: the last step comes after all that the same lanes have issued to the pipe before
	// (cp.async.mbarrier.arrive, tcgen05.commit).
	After  bool
	Tensor TensorStep  // of the pipe Tensor
	Number uint64      // in the order of issue; parts of an operation that was divided have its number
	Group  *[32]uint64 // of each lane, in pipes with groups (Groups)
	Done   Step        // the last step that has happened

	by   Issuer
	sure Step // the last of which a wait has told
}

// Issuer is a warp of a cluster.
type Issuer struct{ CTA, Warp int32 }

// By is who has issued the operation.
func (e *Entry) By() Issuer { return e.by }

// Follows reports whether an operation must wait for an earlier one before it takes a step. overlap tells that
// the two have a lane in common.
func (e *Entry) Follows(o *Entry, s Step, overlap bool) bool {
	f := &pipeFacts[e.Pipe]
	switch {
	case o.Pipe != e.Pipe || o.Number >= e.Number || o.by.CTA != e.by.CTA || !f.shared && o.by != e.by:
		return false
	case f.ordered:
		return true
	case e.Pipe == Tensor && !e.After:
		return o.Tensor.Kind != TensorCommitted && e.Tensor.Follows(o.Tensor)
	}
	return s == HasSignalled && e.After && o.by == e.by && overlap
}

// Groups are the numbers of the groups (9.7.9.25.1.1) that each lane of a warp closes next, by pipe.
type Groups [pipes]*[32]uint64

// Commit closes a group for each of some lanes: what the lane has issued to the pipe and belongs to no group yet.
func (g *Groups) Commit(p Pipe, lanes uint32) {
	if g[p] == nil {
		g[p] = new([32]uint64)
	}
	for i := range g[p] {
		g[p][i] += uint64(lanes >> i & 1)
	}
}

// Open is a copy of the numbers of a pipe, which operations that are issued now have.
func (g *Groups) Open(p Pipe) *[32]uint64 {
	numbers := new([32]uint64)
	if g[p] != nil {
		*numbers = *g[p]
	}
	return numbers
}

// Any reports whether a group of a pipe has been closed.
func (g *Groups) Any(p Pipe) bool { return g[p] != nil }

// Closed reports whether a lane has closed the group that an operation is in for it, and n more.
func (g *Groups) Closed(e *Entry, lane int, n uint64) bool {
	return g[e.Pipe] != nil && e.Group[lane]+n < g[e.Pipe][lane]
}
