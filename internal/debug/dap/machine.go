package dap

// This file shows the machine: where the lanes of a warp are, who waits at which barrier, which operations are open.

import (
	"fmt"
	"math/bits"
	"strings"

	godap "github.com/google/go-dap"
	"ptxvm.invalid/ptxvm/internal/debug"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/barriers"
)

// stated is a variable that is a text alone.
func stated(name, format string, args ...any) godap.Variable {
	return godap.Variable{Name: name, Value: fmt.Sprintf(format, args...), PresentationHint: &godap.VariablePresentationHint{Attributes: []string{"readOnly"}}}
}

// divergence are the fragments of the warp: where they stand, why they wait, and where they meet others.
func (s *server) divergence(_ frame, scope *debug.Scope) (out []godap.Variable, err error) {
	list := scope.Pause.Fragments(scope.Warp)
	for i := range list {
		fragment := &list[i]
		l, _ := s.session.Code.Locate(debug.PlaceOf(fragment.Frame, fragment.PC))
		text := fmt.Sprintf("%s: %s; %s", place(&l), l.Text, s.session.Doing(fragment))
		if m := fragment.Meets; m != nil && m.PC >= 0 {
			meets, _ := s.session.Code.Locate(debug.PlaceOf(m.Frame, m.PC))
			text += fmt.Sprintf("; meets %08x at %s, where %08x are", m.Lanes, place(&meets), m.There)
		} else if m != nil {
			text += fmt.Sprintf("; meets %08x nowhere by the structure of the code", m.Lanes)
		}
		out = append(out, stated(fmt.Sprintf("lanes %08x", fragment.Lanes), "%s", text))
	}
	return out, nil
}

// barriers are those of the block that are in use, and its mbarriers.
func (s *server) barriers(_ frame, scope *debug.Scope) (out []godap.Variable, err error) {
	block := scope.Warp.CTA()
	for _, b := range block.Barriers() {
		name := fmt.Sprintf("barrier %d", b.ID)
		if b.ID == barriers.OfCluster {
			name = "barrier of the cluster"
		}
		text := fmt.Sprintf("%d of %d threads have arrived", b.Arrived, b.Expected)
		var words []string
		for m := b.Waiting; m != 0; m &= m - 1 {
			words = append(words, fmt.Sprint(bits.TrailingZeros64(m)))
		}
		if words != nil {
			text += "; warps " + strings.Join(words, ", ") + " wait"
		}
		for _, g := range b.Gathering {
			text += fmt.Sprintf("; of warp %d lanes %08x have come, %08x have not", g.Warp, g.Lanes, g.Missing)
		}
		out = append(out, stated(name, "%s", text))
	}
	for _, m := range block.Mbarriers() {
		name := s.session.SharedName(m.Addr)
		if name == "" {
			name = fmt.Sprintf("%#x", m.Addr)
		}
		text := fmt.Sprintf("phase %d, %d of %d arrivals pending, %d bytes pending", m.Phase, m.Pending, m.Expected, m.Tx)
		out = append(out, stated("mbarrier "+name, "%s", text+waiters(scope.Pause, block, m.Addr)))
	}
	return out, nil
}

// waiters are who waits for an mbarrier.
func waiters(p *machine.Pause, block *machine.CTA, addr uint32) (text string) {
	for _, w := range block.Warps() {
		for _, f := range p.Fragments(w) {
			if o := f.Object; o != nil && o.Addr == addr && o.CTA == block.ClusterRank() {
				text += fmt.Sprintf("; warp %d lanes %08x wait for phase %d", w.Index(), f.Lanes, o.Phase)
			}
		}
	}
	return text
}

// maxExtents is how much of what an operation touches is shown.
const maxExtents = 8

// async are the asynchronous operations of the block that are open.
func (s *server) async(_ frame, scope *debug.Scope) (out []godap.Variable, err error) {
	list := scope.Warp.CTA().OpenOps(maxExtents)
	for i := range list {
		op := &list[i]
		l, _ := s.session.Code.Locate(debug.Place{Func: op.Func.Name, PC: op.PC})
		text := fmt.Sprintf("%s: %s; %s", place(&l), l.Text, op.Done)
		for _, t := range op.Touches {
			text += fmt.Sprintf("; %ss %s %#x to %#x", t.Kind, t.Space, t.From, t.To)
		}
		out = append(out, stated(fmt.Sprintf("[%d] warp %d lanes %08x", i, op.Warp, op.Lanes), "%s", text))
	}
	return out, nil
}
