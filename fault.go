package ptxvm

// This file turns what stopped a kernel into a report in terms of the source.

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
	"ptxvm.invalid/ptxvm/report"
)

// newFault puts a machine's fault into the terms of the program's source.
func (p *Program) newFault(m *machine.Fault) *Fault {
	f := &Fault{
		Code: diag.Code(m.Kind), Msg: faultMessage(m), Kernel: m.Kernel, Func: m.Func.Name,
		CTA: index(m.CTA), Thread: index(m.Thread), Lanes: m.Lanes, Address: m.Addr, Size: int(m.Size),
	}
	f.PTX, f.Source, f.Text = p.locate(m.Func, m.PC)
	f.ID = report.ID(f.Code.String(), m.Kernel, p.named(&machine.Place{Site: machine.Site{Func: m.Func, PC: m.PC}}))
	if m.Size > 0 {
		f.Space = m.Space.String()
	}
	for _, c := range m.Calls {
		ptx, source, _ := p.locate(c.Func, c.PC)
		if len(source) > 0 {
			ptx.File, ptx.Line, ptx.Col = source[0].File, source[0].Line, source[0].Col
		}
		if len(f.Source) == 0 { // helpers of the compiler have no lines of their own
			f.Source = source
		}
		f.Calls = append(f.Calls, ptx)
	}
	if m.Kind == machine.ReadOnlyAccess {
		f.Near = p.readOnly(m.Addr)
	}
	if n := m.Near; n != nil {
		f.Near = &report.Allocation{Start: n.Start, Size: n.Size, Label: n.Label, Distance: n.Distance,
			Before: n.Before, Inside: n.Start <= m.Addr && m.Addr < n.Start+n.Size, Holds: m.Kind == machine.BadFree, Freed: n.Freed,
			Made: p.involvedIn(n.Made), Ended: p.involvedIn(n.Ended)}
	}
	return f
}

func index(v [3]uint32) Index3 { return Index3{X: v[0], Y: v[1], Z: v[2]} }

// readOnly describes the constant or parameter block that a kernel has written to.
func (p *Program) readOnly(addr uint64) *report.Allocation {
	a, ok := p.d.machine.Arena.Find(addr)
	if !ok {
		return nil
	}
	return &report.Allocation{Start: a.Start, Size: a.End - a.Start, Label: a.Label, ReadOnly: true}
}

// locate finds an instruction in the PTX and, by .loc, in the source behind it.
func (p *Program) locate(fn *machine.FuncInfo, pc int32) (ptx Location, source []Location, text string) {
	f := decode.FuncOf(fn)
	if f == nil || pc < 0 || int(pc) >= len(f.Insts) {
		return Location{Function: fn.Name}, nil, ""
	}
	in := &f.Insts[pc]
	src := p.module.Sources[f.Unit]
	ptx = Location{File: src.Name, Function: f.Name}
	ptx.Line, ptx.Col = src.Position(in.Pos)
	for _, l := range p.module.Chain(in.Loc) {
		name := ""
		if int(l.File) < len(p.module.Files) && l.File >= 0 {
			name = p.module.Files[l.File]
		}
		source = append(source, Location{File: name, Line: int(l.Line), Col: int(l.Col), Function: l.Function})
	}
	return ptx, source, statement(src, in.Pos)
}

// statement is the text of the instruction at a position, on one line.
func statement(src *diag.Source, at diag.Pos) string {
	rest := string(src.Text[at:min(int(at)+200, len(src.Text))])
	if i := strings.IndexByte(rest, ';'); i >= 0 {
		rest = rest[:i+1]
	}
	return strings.Join(strings.Fields(rest), " ")
}

// faultMessage says in words what happened.
func faultMessage(m *machine.Fault) string {
	title, more := faultTitle(m.Kind), ""
	switch {
	case m.Kind == machine.BadMbarrier:
		more = fmt.Sprintf("mbarrier at %#x: %s", m.Addr, m.Text)
	case m.Kind == machine.Trap, m.Kind == machine.AssertFailed, m.Kind == machine.ClusterMisuse, m.Kind == machine.BadHandle, m.Kind == machine.BadIndirectCall, m.Kind >= machine.BadTensorAllocation: // BadFree, too
		more = m.Text
	case m.Kind >= machine.SurfaceBounds && m.Kind <= machine.WrongTexture:
		more = m.Text
	case m.Kind == machine.BadBarrier:
		more = barrierMessage(m)
	case m.Kind == machine.NoSuchCTA || m.Kind == machine.OtherCTA || m.Kind == machine.ExitedCTA:
		more = peerMessage(m)
	case m.Size > 0:
		more = accessMessage(m)
	case m.Kind == machine.IllegalInstruction && m.Align != 0:
		more = fmt.Sprintf("%s is %d, which is no multiple of %d", m.Text, m.Value, m.Align)
	case m.Kind == machine.IllegalInstruction:
		more = fmt.Sprintf("%s is %d, which exceeds its limit of %d", cmp.Or(m.Text, "an operand"), m.Value, m.Want)
	}
	if more == "" {
		return title
	}
	return title + ": " + more
}

