package launchlang

// This file makes the smaller levels of an image from its first one (mips=N, mips=auto).

import (
	"math"
	"math/bits"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/value"
)

// grid is the samples of a level: width, height and slices.
type grid [3]int

// halving is how many extents get smaller from level to level: layers and faces stay.
func halving(g ptxvm.Geometry) int {
	switch g {
	case ptxvm.Array1D, ptxvm.Array1DLayered:
		return 1
	case ptxvm.Array3D:
		return 3
	}
	return 2
}

// wholeChain is the number of levels down to one sample.
func wholeChain(d ptxvm.ArrayDesc) int {
	n := 1
	for _, extent := range d.Size[:min(halving(d.Geometry), len(d.Size))] {
		n = max(n, bits.Len(uint(extent)))
	}
	return n
}

// writeMips fills the levels behind the first one, whose samples are given: each sample is the mean of those that it covers.
func writeMips(a ptxvm.Array, data []byte) error {
	d := a.Desc()
	g := levelGrid(d, len(data))
	for level := 1; a.LevelLen(level) > 0; level++ {
		next := g.smaller(d.Geometry)
		data = means(data, g, next, d.Format.Channels(), channelType(d.Format))
		if err := a.WriteLevel(level, data); err != nil {
			return err
		}
		g = next
	}
	return nil
}

// levelGrid is the first level of an image of so many bytes.
func levelGrid(d ptxvm.ArrayDesc, size int) grid {
	g := grid{d.Size[0], 1, 1}
	if halving(d.Geometry) > 1 {
		g[1] = d.Size[1]
	}
	g[2] = size / (g[0] * g[1] * d.Format.Bytes())
	return g
}

// smaller is the next level.
func (g grid) smaller(of ptxvm.Geometry) grid {
	for i := range halving(of) {
		g[i] = max(1, g[i]/2)
	}
	return g
}

// means are the samples of a level of n from one of g.
func means(data []byte, g, n grid, channels int, typ value.Type) (out []byte) {
	size := typ.Size()
	for i := range n[0] * n[1] * n[2] * channels {
		c, at := i%channels, i/channels
		first := grid{at % n[0], at / n[0] % n[1], at / n[0] / n[1]}
		sum := 0.0
		for k := range 8 {
			from := first
			for axis := range from {
				if n[axis] < g[axis] {
					from[axis] = 2*first[axis] + k>>axis&1
				}
			}
			sample := ((from[2]*g[1]+from[1])*g[0]+from[0])*channels + c
			sum += typ.Number(data[size*sample : size*(sample+1)])
		}
		out = typ.Append(out, nearest(typ, sum/8))
	}
	return out
}

// nearest is a number as a type has it; integers are rounded, ties to even.
func nearest(typ value.Type, v float64) uint64 {
	if !typ.Float() {
		return uint64(int64(math.RoundToEven(v)))
	}
	out, _ := typ.FromFloat(v) // infinities and NaN stay what they are
	return out
}
