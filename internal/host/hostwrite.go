package host

// This file writes device memory for the host. Helpers that are awake copy along, each the part of the bytes that its part
// of the clusters most often is about, so that this is in the caches of the processor that needs it: from those of the
// caller's it would come line by line while a launch runs, half as fast as from its own.

import "time"

// hostWrite is bytes to be copied.
type hostWrite struct{ to, from []byte }

func (w hostWrite) copy() { copyNear(w.to, w.from) }

// part is the k-th of n parts, which begin at pairs of cache lines if the memory does.
func (w hostWrite) part(k, n int) hostWrite {
	const line = 128
	at := func(k int) int {
		if k == n {
			return len(w.to)
		}
		return int(uint64(len(w.to))*uint64(k)/uint64(n)) / line * line
	}
	return hostWrite{w.to[at(k):at(k+1)], w.from[at(k):at(k+1)]}
}

// leastWrite is the bytes for each worker that are worth calling it.
const leastWrite = 64 << 10

// farWrite is the bytes that no cache holds until they are read: they are written past the caches.
const farWrite = 64 << 20

// Write copies into device memory as copy does.
func (d *Device) Write(to, from []byte) int {
	n := min(len(to), len(from))
	w := hostWrite{to[:n], from[:n]}
	if overlap(w.to, w.from) { // from device to device: not piece by piece
		copy(w.to, w.from)
	} else if n >= farWrite {
		copyFar(w.to, w.from)
	} else if n < 2*leastWrite {
		w.copy()
	} else if c := d.lend(); c == nil {
		w.copy()
	} else {
		c.write(w)
		d.dismiss(c)
	}
	return n
}

// Read copies out of device memory as copy does.
func (d *Device) Read(to, from []byte) int {
	if min(len(to), len(from)) >= farWrite {
		return copyFar(to, from)
	}
	return copy(to, from)
}

// lend returns the crew that would be hired next, nil if there is none.
func (d *Device) lend() *crew {
	if c := d.ready.Load(); c != nil && c != shut && d.ready.CompareAndSwap(c, nil) {
		return c
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.idle)
	if n == 0 || d.ready.Load() == shut {
		return nil
	}
	c := d.idle[n-1]
	d.idle = d.idle[:n-1]
	return c
}

// write copies with the helpers that are awake, and counts as a launch where it is to be known whether others follow.
func (c *crew) write(w hostWrite) {
	n := len(c.workers)
	if len(w.to) < n*leastWrite || n == 1 {
		w.copy()
		return
	}
	c.series.begin(time.Now())
	for i, h := range c.helpers {
		h.copies = h.callAwake(w.part(i+1, n))
	}
	w.part(0, n).copy()
	awake := awakeUntil(c.series.began)
	for i, h := range c.helpers {
		if !h.copies || !h.wait(awake) {
			w.part(i+1, n).copy()
		}
	}
	c.series.ended = time.Now()
}
