// This file has the all-pairs gravity step.

package corpus

type vec4 [4]float32

// NBody moves n bodies by one step; square root, division and products round as the PTX says.
func NBody(t Target, n int) *Run {
	const tile, dt, soft = 64, float32(0.01), float32(0.0025)
	pos, vel := bodies(16, n, 1), bodies(17, n, 0.1)
	next, nextVel := make([]vec4, n), make([]vec4, n)
	for i := range n {
		a := acceleration(t, pos, pos[i], blocks(n, tile)*tile, soft)
		next[i], nextVel[i] = pos[i], vel[i]
		for k := range 3 {
			nextVel[i][k] = t.fma32(a[k], dt, vel[i][k])
			next[i][k] = t.fma32(nextVel[i][k], dt, pos[i][k])
		}
	}
	bpos, bvel := input("pos", flat(pos)), inout("vel", flat(vel), flat(nextVel))
	out := output("next", flat(next))
	return &Run{
		Buffers: []*Buffer{bpos, out, bvel},
		Launches: []Launch{{Kernel: "nbody", Grid: line(blocks(n, tile)), Block: line(tile),
			Args: args(bpos, out, bvel, int32(n), dt, soft)}},
	}
}

// acceleration sums over count bodies; those past the end are massless at the origin.
func acceleration(t Target, pos []vec4, p vec4, count int, soft float32) [3]float32 {
	var sum [3]float32
	for j := range count {
		var q vec4
		if j < len(pos) {
			q = pos[j]
		}
		d := [3]float32{q[0] - p[0], q[1] - p[1], q[2] - p[2]}
		d2 := t.fma32(d[2], d[2], t.fma32(d[1], d[1], t.fma32(d[0], d[0], soft)))
		inv := 1 / sqrt32(d2)
		cube := inv * float32(inv*inv)
		s := q[3] * float32(cube)
		for k := range sum {
			sum[k] = t.fma32(d[k], s, sum[k])
		}
	}
	return sum
}

// bodies places n bodies in a cube; the fourth component is a mass in (0, 1).
func bodies(seed random, n int, size float32) []vec4 {
	return list(n, func(int) vec4 {
		return vec4{size * seed.unit(), size * seed.unit(), size * seed.unit(), seed.between(0.1, 1)}
	})
}

func flat(v []vec4) []float32 {
	return list(4*len(v), func(i int) float32 { return v[i/4][i%4] })
}
