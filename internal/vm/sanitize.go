package vm

// This file holds the sanitizers as callers see them: what to check, and reports in terms of the
// source.

import (
	"cmp"
	"fmt"
	"slices"

	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/findings"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/machine/shape"
	"ptxvm.invalid/ptxvm/internal/san"
	"ptxvm.invalid/ptxvm/internal/san/flow"
	"ptxvm.invalid/ptxvm/internal/san/found"
	"ptxvm.invalid/ptxvm/report"
)

// defaultReports is how many reports a launch has at most unless the configuration says otherwise.
const defaultReports = 20

// lasting are the sanitizers that follow what launches leave to those that come later.
const lasting = SanitizeMem | SanitizeInit | SanitizeInitLoads | SanitizeLeakUnused

// sanitize lets the sanitizers of the configuration observe a launch. In one that is unchecked they look only for what later launches
// have to know, and report nothing.
func (k *Kernel) sanitize(l *machine.Launch, state *launchState, c *call) {
	d, code := k.program.d, k.program.decoder
	set, lazy := d.cfg.Sanitize, d.cfg.Async == AsyncLazy
	if c.terms.Unchecked {
		set, lazy = set&lasting, false
	}
	if set == 0 && !lazy {
		return
	}
	judge := k.judging(c.watch.steps, l) // not before: it is an allocation
	if c.terms.Unchecked {
		judge = func(*found.Report) found.Fate { return found.Suppressed }
	}
	objects := findings.Objects{Scene: k.scene(l)}
	p := san.Plan(san.Set(set), san.Facts{
		Launch: l, StartsAsync: code.StartsAsync(k.fn), Multiplies: code.Multiplies(k.fn), Alone: d.cfg.Alone, Memory: &d.shadow, Took: state.shadow,
		Values: flow.Config{Bounds: state.bounds, Find: d.allocation, Owner: launchOf{k}, Careful: d.tuning.Careful},
		Max:    pairsKept * d.maxReports(), Judge: judge, Object: objects.Of, Early: k.early(c.watch.steps, l),
	})
	if p == nil {
		return
	}
	p.Attach(l)
	state.found, state.races = p.Found, p.Races
}

// pairsKept is how many pairs of instructions are kept for each report that a launch may have: those of one line are one report.
const pairsKept = 8

// launchOf is what shadows remember of a launch.
type launchOf struct{ kernel *Kernel }

// Name implements flow.Owner.
func (l launchOf) Name() string { return l.kernel.info.Name }

// allocation describes the allocation of global memory that holds an address.
func (d *Device) allocation(addr uint64) (from, to uint64, name string, ok bool) {
	a, ok := d.machine.Arena.Find(addr)
	return a.Start, a.End, a.Label, ok && !a.Internal
}

// maxReports is the bound of reports of a launch.
func (d *Device) maxReports() int { return cmp.Or(d.cfg.MaxReports, defaultReports) }

// judge decides what becomes of the first report of a pair of places.
func (k *Kernel) judge(r *found.Report, l *machine.Launch) found.Fate {
	known := k.program.d.cfg.Suppress
	switch {
	case known != nil && known.Meets(k.newReport(&found.Counted{Report: *r}, l)):
		return found.Suppressed
	case found.WordsOf(r.Kind).Note:
		return found.Noted
	}
	return found.Reported
}

// judging is judge for a launch, whose debugger is told of what is reported.
func (k *Kernel) judging(s *Stepping, l *machine.Launch) func(r *found.Report) found.Fate {
	return func(r *found.Report) found.Fate {
		fate := k.judge(r, l)
		if s != nil && s.Reported != nil && fate == found.Reported {
			s.tell(k, r, l)
		}
		return fate
	}
}

// early tells a debugger, when it happens, of what is reported when the launch is over; nil without one.
func (k *Kernel) early(s *Stepping, l *machine.Launch) func(*found.Report) {
	if s == nil || s.Reported == nil {
		return nil
	}
	return func(r *found.Report) {
		if k.judge(r, l) == found.Reported {
			s.tell(k, r, l)
		}
	}
}

