package sem

import "testing"

// TestFromKernel: an address below 2^32 gets the upper half of the parameters' address, any other one is whole.
func TestFromKernel(t *testing.T) {
	const params = 0x7fff_1234_5678_0000
	for _, c := range []struct{ a, want uint64 }{
		{0, 0x7fff_1234_0000_0000}, {0x5678_0010, 0x7fff_1234_5678_0010}, {0xffff_ffff, 0x7fff_1234_ffff_ffff},
		{1 << 32, 1 << 32}, {1<<32 | 5, 1<<32 | 5}, {params + 8, params + 8},
	} {
		if got := fromKernel(c.a, params); got != c.want {
			t.Errorf("fromKernel(%#x) = %#x, want %#x", c.a, got, c.want)
		}
	}
}
