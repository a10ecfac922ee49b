package machine

// This file lets compiled code know, from launch to launch, which allocations its memory instructions hit. What an
// instruction touches mostly is what a parameter points to; so where it has hit the allocation of one, it will hit that of
// the same parameter in the next launch, and need not leave to find it: buffers may change places, or be allocated anew.
// An assumption that is wrong costs what none would have cost.

import (
	"encoding/binary"

	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// followedParams is how many bytes of parameters are looked at.
const followedParams = 512

// ownBlock follows the parameter block itself.
const ownBlock = 1

// follows is what a memory instruction follows: 0 nothing, ownBlock, or the parameter at this offset less firstFollowed.
type follows int32

const firstFollowed = ownBlock + 1

// arguments are the parameters of a launch.
type arguments struct {
	launch uint64 // counted from 1
	block  uint64 // address of the parameter block
	params []byte
}

// take remembers those of a CTA's launch.
func (a *arguments) take(c *CTA) {
	if a.launch != c.launch+1 {
		p := c.grid.Params
		a.launch, a.block, a.params = c.launch+1, c.grid.special.Params, append(a.params[:0], p[:min(len(p), followedParams)]...)
	}
}

// at is the address that is followed; false: there is none.
func (a *arguments) at(f follows) (uint64, bool) {
	switch off := int(f - firstFollowed); {
	case f == ownBlock:
		return a.block, true
	case f == 0 || off+8 > len(a.params):
		return 0, false
	default:
		return binary.LittleEndian.Uint64(a.params[off:]), true
	}
}

// inside reports whether what is followed lies in an allocation.
func (a *arguments) inside(f follows, b *abi.Bounds) bool {
	at, ok := a.at(f)
	return ok && b.Start <= at && at < b.End
}

// following finds what an instruction may follow that has hit an allocation; before is what it has followed so far.
func (a *arguments) following(b *abi.Bounds, before follows) follows {
	switch {
	case a.inside(before, b):
		return before
	case a.inside(ownBlock, b):
		return ownBlock
	}
	for off := 0; off+8 <= len(a.params); off += 8 {
		if f := follows(off + firstFollowed); a.inside(f, b) {
			return f
		}
	}
	return 0
}

// follow learns the allocations of a launch from what has been followed so far.
func (t *nativeTable) follow(core *Core, c *CTA) {
	t.args.take(c)
	for k, f := range t.follows {
		at, ok := t.args.at(f)
		if b := &t.bounds[k]; !ok || b.Start <= at && at < b.End {
			continue
		}
		if v, ok := core.arena.Find(at); ok {
			t.bounds[k] = abi.Bounds{Start: v.Start, End: v.End, WriteEnd: v.End}
			if v.ReadOnly {
				t.bounds[k].WriteEnd = 0
			}
			t.learned = true
		}
	}
}
