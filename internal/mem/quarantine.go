package mem

// This file keeps the room of ended allocations from being given out again for a while.

// quarantine is ended allocations, the oldest first.
type quarantine struct {
	most, bytes uint64
	spans       spans
	order       []span
}

// hold puts an allocation that ends into quarantine, if there is one, and lets the oldest go where there are too many bytes.
func (s *Space) hold(v span) {
	q := &s.held
	if q.most == 0 || v.info.Internal {
		s.reclaim(v)
		return
	}
	q.spans.insert(v)
	q.order = append(q.order, v)
	q.bytes += v.end - v.start
	s.release(q.most)
}

// release gives the oldest allocations' room back until so many bytes are left.
func (s *Space) release(most uint64) {
	q := &s.held
	for q.bytes > most {
		v := q.order[0]
		q.order = q.order[1:]
		q.spans.remove(v.start)
		q.bytes -= v.end - v.start
		s.reclaim(v)
	}
}