// tell tells a debugger of a report, with its moment.
func (s *Stepping) tell(k *Kernel, r *found.Report, l *machine.Launch) {
	out := k.newReport(&found.Counted{Report: *r, Times: 1}, l)
	if out.Moment = r.Moment; out.Moment == nil && s.Now() > 0 {
		now := s.Now() - 1
		out.Moment = &now
	}
	s.Reported(out)
}

// reported joins what sanitizers have found to the outcome of a launch.
func (k *Kernel) reported(l *machine.Launch, list *found.List, stats Stats, err error) (Stats, error) {
	if list == nil {
		return stats, err
	}
	all, most := list.Found(), k.program.d.maxReports()
	notes := k.newReports(all.Notes, l)
	stats.Known, stats.Notes = all.Suppressed, notes[:min(len(notes), most)]
	if len(all.Reports) == 0 {
		return stats, err
	}
	reports := k.newReports(all.Reports, l)
	shown := min(len(reports), most)
	return stats, &SanitizerError{Kernel: k.info.Name, Reports: reports[:shown], More: all.Lost + len(reports) - shown, Err: err}
}

// newReports puts reports into the terms of the source; those of the same lines are one.
func (k *Kernel) newReports(all []*found.Counted, l *machine.Launch) (list []*Report) {
	for _, f := range all {
		list = append(list, k.newReport(f, l))
	}
	return report.Fold(list)
}

// Unwritten reports which parts of a buffer kernels have stored there though nothing had written their values, under
// SanitizeInit: what is left is no error of a kernel that copies padding, but one of the program whose result it is. A report
// is about the store, and names where the value was read.
func (d *Device) Unwritten(b Buffer) (reports []*Report) {
	seen := map[machine.Site]*Report{}
	for _, s := range d.shadow.Values.Stored(b.addr, uint64(b.size)) {
		k, at := s.Owner.(launchOf).kernel, machine.Site{Func: s.By.Func, PC: s.By.PC}
		if r := seen[at]; r != nil {
			r.Times++
			continue
		}
		seen[at] = k.newReport(&found.Counted{Report: *s.Report(), Times: 1}, noLaunch)
		if !d.cfg.Suppress.Meets(seen[at]) {
			reports = append(reports, seen[at])
		}
	}
	return report.Fold(reports)
}

// newReport puts a report into the terms of the source.
func (k *Kernel) newReport(f *found.Counted, l *machine.Launch) *Report {
	scene := k.scene(l)
	if l, ok := f.By.(launchOf); ok {
		scene.Before, scene.KernelBefore = l.kernel.program.module, l.kernel.info.Name
	}
	return scene.Report(f)
}

// scene is where a launch takes place.
func (k *Kernel) scene(l *machine.Launch) findings.Scene {
	m := k.program.module
	return findings.Scene{Module: m, Before: m, Kernel: k.info.Name, KernelBefore: k.info.Name, Func: k.fn, Memory: k.program.d.machine.Arena, Launch: l}
}

// noLaunch stands for the launch of reports about memory that outlives it.
var noLaunch = &machine.Launch{Shape: shape.Shape{Cluster: [3]uint32{1, 1, 1}}}

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
		seen[site] = k.newReport(&found.Counted{Report: found.Report{Kind: found.HeapKept, Extent: x, Op: *made}, Times: 1}, noLaunch)
		if !p.d.cfg.Suppress.Meets(seen[site]) {
			reports = append(reports, seen[site])
		}
	}
	return reports
}

// Unused notes, under SanitizeLeakUnused, that no kernel has touched some bytes of a buffer since it was allocated; name is what
// the note calls it. It is nil where all were touched, and where nothing is known of the buffer.
func (d *Device) Unused(b Buffer, name string) *Report {
	if d.shadow.Used == nil || b.of == nil || b.of.over() {
		return nil
	}
	n, first, end := d.shadow.Used.Unset(b.addr, b.addr+uint64(b.size))
	if n == 0 {
		return nil
	}
	what := fmt.Sprintf("%d of the %d bytes of %s", n, b.size, name)
	if n != uint64(b.size) {
		what += fmt.Sprintf(", the first %d from byte %d on", end-first, first-b.addr)
	}
	return findings.Unused(name, what, first, end)
}

// holds reports whether a function is the program's.
func (p *Program) holds(fn *machine.FuncInfo) bool {
	f := decode.FuncOf(fn)
	return f != nil && slices.Contains(p.module.Funcs, f)
}
