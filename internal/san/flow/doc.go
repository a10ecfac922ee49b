// Package flow follows values through registers and memory: which of their bits nothing has written (poison), and which
// object a pointer was made from (its tag).
//
// Poison is as in MemorySanitizer (Stepanov, Serebryany: MemorySanitizer, CGO 2015): loading unwritten bytes, copying them and
// calculating with them is no error; it is one where they decide: in a guard, an address, a member mask, an
// atomic operation. A rule may say of a written bit that it is unwritten nowhere; the other way round it may: what crosses
// lanes of a warp in a matrix, or an asynchronous copy, counts as written.
//
// A tag is the number of an object, 0 of a number, or unknown, which is never reported: two different tags in one
// sum, the difference of two pointers, a product of one. So only what was made from one pointer by adding numbers is held to
// its object.
package flow
