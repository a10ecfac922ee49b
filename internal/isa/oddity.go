package isa

// Oddity is what ptxas takes as an operand and no manual describes: check accepts it, and a kernel that reaches it is
// refused by name. Forms and modifiers of this kind are lines of sem's table.
type Oddity uint8

// The oddities; 0 is none.
const (
	_ Oddity = iota
	SpecialAddress
	FractionAddress
	OtherKindBeside
	LoneConstant
	MissingMbarrier
	PackedPredicate
	SpecialResult
	PredicateElement
	SinkRead
	NarrowElement
	WholeConstant
	FractionSum
)

var oddities = [...]string{
	SpecialAddress:   "a special register as an address",
	FractionAddress:  "an address in a register that holds no whole number",
	OtherKindBeside:  "a constant of another kind than the elements of its vector",
	LoneConstant:     "one constant for a vector",
	MissingMbarrier:  "an operation that completes on an mbarrier, without one",
	PackedPredicate:  "a packed register as a predicate",
	SpecialResult:    "a special register, which is read-only, as an element of a result",
	PredicateElement: "a predicate, which has one bit, as an element of a vector",
	SinkRead:         "a sink, which has no value, as an element that is read",
	NarrowElement:    "a register narrower than its element, behind a constant",
	FractionSum:      "a constant added to a register that holds no whole number, or to a part of one",
	WholeConstant:    "a constant as an argument for a whole vector or for memory, of which ptxas leaves all but the first element undefined",
}

// String is the oddity in words.
func (o Oddity) String() string { return oddities[o] }

// Oddities lists all of them in words.
func Oddities() []string { return oddities[1:] }
