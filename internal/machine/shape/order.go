package shape

// This file orders clusters, warps and turns.

import "math/bits"

// Seed chooses an order; 0 is ascending.
type Seed uint64

// Permute maps ranks one to one onto ranks: a four-round Feistel network over the next even
// number of bits, walked until it falls below the total.
func (s Seed) Permute(i, total uint64) uint64 {
	if s == 0 || total < 2 {
		return i
	}
	half := uint(bits.Len64(total-1)+1) / 2
	for {
		if i = feistel(i, half, uint64(s)); i < total {
			return i
		}
	}
}

func feistel(i uint64, half uint, seed uint64) uint64 {
	mask := uint64(1)<<half - 1
	l, r := i>>half, i&mask
	for round := range uint64(4) {
		l, r = r, l^Mix(r+seed+round<<56)&mask
	}
	return l<<half | r
}

// FirstWarp is the warp with which a pass over a CTA's warps begins.
func (s Seed) FirstWarp(cta uint64, pass int, warps uint32) int {
	if s == 0 {
		return 0
	}
	return int(Mix(uint64(s)^cta<<20^uint64(pass)) % uint64(warps))
}

// FirstFuel is the fuel of a warp's first turn, whole without a seed, which lets warps give way at different times.
func (s Seed) FirstFuel(cta uint64, warp, whole int32) int32 {
	if s == 0 {
		return whole
	}
	return int32(1 + Mix(uint64(s)+cta<<8+uint64(warp))%uint64(whole))
}

// Mix is the finaliser of SplitMix64.
func Mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
