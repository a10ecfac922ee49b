package vm

// This file stops launches at brkpt, so that a program can look at them.

import (
	"sync"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/findings"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/value"
)

// Breakpoints is what happens where lanes execute brkpt (9.7.19.1).
type Breakpoints struct {
	// Each is called for each warp that comes to a breakpoint. The warp waits until it returns, others run on; calls come one at a
	// time. The launch goes on after nil; another result ends it with a fault (P7005) that has its text.
	Each func(*Breakpoint) error
}

// Breakpoint is a warp that stands at brkpt. It is valid until Breakpoints.Each returns.
type Breakpoint struct {
	Kernel string
	CTA    Index3
	Warp   int
	Lanes  uint32 // that execute it
	Active uint32 // that stand there; where Lanes lacks some, their guard is false
	PTX    Location
	Source []Location // by .loc, innermost first
	Calls  int        // calls that led here

	stop *machine.Stop
}

// stopper is what a machine calls for Breakpoints; nil for nil.
func (k *Kernel) stopper(b *Breakpoints) func(*machine.Stop) error {
	if b == nil || b.Each == nil {
		return nil
	}
	var one sync.Mutex
	return func(s *machine.Stop) error {
		one.Lock()
		defer one.Unlock()
		out := &Breakpoint{Kernel: k.info.Name, CTA: findings.Point(s.CTA), Warp: s.Warp, Lanes: s.Lanes, Active: s.Active, Calls: len(s.Calls), stop: s}
		out.PTX, out.Source, _ = findings.Locate(k.program.module, s.Func, s.PC)
		return b.Each(out)
	}
}

// Registers lists those of the running function whose values are still used, as bits; predicates have one.
func (b *Breakpoint) Registers() (list []Traced) {
	f := decode.FuncOf(b.stop.Func)
	if f == nil {
		return nil
	}
	regs, rows := decode.LiveRegisters(f, b.stop.PC)
	for i, r := range regs {
		info := &f.Regs[r]
		t := Traced{Name: info.Name, Type: "pred", bits: int(info.Bits), values: b.stop.Register(rows[i])}
		if t.bits > 1 {
			t.typ = value.BitsType(t.bits)
			t.Type = t.typ.Name()
		}
		list = append(list, t)
	}
	return list
}

// Shared is the shared memory of the CTA, which may be read and written; start is the offset in the shared window of its
// first byte.
func (b *Breakpoint) Shared() (bytes []byte, start uint32) { return b.stop.SharedMemory(b.stop.Rank()) }
