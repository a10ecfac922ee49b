package isa

// This file finds the known spelling that a user most likely meant.

import "strings"

// Nearest returns the name with the least edit distance to s, "" if none is close: at most a
// third of the letters differ. Equal distances go to the alphabetically first.
func Nearest(s string, names []string) string {
	limit := max(1, len(s)/3)
	best, bestAt := "", limit+1
	for _, name := range names {
		if d := distance(s, name, bestAt); d < bestAt || d == bestAt && d <= limit && name < best {
			best, bestAt = name, d
		}
	}
	return best
}

// NearestFold is Nearest for names of files, flags and kernels: a name that differs in case alone is the nearest.
func NearestFold(word string, names []string) string {
	for _, name := range names {
		if strings.EqualFold(word, name) {
			return name
		}
	}
	return Nearest(word, names)
}

// Misspelled reports whether s can hardly be anything but a slip of the pen for name: one letter
// is wrong, missing, too many or exchanged with the next one, in a word that is long enough
// and no digit of which changes. (.L3 may mean .L1 or .L2, and .nand is no slip for .and.)
func Misspelled(s, name string) bool {
	digits := func(r rune) rune {
		if '0' <= r && r <= '9' {
			return r
		}
		return -1
	}
	letters := len(strings.TrimPrefix(name, "."))
	return letters >= minSlip && distance(s, name, 1) == 1 && strings.Map(digits, s) == strings.Map(digits, name)
}

// minSlip is the shortest word, without its point, in which one letter says little.
const minSlip = 4

// maxSpelling bounds the names that are compared, since the distance costs their product.
const maxSpelling = 64

// distance counts the letters to insert, delete, change, or swap with the next one; it gives
// up above limit.
func distance(a, b string, limit int) int {
	if n := len(a) - len(b); n > limit || -n > limit || len(a) > maxSpelling || len(b) > maxSpelling {
		return limit + 1
	}
	var rows [3][maxSpelling + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
