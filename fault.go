package ptxvm

// This file turns what stopped a kernel into a report in terms of the source.

import (
	"cmp"
	"fmt"
	"math/bits"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// Fault says what stopped a kernel: kind, place in the source, thread, and for memory
// faults the access and the allocation next to it. The instruction had no effect in any
// lane. A fault is not sticky: the device goes on.
type Fault struct {
	Code    diag.Code // P7001 and up; `ptxvm explain` has more
	ID      string    // the same for the same instruction, wherever its line has moved
	Msg     string    // what happened, in words
	Kernel  string
	Func    string // the function that faulted: the kernel or one that it called
	CTA     Index3
	Thread  Index3
	Lanes   uint32 // lanes of the warp that faulted; Thread is the first of them
	Times   int    // that the instruction has faulted, of a launch that goes on (DeviceConfig.KeepGoing); else 0
	Address uint64 // memory faults
	Size    int    // bytes of the access; 0 if the fault is about no memory
	Near    *Allocation
	PTX     Location   // the instruction
	Source  []Location // where it comes from by .loc, innermost first: of the instruction, else of the nearest call that has a line
	Calls   []Location // the calls that led here, innermost first

	text   string // the instruction as written
	shared bool   // an access to shared memory
	fix    string // what to do, empty if nothing in particular
}

// Allocation is what lies next to a faulting address.
type Allocation struct {
	Start, Size uint64
	Label       string    // name of a module variable, malloc for a block of a kernel's heap; empty for buffers
	Param       string    // the first kernel parameter that holds Start; empty if none does
	Distance    uint64    // bytes between the access and the allocation
	Before      bool      // the address lies before its start
	Inside      bool      // the access begins inside and reaches over the end
	Holds       bool      // the address lies inside
	ReadOnly    bool      // the access lies inside and is a write
	Freed       bool      // it has ended, and nothing has taken its place
	Made, Ended *Involved // the malloc and the free, of a block of a kernel's heap; else nil
}

// Location is a place in a source: a line of the PTX, or one that .loc names.
type Location struct {
	File      string
	Line, Col int    // from 1, columns in bytes; Col 0: not known
	Function  string // the PTX function, or the source function that .loc says was inlined; may be empty
}

// String prints the place as compilers do: file:line:col, without the column where none is known.
func (l Location) String() string {
	text := fmt.Sprintf("%s:%d", diag.Escape(l.File), l.Line)
	if l.Col > 0 {
		text += fmt.Sprintf(":%d", l.Col)
	}
	return text
}

// Error is one line: code, what, where.
func (f *Fault) Error() string {
	place := f.PTX
	if len(f.Source) > 0 {
		place = f.Source[0]
	}
	return fmt.Sprintf("%v: fault %v: %s (kernel %s, CTA %s, thread %s)", place, f.Code, diag.Escape(f.Msg), readable(f.Kernel), f.CTA, f.Thread)
}

// Detail is the whole report on several lines.
func (f *Fault) Detail() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n", f.Error())
	fmt.Fprintf(&b, "  ptx:    %v  %s\n", f.PTX, diag.Escape(f.text))
	for i, l := range f.Source {
		word := "source:"
		if i > 0 {
			word = "inlined"
		}
		fmt.Fprintf(&b, "  %s %v%s\n", word, l, inFunction(l.Function))
	}
	for i, l := range f.Calls {
		switch hidden := len(f.Calls) - callsShown; {
		case hidden > 1 && i == callsShown/2:
			fmt.Fprintf(&b, "  … %d more calls\n", hidden)
		case hidden <= 1 || i < callsShown/2 || i >= callsShown/2+hidden:
			fmt.Fprintf(&b, "  called from %v%s\n", l, inFunction(l.Function))
		}
	}
	switch {
	case f.Near == nil:
	case f.Near.Distance > farAway:
		b.WriteString("  near:   no allocation within 1 GiB\n")
	default:
		fmt.Fprintf(&b, "  near:   %v\n", f.Near)
		f.Near.Made.print(&b, "malloc: ")
		f.Near.Ended.print(&b, "free:   ")
	}
	if n := bits.OnesCount32(f.Lanes); n > 1 {
		fmt.Fprintf(&b, "  lanes:  %d of the warp fault here (mask %08x); the first is shown\n", n, f.Lanes)
	}
	if f.Times > 1 {
		fmt.Fprintf(&b, "  times:  %d; the first is shown\n", f.Times)
	}
	if f.fix != "" {
		fmt.Fprintf(&b, "  fix:    %s\n", f.fix)
	}
	fmt.Fprintf(&b, "  help:   ptxvm explain %v", f.Code)
	return b.String()
}

// callsShown is how many calls of a deep recursion a report shows: the innermost and the outermost half.
const callsShown = 8

// farAway is the distance from which on the nearest allocation explains nothing.
const farAway = 1 << 30

// inFunction names the function of a place, if .loc does.
func inFunction(name string) string {
	if name == "" {
		return ""
	}
	return " in " + readable(name)
}

// readable is a symbol as people write it, for reports; a name that is hidden in a symbol may hold anything.
func readable(symbol string) string { return diag.Escape(kernelname.Demangle(symbol)) }

