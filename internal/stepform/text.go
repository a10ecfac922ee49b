// Package stepform writes what a warp has done in an instruction: as a line of text, and as JSON (docs/json.md).
package stepform

import (
	"fmt"
	"math/bits"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/quote"
)

// Line is a step as text, with its end of line; @20 is its moment, where that is known:
//
//	saxpy.ptx:31 saxpy.cu:4 w0 0000ffff @20  add.s32 %r3, %r1, 1;  %r1=0 1 … 15  → %r3=1 2 … 16
func Line(s *ptxvm.Step) string {
	var b strings.Builder
	b.WriteString(quote.Place(s.PTX))
	if len(s.Source) > 0 {
		b.WriteString(" " + quote.Place(s.Source[0]))
	}
	fmt.Fprintf(&b, "  w%d %08x", s.Warp, s.Lanes)
	if s.Moment != nil {
		fmt.Fprintf(&b, " @%d", *s.Moment)
	}
	fmt.Fprintf(&b, "  %s%s", strings.Repeat("· ", s.Calls), diag.Escape(s.Text))
	if s.Lanes == 0 {
		fmt.Fprintf(&b, "  skipped: the guard is false in %08x\n", s.Active)
		return b.String()
	}
	b.WriteString(values(s, s.Lanes))
	switch {
	case s.Next > 0:
		fmt.Fprintf(&b, "  %s to line %d", s.Then, s.Next)
	case s.Then != "":
		fmt.Fprintf(&b, "  %s", s.Then)
	}
	b.WriteByte('\n')
	return b.String()
}

// values is what some lanes have read and written: "  %r1=0 1 … 15  → %r3=1 2 … 16".
func values(s *ptxvm.Step, lanes uint32) string {
	var b strings.Builder
	sep := "  "
	for i := range s.Reads {
		fmt.Fprintf(&b, "%s%s=%s", sep, s.Reads[i].Name, Lanes(&s.Reads[i], lanes))
		sep = ", "
	}
	sep = "  → "
	for i := range s.Writes {
		fmt.Fprintf(&b, "%s%s=%s", sep, s.Writes[i].Name, Lanes(&s.Writes[i], lanes))
		sep = ", "
	}
	return b.String()
}

// valuesAcross is how many values of an irregular row are shown.
const valuesAcross = 8

// Lanes shows the values of those lanes that a mask has: one if all are equal, the first two and the last if
// numbers count in equal steps, else as many as fit.
func Lanes(v *ptxvm.Traced, lanes uint32) string {
	list := laneNumbers(lanes)
	n := len(list)
	equal, regular := true, v.Number() && n > 3
	step := uint64(0)
	for i := 1; i < n; i++ {
		d := v.Bits(list[i]) - v.Bits(list[i-1])
		if i == 1 {
			step = d
		}
		equal, regular = equal && v.Value(list[i]) == v.Value(list[0]), regular && d == step
	}
	switch {
	case equal:
		return valueText(v, list[0])
	case v.Type == "pred":
		return fmt.Sprintf("lanes %08x", predicateMask(v, list))
	case regular:
		return fmt.Sprintf("%s %s … %s", valueText(v, list[0]), valueText(v, list[1]), valueText(v, list[n-1]))
	}
	var words []string
	for _, lane := range list[:min(n, valuesAcross)] {
		words = append(words, valueText(v, lane))
	}
	text := strings.Join(words, " ")
	if n > valuesAcross {
		text += fmt.Sprintf(" (%d more)", n-valuesAcross)
	}
	return text
}

// predicateMask is the lanes whose predicate holds.
func predicateMask(v *ptxvm.Traced, list []int) (mask uint32) {
	for _, lane := range list {
		mask |= uint32(v.Bits(lane)&1) << lane
	}
	return mask
}

// addresses lie above this and are not read as decimal numbers.
const addresses = 1 << 40

// valueText is a value as the text form shows it: 64-bit integers that look like addresses, and
// bits, in hexadecimal without zeros in front.
func valueText(v *ptxvm.Traced, lane int) string {
	bits := v.Bits(lane)
	switch v.Type {
	case "b64":
		return fmt.Sprintf("%#x", bits)
	case "u64", "s64":
		if bits >= addresses && bits <= ^uint64(addresses) {
			return fmt.Sprintf("%#x", bits)
		}
	}
	return v.Value(lane)
}

// laneNumbers lists the lanes of a mask in ascending order.
func laneNumbers(mask uint32) (list []int) {
	for ; mask != 0; mask &= mask - 1 {
		list = append(list, bits.TrailingZeros32(mask))
	}
	return list
}
