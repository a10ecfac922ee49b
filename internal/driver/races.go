package driver

// This file says which work is behind which, for races between streams (SanitizeRace). What a call waits for because it is not over
// yet, it comes behind if it is over by chance, too.

import (
	"fmt"
	"slices"

	"ptxvm.invalid/ptxvm/internal/san/race"
	"ptxvm.invalid/ptxvm/internal/san/streams"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// keptShare is the part of a device's memory, one in so many bytes, that may be kept of what kernels that are over have touched.
const keptShare = 4

// racesOf is what looks for races between streams; nil if they are not wanted.
func racesOf(on *vm.Device, set vm.Sanitize) *streams.Order {
	if set&vm.SanitizeRace == 0 {
		return nil
	}
	_, limit := on.Memory()
	return streams.New(int64(limit / keptShare))
}

// pastOf is what is over behind items.
func pastOf(items []*item) (list []streams.Past) {
	for _, it := range items {
		list = append(list, it.at.Past())
	}
	return list
}

// legacyPast is what legacyOrder lets work of the stream wait for, whether it is over or not.
func (s *stream) legacyPast() (list []streams.Past) {
	switch {
	case s.dev.d.races == nil || !s.blocking:
		return nil
	case s != s.dev.legacy:
		return []streams.Past{s.dev.legacy.past()}
	}
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	for other := range s.dev.streams {
		if other != s && other.blocking {
			list = append(list, other.past())
		}
	}
	return append(list, s.dev.left)
}

// past is what is over behind all work of the stream.
func (s *stream) past() streams.Past {
	if it := s.tail(); it != nil {
		return it.at.Past()
	}
	return nil
}

// leave keeps what a blocking stream that ends has done for the default stream, which comes behind it.
func (s *stream) leave() {
	if s.dev.d.races != nil && s.blocking {
		s.dev.left = s.dev.left.With(s.past())
	}
	s.order.Close()
}

// known tells that the host has seen that an item is over.
func (d *Driver) known(it *item) {
	if it != nil && d.races != nil {
		d.races.Learn(it.at.Past())
	}
}

// ranges are the rows of a box.
func (p side) ranges(b Box, writes bool) (list []race.Range) {
	if !p.device {
		return nil
	}
	for z := range b.Depth {
		for y := range b.Height {
			at := p.row(y, z)
			if n := len(list); n != 0 && list[n-1].To == at {
				list[n-1].To += b.Width
				continue
			}
			list = append(list, race.Range{From: at, To: at + b.Width, Writes: writes})
		}
	}
	return list
}

// copied ends the place of a copy or fill, and reports what others did to the same bytes.
func (dev *device) copied(at *streams.Work, sides ...[]race.Range) {
	if at == nil {
		return
	}
	for _, c := range at.End(race.Copied(slices.Concat(sides...)...), dev.number) {
		owner, ok := c.Earlier.Owner.(interface{ Blame(streams.Conflict) error })
		if !ok {
			dev.d.copiesMeet(c)
			continue
		}
		if err := owner.Blame(c); err != nil {
			dev.d.fail(err, "")
		}
	}
}

// copiesMeet reports two copies.
func (d *Driver) copiesMeet(c streams.Conflict) {
	text := fmt.Sprintf("P8002: race: two copies or fills of different streams touch the bytes from %#x to %#x (%v), with nothing to order the two", c.From, c.To, c.Hazard)
	d.found.Add(1)
	d.say(text)
	d.reports.write(Success, text, nil)
}
