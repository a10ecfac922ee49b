package machine

// This file does the machine's part where compiled code keeps addresses as indices of 32 bits: it computes
// the limits of accesses, and brings rows from one form to the other where lanes enter and leave.

import (
	"math/bits"
	"ptxvm.invalid/ptxvm/internal/machine/abi"
)

// base is what indices count from.
func (c *CTA) base(x *abi.Index) uint64 {
	if x.Param < 0 {
		return x.Far
	}
	return c.parameter(x.Param) + x.Far
}

// reach computes the limits of the accesses by index for a launch, if it is another one, or if bounds are new.
func (t *nativeTable) reach(n *installed, c *CTA) {
	if t.launch == c.launch+1 && !t.learned {
		return
	}
	t.launch, t.learned = c.launch+1, false
	for i := range n.Reaches {
		r := &n.Reaches[i]
		if k := n.Bounds[r.PC]; k >= 0 {
			r.Limit(&t.bounds[k], c.base(&r.Index), c.cluster.core.hostOffset())
		}
	}
}

// takeIndices brings rows of lanes that enter at a pc into the form of compiled code; false if that has none
// for their values.
func (w *Warp) takeIndices(f *Frame, n *installed, pc int32, lanes uint32) bool {
	if len(n.Reaches) == 0 {
		return true
	}
	for _, x := range n.Rows(pc).Indices {
		base, from, to := w.cta.base(&x), f.regs.Row64(x.Row), f.regs.Row32(x.At)
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
func (w *Warp) putIndices(f *Frame, n *installed, pc int32, lanes uint32) {
	if len(n.Reaches) == 0 {
		return
	}
	for _, x := range n.Rows(pc).Indices {
		base, from, to := w.cta.base(&x), f.regs.Row32(x.At), f.regs.Row64(x.Row)
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
