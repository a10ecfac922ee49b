// Package uop says what a decoded instruction is: its operation, and where offsets do not say enough,
// its payload. It is plain data. The interpreter looks an operation's handler up in an array when code
// is prepared, the compiler its lowering; neither asks for the address or the name of a function.
//
// Operations are the scalar functions of packages num and sem (a lane's result from its operands), one
// constant each, which internal/gen numbers from the semantics tables, and those of ops.txt.
package uop

// Op is an operation.
type Op uint16

// structuralOp is an operation that is no scalar function.
type structuralOp struct {
	name  string
	reach Reach
}

// laneOp is an operation that is a scalar function.
type laneOp struct {
	name  string
	shape Shape
}

func (o Op) String() string {
	if o.IsLane() {
		return lanes[o-FirstLane].name
	}
	return structural[o].name
}

// IsLane reports whether the operation is a scalar function: lanes do not see each other.
func (o Op) IsLane() bool { return o >= FirstLane }

// Shape is the signature of a scalar function; bits are 32 or 64, those of a result also 1.
type Shape struct {
	Result  uint8 // bits
	N       uint8 // operands
	Operand [4]uint8
	Carry   bool // a carry of 0 or 1 comes in behind the operands and goes out behind the result
}

// Operands are the bits of the operands, but for a carry.
func (s *Shape) Operands() []uint8 { return s.Operand[:s.N] }

// Shape is the signature of a scalar function, nil for other operations.
func (o Op) Shape() *Shape {
	if !o.IsLane() {
		return nil
	}
	return &lanes[o-FirstLane].shape
}

// Reach is what of the machine a handler reads and writes, beside its instruction.
type Reach uint8

// The classes; each includes those before it.
const (
	ReachRows   Reach = iota // the mask of executing lanes and the frame's register block
	ReachMemory              // memory and images by checked addresses: the CTA, the frame's local memory, cached bounds; faults
	ReachWarp                // the lanes of the warp, which meet; where all 32 execute, none waits
	ReachAsync               // the CTA's mbarriers, tensor memory and asynchronous operations, which mode eager ends at once; waits
	ReachClock               // what has been counted so far
	ReachWhole               // the warp as one set of lanes, its stack, barriers, and through them the other warps; waits
	ReachCalls               // the warp's frames; its lanes go on behind it when they have come back
	ReachAll                 // anything: it moves lanes or ends them
)

// Reach is what the handler of the operation may touch.
func (o Op) Reach() Reach {
	if o.IsLane() {
		return ReachRows
	}
	return structural[o].reach
}
