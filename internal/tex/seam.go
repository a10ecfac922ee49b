package tex

// This file filters across the edges of cubes.

// beyond reports whether one of two texels of a dimension of a face is not on it.
func (im *Level) beyond(at [2]int64) bool { return at[0] < 0 || at[1] >= int64(im.Width) }

// seam is filter, or gather, on a face of a cube where texels are on the faces beside. Three faces meet in a corner, so that one of four
// texels is not there: it is the average of the three, or by an assumption the one of this face.
func (r *Reader) seam(im *Level, slice uint64, a *[3]axis, depth uint32) Texel {
	var t [4]Texel
	corner, n := -1, int64(im.Width)
	for k := range t {
		x, y := a[0].at[k&1], a[1].at[k>>1]
		if uint64(x) >= uint64(n) && uint64(y) >= uint64(n) {
			if corner = k; !r.CornerEdge {
				continue
			}
			x, y = min(max(x, 0), n-1), min(max(y, 0), n-1)
		}
		face, x, y := beside(n, slice%6, x, y)
		t[k] = r.texel(im, slice-slice%6+face, [3]int64{x, y}, depth)
	}
	if corner >= 0 && !r.CornerEdge {
		others := make([]Texel, 0, 3)
		for k := range t {
			if k != corner {
				others = append(others, t[k])
			}
		}
		t[corner] = r.mean(others)
	}
	if r.Gather != 0 {
		return r.gathered(&t)
	}
	w := [4]uint32{(256 - a[0].f) * (256 - a[1].f), a[0].f * (256 - a[1].f), (256 - a[0].f) * a[1].f, a[0].f * a[1].f}
	return r.mix(t[:], w[:], 16)
}

// beside is the texel of a cube that a texel of a face is, up to one behind an edge of n texels: on the face that adjoins there, in
// the row at the edge. Texels have their places in space: the cube reaches from -n to n, the middles of texels are odd.
func beside(n int64, face uint64, x, y int64) (uint64, int64, int64) {
	if uint64(x) < uint64(n) && uint64(y) < uint64(n) {
		return face, x, y
	}
	f := &faces[face]
	major, over := int(face/2), f.s
	if uint64(y) >= uint64(n) {
		over = f.t
	}
	var at [3]int64
	at[f.s], at[f.t] = turned(2*x+1-n, f.negS), turned(2*y+1-n, f.negT)
	at[major] = turned(n-1, uint32(face&1)<<31) // the edge is bent: what was the face is now beside
	face = uint64(2 * over)
	if at[over] < 0 {
		face++
	}
	f = &faces[face]
	return face, (turned(at[f.s], f.negS) + n - 1) / 2, (turned(at[f.t], f.negT) + n - 1) / 2
}

// turned negates a number if the sign is set.
func turned(v int64, negative uint32) int64 {
	if negative != 0 {
		return -v
	}
	return v
}
