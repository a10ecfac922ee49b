// Package eval executes functions of package ssa in Go, operation by operation and lane by lane: a third back end beside machine code of our
// own and C, slow and plain, for tests. It takes the same abi.State, so that it stands in their place as the code of a kernel.
//
// It is stricter than they are, so that what holds here by chance does not hold:
//
//   - An access without a test of its own has to lie in what its check covers, and a check of these bytes has to have held since the launch,
//     the CTA or the warp began, as far as the check depends on them. That they are memory is not enough.
//   - Lanes that a load is not made for have garbage.
//   - NaNs that arithmetic makes have a random payload.
//   - Where operations are placed a value is read only where it has been computed, and not since when what it follows from is another one.
//
// What is wrong with a function is a panic with an Error: the machine takes it for a defect and ends the launch. What it does not know it
// refuses by name in New.
package eval
