package machine

// This file follows, for launches that look for misuse, what the collector buffers of a CTA's tensor core hold (9.7.16.10.3): a
// product with ::use or ::lastuse needs a fill that is still valid, of the same matrix. What is multiplied is always what memory holds.

import "fmt"

// CollectorUse is what a product does with a buffer.
type CollectorUse uint8

// The uses.
const (
	CollectorDiscard CollectorUse = iota
	CollectorFill
	CollectorReuse   // ::use
	CollectorLastUse // and what follows may not use it again
)

// CollectorStep is a product's use of one buffer.
type CollectorStep struct {
	Buffer string // as the modifier names it: a, b, b0 to b3
	Use    CollectorUse
	Matrix string // where the matrix lies
}

// collector is what a buffer holds.
type collector struct {
	matrix string // "": nothing
	at     Place  // of the product that has filled it, or behind which it holds nothing
}

// Collect notes what a product of a lane does with a buffer, in a launch that is Watchful.
func (w *Warp) Collect(in *Inst, lane int, s *CollectorStep) {
	c := w.cta
	if c.collectors == nil {
		c.collectors = map[string]collector{}
	}
	had, here := c.collectors[s.Buffer], w.At(w.Place(in), lane)
	if s.Use >= CollectorReuse && had.matrix != s.Matrix {
		w.collectorMisuse(here, s, had)
	}
	switch s.Use {
	case CollectorFill:
		c.collectors[s.Buffer] = collector{s.Matrix, here}
	case CollectorDiscard, CollectorLastUse:
		c.collectors[s.Buffer] = collector{at: here}
	}
}

func (w *Warp) collectorMisuse(here Place, s *CollectorStep, had collector) {
	text := fmt.Sprintf("the product takes its matrix, %s, from collector buffer %s, ", s.Matrix, s.Buffer)
	switch {
	case had.matrix != "":
		text += "which was filled with another: " + had.matrix
	case had.at.Func != nil:
		text += "whose contents the product there discards"
	default:
		text += "which no product has filled"
	}
	w.cta.grid.Reporter.Report(&Report{Kind: CollectorMisuse, Then: here, Op: had.at, Text: text})
}
