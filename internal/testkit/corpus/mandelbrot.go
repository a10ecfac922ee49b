// This file has the escape times of the Mandelbrot set.

package corpus

// Mandelbrot counts iterations, at most limit, on a width×height window around the set.
func Mandelbrot(t Target, width, height int, limit int32) *Run {
	const x0, y0 = float32(-2.2), float32(-1.2)
	step := 3.2 / float32(width)
	out := output("iterations", list(width*height, func(i int) uint16 {
		cx, cy := t.fma32(float32(i%width), step, x0), t.fma32(float32(i/width), step, y0)
		return uint16(escape(cx, cy, limit))
	}))
	return &Run{
		Buffers: []*Buffer{out},
		Launches: []Launch{{Kernel: "mandelbrot", Grid: [3]int{blocks(width, 16), blocks(height, 8), 1},
			Block: [3]int{16, 8, 1}, Args: args(out, int32(width), int32(height), x0, y0, step, limit)}},
	}
}

func escape(cx, cy float32, limit int32) int32 {
	var x, y float32
	for it := range limit {
		xx, yy := float32(x*x), float32(y*y)
		if xx+yy > 4 {
			return it
		}
		y = fma32(float32(x*y), 2, cy)
		x = cx + (xx - yy)
	}
	return limit
}
