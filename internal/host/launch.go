package host

// This file says how the host runs a launch.

import "ptxvm.invalid/ptxvm/internal/machine"

// Launch is a launch of the machine and how the host runs it.
type Launch struct {
	machine.Launch
	Tiers
	Workers  int                    // that run it; 0: those of the device
	Progress func(machine.Progress) // called now and then; may be nil
	Stays    bool                   // nothing writes this any more, but for the bytes of Params: launched again, it means the same
}

// grid is a launch that runs, with what its workers share.
type grid struct {
	machine.Grid
	Tiers
	of       *Launch // that it is a copy of, if that stays; else nil
	workers  int
	progress func(machine.Progress)
	sched    schedule
	helpers  helpers
}