func barrierMessage(m *machine.Fault) string {
	if m.Want != 0 {
		return fmt.Sprintf("%s: this thread says %d, others said %d", m.Text, m.Value, m.Want)
	}
	return fmt.Sprintf("%s %d", m.Text, m.Value)
}

// peerMessage describes an access to the shared memory of a CTA of the cluster.
func peerMessage(m *machine.Fault) string {
	text := fmt.Sprintf("%s of %d bytes at %#x, offset %#x of rank %d", accessWord(m), m.Size, m.Addr, m.Addr&(mem.MaxShared-1), m.Value)
	switch m.Kind {
	case machine.NoSuchCTA:
		return text + fmt.Sprintf("; the cluster has %d CTAs", m.Want)
	case machine.OtherCTA:
		return text + fmt.Sprintf("; the thread's own rank is %d", m.Want)
	}
	return text
}

// accessMessage describes an access; for shared memory also what the CTA has, as there is no
// allocation to name.
func accessMessage(m *machine.Fault) string {
	text := fmt.Sprintf("%s of %d bytes at %#x", accessWord(m), m.Size, m.Addr)
	offset := m.Addr & (mem.MaxShared - 1)
	switch {
	case m.Kind == machine.Misaligned:
		return text + fmt.Sprintf(", which is no multiple of %d", m.Align)
	case m.Space == machine.Local || mem.InLocal(m.Addr):
		return text + localExtent(m)
	case m.Near != nil && m.Near.Freed:
		return text + ", which was freed"
	case m.Want == 0 && m.Value == 0:
		return text
	case offset < m.Value:
		return text + fmt.Sprintf(", %d bytes before the CTA's %d bytes of shared memory", m.Value-offset, m.Want-m.Value)
	}
	return text + fmt.Sprintf(", which ends %d bytes past the CTA's %d bytes of shared memory", offset+uint64(m.Size)-m.Want, m.Want-m.Value)
}

// localExtent describes how an access lies to the local memory of the running function.
func localExtent(m *machine.Fault) string {
	at, has := m.Addr, m.Want-m.Value
	if mem.InLocal(at) {
		at -= mem.LocalWindow
	}
	function := fmt.Sprintf("%d bytes of local memory of %s", has, kernelname.Demangle(m.Func.Name))
	switch {
	case has == 0:
		return fmt.Sprintf("; %s has no local memory", kernelname.Demangle(m.Func.Name))
	case at < m.Value:
		return fmt.Sprintf(", %d bytes before the %s", m.Value-at, function)
	}
	return fmt.Sprintf(", which ends %d bytes past the %s", at+uint64(m.Size)-m.Want, function)
}

// faultTitle is the catalogue's name of a fault.
func faultTitle(kind machine.FaultKind) string {
	if e, ok := diag.Lookup(diag.Code(kind)); ok {
		return e.Title
	}
	return "fault"
}

// accessWord is "global load" and the like.
func accessWord(m *machine.Fault) string { return m.Space.String() + " " + m.Access.String() }

func (p *Program) newDeadlock(m *machine.DeadlockError) *DeadlockError {
	e := &DeadlockError{Kernel: m.Kernel, CTA: index(m.CTA), Cluster: m.Cluster}
	for i := range m.Waiters {
		v := &m.Waiters[i]
		w := report.Waiter{CTA: index(v.CTA), Warp: v.Warp, Lanes: v.Lanes, Missing: v.Missing, Reason: v.Reason()}
		w.PTX, w.Source, _ = p.locate(v.Func, v.PC)
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
	kind machine.FaultKind
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
		k.nameBuffer(f, state.params)
		e.Faults = append(e.Faults, f)
	}
	return e
}
