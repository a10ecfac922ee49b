package mem

// This file puts memory back where another process had it outside of the arena: the host's memory that its kernels used (Adopt).

import (
	"errors"
	"fmt"
)

// Range is Size bytes of addresses from Start on.
type Range struct{ Start, Size uint64 }

// ErrForeign is wrapped by errors about memory outside of the arena that cannot be put back.
var ErrForeign = errors.New("memory of another process's host cannot be put back")

// foreignMost is the end of what a program's memory may be mapped below, with or without the arena's own.
const foreignMost = 1<<47 - 1<<30

// foreignLeast is the least host address at which it may be mapped.
const foreignLeast = 1 << 20

// pagesOf are the whole pages that ranges, which are in the order of their starts, lie in: those that touch as one.
func pagesOf(list []Range) (pages []Range) {
	for _, r := range list {
		start, end := r.Start&^(hostPage-1), (r.Start+r.Size+hostPage-1)&^(hostPage-1)
		if n := len(pages); n != 0 && pages[n-1].Start+pages[n-1].Size >= start {
			last := &pages[n-1]
			last.Size = max(last.Start+last.Size, end) - last.Start
			continue
		}
		pages = append(pages, Range{start, end - start})
	}
	return pages
}

// fits reports whether pages can be mapped so far from where they were; the sum wraps.
func fits(pages []Range, shift uint64) bool {
	for _, p := range pages {
		if at := p.Start + shift; at < foreignLeast || at > foreignMost || p.Size > foreignMost-at {
			return false
		}
	}
	return true
}

// reserveBeside reserves room for an arena whose device addresses begin at base, at a place from which the ranges can be mapped as far as
// they are from base: a device address and its host address differ by the same number everywhere.
func reserveBeside(room, base uint64, list []Range) (memory reserved, mapped []reserved, err error) {
	pages := pagesOf(list)
	err = errors.New("no place has room for all of it")
	for first := hostLeast; first < foreignMost-room; first += HostStep {
		if !fits(pages, first-base) {
			continue
		}
		if memory, mapped, err = reserveAll(first, room, pages, first-base); err == nil {
			return memory, mapped, nil
		}
	}
	return reserved{}, nil, fmt.Errorf("%w: %w", ErrForeign, err)
}

// reserveAll reserves an arena at a host address, and maps pages so far from where they were.
func reserveAll(first, room uint64, pages []Range, shift uint64) (memory reserved, mapped []reserved, err error) {
	if memory, err = reserveAt(first, room); err != nil {
		return memory, nil, err
	}
	for _, p := range pages {
		m, err := mapPages(p.Start+shift, p.Size)
		if err != nil {
			return reserved{}, nil, errors.Join(err, releaseAll(append(mapped, memory)))
		}
		mapped = append(mapped, m)
	}
	return memory, mapped, nil
}

func releaseAll(list []reserved) (err error) {
	for i := range list {
		err = errors.Join(err, list[i].release())
	}
	return err
}

// AdoptAt makes an allocation of zeros in one of Config.Foreign, which counts towards no limit.
func (a *Arena) AdoptAt(start, size uint64, info Info) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := start - a.base + a.hostBase()
	inside := false
	for i := range a.foreign {
		first := a.foreign[i].hostBase()
		inside = inside || size != 0 && at >= first && at-first < a.foreign[i].size() && size <= a.foreign[i].size()-(at-first)
	}
	if !inside {
		return fmt.Errorf("%w: nothing is mapped for %d bytes at %#x", ErrForeign, size, start)
	}
	if v, ok := a.live.below(start + size - 1); ok && v.end > start {
		return ErrOverlap
	}
	info.Device, info.Adopted = a.device, true
	a.live.insert(span{start, start + size, info})
	return nil
}
