package machine

// This file does the machine's part where compiled code keeps addresses as indices of 32 bits: it computes
// the limits of accesses, and brings rows from one form to the other where lanes enter and leave.

import (
	"math"
	"math/bits"
)

// NativeIndex says how compiled code keeps a row of 64 bits: as one of 32 bits, times 1<<Shift from a base.
type NativeIndex struct {
	Row    uint32 // offset of the row of 64 bits in the register block
	At     uint32 // of the indices, in the frame's NativeRoom; counts from the register block
	Shift  uint8
	Signed bool   // indices
	Param  int32  // the base is what is at this offset of the kernel's parameters, not if negative
	Far    uint64 // and this
}

// NativeReach is a memory instruction whose addresses are indices.
type NativeReach struct {
	NativeIndex
	PC    int32
	Disp  int64
	Size  uint32 // bytes at each address
	Align uint32
	Store bool
}

// indexMargin is how far from the ends of 32 bits an index is that passes an access: compiled code may add
// to it what is smaller.
const indexMargin = 1 << 20

// base is what indices count from.
func (x *NativeIndex) base(c *CTA) uint64 {
	if x.Param < 0 {
		return x.Far
	}
	return c.parameter(x.Param) + x.Far
}

// limit computes which indices an access may have; arena added to a device address makes one of the host. An address
// is inside exactly if its distance from the first byte, of 64 bits, is: no index brings one so far that this wraps.
func (r *NativeReach) limit(b *NativeBounds, base, arena uint64) {
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

// reach computes the limits of the accesses by index for a launch, if it is another one, or if bounds are new.
func (t *nativeTable) reach(n *Native, c *CTA) {
	if t.launch == c.launch+1 && !t.learned {
		return
	}
	t.launch, t.learned = c.launch+1, false
	for i := range n.Reaches {
		r := &n.Reaches[i]
		if k := n.Bounds[r.PC]; k >= 0 {
			r.limit(&t.bounds[k], r.base(c), c.cluster.core.hostOffset())
		}
	}
}

// takeIndices brings rows of lanes that enter at a pc into the form of compiled code; false if that has none
// for their values.
func (w *Warp) takeIndices(f *Frame, n *Native, pc int32, lanes uint32) bool {
	if len(n.Reaches) == 0 {
		return true
	}
	for _, x := range n.Rows(pc).Indices {
		base, from, to := x.base(w.cta), f.regs.row64(x.Row), f.regs.row32(x.At)
		for set := lanes; set != 0; set &= set - 1 {
			i := bits.TrailingZeros32(set)
			d := int64(from[i] - base)
			k := d >> x.Shift
			if k<<x.Shift != d || x.Signed && k != int64(int32(k)) || !x.Signed && k != int64(uint32(k)) {
				return false
			}
			to[i] = uint32(k)
		}
	}
	return true
}

// putIndices writes the rows of lanes that compiled code has left at a pc.
func (w *Warp) putIndices(f *Frame, n *Native, pc int32, lanes uint32) {
	if len(n.Reaches) == 0 {
		return
	}
	for _, x := range n.Rows(pc).Indices {
		base, from, to := x.base(w.cta), f.regs.row32(x.At), f.regs.row64(x.Row)
		for set := lanes; set != 0; set &= set - 1 {
			i := bits.TrailingZeros32(set)
			k := uint64(from[i])
			if x.Signed {
				k = uint64(int32(from[i]))
			}
			to[i] = base + k<<x.Shift
		}
	}
}
