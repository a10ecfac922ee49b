// This file has the products of matrices and the gradients of attention that Triton compiled, for all its targets.

package corpus

import "math"

// sharedOf is what shared memory kernels take on each target, as the metadata of the modules say.
var sharedOf = map[string]map[int]int{
	"product_bf16":  {80: 16384, 90: 24576, 100: 24592, 120: 16384},
	"product_tf32":  {80: 32768, 90: 49152, 100: 49168, 120: 32768},
	"product_e4m3":  {90: 24576, 100: 24592, 120: 16384},
	"product_s8":    {80: 16384, 90: 24576, 100: 24592, 120: 16384},
	"persistent":    {80: 16384, 90: 57368, 100: 57392, 120: 40976},
	"attentionback": {80: 33280, 90: 49664, 100: 66112, 120: 33280},
}

// numbers are n whole numbers from -4 to 4.
func numbers(seed uint64, n int) []float64 {
	r := random(seed)
	return list(n, func(int) float64 { return float64(r.below(9)) - 4 })
}

// coded is a buffer of whole numbers in the format of a module's elements.
func coded(name, element string, v []float64) *Buffer {
	switch element {
	case "bf16":
		return input(name, list(len(v), func(i int) bfloat { return bfloat(math.Float32bits(float32(v[i])) >> 16) }))
	case "tf32":
		return input(name, list(len(v), func(i int) float32 { return float32(v[i]) }))
	case "e4m3":
		codes := map[float64]uint8{}
		for i, x := range wholeNumbers {
			codes[x] = uint8(wholeE4M3[i])
		}
		return input(name, list(len(v), func(i int) uint8 { return codes[v[i]] }))
	}
	return input(name, list(len(v), func(i int) uint8 { return uint8(int8(v[i])) }))
}

// TritonProduct is C = A·Bᵀ of elements of a format, by tiles of 64×64 in three stages.
func TritonProduct(t Target, element string) *Run {
	const m, n, k = 80, 112, 128
	a, b := numbers(81, m*k), numbers(82, n*k)
	sum := func(i int) float64 {
		return product(k, func(p int) float64 { return a[i/n*k+p] }, func(p int) float64 { return b[i%n*k+p] })
	}
	c := output("c", list(m*n, func(i int) float32 { return float32(sum(i)) }))
	if element == "s8" {
		c = output("c", list(m*n, func(i int) int32 { return int32(sum(i)) }))
	}
	ba, bb := coded("a", element, a), coded("b", element, b)
	return &Run{
		Unfenced: t.Arch == 100,
		Buffers:  []*Buffer{ba, bb, c},
		Launches: []Launch{{Kernel: "product", Grid: [3]int{blocks(m, 64), blocks(n, 64), 1}, Block: line(128), Shared: sharedOf["product_"+element][t.Arch],
			Args: tritonArgs(ba, bb, c, int32(m), int32(n), int32(k))}},
	}
}

// descriptor is what stands for a tensor descriptor of rows×columns halves: a tensor map of boxes of 64×64 and extents; on sm_80
// the address, extents, strides and flags, then extents and strides again.
func descriptor(t Target, b *Buffer, rows, columns int) (list []Arg) {
	end := args(int32(rows), int32(columns), uint64(columns), uint64(1))
	if t.Arch == 80 {
		list = args(b, uint64(rows), uint64(columns), uint64(columns), uint64(1), uint8(0), uint8(0))
		return append(list, end...)
	}
	tiles := &Tiles{Dims: []uint32{uint32(columns), uint32(rows)}, Box: []uint32{64, 64}, Swizzle: 128}
	return append([]Arg{{Buffer: b, Elem: U8, Tiles: tiles}}, end...)
}

// TritonPersistent is C = A·Bᵀ by tensor descriptors: three programs take tiles of 64×64, two rows of tiles at a time.
func TritonPersistent(t Target) *Run {
	const m, n, k, programs = 152, 136, 200, 3
	a, b := wholes(83, m*k), wholes(84, n*k)
	c := output("c", list(m*n, func(i int) half {
		row, col := i/n, i%n
		return roundHalf(product(k, func(p int) float64 { return halfValue(a[row*k+p]) }, func(p int) float64 { return halfValue(b[col*k+p]) }))
	}))
	ba, bb := input("a", a), input("b", b)
	list := append(descriptor(t, ba, m, k), descriptor(t, bb, n, k)...)
	return &Run{
		Unfenced: t.Arch == 100,
		Buffers:  []*Buffer{ba, bb, c},
		Launches: []Launch{{Kernel: "persistent", Grid: line(programs), Block: line(128), Shared: sharedOf["persistent"][t.Arch],
			Args: append(append(list, descriptor(t, c, m, n)...), tritonArgs(int32(m), int32(n), int32(k))...)}},
	}
}

// gradients are those of softmax(scale·Q·Kᵀ)·V in f64, and how far a kernel may be off that rounds weights and their
// gradients to f16.
type gradients struct {
	level, delta           []float32
	dq, dk, dv             []float64
	boundQ, boundK, boundV float64
}

