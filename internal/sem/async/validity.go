package async

// Reports of what copies from global memory find in the data (9.4: 9.7.10.28.1.3): a copy that meets the pattern of its
// modifier reports to the mbarriers that it completes on.

import (
	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/mbarriers"
	"ptxvm.invalid/ptxvm/internal/sem"
)

// sampleUnit is the bytes of global memory, aligned, of which one element is looked at.
const sampleUnit = 16

// validity says what a copy looks for; nil: nothing.
type validity struct {
	bits    int    // of an element
	pattern uint32 // of its bits
	every   bool   // element is looked at, not one of each unit
	sample  int    // position of assume.ValiditySample
}

var validities = map[isa.Mod]validity{
	isa.M_mbarrier_report_validity_per_16bytes_80000000: {bits: 32, pattern: 1 << 31},
	isa.M_mbarrier_report_validity_per_16bytes_8000:     {bits: 16, pattern: 1 << 15},
	isa.M_mbarrier_report_validity_per_16bytes_80:       {bits: 8, pattern: 1 << 7},
	isa.M_mbarrier_report_validity_per_16bytes_8:        {bits: 4, pattern: 1 << 3},
	isa.M_mbarrier_report_validity_per_element_ff:       {bits: 8, pattern: 0xff, every: true},
}

// newValidity is what the statement asks for.
func newValidity(b *sem.Build) *validity {
	v, ok := validities[b.Sel.Get(isa.C_report)]
	if !ok {
		return nil
	}
	if !v.every {
		v.sample = b.Assume(assume.ValiditySample)
	}
	return &v
}

// meets reports whether data from an address of global memory has the pattern where the copy looks.
func (v *validity) meets(data []byte, addr uint64) bool {
	if v == nil {
		return false
	}
	perUnit := sampleUnit * 8 / v.bits
	first, step := 0, 1
	switch {
	case v.every || v.sample == 2:
	case v.sample == 0:
		first, step = 0, perUnit
	default:
		first, step = perUnit-1, perUnit
	}
	skip := int(addr % sampleUnit) // of the first unit, bytes that are not copied
	for i := first; (i+1)*v.bits <= (skip+len(data))*8; i += step {
		if i*v.bits >= skip*8 && v.element(data, i-skip*8/v.bits) == v.pattern {
			return true
		}
	}
	return false
}

// element reads element i.
func (v *validity) element(data []byte, i int) uint32 {
	if v.bits == 4 {
		return uint32(data[i/2]) >> (i % 2 * 4) & 15
	}
	size, x := v.bits/8, uint32(0)
	for k := size - 1; k >= 0; k-- {
		x = x<<8 | uint32(data[i*size+k])
	}
	return x
}

// complete tells an mbarrier of bytes that have come, and before them what was found, if the copy looks for it.
func (v *validity) complete(op *machine.Op, lane int, bar uint64, bytes uint32, met bool) *machine.Fault {
	if v != nil {
		if f := reportOne(op, lane, bar, met, 0); f != nil {
			return f
		}
	}
	return completeOne(op, lane, bar, bytes)
}

// reportOne reports to the mbarrier at a shared address.
func reportOne(op *machine.Op, lane int, bar uint64, failed bool, value uint32) *machine.Fault {
	b, f := op.Mbarrier(bar)
	if f == nil {
		report := mbarriers.Report
		if failed {
			report = mbarriers.ReportFailure
		}
		f = b.Do(report, value)
	}
	if f != nil {
		f.Lanes = 1 << lane
	}
	return f
}
