package tensor

import "testing"

var modes = []Swizzle{NoSwizzle, Swizzle128Atom32, Swizzle128, Swizzle64, Swizzle32}

// TestSwizzleByHand: 0x390 is bits 9, 8, 7 = 1 1 1 (0x380) and 0x10.
func TestSwizzleByHand(t *testing.T) {
	for _, c := range []struct {
		mode       Swizzle
		addr, base uint32
		want       uint32
	}{
		{NoSwizzle, 0x390, 0, 0x390},
		{Swizzle128, 0x390, 0, 0x3e0},       // 0x10 ^ 7<<4 = 0x60
		{Swizzle64, 0x390, 0, 0x3a0},        // 0x10 ^ 3<<4 = 0x20
		{Swizzle32, 0x390, 0, 0x380},        // 0x10 ^ 1<<4 = 0
		{Swizzle128Atom32, 0x390, 0, 0x3f0}, // 0x10 ^ 3<<5 = 0x70
		// A pattern that starts at 0x80: its second line is at 0x100 and counts as line 1.
		{Swizzle128, 0x100, 1, 0x110},
		{Swizzle64, 0x080, 1, 0x080},  // line 0 of the pattern stays
		{Swizzle128, 0x000, 1, 0x070}, // line −1 counts as 7
	} {
		if got := c.mode.Apply(c.addr, c.base); got != c.want {
			t.Errorf("swizzle %s of %#x, base %d: %#x, want %#x", c.mode, c.addr, c.base, got, c.want)
		}
	}
}

// TestSwizzlePermutes: every mode, at every base offset, permutes the units of each line of 128
// bytes, keeps the bytes of a unit together and repeats after its period. With base 0 it is
// its own inverse.
func TestSwizzlePermutes(t *testing.T) {
	for _, m := range modes {
		for base := range uint32(8) {
			seen := map[uint32]bool{}
			for a := range uint32(4096) {
				b := m.Apply(a, base)
				switch {
				case seen[b]:
					t.Fatalf("%s, base %d: %#x is hit twice", m, base, b)
				case a>>7 != b>>7 || a&15 != b&15:
					t.Fatalf("%s, base %d: %#x moves to %#x, out of its line or unit", m, base, a, b)
				case m.Apply(b, base) != a:
					t.Fatalf("%s, base %d: %#x does not come back", m, base, a)
				case m.Apply(a+m.Period(), base) != b+m.Period():
					t.Fatalf("%s, base %d: no period of %d at %#x", m, base, m.Period(), a)
				}
				seen[b] = true
			}
		}
	}
}

// TestSwizzleSlow compares with the tables of 5.5.7: in line r of a pattern unit u (of 16 or
// 32 bytes) is stored where unit u XOR r is without it.
func TestSwizzleSlow(t *testing.T) {
	slow := func(m Swizzle, a uint32) uint32 {
		line, unit, in := a/128, a/16%8, a%16
		switch m {
		case Swizzle128:
			unit ^= line % 8
		case Swizzle64:
			unit = unit&4 | unit&3 ^ line%4
		case Swizzle32:
			unit = unit&6 | unit&1 ^ line%2
		case Swizzle128Atom32:
			atom := unit/2 ^ line%4
			unit = atom*2 + unit%2
		}
		return line*128 + unit*16 + in
	}
	for _, m := range modes {
		for a := range uint32(8192) {
			if got, want := m.Apply(a, 0), slow(m, a); got != want {
				t.Fatalf("%s of %#x: %#x, want %#x", m, a, got, want)
			}
		}
	}
}
