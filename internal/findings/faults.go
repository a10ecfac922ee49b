package findings

// This file says what faults mean.

import (
	"cmp"
	"fmt"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/faults"
	"ptxvm.invalid/ptxvm/internal/mem"
)

// FaultMessage says in words what happened.
func FaultMessage(m *machine.Fault) string {
	title, more := faultTitle(m.Kind), ""
	stray, _ := strayed(m)
	switch {
	case stray != "":
		more = fmt.Sprintf("%s of %d bytes at %#x%s", accessWord(m), m.Size, m.Addr, stray)
	case m.Kind == faults.BadMbarrier:
		more = fmt.Sprintf("mbarrier at %#x: %s", m.Addr, m.Text)
	case m.Kind == faults.Trap, m.Kind == faults.AssertFailed, m.Kind == faults.ClusterMisuse, m.Kind == faults.BadHandle, m.Kind == faults.BadIndirectCall, m.Kind >= faults.BadTensorAllocation: // BadFree, too
		more = m.Text
	case m.Kind >= faults.SurfaceBounds && m.Kind <= faults.WrongTexture:
		more = m.Text
	case m.Kind == faults.BadBarrier:
		more = barrierMessage(m)
	case m.Kind == faults.NoSuchCTA || m.Kind == faults.OtherCTA || m.Kind == faults.ExitedCTA:
		more = peerMessage(m)
	case m.Size > 0:
		more = accessMessage(m)
	case m.Kind == faults.IllegalInstruction && m.Align != 0:
		more = fmt.Sprintf("%s is %d, which is no multiple of %d", m.Text, m.Value, m.Align)
	case m.Kind == faults.IllegalInstruction && m.Value == 0 && m.Text != "":
		more = m.Text
	case m.Kind == faults.IllegalInstruction:
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
	case faults.NoSuchCTA:
		return text + fmt.Sprintf("; the cluster has %d CTAs", m.Want)
	case faults.OtherCTA:
		return text + fmt.Sprintf("; the thread's own rank is %d", m.Want)
	}
	return text
}

// accessMessage describes an access; for shared memory also what the CTA has, as there is no
// allocation to name.
func accessMessage(m *machine.Fault) string {
	size := m.Size
	if m.Kind == faults.Misaligned {
		size = max(size, m.Align) // of a vector, whose elements are smaller
	}
	text := fmt.Sprintf("%s of %d bytes at %#x", accessWord(m), size, m.Addr)
	offset := m.Addr & (mem.MaxShared - 1)
	switch {
	case m.Kind == faults.Misaligned:
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
func faultTitle(kind faults.Kind) string {
	if e, ok := diag.Lookup(diag.Code(kind)); ok {
		return e.Title
	}
	return "fault"
}

// accessWord is "global load" and the like.
func accessWord(m *machine.Fault) string { return m.Space.String() + " " + m.Access.String() }
