// Package ssa is the intermediate representation of the compiler's new pipeline: SPMD code for groups of lanes, as values in
// static single assignment form.
//
// A function is a skeleton of blocks with effects (loads, stores, counts, fuel), and pure operations that belong to no block
// until they are placed. An operation is made once: the constructor folds, brings sums into one order, and looks it up. A value
// is a number (the same for all lanes, held in a general register) or has lanes; "strided" is a value of lanes that follows from
// a number and a constant step, so addresses and comparisons of such values are arithmetic on numbers.
//
// The text form (print.go) reads back (parse.go). Verify (verify.go) says what must hold between two passes.
package ssa
