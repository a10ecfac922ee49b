package converge

import (
	"flag"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
)

var crossings = flag.Int("converge.crossings", 40, "kernels of TestCrossings")

// TestCrossings has compiled code left and entered at random instructions of the kernels, before they are executed, at accesses
// whose allocation is unknown, and for handlers: what they write is what the oracle says.
func TestCrossings(t *testing.T) {
	for s := *seed; s < *seed+uint64(*crossings); s++ {
		k := New(s)
		if err := k.Compare(crossingWays(s)); err != nil {
			t.Errorf("seed %d: %v\n%s", s, err, k)
		}
	}
}

// crossingWays leaves code in every way, at one instruction in two to sixteen.
func crossingWays(seed uint64) (list []Way) {
	often := uint32(2) << (seed % 4)
	for i, way := range []func(jit.Options, func(pc int32) bool) jit.Options{jit.Leaving, jit.Missing, jit.Helping} {
		at := func(pc int32) bool { return hash(uint32(pc)+uint32(seed)<<8+uint32(i))%often == 0 }
		for _, o := range jit.Compilers() {
			if o.Quick {
				continue // it leaves at what it has no template for
			}
			list = append(list, Way{Engine: ptxvm.JIT, Options: way(o, at), Workers: 1 + int(seed/4)%2})
		}
	}
	return list
}

// hash spreads numbers.
func hash(x uint32) uint32 {
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	return x ^ x>>16
}
