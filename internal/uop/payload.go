package uop

// Payload is what an operation needs beside the offsets and the immediate of its instruction; its
// concrete type follows from the operation. It is shared and never written once code is decoded.
//
// What both engines read is declared here. What only one family's handlers read is that family's own
// type in package sem, which embeds Private.
type Payload interface{ payload() }

// Private makes a payload of a type that only one family's handlers read.
type Private struct{}

func (*Private) payload() {}
func (*Compare) payload() {}
func (*Warp) payload()    {}
func (*Barrier) payload() {}

// WordOp is how two predicates are combined as words.
type WordOp uint8

// The combinations; WordFirst ignores the second operand.
const (
	WordFirst WordOp = iota
	WordAnd
	WordOr
	WordXor
	WordNot // of the first
)

// Apply combines two words.
func (o WordOp) Apply(a, b uint32) uint32 {
	switch o {
	case WordAnd:
		return a & b
	case WordOr:
		return a | b
	case WordXor:
		return a ^ b
	case WordNot:
		return ^a
	}
	return a
}

// Compare says what becomes of the mask t of a comparison: P = Op(t, C^Flip), Q = Op(^t, C^Flip).
// Offsets are those of predicates.
type Compare struct {
	Fn   Op // the comparison; Lop3Predicate: the function whose result is compared with 0
	Op   WordOp
	P, Q uint32 // destinations
	C    uint32 // predicate operand
	Flip uint32 // all ones if it is negated
	D    uint32 // Set, SetHalves, SetPacked: destination row or slot
	Yes  uint32 // SetHalves, SetPacked: an element that compares true

	Bits   uint8 // SetPacked: of an element
	Signed bool  // SetPacked: Fn compares elements extended by their sign
}

// Warp describes an operation across lanes: the lanes that execute it, with those of their member masks,
// are the peers.
type Warp struct {
	Key        uint64 // what lanes must agree on to wait for each other
	Members    uint32 // row of member masks
	Sync       bool   // Members holds; without it the executing lanes are the peers
	Flip       uint32 // all ones if the source predicate is negated
	Pair       uint32 // predicate p of d|p
	Fn         Op     // Redux: combines two values
	Abs, Float bool   // Redux: of magnitudes; of floats
}

// BarrierKind says what an instruction does at a barrier; package machine has the kinds.
type BarrierKind uint8

// Barrier describes an operation at a barrier of the CTA.
type Barrier struct {
	Kind    BarrierKind
	Aligned bool
	Counted bool   // row B has the number of threads
	Flip    uint32 // reductions: all ones if the predicate is negated
}
