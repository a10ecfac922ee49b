package machine

// This file orders clusters, warps and turns, by a launch's seed.

import "math/bits"

// permute maps ranks one to one onto ranks: a four-round Feistel network over the next even
// number of bits, walked until it falls below the total.
func (g *Grid) permute(i uint64) uint64 { return permute(i, g.Clusters(), g.Seed) }

func permute(i, total, seed uint64) uint64 {
	if seed == 0 || total < 2 {
		return i
	}
	half := uint(bits.Len64(total-1)+1) / 2
	for {
		if i = feistel(i, half, seed); i < total {
			return i
		}
	}
}

func feistel(i uint64, half uint, seed uint64) uint64 {
	mask := uint64(1)<<half - 1
	l, r := i>>half, i&mask
	for round := range uint64(4) {
		l, r = r, l^mix(r+seed+round<<56)&mask
	}
	return l<<half | r
}

// firstWarp is the warp with which a pass over a CTA's warps begins.
func (g *Grid) firstWarp(rank uint64, pass int) int {
	if g.Seed == 0 {
		return 0
	}
	return int(mix(g.Seed^rank<<20^uint64(pass)) % uint64(g.block.warps))
}

// firstFuel is the fuel of a warp's first turn: a seed lets warps give way at different times.
func (g *Grid) firstFuel(rank uint64, warp int32) int32 {
	if g.Seed == 0 {
		return turn
	}
	return int32(1 + mix(g.Seed+rank<<8+uint64(warp))%turn)
}

// mix is the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
