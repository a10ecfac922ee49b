package sem

// Statements that devices of sm_1x execute in another way than those after them.

import "ptxvm.invalid/ptxvm/internal/isa"

// deviceDo executes a statement as the launch's device does.
type deviceDo struct{ sm1x, later Do }

// sm1x names what executes a statement on sm_1x, and what on later devices.
func sm1x(do, later Do) deviceDo { return deviceDo{do, later} }

func (d deviceDo) Plan(b *Build) {
	if b.SM1x {
		d.sm1x.Plan(b)
		return
	}
	d.later.Plan(b)
}

func (d deviceDo) Reads(sel *isa.Sel, m isa.Mod) bool {
	return d.sm1x.Reads(sel, m) || d.later.Reads(sel, m)
}

func (d deviceDo) Scalar() bool { return d.sm1x.Scalar() && d.later.Scalar() }
