package jit

import (
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/jit/native"
	"ptxvm.invalid/ptxvm/internal/uop"
)

// laneTimes is how often a lane function is executed, so that the call does not count.
const laneTimes = 64

// MeasureLane is how long a lane function takes for all lanes, its operands and its result being rows in memory, in nanoseconds; 0
// if there is no program for it by such vectors. Tries is how many measurements there are, of which the fastest counts.
func MeasureLane(t *testing.T, fn uop.Op, v Vectors, tries int) float64 {
	if laneOf(fn).twin == nil {
		return 0
	}
	b := newBench()
	defer func() { keep = keep[:0] }()
	var took [2]time.Duration
	for k, times := range [...]int{1, 1 + laneTimes} {
		x := trial{wide512: v == AVX512, use: allLanes, mask: ^uint32(0), times: times}
		b.fill(rand.New(rand.NewPCG(1, 2)), &x, fn)
		code := x.assemble(t, b, fn)
		if code == nil {
			return 0
		}
		c, err := native.New(code)
		if err != nil {
			t.Skip(err)
		}
		took[k] = fastest(tries, func() { native.Call(c.Addr(0), unsafe.Pointer(b.state)) })
		c.Free()
	}
	return float64(max(took[1]-took[0], 0)) / laneTimes
}

// fastest is the least time that something takes, done 20 times a measurement.
func fastest(tries int, do func()) (least time.Duration) {
	const each = 20
	for range tries {
		start := time.Now()
		for range each {
			do()
		}
		if took := time.Since(start) / each; least == 0 || took < least {
			least = took
		}
	}
	return least
}
