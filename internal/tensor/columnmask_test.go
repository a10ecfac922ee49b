package tensor

import (
	"strings"
	"testing"
)

// columnMask is a descriptor by its fields (table 45).
func columnMask(start [4]uint8, first [4]uint8, skip, use, shift uint64) uint64 {
	d := 1<<39 | skip<<40 | use<<48 | shift<<56
	for i := range start {
		d |= uint64(start[i])<<(8*i) | uint64(first[i])<<(32+i)
	}
	return d
}

// TestColumnMask has the examples of the manual (9.7.16.4.3), column 0 last: 1 is a zero column.
func TestColumnMask(t *testing.T) {
	none := [4]uint8{}
	for _, c := range []struct {
		d     uint64
		m     int
		shift int
		want  []string // by part
	}{
		{columnMask(none, none, 4, 3, 0) &^ (1 << 39), 128, 0, []string{"0000000000000000"}},
		{columnMask(none, none, 2, 3, 0), 128, 0, []string{"11100001110000"}},
		{columnMask(none, [4]uint8{1, 0}, 2, 3, 0), 64, 0, []string{"11100001110000111", "000011100001110000"}},
		{columnMask([4]uint8{0, 1, 2, 1}, [4]uint8{1, 1, 0, 0}, 2, 3, 2), 32, 2, []string{"00001110000111", "0000111000011", "111000011100", "1110000111000"}},
	} {
		mask, err := DecodeColumnMask(c.d, c.m)
		if err != nil || mask.Shift != c.shift {
			t.Errorf("%#x: shift %d, %v", c.d, mask.Shift, err)
		}
		for part, want := range c.want {
			have := ""
			for column := range len(want) {
				have = map[bool]string{false: "0", true: "1"}[mask.Zero(part, column)] + have
			}
			if have != want {
				t.Errorf("%#x, part %d: %s, want %s", c.d, part, have, want)
			}
		}
	}
}

// TestColumnMaskRefusals: reserved bits, each alone, and the largest shifts.
func TestColumnMaskRefusals(t *testing.T) {
	right := columnMask([4]uint8{255, 255, 255, 255}, [4]uint8{1, 1, 1, 1}, 255, 255, 16)
	for i := range 64 {
		_, err := DecodeColumnMask(right^1<<i, 32)
		switch {
		case i >= 36 && i <= 38 || i >= 62:
			if err == nil || !strings.HasSuffix(err.Error(), "bits 36 to 38 and 62 to 63 are reserved, must be 0") {
				t.Errorf("bit %d: %v", i, err)
			}
		case i >= 56 && i != 60: // more than 16
			if err == nil || !strings.Contains(err.Error(), "bits 56 to 61 (column shift)") || !strings.HasSuffix(err.Error(), "with M = 32 at most 16") {
				t.Errorf("bit %d: %v", i, err)
			}
		case err != nil:
			t.Errorf("bit %d: %v", i, err)
		}
	}
	for shift := range uint64(64) {
		if _, err := DecodeColumnMask(columnMask([4]uint8{}, [4]uint8{}, 0, 0, shift), 64); (err == nil) != (shift <= 32) {
			t.Errorf("M = 64, shift %d: %v", shift, err)
		}
	}
}
