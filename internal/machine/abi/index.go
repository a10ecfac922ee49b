package abi

import "math"

// Index says how compiled code keeps a row of 64 bits: as one of 32 bits, times 1<<Shift from a base.
type Index struct {
	Row    uint32 // offset of the row of 64 bits in the register block
	At     uint32 // of the indices, in the frame's Room; counts from the register block
	Shift  uint8
	Signed bool   // indices
	Param  int32  // the base is what is at this offset of the kernel's parameters, not if negative
	Far    uint64 // and this
}

// Reach is a memory instruction whose addresses are indices.
type Reach struct {
	Index
	PC    int32
	Disp  int64
	Size  uint32 // bytes at each address
	Align uint32
	Store bool
}

// indexMargin is how far from the ends of 32 bits an index is that passes an access: compiled code may add
// to it what is smaller.
const indexMargin = 1 << 20

// Limit computes which indices an access may have; arena added to a device address makes one of the host. An address
// is inside exactly if its distance from the first byte, of 64 bits, is: no index brings one so far that this wraps.
func (r *Reach) Limit(b *Bounds, base, arena uint64) {
	b.Low, b.Count = 0, 0
	end := b.End
	if r.Store {
		end = b.WriteEnd
	}
	first, room := b.Start-base-uint64(r.Disp), int64(end-b.Start)-int64(r.Size)
	const far = 1 << 48
	if d := int64(first); end <= b.Start || room < 0 || d < -far || d > far || (base+uint64(r.Disp))%uint64(r.Align) != 0 {
		return
	}
	beyond := max(int(r.Shift)-maxScale, 0) // gathers multiply indices by no more
	least, most := int64(0), int64(math.MaxInt32)>>beyond-indexMargin
	if r.Signed {
		least = int64(math.MinInt32)>>beyond + indexMargin
	}
	low, high := max(-(-int64(first)>>r.Shift), least), min((int64(first)+room)>>r.Shift, most)
	if low <= high {
		b.Low, b.Count, b.Host = uint32(low), uint32(high-low+1), uintptr(base+arena)
	}
}

// maxScale is the logarithm of what a gather multiplies indices with, at most.
const maxScale = 3
