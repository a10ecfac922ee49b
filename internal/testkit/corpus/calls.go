// This file has the indirect calls: a table of functions, virtual functions of objects on the device heap.

package corpus

var operations = [...]func(a, b uint32) uint32{
	func(a, b uint32) uint32 { return a + b },
	func(a, b uint32) uint32 { return a - b },
	func(a, b uint32) uint32 { return a * b },
	func(a, b uint32) uint32 {
		if b == 0 {
			return a
		}
		return a % b
	},
	func(a, b uint32) uint32 {
		for b != 0 {
			a, b = b, a%b
		}
		return a
	},
}

// FunctionTable calls one of five functions in every lane.
func FunctionTable() *Run {
	const n = 333
	seed := random(28)
	code := list(n, func(int) uint8 { return uint8(seed.below(len(operations))) })
	a := words(29, n)
	b := list(n, func(int) uint32 { return uint32(seed.below(1000)) >> seed.below(12) }) // zeros too
	out := output("out", list(n, func(i int) uint32 { return operations[code[i]](a[i], b[i]) }))
	in := []*Buffer{input("code", code), input("a", a), input("b", b)}
	return &Run{
		Buffers: append(in, out),
		Launches: []Launch{{Kernel: "applyOps", Grid: line(blocks(n, 64)), Block: line(64),
			Args: args(in[0], in[1], in[2], out, int32(n))}},
	}
}

// Virtual makes, measures and deletes objects of four classes, in three launches.
func Virtual() *Run {
	const n = 100
	measures := make([]int32, 0, 2*n)
	for i := range int32(n) {
		area, corners := shape(i)
		measures = append(measures, area, corners)
	}
	shapes := inout("shapes", make([]uint64, n), make([]uint64, n))
	destroyed := inout("destroyed", []int32{0}, []int32{n / 4}) // only triangles count
	out := output("out", measures)
	grid, block := line(2), line(64)
	return &Run{
		Buffers: []*Buffer{shapes, destroyed, out},
		Launches: []Launch{
			{Kernel: "makeShapes", Grid: grid, Block: block, Args: args(shapes, int32(n), destroyed)},
			{Kernel: "measureShapes", Grid: grid, Block: block, Args: args(shapes, int32(n), out)},
			{Kernel: "deleteShapes", Grid: grid, Block: block, Args: args(shapes, int32(n))},
		},
	}
}

// shape returns area and corners of object i: rectangle, square, disc, triangle by turns.
func shape(i int32) (area, corners int32) {
	switch i % 4 {
	case 0:
		return i * (i + 1), 4
	case 1:
		return i * i, 4
	case 2:
		return i * i * 355 / 113, 0
	}
	return i * (i + 3) / 2, 3
}
