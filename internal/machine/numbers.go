package machine

// This file is what those are told who look at floating-point numbers, of what registers do not show: products of matrices, atomic
// operations, and calls.

import "ptxvm.invalid/ptxvm/internal/num"

// Numbers looks at the floating-point numbers of a launch (dataflow.Numbers); several workers call it at a time.
type Numbers interface {
	// Updated is shown what an atomic operation has made of a number in memory.
	Updated(w *Warp, in *Inst, u *Update)
	// Multiplied is shown a product that has been computed, before or behind its results are given out.
	Multiplied(w *Warp, p *Product)
	// Moved tells that a call, or the return from one, has copied what some lanes have at a spot.
	Moved(w *Warp, from, to Spot, size, lanes uint32)
	// Left tells that lanes have returned from a frame, whose local memory is [from, to).
	Left(w *Warp, frame any, from, to, lanes uint32)
}

// Update is an element that an atomic operation has updated: packed numbers, or one.
type Update struct {
	Lane, Element     int // the element of a vector
	Addr              uint64
	Elem              num.Type
	Floats            int // numbers in the element
	Old, Operand, New uint64
}

// Spot is a row of registers in a frame, or, without a frame, an offset in the local memory of each lane.
type Spot struct {
	Frame any // Warp.FrameKey
	At    uint32
}

// Product is a product of matrices of floating-point numbers, D = A·B + C, or a part of it.
type Product struct {
	Place         Place
	Row, Column   int // of its first element in D
	Rows, Columns int
	Terms         int         // products whose sum an element of D is, beside C
	Types         [4]num.Type // of A, B, C and D
	C, D          func(row, column int) uint64
	Factors       func(row, column, i int) (a, b uint64, k int) // of the i-th product, with their place along K
	Undefined     func(row, column int) bool                    // a scale factor is NaN; nil: there are none
	// Register is where an element of D goes: to a register, numbered as the instruction lists them, of a lane; nil: to tensor memory.
	Register func(row, column int) (number, lane int)
	Rows32   []uint32 // those registers
	Frame    any      // and whose they are
	Where    func(row, column int) string
	Operands string // how the matrices were named
}
