package host

import (
	"bytes"
	"fmt"
	"testing"
)

// TestCopyFar compares with copy: where pieces end, at every alignment, where one side is shorter, and where the sides overlap.
func TestCopyFar(t *testing.T) {
	const piece = 16 << 10
	pattern := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i*7>>3 ^ i>>11)
		}
		return b
	}
	from := pattern(68*piece + 200)
	for _, size := range []int{0, 1, piece, 2*piece - 1, 2 * piece, 2*piece + 33, 3*piece - 1, 64 * piece, 66*piece + 77} {
		for _, off := range []int{0, 1, 16, 31, 32, 63} {
			for _, room := range []int{size, max(size-1, 0), size + 3} {
				got, want := make([]byte, room+off), make([]byte, room+off)
				if n, m := copyFar(got[off:], from[off+5:off+5+size]), copy(want[off:], from[off+5:off+5+size]); n != m || !bytes.Equal(got, want) {
					t.Fatalf("%d bytes into %d at %d: %d copied, want %d, the bytes equal: %t", size, room, off, n, m, bytes.Equal(got, want))
				}
			}
		}
	}
	for name, way := range map[string]func(to, from []byte) int{"far": copyFar, "write": new(Device).Write} {
		for _, by := range []int{-4096, -1, 0, 1, 40, 4096} {
			got, want := pattern(66*piece), pattern(66*piece)
			const n = 64 * piece
			way(got[piece+by:piece+by+n], got[piece:piece+n])
			if copy(want[piece+by:], want[piece:piece+n]); !bytes.Equal(got, want) {
				t.Errorf("%s: a copy %d bytes behind itself", name, by)
			}
		}
	}
}

// BenchmarkCopyFar copies what no cache holds.
func BenchmarkCopyFar(b *testing.B) {
	const size = 256 << 20
	from, to := make([]byte, size), make([]byte, size)
	for i := range from {
		from[i], to[i] = 1, 2
	}
	for name, way := range map[string]func(to, from []byte) int{"far": copyFar, "copy": func(to, from []byte) int { return copy(to, from) }} {
		b.Run(fmt.Sprint(name), func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				way(to, from)
			}
		})
	}
}
