package ptxvm

// This file gathers the faults of a launch that goes on behind them (DeviceConfig.KeepGoing).

import (
	"fmt"
	"strings"
	"sync"

	"ptxvm.invalid/ptxvm/internal/machine"
)

// FaultsError is what a launch returns that went on behind its faults: each lane that faulted has ended there.
type FaultsError struct {
	Kernel string
	Faults []*Fault // one for each instruction and kind, in the order of their first time
	More   int      // instructions beyond DeviceConfig.MaxReports
	Err    error    // what ended the launch then, such as a *DeadlockError; nil if it ran to its end
}

// Error is how many instructions have faulted, and the first.
func (e *FaultsError) Error() string {
	return fmt.Sprintf("%s of kernel %s, the first: %v", counted(len(e.Faults)+e.More, "fault", "faults"), readable(e.Kernel), e.Faults[0])
}

// Unwrap is the faults and Err.
func (e *FaultsError) Unwrap() (list []error) {
	for _, f := range e.Faults {
		list = append(list, f)
	}
	if e.Err != nil {
		list = append(list, e.Err)
	}
	return list
}

// Detail is all faults, on several lines each.
func (e *FaultsError) Detail() string {
	var b strings.Builder
	for _, f := range e.Faults {
		fmt.Fprintln(&b, f.Detail())
	}
	fmt.Fprintf(&b, "faults: %s of kernel %s, whose other lanes went on", counted(len(e.Faults), "fault", "faults"), readable(e.Kernel))
	if e.More > 0 {
		fmt.Fprintf(&b, "; %s not shown (DeviceConfig.MaxReports, --max-reports)", counted(e.More, "more is", "more are"))
	}
	return b.String()
}

// faultList collects the faults of one launch.
type faultList struct {
	mu    sync.Mutex
	all   []*collectedFault // in the order of their first time
	index map[faultKey]*collectedFault
}

type faultKey struct {
	kind machine.FaultKind
	fn   *machine.FuncInfo
	pc   int32
}

type collectedFault struct {
	first *machine.Fault
	times int
}

// add implements machine.Launch.OnFault.
func (l *faultList) add(f *machine.Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := faultKey{f.Kind, f.Func, f.PC}
	if c := l.index[key]; c != nil {
		c.times++
		return
	}
	l.index[key] = &collectedFault{f, 1}
	l.all = append(l.all, l.index[key])
}

// keepGoing lets a launch go on behind its faults and collects them, if the configuration asks for it.
func (s *launchState) keepGoing(d *Device) {
	s.faults, s.other.OnFault = nil, nil
	if d.cfg.KeepGoing {
		s.faults = &faultList{index: map[faultKey]*collectedFault{}}
		s.other.OnFault = s.faults.add
	}
}

// faulted joins the faults that a launch has collected to its outcome.
func (k *Kernel) faulted(state *launchState, err error) error {
	if state.faults == nil || len(state.faults.all) == 0 {
		return err
	}
	e := &FaultsError{Kernel: k.info.Name, Err: err}
	for _, c := range state.faults.all {
		if len(e.Faults) == k.program.d.maxReports() {
			e.More++
			continue
		}
		f := k.program.newFault(c.first)
		f.Times = c.times
		k.nameBuffer(f, state.params)
		e.Faults = append(e.Faults, f)
	}
	return e
}
