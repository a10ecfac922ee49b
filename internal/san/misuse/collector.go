package misuse

// This file follows what the collector buffers of a CTA's tensor core hold (9.7.16.10.3): a product with ::use or
// ::lastuse needs a fill that is still valid, of the same matrix. What is multiplied is always what memory holds.

import (
	"fmt"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/san/found"
)

// collector is what a buffer holds.
type collector struct {
	matrix string        // "": nothing
	at     machine.Place // of the product that has filled it, or behind which it holds nothing
}

// collect notes what a product of a lane does with a buffer.
func (o *Observer) collect(e *machine.Event, s *machine.CollectorStep) {
	c, here := o.cta(e), e.Place(e.Lanes)
	had := c.collectors[s.Buffer]
	if s.Use >= machine.CollectorReuse && had.matrix != s.Matrix {
		o.reporter.Report(&found.Report{Kind: found.CollectorMisuse, Then: here, Op: had.at, Text: had.lacks(s)})
	}
	switch s.Use {
	case machine.CollectorFill:
		c.collectors[s.Buffer] = collector{s.Matrix, here}
	case machine.CollectorDiscard, machine.CollectorLastUse:
		c.collectors[s.Buffer] = collector{at: here}
	}
}

// lacks says why a product cannot take its matrix from the buffer.
func (had *collector) lacks(s *machine.CollectorStep) string {
	text := fmt.Sprintf("the product takes its matrix, %s, from collector buffer %s, ", s.Matrix, s.Buffer)
	switch {
	case had.matrix != "":
		return text + "which was filled with another: " + had.matrix
	case had.at.Func != nil:
		return text + "whose contents the product there discards"
	}
	return text + "which no product has filled"
}
