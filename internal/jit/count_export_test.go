package jit

import (
	"strconv"
	"strings"
)

// Times is how often a part has been entered whose title begins so.
func (n *Counted) Times(title string) (times uint64) {
	_, rest, found := strings.Cut(n.Listing, "# "+title)
	for ; found; _, rest, found = strings.Cut(rest, "# "+title) {
		_, at, _ := strings.Cut(rest, "# counted ")
		at, _, _ = strings.Cut(at, "\n")
		i, _ := strconv.Atoi(at)
		times += n.Counts[i]
	}
	return times
}
