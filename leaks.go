package ptxvm

// This file reports what kernels have allocated and not freed.

import (
	"slices"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/san"
)

// Leaks reports, under SanitizeLeak, what kernels of the program have allocated by malloc and not freed so far, once
// for each malloc: a program that is done with its device has none.
func (p *Program) Leaks() (reports []*Report) {
	if p.d.cfg.Sanitize&SanitizeLeak == 0 || p.life.over() {
		return nil
	}
	seen := map[machine.Site]*Report{}
	for _, a := range p.d.machine.Arena.Heap() {
		made, _ := a.Made.(*machine.Place)
		if made == nil || !p.holds(made.Func) {
			continue
		}
		site := machine.Site{Func: made.Func, PC: made.PC}
		if r := seen[site]; r != nil {
			r.Times++
			continue
		}
		entry := made.Func
		if n := len(made.Calls); n > 0 {
			entry = made.Calls[n-1].Func
		}
		k := &Kernel{program: p, info: KernelInfo{Name: entry.Name}}
		x := machine.Extent{Space: machine.Global, Lane: -1, From: a.Start, To: a.End}
		seen[site] = k.newReport(&san.Found{Report: machine.Report{Kind: machine.HeapKept, Extent: x, Op: *made}, Times: 1}, noLaunch)
		if !p.d.cfg.Suppress.meet(seen[site]) {
			reports = append(reports, seen[site])
		}
	}
	return reports
}

// holds tells whether a function is the program's.
func (p *Program) holds(fn *machine.FuncInfo) bool {
	f := decode.FuncOf(fn)
	return f != nil && slices.Contains(p.module.Funcs, f)
}
