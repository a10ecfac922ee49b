package machine

// This file passes the parameters of indirect calls: a call site says where the caller has them, a function where it wants
// them, and the two meet when the call is made (9.7.12.5). Registers and memory in .param space do not stand for each other.

import (
	"fmt"
	"strings"
)

// Home is where a parameter lies in a frame: first its value, then what Launch.Values know of that. A result that the caller
// drops has none.
type Home []Part

// Part is one row, mask or piece of the .param area of a frame.
type Part struct {
	Kind MoveKind
	Off  uint32 // as in Move
	Size uint32 // likewise
}

// OpenCall is the caller's side of an indirect call.
type OpenCall struct{ Args, Rets []Home }

// fits reports whether the call gives and takes what a function wants and has.
func (o *OpenCall) fits(c *Code) bool { return gives(o.Args, c.Params) && gives(c.Results, o.Rets) }

// gives reports whether there is something for each parameter that is wanted, in the same kind of place and no smaller.
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
	case h[0].Kind == MoveParam:
		return fmt.Sprintf("%d bytes in .param", h[0].Size)
	case h[0].Kind == MovePred:
		return "a predicate"
	}
	return fmt.Sprintf("a register of %d bits", map[MoveKind]int{Move32: 32, Move64: 64, Move128: 128}[h[0].Kind])
}

// misfit says how a function differs from what a call passes.
func (o *OpenCall) misfit(c *Code) string {
	return fmt.Sprintf("the call passes %s and takes %s, %s has %s and returns %s",
		signature(o.Args), signature(o.Rets), c.Func.Name, signature(c.Params), signature(c.Results))
}

// handOver copies parameters from where one frame has them to where the other wants them.
func (w *Warp) handOver(have, want []Home, from, to *Frame, lanes uint32) {
	for i := range min(len(have), len(want)) {
		for k := range min(len(have[i]), len(want[i])) {
			a, b := &have[i][k], &want[i][k]
			w.moveOne(&Move{Kind: b.Kind, From: a.Off, To: b.Off, Size: min(a.Size, b.Size)}, from, to, lanes)
		}
	}
}
