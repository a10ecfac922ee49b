// Package passing says where the parameters of calls lie: a call site says where the caller has them, a
// function where it wants them, and the two meet when the call is made (9.7.12.5). Registers and memory in
// .param space do not stand for each other.
package passing

import (
	"fmt"
	"iter"
	"strings"
)

// Kind says where a parameter lies.
type Kind uint8

// The kinds of places.
const (
	Memory Kind = iota // the .param area of a frame
	Row32
	Row64
	Row128
	Pred
)

// Move copies one parameter between caller and callee; From and To are byte offsets in the
// register block or in the .param area, in the direction of the copy.
type Move struct {
	Kind     Kind
	From, To uint32
	Size     uint32 // bytes, of Memory only: a multiple of 4 is copied
}

// Home is where a parameter lies in a frame: first its value, then what followers of values know of that. A
// result that the caller drops has none.
type Home []Part

// Part is one row, mask or piece of the .param area of a frame.
type Part struct {
	Kind Kind
	Off  uint32 // as in Move
	Size uint32 // likewise
}

// Side is the parameters and results of a call as one of the two has them: those that the caller gives and the
// results that it takes, or those that a function wants and the results that it has.
type Side struct{ Args, Rets []Home }

// Fits reports whether the call gives and takes what a function wants and has.
func (call *Side) Fits(callee Side) bool {
	return gives(call.Args, callee.Args) && gives(callee.Rets, call.Rets)
}

// gives reports whether there is something for each parameter that is wanted, in the same kind of place and no
// smaller.
func gives(have, want []Home) bool {
	if len(have) < len(want) {
		return false
	}
	for i, w := range want {
		if h := have[i]; len(w) != 0 && (h[0].Kind != w[0].Kind || h[0].Size < w[0].Size) {
			return false
		}
	}
	return true
}

// Misfit says how a function, by its name, differs from what a call passes.
func (call *Side) Misfit(name string, callee Side) string {
	return fmt.Sprintf("the call passes %s and takes %s, %s has %s and returns %s",
		signature(call.Args), signature(call.Rets), name, signature(callee.Args), signature(callee.Rets))
}

// signature writes homes as a list of parameters: (a register of 32 bits, 16 bytes in .param).
func signature(list []Home) string {
	var words []string
	for _, h := range list {
		words = append(words, h.String())
	}
	return "(" + strings.Join(words, ", ") + ")"
}

// String says what the value lies in.
func (h Home) String() string {
	switch {
	case len(h) == 0:
		return "_"
	case h[0].Kind == Memory:
		return fmt.Sprintf("%d bytes in .param", h[0].Size)
	case h[0].Kind == Pred:
		return "a predicate"
	}
	return fmt.Sprintf("a register of %d bits", map[Kind]int{Row32: 32, Row64: 64, Row128: 128}[h[0].Kind])
}

// Moves joins where one side has parameters and where the other wants them.
func Moves(have, want []Home) iter.Seq[Move] {
	return func(yield func(Move) bool) {
		for i := range min(len(have), len(want)) {
			for k := range min(len(have[i]), len(want[i])) {
				a, b := &have[i][k], &want[i][k]
				if !yield(Move{Kind: b.Kind, From: a.Off, To: b.Off, Size: min(a.Size, b.Size)}) {
					return
				}
			}
		}
	}
}
