package jit

// Twins: lane functions (package num, and those that package sem composes) as vector operations.
// A function is found by its name, which is unique among lane functions; TestTwins compares every
// twin with its function on edge values.

import (
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// twin builds the program of a lane function from its sources.
type twin func(p *program, in []val) val

// functionName is the name of a lane function.
func functionName(fn any) string {
	name := runtime.FuncForPC(reflect.ValueOf(fn).Pointer()).Name()
	return name[strings.LastIndexByte(name, '.')+1:]
}

// twinOf returns the twin of a lane function, nil if it has none.
func twinOf(fn any) twin {
	return laneOf(fn).twin
}

// laneFunction is what is known of a lane function, found once a process.
type laneFunction struct {
	twin  twin // nil if it has none
	in    []typ
	out   typ
	plain [2]atomic.Pointer[program] // of sources of which nothing is known, without and with AVX-512
}

// laneFunctions has them by their code.
var laneFunctions sync.Map

func laneOf(fn any) *laneFunction {
	at := reflect.ValueOf(fn).Pointer()
	if l, ok := laneFunctions.Load(at); ok {
		return l.(*laneFunction)
	}
	l := &laneFunction{twin: namedTwin(functionName(fn))}
	if t := reflect.TypeOf(fn); l.twin != nil {
		for k := range t.NumIn() {
			l.in = append(l.in, typeOf(t.In(k)))
		}
		l.out = typeOf(t.Out(0))
	}
	laneFunctions.Store(at, l)
	return l
}

func namedTwin(name string) twin {
	for _, table := range twinTables() {
		if t := table[name]; t != nil {
			return t
		}
	}
	return nil
}

// twinTables are filled when they are first asked for: most processes compile nothing.
var twinTables = sync.OnceValue(func() []map[string]twin {
	fillCompareTwins()
	fillDivideTwins()
	fillDoubleTwins()
	fillFloatTwins()
	fillFlushTwins() // of those of floats
	fillHalfTwins()
	fillPairTwins() // of both
	return []map[string]twin{
		intTwins, logicTwins, convertTwins, floatTwins, approxTwins, compareTwins, bitTwins,
		divideTwins, doubleTwins, flushTwins, halfTwins, pairTwins,
	}
})

// typeOf is the type of a parameter or result of a lane function.
func typeOf(t reflect.Type) typ {
	switch t.Kind() {
	case reflect.Bool:
		return tM
	case reflect.Uint64:
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

// inOrder passes the sources in another order.
func inOrder(t twin, order ...int) twin {
	return func(p *program, in []val) val {
		list := make([]val, len(order))
		for i, k := range order {
			list[i] = in[k]
		}
		return t(p, list)
	}
}

// plus adds the last source to a twin of the others.
func plus(t twin) twin {
	return func(p *program, in []val) val {
		n := len(in) - 1
		return p.sum(t(p, in[:n]), in[n])
	}
}
