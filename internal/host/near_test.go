package host

import (
	"bytes"
	"fmt"
	"testing"
)

// TestCopyNear compares with copy where pieces end, and where one side is shorter.
func TestCopyNear(t *testing.T) {
	from := make([]byte, 3*nearStep+5)
	for i := range from {
		from[i] = byte(i * 7 >> 3)
	}
	for _, size := range []int{0, 1, nearStep - 1, nearStep, nearStep + 1, 2 * nearStep, len(from)} {
		for _, room := range []int{size, max(size-1, 0), size + 3} {
			got, want := make([]byte, room), make([]byte, room)
			if n, m := copyNear(got, from[:size]), copy(want, from[:size]); n != m || !bytes.Equal(got, want) {
				t.Errorf("%d bytes into %d: %d copied, want %d, the bytes equal: %t", size, room, n, m, bytes.Equal(got, want))
			}
		}
	}
}

// BenchmarkCopyRead writes a buffer and reads it again, as a kernel does; "copy" is how Go copies.
func BenchmarkCopyRead(b *testing.B) {
	ways := []struct {
		name string
		copy func(to, from []byte) int
	}{{"near", copyNear}, {"copy", func(to, from []byte) int { return copy(to, from) }}}
	for _, size := range []int{1 << 20, 4 << 20, 16 << 20, 64 << 20} {
		from, to := make([]byte, size), make([]byte, size)
		for _, way := range ways {
			b.Run(fmt.Sprintf("%s/%dMB", way.name, size>>20), func(b *testing.B) {
				b.SetBytes(int64(size))
				for b.Loop() {
					way.copy(to, from)
					readLines(to)
				}
			})
		}
	}
}

// readLines reads a byte of each cache line.
func readLines(mem []byte) (sum byte) {
	for i := 0; i < len(mem); i += 64 {
		sum += mem[i]
	}
	return sum
}
