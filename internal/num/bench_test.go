// The hot lane loops: one call is one warp instruction of 32 lanes. To compare
// with the budget divide 32 by the time: 1 Glane-op/s is 32 ns.

package num

import (
	"math"
	"math/rand/v2"
	"testing"
)

// rows are three operand rows of ordinary f32 values and a result row.
type rows struct{ d, a, b, c [32]uint32 }

func benchRows() *rows {
	r := rand.New(rand.NewPCG(1, 2))
	x := new(rows)
	for i := range 32 {
		x.a[i] = math.Float32bits(r.Float32()*4 - 2)
		x.b[i] = math.Float32bits(r.Float32()*4 - 2)
		x.c[i] = math.Float32bits(r.Float32()*4 - 2)
	}
	return x
}

func BenchmarkAdd32(b *testing.B) {
	x := benchRows()
	for b.Loop() {
		for i := range x.d {
			x.d[i] = Add32(x.a[i], x.b[i])
		}
	}
}

func BenchmarkMadLo32(b *testing.B) {
	x := benchRows()
	for b.Loop() {
		for i := range x.d {
			x.d[i] = MadLo32(x.a[i], x.b[i], x.c[i])
		}
	}
}

func BenchmarkAddF32(b *testing.B) {
	x := benchRows()
	for b.Loop() {
		for i := range x.d {
			x.d[i] = AddF32(x.a[i], x.b[i])
		}
	}
}

func BenchmarkMaxF32(b *testing.B) {
	x := benchRows()
	for b.Loop() {
		for i := range x.d {
			x.d[i] = MaxF32(x.a[i], x.b[i])
		}
	}
}

func BenchmarkFmaF32(b *testing.B) {
	x := benchRows()
	for b.Loop() {
		for i := range x.d {
			x.d[i] = FmaF32(x.a[i], x.b[i], x.c[i])
		}
	}
}

func BenchmarkFmaFtzF32(b *testing.B) {
	x := benchRows()
	for b.Loop() {
		for i := range x.d {
			x.d[i] = FmaFtzF32(x.a[i], x.b[i], x.c[i])
		}
	}
}

func BenchmarkFmaRZF32(b *testing.B) {
	x := benchRows()
	for b.Loop() {
		for i := range x.d {
			x.d[i] = FmaModeF32(x.a[i], x.b[i], x.c[i], RZ, false)
		}
	}
}

func BenchmarkDivF32(b *testing.B) {
	x := benchRows()
	for b.Loop() {
		for i := range x.d {
			x.d[i] = DivF32(x.a[i], x.b[i])
		}
	}
}

func BenchmarkFmaRZF64(b *testing.B) {
	v := [32]uint64{}
	for i := range v {
		v[i] = math.Float64bits(1.1 + float64(i))
	}
	for b.Loop() {
		for i := range v {
			v[i] = FmaModeF64(v[i], v[31-i], oneF64, RZ)&^(1<<62) | oneF64
		}
	}
}

func BenchmarkEx2ApproxFtzF32(b *testing.B) {
	x := benchRows()
	for b.Loop() {
		for i := range x.d {
			x.d[i] = Ex2ApproxFtzF32(x.a[i])
		}
	}
}

func BenchmarkSinApproxF32(b *testing.B) {
	x := benchRows()
	for b.Loop() {
		for i := range x.d {
			x.d[i] = SinApproxF32(x.a[i])
		}
	}
}

func BenchmarkTanhApproxF32(b *testing.B) {
	x := benchRows()
	for b.Loop() {
		for i := range x.d {
			x.d[i] = TanhApproxF32(x.a[i])
		}
	}
}

func BenchmarkFmaF16x2(b *testing.B) {
	x := benchRows()
	for b.Loop() {
		for i := range x.d {
			x.d[i] = FmaF16x2(x.a[i]&0x3fff3fff, x.b[i]&0x3fff3fff, x.c[i]&0x3fff3fff)
		}
	}
}

func BenchmarkFmaBF16x2(b *testing.B) {
	x := benchRows()
	for b.Loop() {
		for i := range x.d {
			x.d[i] = FmaBF16x2(x.a[i], x.b[i], x.c[i])
		}
	}
}

func BenchmarkCvtRziS32F32(b *testing.B) {
	x := benchRows()
	for b.Loop() {
		for i := range x.d {
			x.d[i] = CvtRziS32F32(x.a[i])
		}
	}
}

func BenchmarkCvtRniS32F32(b *testing.B) {
	x := benchRows()
	for b.Loop() {
		for i := range x.d {
			x.d[i] = CvtRniS32F32(x.a[i])
		}
	}
}

func BenchmarkLop3(b *testing.B) {
	x := benchRows()
	for b.Loop() {
		for i := range x.d {
			x.d[i] = Lop3(x.a[i], x.b[i], x.c[i], 0x1a)
		}
	}
}
