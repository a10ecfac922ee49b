// Package arguments says which allocations the arguments of a launch lead to, so that what a memory instruction has hit in one
// launch is found again in the next.
package arguments

import (
	"encoding/binary"

	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// most is how many bytes of parameters are looked at.
const most = 512

// Follows is what a memory instruction follows: 0 nothing, OwnBlock, or the parameter at this offset less first.
type Follows int32

// OwnBlock follows the parameter block itself.
const OwnBlock Follows = 1

const first = OwnBlock + 1

// List is the arguments of a launch.
type List struct {
	launch uint64 // counted from 1
	block  uint64 // address of the parameter block
	params []byte
}

// Take remembers those of a launch, by its number.
func (a *List) Take(launch, block uint64, params []byte) {
	if a.launch != launch {
		a.launch, a.block, a.params = launch, block, append(a.params[:0], params[:min(len(params), most)]...)
	}
}

// At is the address that is followed; false: there is none.
func (a *List) At(f Follows) (uint64, bool) {
	switch off := int(f - first); {
	case f == OwnBlock:
		return a.block, true
	case f == 0 || off+8 > len(a.params):
		return 0, false
	default:
		return binary.LittleEndian.Uint64(a.params[off:]), true
	}
}

// inside reports whether what is followed lies in an allocation.
func (a *List) inside(f Follows, b *abi.Bounds) bool {
	at, ok := a.At(f)
	return ok && b.Start <= at && at < b.End
}

// Following finds what an instruction may follow that has hit an allocation; before is what it has followed so far.
func (a *List) Following(b *abi.Bounds, before Follows) Follows {
	switch {
	case a.inside(before, b):
		return before
	case a.inside(OwnBlock, b):
		return OwnBlock
	}
	for off := 0; off+8 <= len(a.params); off += 8 {
		if f := Follows(off) + first; a.inside(f, b) {
			return f
		}
	}
	return 0
}
