package host

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
	piece   = tiny                  // of a part is worth taking: each taking costs, and a brief launch gains most in one
	longest = 16 * time.Millisecond // of launches that one worker is to do now and then, to compare
)

// After often launches in the better way the other one is tried, and after twice as many each time that it was not
// better, up to seldom: what was slow because others had a processor is soon tried again, and what gains nothing costs
// next to nothing.
const often, seldom = 4, 128

// pace is what launches of a function take.
type pace struct {
	alone, shared recent
	shares        bool   // is the better way
	turns         uint32 // launches since the other one was tried, that were not brief
	every         uint32 // of them it is tried
	late          uint32 // the last launches that were to be of one worker, and others had to help
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
	share := one == 0 || all == 0 || all < one-one/16
	if p.differs(share, expected) {
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

// differs reports whether a launch is to be done in the other way than what was better, to see whether that is still so:
// one alone, or as many shared as end while the other workers wake, and three more.
func (p *pace) differs(share bool, expected time.Duration) bool {
	if share != p.shares || p.every == 0 {
		p.shares, p.turns, p.every = share, 0, often
	}
	if share && expected > longest {
		return false
	}
	tries := uint32(1)
	if !share {
		tries = 3 + uint32(2*brief/expected)
	}
	p.turns++
	trying := p.turns > p.every
	if p.turns == p.every+tries {
		p.tried()
	}
	return trying
}

// tried ends the tries; they come half as often.
func (p *pace) tried() { p.turns, p.every = 0, min(2*p.every, seldom) }

// hopeless reports whether one of several launches that were shared to see what they take has lost more than others lose that
// wake; the first one may lose anything as others have the processors.
func (p *pace) hopeless(took time.Duration, clusters uint64) bool {
	one := p.alone.of(clusters)
	return p.turns > p.every+1 && took > one+max(2*brief, one/4)
}

// mostLate is how many launches one after the other may take one worker longer than was thought, as it had no processor
// for a while, before nothing is known of one worker.
const mostLate = 3

// learn notes what a launch has taken, and whether others have helped.
func (p *pace) learn(took time.Duration, clusters uint64, helped bool, planned plan) {
	if helped && planned.workers == 1 {
		if p.late++; p.late == mostLate {
			p.alone, p.every = recent{}, 0
			p.shared.add(took, clusters)
		}
		return
	}
	if p.late = 0; !helped {
		p.alone.add(took, clusters)
		return
	}
	if p.shared.add(took, clusters); p.hopeless(took, clusters) {
		p.tried()
	}
}

// series is what a crew knows about what follows each other: launches, and what the host writes with helpers in between.
type series struct {
	began, ended time.Time        // the last one
	took         time.Duration    // by the last launch
	lookout      time.Duration    // within which the next one has to begin
	number       int              // that have come closely one after the other
	gaps         [4]time.Duration // before the last ones, in turn
	events       uint
}

// A launch follows another one closely that begins within leastLookout and an eighth of what that has taken, at most
// within mostLookout: what a helper wastes that looks out for it is little beside what has been computed. Where launches
// usually come within what such a launch takes, the next one is expected half as much later again, at most within
// longLookout: a helper that is asleep when it comes would begin 40 µs late, or more, and its caller, who has to wake it, too.
const leastLookout, mostLookout, longLookout = 50 * time.Microsecond, 300 * time.Microsecond, time.Millisecond

// awakeAfter is how many launches have to follow each other before brief ones are shared.
const awakeAfter = 64

// begin counts a launch or a write.
func (s *series) begin(now time.Time) {
	gap := now.Sub(s.ended)
	if s.number++; s.lookout == 0 || gap > s.lookout {
		s.number = 0
	}
	s.gaps[s.events%uint(len(s.gaps))] = gap
	s.events++
	s.began = now
	s.look()
}

// look finds within what time the next launch is expected.
func (s *series) look() {
	s.lookout = min(leastLookout+s.took/8, mostLookout)
	if gap := s.usual(); gap <= leastLookout+s.took {
		s.lookout = max(s.lookout, min(gap+gap/2, longLookout))
	}
}

// usual is the second longest of the last gaps: one break among many is none.
func (s *series) usual() time.Duration {
	gaps := s.gaps
	slices.Sort(gaps[:])
	return gaps[len(gaps)-2]
}

// expects reports whether another launch is to follow the one that begins: it has followed one itself, or most have.
func (s *series) expects() bool {
	return s.number > 0 || s.events > uint(len(s.gaps)) && s.usual() <= s.lookout
}

// end returns what the launch has taken.
func (s *series) end(now time.Time) time.Duration {
	s.ended, s.took = now, now.Sub(s.began)
	s.look()
	return s.took
}