// String says where the access lies relative to the allocation.
func (a *Allocation) String() string {
	return fmt.Sprintf("%s %s, %d bytes at %#x", a.relation(), a.what(), a.Size, a.Start)
}

func (a *Allocation) what() string {
	switch {
	case a.Made != nil:
		return "a block of malloc"
	case a.Label != "":
		return readable(a.Label)
	case a.Param != "":
		return "the buffer in " + diag.Escape(kernelname.Param(a.Param))
	}
	return "an allocation"
}

func (a *Allocation) relation() string {
	switch {
	case a.Freed:
		return "inside freed memory:"
	case a.Holds:
		return "inside"
	case a.Before:
		return fmt.Sprintf("%d bytes before the start of", a.Distance)
	case a.ReadOnly:
		return "inside the read-only memory of"
	case a.Inside:
		return "reaches over the end of"
	}
	return fmt.Sprintf("%d bytes past the end of", a.Distance)
}

// newFault puts a machine's fault into the terms of the program's source.
func (p *Program) newFault(m *machine.Fault) *Fault {
	f := &Fault{
		Code: diag.Code(m.Kind), Msg: faultMessage(m), Kernel: m.Kernel, Func: m.Func.Name,
		CTA: index(m.CTA), Thread: index(m.Thread), Lanes: m.Lanes, Address: m.Addr, Size: int(m.Size),
	}
	f.PTX, f.Source, f.text = p.locate(m.Func, m.PC)
	f.ID = hashed(f.Code.String(), m.Kernel, p.named(&machine.Place{Site: machine.Site{Func: m.Func, PC: m.PC}}))
	f.shared = m.Kind == machine.OutOfBounds && (m.Space == machine.Shared || m.Space == machine.Generic && mem.InShared(m.Addr))
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
		f.Near = &Allocation{Start: n.Start, Size: n.Size, Label: n.Label, Distance: n.Distance,
			Before: n.Before, Inside: n.Start <= m.Addr && m.Addr < n.Start+n.Size, Holds: m.Kind == machine.BadFree, Freed: n.Freed,
			Made: p.involvedIn(n.Made), Ended: p.involvedIn(n.Ended)}
	}
	return f
}

func index(v [3]uint32) Index3 { return Index3{v[0], v[1], v[2]} }

// readOnly describes the constant or parameter block that a kernel has written to.
func (p *Program) readOnly(addr uint64) *Allocation {
	a, ok := p.d.machine.Arena.Find(addr)
	if !ok {
		return nil
	}
	return &Allocation{Start: a.Start, Size: a.End - a.Start, Label: a.Label, ReadOnly: true}
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
	case m.Kind == machine.Trap, m.Kind == machine.AssertFailed, m.Kind == machine.ClusterMisuse, m.Kind == machine.BadHandle, m.Kind >= machine.BadTensorAllocation: // BadFree, too
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

// DeadlockError says that no thread of a CTA and its cluster can go on: who waits for whom.
type DeadlockError struct {
	Kernel  string
	CTA     Index3 // of the first waiter
	Cluster bool   // there are several CTAs in the cluster
	Waiters []Waiter
}

// Waiter is a set of lanes of one warp that wait at one place.
type Waiter struct {
	CTA     Index3
	Warp    int
	Lanes   uint32
	Missing uint32 // lanes of the warp that they wait for; 0 if they wait for other warps
	Reason  string
	PTX     Location
	Source  []Location
}

// Error is one line: the kernel, and the CTA or cluster that cannot go on.
func (e *DeadlockError) Error() string {
	if e.Cluster {
		return fmt.Sprintf("deadlock: no thread of the cluster of CTA %s of kernel %s can go on", e.CTA, readable(e.Kernel))
	}
	return fmt.Sprintf("deadlock: no thread of CTA %s of kernel %s can go on", e.CTA, readable(e.Kernel))
}

// Detail is the whole report on several lines.
func (e *DeadlockError) Detail() string {
	var b strings.Builder
	b.WriteString(e.Error())
	for _, w := range e.Waiters {
		place := w.PTX
		if len(w.Source) > 0 {
			place = w.Source[0]
		}
		b.WriteString("\n  ")
		if e.Cluster {
			fmt.Fprintf(&b, "CTA %s ", w.CTA)
		}
		fmt.Fprintf(&b, "warp %d lanes %08x at %v: %s", w.Warp, w.Lanes, place, w.Reason)
	}
	return b.String()
}

func (p *Program) newDeadlock(m *machine.DeadlockError) *DeadlockError {
	e := &DeadlockError{Kernel: m.Kernel, CTA: index(m.CTA), Cluster: m.Cluster}
	for i := range m.Waiters {
		v := &m.Waiters[i]
		w := Waiter{CTA: index(v.CTA), Warp: v.Warp, Lanes: v.Lanes, Missing: v.Missing, Reason: v.Reason()}
		w.PTX, w.Source, _ = p.locate(v.Func, v.PC)
		e.Waiters = append(e.Waiters, w)
	}
	return e
}
