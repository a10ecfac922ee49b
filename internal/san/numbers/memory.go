package numbers

// This file looks at what atomic operations make of numbers in memory.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/dataflow"
	"ptxvm.invalid/ptxvm/internal/machine"
)

// Updated implements machine.Numbers.
func (o *Observer) Updated(w *machine.Warp, in *machine.Inst, u *machine.Update) {
	whole := &dataflow.Operand{Elem: u.Elem, Floats: u.Floats}
	for _, what := range o.classes() {
		for i := range u.Floats {
			old, by, now := element(whole, u.Old, i), element(whole, u.Operand, i), element(whole, u.New, i)
			if !is(u.Elem, now, what) || explains(u.Elem, old, what) || explains(u.Elem, by, what) {
				continue
			}
			at := fmt.Sprintf("[%#x]", u.Addr+uint64(i)*uint64(u.Elem.Width()/8))
			words := fmt.Sprintf("%s = %s, operand = %s → %s = %s", at, number(u.Elem, old), number(u.Elem, by), at, number(u.Elem, now))
			o.creates(w, &making{
				what: what, place: w.PlaceOf(in, 1<<u.Lane), times: 1, lanes: 1 << u.Lane,
				words: func() func(uint32) (int, string) { return func(uint32) (int, string) { return u.Lane, words } },
			})
			break
		}
	}
}
