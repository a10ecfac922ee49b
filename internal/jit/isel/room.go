package isel

// Room is memory for many small things that are given up together. They stand in blocks, which are used again.
type Room[T any] struct {
	blocks [][]T
	next   int // which block is used next
	left   []T
}

// roomBlock is how many things a block has.
const roomBlock = 256

// Take is room for n things, which are zero.
func (r *Room[T]) Take(n int) []T {
	for n > len(r.left) {
		if r.next == len(r.blocks) {
			r.blocks = append(r.blocks, make([]T, max(roomBlock, n)))
		} else {
			clear(r.blocks[r.next])
		}
		r.left = r.blocks[r.next]
		r.next++
	}
	out := r.left[:n:n]
	r.left = r.left[n:]
	return out
}

// Reset gives up all that was taken.
func (r *Room[T]) Reset() { r.next, r.left = 0, nil }
