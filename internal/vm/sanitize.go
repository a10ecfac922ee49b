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
	"ptxvm.invalid/ptxvm/internal/san"
	"ptxvm.invalid/ptxvm/internal/san/flow"
	"ptxvm.invalid/ptxvm/internal/san/race"
	"ptxvm.invalid/ptxvm/report"
)

// defaultReports is how many reports a launch has at most unless the configuration says otherwise.
const defaultReports = 20

// watchers are the observers of a launch under several sanitizers.
type watchers []machine.Observer

func (w watchers) Observe(e *machine.Event) {
	for _, one := range w {
		one.Observe(e)
	}
}

// sanitize lets the sanitizers of the configuration observe a launch.
func (k *Kernel) sanitize(l *machine.Launch, state *launchState) {
	d := k.program.d
	var checks san.Checks
	if d.cfg.Sanitize&SanitizeInitLoads != 0 {
		checks |= san.Init | san.InitTensor
	}
	if d.cfg.Sanitize&SanitizeInit != 0 {
		checks |= san.InitTensor // whose cells no register row follows
	}
	if d.cfg.Async == AsyncLazy || d.cfg.Sanitize&SanitizeAsync != 0 {
		checks |= san.Async
	}
	if d.cfg.Async == AsyncLazy || d.cfg.Sanitize&SanitizeAsyncFences != 0 {
		checks |= san.TensorFences
	}
	races := d.cfg.Sanitize&SanitizeRace != 0
	l.Misuse, l.Alone = d.cfg.Sanitize&SanitizeSync != 0, d.cfg.Alone
	if !k.program.decoder.StartsAsync(k.fn) { // what only asynchronous operations could meet is not wanted
		checks &^= san.TensorFences | san.InitTensor
		if !l.Misuse || races || checks&san.Init != 0 { // else async is who shows plain accesses to sync
			checks &^= san.Async
		}
	}
	l.Owes = checks&san.Async != 0
	l.Leaks = d.cfg.Sanitize&SanitizeLeak != 0
	values := flow.Checks{Init: d.cfg.Sanitize&SanitizeInit != 0, Mem: d.cfg.Sanitize&SanitizeMem != 0}
	followed := values != flow.Checks{}
	if checks == 0 && !races && !followed && !l.Misuse && !l.Leaks {
		return
	}
	peers := l.Misuse && !races && l.Cluster[0]*l.Cluster[1]*l.Cluster[2] > 1
	l.Wants |= wanted(checks, races || peers || d.shadow.used != nil, followed)
	products := l.Misuse && k.program.decoder.Multiplies(k.fn)
	if products {
		l.Wants |= machine.WantsRows
	}
	s := san.New(san.Config{Checks: checks, Max: d.maxReports(), Global: d.shadow.loads, Judge: func(r *machine.Report) san.Fate { return k.judge(r, l) }})
	l.Reporter = s
	var all watchers
	if checks != 0 {
		all = append(all, s)
	}
	if d.shadow.used != nil {
		all = append(all, san.Used{Memory: d.shadow.used})
	}
	if races {
		o := race.NewObserver(l, s, d.cfg.Sanitize&SanitizeRaceStrict != 0)
		o.Takes(state.shadow.Took)
		state.races = o
		all = append(all, o)
	}
	if peers {
		o := race.NewPeers(l, s)
		if state.shadow != nil {
			o.Takes(state.shadow.Took)
		}
		all = append(all, o)
	}
	if followed {
		e := flow.New(flow.Config{Checks: values, Memory: d.shadow.values, Bounds: state.bounds, Find: d.allocation, Reporter: s, Owner: launchOf{k}, Careful: d.tuning.Careful}, l)
		all, l.Values = append(all, e), e
	}
	switch len(all) {
	case 0:
		if products { // code that looks at registers is interpreted
			l.Observer = all
		}
	case 1:
		l.Observer = all[0]
	default:
		l.Observer = all
	}
}

// launchOf is what shadows remember of a launch.
type launchOf struct{ kernel *Kernel }

// Name implements flow.Owner.
func (l launchOf) Name() string { return l.kernel.info.Name }

