package vm

import (
	"context"
	"io"

	"example.invalid/m/internal/jit"
	"example.invalid/m/report"
)

// Limit bounds.
const Limit = 4

const hidden = 5

// Shape is a shape.
type Shape struct {
	Sides int // of equal length
	drawn bool
}

// NewShape makes one.
func NewShape(sides ...int) *Shape { return &Shape{Sides: len(sides)} }

// Tune is for tests.
//
//face:inside
func Tune(s *Shape, o jit.Options) {}

// Tuning is for tests, too.
//
//face:inside
type Tuning struct{ Options jit.Options }

// Draw draws.
func (s *Shape) Draw(ctx context.Context) error { return nil }

func (s *Shape) draw() {}

// Close ends.
func Close(c io.Closer) {}

// Kind is a kind.
type Kind uint8

// The kinds.
const (
	Round Kind = iota // without sides
	_
	// Flat has no height.
	Flat
)

// Fault is elsewhere.
type Fault = report.Fault
