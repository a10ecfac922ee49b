package vm

// This file turns what stopped a kernel into a report in terms of the source.

import (
	"sync"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/findings"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/report"
)

// newFault puts a machine's fault into the terms of the program's source.
func (p *Program) newFault(m *machine.Fault) *Fault {
	f := &Fault{
		Code: diag.Code(m.Kind), Msg: findings.FaultMessage(m), Kernel: m.Kernel, Func: m.Func.Name,
		CTA: findings.Point(m.CTA), Thread: findings.Point(m.Thread), Lanes: m.Lanes, Address: m.Addr, Size: int(m.Size),
	}
	f.PTX, f.Source, f.Text = findings.Locate(p.module, m.Func, m.PC)
	f.ID = report.ID(f.Code.String(), m.Kernel, findings.Named(p.module, &machine.Place{Site: machine.Site{Func: m.Func, PC: m.PC}}))
	if m.Size > 0 {
		f.Space, f.Fix = m.Space.String(), findings.FaultFix(m)
	}
	for _, c := range m.Calls {
		call, source := findings.Call(p.module, c)
		if len(f.Source) == 0 { // helpers of the compiler have no lines of their own
			f.Source = source
		}
		f.Calls = append(f.Calls, call)
	}
	if m.Kind == faults.ReadOnlyAccess {
		f.Near = p.readOnly(m.Addr)
	}
	if n := m.Near; n != nil {
		f.Near = &report.Allocation{Start: n.Start, Size: n.Size, Label: n.Label, Distance: n.Distance,
			Before: n.Before, Inside: n.Start <= m.Addr && m.Addr < n.Start+n.Size, Holds: m.Kind == faults.BadFree, Freed: n.Freed,
			Made: findings.InvolvedIn(p.module, n.Made), Ended: findings.InvolvedIn(p.module, n.Ended)}
	}
	return f
}

// readOnly describes the constant or parameter block that a kernel has written to.
func (p *Program) readOnly(addr uint64) *report.Allocation {
	a, ok := p.d.machine.Arena.Find(addr)
	if !ok {
		return nil
	}
	return &report.Allocation{Start: a.Start, Size: a.End - a.Start, Label: a.Label, ReadOnly: true}
}

func (p *Program) newDeadlock(m *machine.DeadlockError) *DeadlockError {
	e := &DeadlockError{Kernel: m.Kernel, CTA: findings.Point(m.CTA), Cluster: m.Cluster}
	kernel := p.module.Func(m.Kernel)
	for i := range m.Waiters {
		v := &m.Waiters[i]
		if v.Object != nil && kernel != nil {
			v.Object.Name = findings.SharedName(kernel, uint64(v.Object.Addr)-uint64(p.d.sizes.ReservedShared))
		}
		w := report.Waiter{CTA: findings.Point(v.CTA), Warp: v.Warp, Lanes: v.Lanes, Missing: v.Missing, Reason: v.Reason()}
		w.PTX, w.Source, w.Text = findings.Locate(p.module, v.Func, v.PC)
		e.Waiters = append(e.Waiters, w)
	}
	return e
}

// faultList collects the faults of one launch.
type faultList struct {
	mu    sync.Mutex
	all   []*collectedFault // in the order of their first time
	index map[faultKey]*collectedFault
}

type faultKey struct {
	kind faults.Kind
	fn   *machine.FuncInfo
	pc   int32
}

type collectedFault struct {
	first *machine.Fault
	times int
}

func newFaultList() *faultList { return &faultList{index: map[faultKey]*collectedFault{}} }

// take empties the list.
func (l *faultList) take() (all []*collectedFault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if all = l.all; all != nil {
		l.all, l.index = nil, map[faultKey]*collectedFault{}
	}
	return all
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
		s.faults = newFaultList()
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
		k.nameMemory(f, state.params)
		e.Faults = append(e.Faults, f)
	}
	return e
}
