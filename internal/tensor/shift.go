package tensor

// Shift is the shape of tcgen05.shift (9.7.16.9.3), .31x256b: 31 rows of 32 bytes move.
const (
	ShiftGroup   = 32
	ShiftColumns = 8
)

// ShiftSource returns the lane, relative to a group of n, whose old contents lane i of the
// group holds after a shift; i itself if it keeps its own. down is the reading in which rows
// move to higher lanes; otherwise each lane gets the row of the next one.
func ShiftSource(i, n int, down bool) int {
	switch {
	case down && i > 0:
		return i - 1
	case !down && i < n-1:
		return i + 1
	}
	return i
}
