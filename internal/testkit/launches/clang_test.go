package launches_test

import (
	"context"
	"hash/crc32"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ptxvm.invalid/ptxvm"
)

// clangKernel loads testdata/clang/NAME.ptx, what clang made of freestanding C, and its kernel.
func clangKernel(t *testing.T, name, kernel string) (*ptxvm.Device, *ptxvm.Kernel) {
	t.Helper()
	path := filepath.Join("testdata", "clang", name+".ptx")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptxvm.Compile(path, src, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: m.Target(), Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel(kernel)
	if err != nil {
		t.Fatal(err)
	}
	return d, k
}

// numbers are n values of f(0), f(1), …
func numbers[T any](n int, f func(i int) T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = f(i)
	}
	return all
}

// launched runs a kernel over grid and block and compares what it wrote to out.
func launched[T ptxvm.Scalar](t *testing.T, k *ptxvm.Kernel, grid, block ptxvm.Dim3, out ptxvm.Buffer, want []T, args ...any) {
	t.Helper()
	if _, err := k.Launch(context.Background(), ptxvm.Launch{Grid: grid, Block: block}, args...); err != nil {
		t.Fatal(err)
	}
	have := make([]T, len(want))
	if err := ptxvm.Download(out, have); err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if have[i] != want[i] {
			t.Fatalf("element %d is %v, want %v", i, have[i], want[i])
		}
	}
}

func upload[T ptxvm.Scalar](t *testing.T, d *ptxvm.Device, values []T) ptxvm.Buffer {
	t.Helper()
	b, err := ptxvm.Upload(d, values)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestClangGcd compares with math/big.
func TestClangGcd(t *testing.T) {
	d, k := clangKernel(t, "gcd", "gcds")
	const n = 200
	a := numbers(n, func(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 })
	b := numbers(n, func(i int) uint64 { return uint64(i*i) << (i % 40) })
	want := numbers(n, func(i int) uint64 {
		return new(big.Int).GCD(nil, nil, new(big.Int).SetUint64(a[i]), new(big.Int).SetUint64(b[i])).Uint64()
	})
	out := upload(t, d, make([]uint64, n))
	launched(t, k, ptxvm.Dim3{X: 4}, ptxvm.Dim3{X: 64}, out, want, upload(t, d, a), upload(t, d, b), out, int32(n))
}

// TestClangDot adds whole numbers, so that every order of additions has the same sum.
func TestClangDot(t *testing.T) {
	d, k := clangKernel(t, "dot", "dot")
	const n = 1000
	a := numbers(n, func(i int) float32 { return float32(i%17 - 8) })
	b := numbers(n, func(i int) float32 { return float32(i % 23) })
	sum := 0
	for i := range n {
		sum += (i%17 - 8) * (i % 23)
	}
	out := upload(t, d, []float32{0})
	launched(t, k, ptxvm.Dim3{X: 8}, ptxvm.Dim3{X: 128}, out, []float32{float32(sum)}, upload(t, d, a), upload(t, d, b), out, int32(n))
}

// TestClangTranspose has tiles that stick out.
func TestClangTranspose(t *testing.T) {
	d, k := clangKernel(t, "transpose", "transpose")
	const n = 41
	in := numbers(n*n, func(i int) uint16 { return uint16(i) })
	want := numbers(n*n, func(i int) uint16 { return uint16(i%n*n + i/n) })
	out := upload(t, d, make([]uint16, n*n))
	launched(t, k, ptxvm.Dim3{X: 3, Y: 3}, ptxvm.Dim3{X: 16, Y: 16}, out, want, upload(t, d, in), out, int32(n))
}

// TestClangCRC compares with hash/crc32.
func TestClangCRC(t *testing.T) {
	d, k := clangKernel(t, "crc32", "crc32")
	const count, length = 70, 33
	lines := numbers(count*length, func(i int) uint8 { return uint8(i * i >> 3) })
	want := slices.Collect(func(yield func(uint32) bool) {
		for line := range slices.Chunk(lines, length) {
			yield(crc32.ChecksumIEEE(line))
		}
	})
	out := upload(t, d, make([]uint32, count))
	launched(t, k, ptxvm.Dim3{X: 3}, ptxvm.Dim3{X: 32}, out, want, upload(t, d, lines), out, int32(count), int32(length))
}

// TestClangHeat passes a struct with addresses by value and compares with one rounding a step of clang's order.
func TestClangHeat(t *testing.T) {
	d, k := clangKernel(t, "heat", "heat")
	const cells, rate = 100, 0.3
	from := numbers(cells, func(i int) float64 { return float64(i*i%13) / 7 })
	want := slices.Clone(from)
	for i := 1; i < cells-1; i++ {
		// -2·x is exact, so left - 2·here rounds once, whether it is fused or not.
		want[i] = math.FMA(rate, float64(from[i-1]-2*from[i])+from[i+1], from[i])
	}
	out := upload(t, d, make([]float64, cells))
	type rod struct {
		From, To ptxvm.Buffer
		Cells    int32
		Rate     float64
	}
	launched(t, k, ptxvm.Dim3{X: 2}, ptxvm.Dim3{X: 64}, out, want, rod{upload(t, d, from), out, cells, rate})
}