// allocation describes the allocation of global memory that holds an address.
func (d *Device) allocation(addr uint64) (from, to uint64, name string, ok bool) {
	a, ok := d.machine.Arena.Find(addr)
	return a.Start, a.End, a.Label, ok && !a.Internal
}

// wanted is what checks need to be told.
func wanted(checks san.Checks, races, values bool) (w machine.Wants) {
	if checks&san.Init != 0 {
		w |= machine.WantsAccesses
	}
	if checks&san.InitTensor != 0 {
		w |= machine.WantsOthers
	}
	if checks&san.Async != 0 {
		w |= machine.WantsAll
	}
	if races {
		w |= machine.WantsAccesses | machine.WantsOrder | machine.WantsFences | machine.WantsLoaded
	}
	if values {
		w |= machine.WantsOthers
	}
	return w
}

// maxReports is the bound of reports of a launch.
func (d *Device) maxReports() int { return cmp.Or(d.cfg.MaxReports, defaultReports) }

// judge decides what becomes of the first report of a pair of places.
func (k *Kernel) judge(r *machine.Report, l *machine.Launch) san.Fate {
	known := k.program.d.cfg.Suppress
	switch {
	case known != nil && known.Meets(k.newReport(&san.Found{Report: *r}, l)):
		return san.Suppressed
	case findings.Note(r.Kind):
		return san.Noted
	}
	return san.Reported
}

// reported joins what a sanitizer has found to the outcome of a launch.
func (k *Kernel) reported(l *machine.Launch, stats Stats, err error) (Stats, error) {
	s, ok := l.Reporter.(*san.Sanitizer)
	if !ok {
		return stats, err
	}
	found := s.Found()
	stats.Known, stats.Notes = found.Suppressed, k.newReports(found.Notes, l)
	if len(found.Reports) == 0 {
		return stats, err
	}
	return stats, &SanitizerError{Kernel: k.info.Name, Reports: k.newReports(found.Reports, l), More: found.Lost, Err: err}
}

// newReports puts reports into the terms of the source; those of instances of one template are one.
func (k *Kernel) newReports(found []*san.Found, l *machine.Launch) (list []*Report) {
	for _, f := range found {
		list = append(list, k.newReport(f, l))
	}
	return report.Fold(list)
}

// Unwritten reports which parts of a buffer kernels have stored there though nothing had written their values, under
// SanitizeInit: what is left is no error of a kernel that copies padding, but one of the program whose result it is. A report
// is about the store, and names where the value was read.
func (d *Device) Unwritten(b Buffer) (reports []*Report) {
	seen := map[machine.Site]*Report{}
	for _, s := range d.shadow.values.Stored(b.addr, uint64(b.size)) {
		k, at := s.Owner.(launchOf).kernel, machine.Site{Func: s.By.Func, PC: s.By.PC}
		if r := seen[at]; r != nil {
			r.Times++
			continue
		}
		seen[at] = k.newReport(&san.Found{Report: *s.Report(), Times: 1}, noLaunch)
		if !d.cfg.Suppress.Meets(seen[at]) {
			reports = append(reports, seen[at])
		}
	}
	return report.Fold(reports)
}

// newReport puts a report into the terms of the source.
func (k *Kernel) newReport(f *san.Found, l *machine.Launch) *Report {
	p := k.program
	scene := findings.Scene{Module: p.module, Before: p.module, Kernel: k.info.Name, Func: k.fn, Memory: p.d.machine.Arena, Launch: l}
	if l, ok := f.By.(launchOf); ok {
		scene.Before = l.kernel.program.module
	}
	return scene.Report(f)
}

// noLaunch stands for the launch of reports about memory that outlives it.
var noLaunch = &machine.Launch{Cluster: [3]uint32{1, 1, 1}}

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
		if !p.d.cfg.Suppress.Meets(seen[site]) {
			reports = append(reports, seen[site])
		}
	}
	return reports
}

// Unused notes, under SanitizeLeakUnused, that no kernel has touched some bytes of a buffer since it was allocated; name is what
// the note calls it. It is nil where all were touched, and where nothing is known of the buffer.
func (d *Device) Unused(b Buffer, name string) *Report {
	if d.shadow.used == nil || b.of == nil || b.of.over() {
		return nil
	}
	n, first, end := d.shadow.used.Unset(b.addr, b.addr+uint64(b.size))
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