// TritonAttentionBack has the gradients of attention: 80 rows of 64 elements, by tiles of 64 rows and 64 keys.
func TritonAttentionBack(t Target) *Run {
	const length, d, scale = 80, 64, 0.03125
	var in [4][]float64
	var buffers []*Buffer
	for i, name := range []string{"q", "k", "v", "grad"} {
		in[i] = numbers(85+uint64(i), length*d)
		buffers = append(buffers, input(name, list(length*d, func(j int) half { return roundHalf(in[i][j]) })))
	}
	g := attentionGradients(in, length, d, scale)
	buffers = append(buffers, input("level", g.level), input("delta", g.delta))
	for _, r := range []struct {
		name  string
		v     []float64
		bound float64
	}{{"dq", g.dq, g.boundQ}, {"dk", g.dk, g.boundK}, {"dv", g.dv, g.boundV}} {
		out := output(r.name, list(length*d, func(i int) float32 { return float32(r.v[i]) }))
		out.Tol = Tolerance{Abs: r.bound, Why: "weights and their gradients become f16: 2^-11 of each, times what they are multiplied with; level and delta are f32"}
		buffers = append(buffers, out)
	}
	list := []any{}
	for _, b := range buffers {
		list = append(list, b)
	}
	return &Run{
		Unfenced: t.Arch == 100,
		Buffers:  buffers,
		Launches: []Launch{{Kernel: "attentionback", Grid: line(blocks(length, 64)), Block: line(128), Shared: sharedOf["attentionback"][t.Arch],
			Args: tritonArgs(append(list, int32(length), float32(scale))...)}},
	}
}

// attentionGradients computes everything by its definition. A weight is off by 2^-11 of itself, as f16, and by 2^-15, as the
// exponent's operand is f32; its gradient by as much, and by the weight times the rounding of what is subtracted.
func attentionGradients(in [4][]float64, length, d int, scale float64) *gradients {
	const relative, least = 1.0/2048 + 1.0/32768, 1.0 / (1 << 25)
	q, k, v, grad := in[0], in[1], in[2], in[3]
	g := &gradients{dq: make([]float64, length*d), dk: make([]float64, length*d), dv: make([]float64, length*d)}
	errQ, errK, errV := make([]float64, length*d), make([]float64, length*d), make([]float64, length*d)
	dot := func(a, b []float64, i, j int) float64 {
		return product(d, func(p int) float64 { return a[i*d+p] }, func(p int) float64 { return b[j*d+p] })
	}
	for row := range length {
		weights, steps := make([]float64, length), make([]float64, length)
		sum, delta := 0.0, 0.0
		for key := range weights {
			weights[key] = math.Exp(dot(q, k, row, key) * scale)
			sum += weights[key]
		}
		for key := range weights {
			weights[key] /= sum
			steps[key] = dot(grad, v, row, key)
			delta += weights[key] * steps[key]
		}
		g.level, g.delta = append(g.level, float32(math.Log(sum))), append(g.delta, float32(delta))
		for key, p := range weights {
			s := p * (steps[key] - delta) * scale
			off := math.Abs(s)*relative + p*scale/4096 + least
			for e := range d {
				a, b := row*d+e, key*d+e
				g.dv[b] += p * grad[a]
				g.dk[b] += s * q[a]
				g.dq[a] += s * k[b]
				errV[b] += (p*relative + least) * math.Abs(grad[a])
				errK[b] += off * math.Abs(q[a])
				errQ[a] += off * math.Abs(k[b])
			}
		}
	}
	for i := range errQ {
		g.boundQ, g.boundK, g.boundV = max(g.boundQ, errQ[i]), max(g.boundK, errK[i]), max(g.boundV, errV[i])
	}
	return g
}

// TritonRMSNorm divides rows of halves by the root of the mean of their squares, and multiplies by a weight.
func TritonRMSNorm() *Run {
	const epsilon = float32(1e-5)
	m := matrix{rows: 4, columns: 389, stride: 400}
	x, weight := list(m.rows*m.stride, func(int) half { return 0 }), floats(90, m.columns)
	seed := random(89)
	for i := range x {
		x[i] = roundHalf(float64(4 * seed.unit()))
	}
	out := output("out", make([]float32, len(x)))
	copy(out.Want, out.Init) // the padding between rows stays
	for r := range m.rows {
		row, squares := x[r*m.stride:][:m.columns], 0.0
		for _, v := range row {
			squares += halfValue(v) * halfValue(v)
		}
		root := math.Sqrt(squares/float64(m.columns) + float64(epsilon))
		copy(out.Want[4*r*m.stride:], encode(list(m.columns, func(i int) float32 { return float32(halfValue(row[i]) / root * float64(weight[i])) })))
	}
	out.Tol = Tolerance{Rel: 1e-5, Abs: 1e-6, Why: "div.full, sums in f32"}
	bx, bw := input("x", x), input("weight", weight)
	return &Run{
		Buffers: []*Buffer{bx, bw, out},
		Launches: []Launch{{Kernel: "rmsnorm", Grid: line(m.rows), Block: line(128), Shared: 2048,
			Args: tritonArgs(bx, bw, out, int32(m.columns), int32(m.stride), epsilon)}},
	}
}
