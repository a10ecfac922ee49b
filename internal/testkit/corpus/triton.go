// This file has the kernels that Triton compiled. A launch has num_warps × 32 threads, the shared bytes
// of the metadata, and two hidden parameters for scratch memory, which these kernels do not use.

package corpus

import "math"

// tritonArgs appends the hidden parameters: global scratch and profile scratch.
func tritonArgs(list ...any) []Arg {
	return append(args(list...), args(uint64(0), uint64(0))...)
}

// TritonVecAdd is x + y by programs of 1024 elements; the count must be a multiple of 16.
func TritonVecAdd() *Run {
	const n = 3008
	x, y := floats(30, n), floats(31, n)
	bx, by := input("x", x), input("y", y)
	out := output("out", list(n, func(i int) float32 { return x[i] + y[i] }))
	return &Run{
		Buffers: []*Buffer{bx, by, out},
		Launches: []Launch{{Kernel: "vecadd", Grid: line(blocks(n, 1024)), Block: line(128),
			Args: tritonArgs(bx, by, out, int32(n))}},
	}
}

// matrix is rows of columns floats, stride floats apart.
type matrix struct{ rows, columns, stride int }

// rowwise makes the buffers of a kernel that treats each row by itself and leaves the padding between rows.
func (m matrix) rowwise(x []float32, row func(in []float32) []float64, tol Tolerance) (in, out *Buffer) {
	in, out = input("x", x), output("out", x)
	out.Tol = tol
	copy(out.Want, out.Init)
	for r := range m.rows {
		values := row(x[r*m.stride:][:m.columns])
		narrow := list(m.columns, func(i int) float32 { return float32(values[i]) })
		copy(out.Want[4*r*m.stride:], encode(narrow))
	}
	return in, out
}

// TritonSoftmax is the softmax of a few rows.
func TritonSoftmax() *Run { return TritonSoftmaxRows(5) }

// TritonSoftmaxRows is the softmax of some rows of 389 elements.
func TritonSoftmaxRows(rows int) *Run {
	m := matrix{rows: rows, columns: 389, stride: 400}
	seed := random(32)
	x := list(m.rows*m.stride, func(int) float32 { return 8 * seed.unit() })
	in, out := m.rowwise(x, softmax, Tolerance{Rel: 1e-5, Why: "ex2.approx and div.full, sums in f32"})
	return &Run{
		Buffers: []*Buffer{in, out},
		Launches: []Launch{{Kernel: "softmax", Grid: line(m.rows), Block: line(128), Shared: 16,
			Args: tritonArgs(in, out, int32(m.columns), int32(m.stride))}},
	}
}

func softmax(in []float32) []float64 {
	top, sum := math.Inf(-1), 0.0
	for _, v := range in {
		top = max(top, float64(v))
	}
	out := list(len(in), func(i int) float64 { return math.Exp(float64(in[i]) - top) })
	for _, v := range out {
		sum += v
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// TritonLayerNorm normalises rows, with weight and bias.
func TritonLayerNorm() *Run {
	const epsilon = float32(1e-5)
	m := matrix{rows: 4, columns: 389, stride: 400}
	x, weight, bias := floats(33, m.rows*m.stride), floats(34, m.columns), floats(35, m.columns)
	norm := func(in []float32) []float64 {
		out := normalised(in, float64(epsilon))
		for i := range out {
			out[i] = out[i]*float64(weight[i]) + float64(bias[i])
		}
		return out
	}
	in, out := m.rowwise(x, norm, Tolerance{Rel: 1e-5, Abs: 1e-5, Why: "div.full, sums in f32"})
	bw, bb := input("weight", weight), input("bias", bias)
	return &Run{
		Buffers: []*Buffer{in, bw, bb, out},
		Launches: []Launch{{Kernel: "layernorm", Grid: line(m.rows), Block: line(256), Shared: 2048,
			Args: tritonArgs(in, bw, bb, out, int32(m.columns), int32(m.stride), epsilon)}},
	}
}

// normalised has mean 0 and variance 1.
func normalised(in []float32, epsilon float64) []float64 {
	mean, variance := 0.0, 0.0
	for _, v := range in {
		mean += float64(v) / float64(len(in))
	}
	for _, v := range in {
		variance += (float64(v) - mean) * (float64(v) - mean) / float64(len(in))
	}
	return list(len(in), func(i int) float64 { return (float64(in[i]) - mean) / math.Sqrt(variance+epsilon) })
}
