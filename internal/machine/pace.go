package machine

// This file decides by what launches of a function have taken whether the next one is shared by workers. Most gain;
// a brief one is over before another worker is awake, and CTAs that hand each other results one by one, as those of a
// scan in one pass do, may take two workers longer than one, as the lines of memory go back and forth.

import (
	"slices"
	"time"
)

const (
	brief   = 80 * time.Microsecond // a launch that would take one worker so long is not shared
	tiny    = 4 * time.Microsecond  // nor is this, even if the others are awake
	relief  = 40 * time.Microsecond // after so long a worker that was to be alone is not any more
	piece   = time.Microsecond      // of a part is worth taking
	longest = 16 * time.Millisecond // of launches that are done in the other way now and then, to compare
)

// pace is what launches of a function take.
type pace struct {
	alone, shared recent
	turns         uint32 // launches that were not brief
}

// recent are the last times of a cluster, in 1/1024 ns, 0 where there was none; the least of them counts.
type recent [3]uint64

func (r *recent) add(took time.Duration, clusters uint64) {
	r[2], r[1], r[0] = r[1], r[0], max(uint64(took)<<10/clusters, 1)
}

// of is what so many clusters take, 0 if that is not known.
func (r *recent) of(clusters uint64) time.Duration {
	least := uint64(0)
	for _, t := range r {
		if least == 0 || t != 0 && t < least {
			least = t
		}
	}
	return time.Duration(least * clusters >> 10)
}

// plan is how a launch begins.
type plan struct {
	workers int
	relief  time.Duration // after which a worker that begins alone gets help
}

// plan decides for a launch on at most n workers; awake tells whether they are, or soon will be for the launches to come.
func (p *pace) plan(clusters uint64, n int, awake bool) plan {
	one, all := p.alone.of(clusters), p.shared.of(clusters)
	expected := p.expected(clusters, n)
	least := brief
	if awake {
		least = tiny
	}
	switch {
	case expected == 0:
		return plan{workers: n}
	case expected <= least:
		return plan{1, relief}
	}
	p.turns++
	share := one == 0 || all == 0 || all < one-one/16
	if expected <= longest && p.differs(share, expected) {
		share = !share
	}
	if !share {
		return plan{1, 2*expected + relief}
	}
	return plan{workers: min(n, 1+int(expected/tiny))}
}

// expected is what one worker is thought to take, 0 if nothing is known; n have shared what was shared.
func (p *pace) expected(clusters uint64, n int) time.Duration {
	if one := p.alone.of(clusters); one != 0 {
		return one
	}
	return time.Duration(n) * p.shared.of(clusters)
}

// piece is how many clusters are worth taking.
func (p *pace) piece(clusters uint64, n int) uint64 {
	if expected := p.expected(clusters, n); expected > 0 {
		return uint64(float64(piece) / float64(expected) * float64(clusters))
	}
	return 1
}

// differs tells whether a launch is to be done in the other way than what was better, to see whether that is still so:
// one alone, or as many shared as end while the other workers wake, and three more.
func (p *pace) differs(share bool, expected time.Duration) bool {
	if share {
		return p.turns%128 == 8
	}
	return p.turns%128 < 3+uint32(2*brief/expected)
}

// learn notes what a launch has taken.
func (p *pace) learn(took time.Duration, clusters uint64, shared bool, planned plan) {
	if !shared {
		p.alone.add(took, clusters)
		return
	}
	p.shared.add(took, clusters)
	if planned.workers == 1 { // it takes one worker longer than was thought
		p.alone = recent{}
	}
}

// series is what a crew knows about launches that follow each other.
type series struct {
	began, ended time.Time        // the last one
	lookout      time.Duration    // within which the next one has to begin
	number       int              // that have come closely one after the other
	gaps         [3]time.Duration // before the last launches, in turn
	launches     uint
}

// A launch follows another one closely that begins within leastLookout and an eighth of what that has taken, at most
// within mostLookout: what a helper wastes that looks out for it is little beside what has been computed. Where the last
// ones have all come within what such a launch takes, the next one is expected half as much later again, at most within
// longLookout: a helper that is asleep when it comes would begin 40 µs late, or more.
const leastLookout, mostLookout, longLookout = 50 * time.Microsecond, 300 * time.Microsecond, time.Millisecond

// awakeAfter is how many launches have to follow each other before brief ones are shared.
const awakeAfter = 64

// begin counts a launch.
func (s *series) begin(now time.Time) {
	gap := now.Sub(s.ended)
	if s.number++; s.lookout == 0 || gap > s.lookout {
		s.number = 0
	}
	s.gaps[s.launches%uint(len(s.gaps))] = gap
	s.launches++
	s.began = now
}

// end returns what the launch has taken.
func (s *series) end(now time.Time) (took time.Duration) {
	s.ended, took = now, now.Sub(s.began)
	s.lookout = min(leastLookout+took/8, mostLookout)
	if gap := slices.Max(s.gaps[:]); gap <= leastLookout+took {
		s.lookout = max(s.lookout, min(gap+gap/2, longLookout))
	}
	return took
}
