package jit

// Twins: lane functions (package num, and those that package sem composes) as vector operations.
// TestTwins compares every twin with its function on edge values.

import (
	"sync"
	"sync/atomic"

	"ptxvm.invalid/ptxvm/internal/uop"
)

// twin builds the program of a lane function from its sources.
type twin func(p *program, in []val) val

// twins are those of some operations.
type twins map[uop.Op]twin

// put adds one; 0 is no operation.
func (t twins) put(op uop.Op, one twin) {
	if op != uop.None {
		t[op] = one
	}
}

// laneFunction is what is known of a lane function, found once a process.
type laneFunction struct {
	twin  twin // nil if it has none
	in    []typ
	out   typ
	plain [2]atomic.Pointer[program] // of sources of which nothing is known, without and with AVX-512
}

func laneOf(op uop.Op) *laneFunction { return &laneFunctions()[op] }

// laneFunctions are filled when they are first asked for: most processes compile nothing.
var laneFunctions = sync.OnceValue(func() *[uop.NumOps]laneFunction {
	all := new([uop.NumOps]laneFunction)
	for _, table := range twinTables() {
		for op, t := range table {
			all[op].fill(op, t)
		}
	}
	return all
})

func (l *laneFunction) fill(op uop.Op, t twin) {
	shape := op.Shape()
	l.twin, l.out = t, typeOf(shape.Result)
	for _, bits := range shape.Operands() {
		l.in = append(l.in, typeOf(bits))
	}
}

// twinTables are all twins, by kind.
var twinTables = sync.OnceValue(func() []twins {
	fillCompareTwins()
	fillConvertTwins()
	fillDivideTwins()
	fillDoubleTwins()
	fillFloatTwins()
	fillFlushTwins() // of those of floats
	fillHalfTwins()
	fillPairTwins() // of both
	return []twins{
		intTwins, logicTwins, convertTwins, floatTwins, approxTwins, compareTwins, bitTwins,
		divideTwins, doubleTwins, flushTwins, halfTwins, pairTwins,
	}
})

// typeOf is the type of an operand or result of so many bits.
func typeOf(bits uint8) typ {
	switch bits {
	case 1:
		return tM
	case 64:
		return tX
	}
	return tW
}

// basic is a twin of one operation.
func basic(c code) twin {
	return func(p *program, in []val) val { return p.bin(c, in[0], in[1]) }
}

// low16 cuts the result of a twin to 16 bits.
func low16(t twin) twin {
	return func(p *program, in []val) val { return p.lowBits(t(p, in), 16) }
}

// signed16 extends 16-bit sources by their sign before a twin of 32 bits.
func signed16(t twin) twin {
	return func(p *program, in []val) val {
		wide := make([]val, len(in))
		for i := range in {
			wide[i] = p.sext16(in[i])
		}
		return t(p, wide)
	}
}

// plus adds the last source to a twin of the others.
func plus(t twin) twin {
	return func(p *program, in []val) val {
		n := len(in) - 1
		return p.sum(t(p, in[:n]), in[n])
	}
}
