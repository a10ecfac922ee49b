package ptxvm

// This file holds the sanitizers as callers see them: what to check, and reports in terms of the
// source.

import (
	"fmt"
	"math/bits"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/san"
	"ptxvm.invalid/ptxvm/internal/san/flow"
	"ptxvm.invalid/ptxvm/internal/san/race"
)

// defaultReports is how many reports a launch has at most unless the configuration says otherwise.
const defaultReports = 20

// SanitizerError is what a launch returns that sanitizers have reported about. The kernel has run
// to its end, and its results are there, unless Err says otherwise.
type SanitizerError struct {
	Kernel  string
	Reports []*Report // one for each pair of places, in the order of their first time
	More    int       // pairs of places beyond DeviceConfig.MaxReports
	Err     error     // what the launch would have returned without sanitizers, such as a *Fault
}

// Error is how many reports there are, and the first.
func (e *SanitizerError) Error() string {
	return fmt.Sprintf("%s about kernel %s, the first: %v", counted(len(e.Reports)+e.More, "sanitizer report", "sanitizer reports"), readable(e.Kernel), e.Reports[0])
}

// Unwrap is Err.
func (e *SanitizerError) Unwrap() error { return e.Err }

// Detail is all reports, on several lines each.
func (e *SanitizerError) Detail() string {
	var b strings.Builder
	for _, r := range e.Reports {
		b.WriteString(r.Detail())
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "sanitizer: %s about kernel %s", counted(len(e.Reports), "report", "reports"), readable(e.Kernel))
	if e.More > 0 {
		fmt.Fprintf(&b, "; %s not shown (DeviceConfig.MaxReports, --max-reports)", counted(e.More, "more pair of places is", "more pairs of places are"))
	}
	return b.String()
}

// counted writes a number with its noun.
func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// Report says what a kernel did that its results must not depend on, with both places.
type Report struct {
	Code   diag.Code // P8001 and up; `ptxvm explain` has more
	Msg    string    // what happened, in words
	Kernel string
	Here   Involved  // the access; of OpenAtExit, as far as it is known
	Other  *Involved // what it conflicts with: the operation, store or allocation; nil if nothing
	Times  int       // that the same two instructions did this
	Check  string    // that found it, as ParseSanitize names it
	Kind   string    // what of it: RAW, WAR, WAW, scope, outside, …
	ID     string    // the same for the same instructions, wherever their lines have moved
	Fix    string    // what would mend it
}

// Involved is one of the places of a report.
type Involved struct {
	CTA    Index3
	Thread Index3 // the first
	Lanes  uint32 // of the warp
	PTX    Location
	Source []Location // as in Fault
	Calls  []Location
	Text   string // the instruction as written
	Role   string // read, write, freed, …
}

// Error is one line: where, code, what. The end of a CTA has no line of its own.
func (r *Report) Error() string {
	at := &r.Here
	if at.PTX.File == "" && r.Other != nil {
		at = r.Other
	}
	return fmt.Sprintf("%v: %v: %s (kernel %s, CTA %s, thread %s)", at.line(), r.Code, diag.Escape(r.Msg), readable(r.Kernel),
		at.CTA, at.Thread)
}

// line is the innermost place.
func (v *Involved) line() Location {
	if len(v.Source) > 0 {
		return v.Source[0]
	}
	return v.PTX
}

// Detail is the whole report on several lines.
func (r *Report) Detail() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n", r.Error())
	r.Here.print(&b, reportLabel(r.Here.Role))
	if r.Other != nil {
		r.Other.print(&b, reportLabel(r.Other.Role))
	}
	if r.Times > 1 {
		fmt.Fprintf(&b, "  times:   %d; the first is shown\n", r.Times)
	}
	fmt.Fprintf(&b, "  fix:     %s\n  help:    ptxvm explain %v", r.Fix, r.Code)
	return b.String()
}

// reportLabel is a role in the column of a report's labels.
func reportLabel(role string) string { return fmt.Sprintf("%-9s", role+":") }

// print writes the place behind a label, and what else there is to say of it below; nothing if it is not known.
func (v *Involved) print(b *strings.Builder, label string) {
	if v == nil || v.PTX.File == "" {
		return
	}
	indent := strings.Repeat(" ", 2+len(label))
	fmt.Fprintf(b, "  %s%v  %s\n", label, v.PTX, diag.Escape(v.Text))
	fmt.Fprintf(b, indent+"by CTA %s, thread %s", v.CTA, v.Thread)
	if n := bits.OnesCount32(v.Lanes); n > 1 {
		fmt.Fprintf(b, " and %d more of its warp (mask %08x)", n-1, v.Lanes)
	}
	b.WriteByte('\n')
	for _, l := range v.Source {
		fmt.Fprintf(b, indent+"from %v%s\n", l, inFunction(l.Function))
	}
	for _, l := range v.Calls {
		fmt.Fprintf(b, indent+"called from %v%s\n", l, inFunction(l.Function))
	}
}

// watchers are the observers of a launch under several sanitizers.
type watchers []machine.Observer

func (w watchers) Observe(e *machine.Event) {
	for _, one := range w {
		one.Observe(e)
	}
}

// sanitize lets the sanitizers of the configuration observe a launch.
func (k *Kernel) sanitize(l *machine.Launch) {
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
		l.Owes = true
	}
	if d.cfg.Async == AsyncLazy || d.cfg.Sanitize&SanitizeAsyncFences != 0 {
		checks |= san.TensorFences
	}
	races := d.cfg.Sanitize&SanitizeRace != 0
	l.Misuse = d.cfg.Sanitize&SanitizeSync != 0
	l.Leaks = d.cfg.Sanitize&SanitizeLeak != 0
	values := flow.Checks{Init: d.cfg.Sanitize&SanitizeInit != 0, Mem: d.cfg.Sanitize&SanitizeMem != 0}
	followed := values != flow.Checks{}
	if checks == 0 && !races && !followed && !l.Misuse && !l.Leaks {
		return
	}
	l.Wants |= wanted(checks, races, followed)
	n := d.cfg.MaxReports
	if n == 0 {
		n = defaultReports
	}
	s := san.New(checks, n, d.shadow.loads)
	l.Reporter = s
	var all watchers
	if checks != 0 {
		all = append(all, s)
	}
	if races {
		all = append(all, race.NewObserver(l, s, d.cfg.Sanitize&SanitizeRaceStrict != 0))
	}
	if followed {
		e := flow.New(flow.Config{Checks: values, Memory: d.shadow.values, Find: d.allocation, Reporter: s, Owner: launchOf{k}}, l)
		all, l.Values = append(all, e), e
	}
	switch len(all) {
	case 0:
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
		w |= machine.WantsAccesses | machine.WantsOrder
	}
	if values {
		w |= machine.WantsOthers
	}
	return w
}

// reported joins what a sanitizer has found to the outcome of a launch.
func (k *Kernel) reported(l *machine.Launch, err error) error {
	s, ok := l.Reporter.(*san.Sanitizer)
	if !ok {
		return err
	}
	found, more := s.Found()
	if len(found) == 0 {
		return err
	}
	e := &SanitizerError{Kernel: k.info.Name, More: more, Err: err}
	for _, f := range found {
		e.Reports = append(e.Reports, k.newReport(f, l))
	}
	return e
}

// reportWords is what the kinds of reports say.
var reportWords = map[machine.ReportKind]struct {
	code             diag.Code
	msg              string // %s: what both touch
	role, other, fix string
}{
	machine.ReadBeforeDone: {diag.AsyncInUse, "read of %s, which an asynchronous operation may not have written yet", "read", "written",
		"wait for the operation before the read: for its group, its mbarrier, or with the wait of its own kind"},
	machine.WriteBeforeDone: {diag.AsyncInUse, "write to %s, which an asynchronous operation may still write", "write", "written",
		"wait for the operation before the write: for its group, its mbarrier, or with the wait of its own kind"},
	machine.WriteBeforeRead: {diag.AsyncInUse, "write to %s, which an asynchronous operation may still read", "write", "read",
		"wait until the operation has read its source: for its group, its mbarrier, or with the wait of its own kind"},
	machine.OpenAtExit: {diag.AsyncInUse, "the CTA ends while an asynchronous operation may still read %s", "exit", "read",
		"wait for the operation before the last thread exits"},
	machine.NeverWritten: {diag.UninitializedRead, "read of %s, which nothing has written", "read", "new",
		"write it first; here it holds what the allocation left there, on hardware anything"},
	machine.UnwrittenDecides: {diag.UninitializedRead, "%s is made of %s, which nothing has written", "used", "read",
		"write it first; here it holds what the allocation left there, on hardware anything"},
	machine.UnwrittenResult: {diag.UninitializedRead, "the host reads %s, made of what nothing has written", "written", "read",
		"write it first; here it holds what the allocation left there, on hardware anything"},
	machine.OutsideObject: {diag.OutsideObject, "access to %s: %s, from which its pointer was made", "access", "",
		"keep the index inside the object; another object may lie there, or nothing"},
	machine.AfterFree: {diag.AfterFree, "access to %s, in %s that has been freed", "access", "freed",
		"free it behind its last use"},
	machine.NoProxyFence: {diag.ProxyOrder, "the async proxy reads %s, written through the generic proxy without a proxy fence since", "read", "written",
		"fence.proxy.async, by the writing threads before they synchronise with the reader, or by the reading thread behind that"},
	machine.NoFenceBefore: {diag.TensorOrder, "two operations on %s, without tcgen05.fence::before_thread_sync behind the first", "then", "first",
		"tcgen05.fence::before_thread_sync behind the first operation and its wait, before the barrier or flag"},
	machine.NoFenceAfter: {diag.TensorOrder, "two operations on %s, without tcgen05.fence::after_thread_sync before the second", "then", "first",
		"tcgen05.fence::after_thread_sync behind the wait for the barrier or flag, before the second operation"},
	machine.TensorKept: {diag.Leak, "the CTA ends, and nothing has freed %s", "exit", "new",
		"tcgen05.dealloc before the CTA ends, by a warp of it"},
	machine.BytesMissing: {diag.Leak, "the CTA ends while the mbarrier in %s still expects %s", "exit", "asked",
		"a copy of as many bytes that completes at the mbarrier, and a wait for its phase"},
	machine.NotWaited: {diag.Leak, "the CTA ends with a copy to %s %s", "exit", "copy",
		"cp.async.commit_group behind it, and cp.async.wait_group before the thread ends"},
	machine.HeapKept: {diag.Leak, "nothing has freed %s, which a kernel has allocated", "end", "new",
		"free it, in the kernel or in a later one"},
	machine.RaceRAW:    {diag.DataRace, "race: read of %s, which another thread has written, with nothing to order them", "read", "written", ""},
	machine.RaceWAR:    {diag.DataRace, "race: write to %s, which another thread has read, with nothing to order them", "write", "read", ""},
	machine.RaceWAW:    {diag.DataRace, "race: write to %s, which another thread has written, with nothing to order them", "write", "written", ""},
	machine.SyncMisuse: {diag.SyncMisuse, "%s", "here", "others", "all threads that the instruction names must execute it together, with one mask: move it out of the branch, or make the mask that of the branch (__activemask is no such mask)"},
	machine.RaceScope:  {diag.DataRace, "race: access to %s by threads outside the scope of one of the two", "access", "other", ""},
}

// raceFixes say what would order two threads, by how far they are from each other.
var raceFixes = map[machine.Relation]string{
	machine.WithinWarp: "bar.warp.sync (__syncwarp) for both lanes between the two, or an atomic operation: from sm_70 lanes of a warp are not in step",
	machine.WithinCTA:  "bar.sync (__syncthreads) between the two, reached by both threads, or an atomic operation",
	machine.AcrossCTAs: "a release by the first thread that the second acquires at gpu scope (flag, grid barrier), an atomic operation in both, or two launches",
}

// scopeFix is what helps where two strong accesses have too narrow a scope.
const scopeFix = "a scope that includes both threads: .gpu for CTAs of different clusters, .cluster within one"

func (k *Kernel) newReport(f *san.Found, l *machine.Launch) *Report {
	w := reportWords[f.Kind]
	r := &Report{Code: w.code, Kernel: k.info.Name, Times: f.Times, Check: reportChecks[w.code], Kind: reportKinds[f.Kind], Fix: w.fix}
	switch {
	case f.Kind == machine.RaceScope:
		r.Fix = scopeFix
	case r.Fix == "":
		r.Fix = raceFixes[f.Between]
	}
	switch f.Kind {
	case machine.SyncMisuse:
		r.Msg = f.Text
	case machine.UnwrittenDecides:
		r.Msg = fmt.Sprintf(w.msg, f.Text, k.extentWords(&f.Report, l))
	case machine.OutsideObject, machine.AfterFree, machine.BytesMissing, machine.NotWaited:
		r.Msg = fmt.Sprintf(w.msg, k.extentWords(&f.Report, l), f.Text)
	default:
		r.Msg = fmt.Sprintf(w.msg, k.extentWords(&f.Report, l))
	}
	r.Here = k.program.involved(&f.Then)
	r.Here.Role = w.role
	if f.Op.Func != nil {
		other := k.program.involved(&f.Op)
		other.Role = w.other
		r.Other = &other
	}
	r.ID = k.reportID(r, &f.Then, &f.Op)
	return r
}

// involved puts a place into the terms of the source.
func (p *Program) involved(at *machine.Place) Involved {
	v := Involved{CTA: index(at.CTA), Thread: index(at.Thread), Lanes: at.Lanes}
	if at.Func == nil {
		return v
	}
	v.PTX, v.Source, v.Text = p.locate(at.Func, at.PC)
	for _, c := range at.Calls {
		ptx, source, _ := p.locate(c.Func, c.PC)
		if len(source) > 0 {
			ptx.File, ptx.Line, ptx.Col = source[0].File, source[0].Line, source[0].Col
		}
		v.Calls = append(v.Calls, ptx)
	}
	return v
}

// involvedIn is involved for a place that may be missing.
func (p *Program) involvedIn(at *machine.Place) *Involved {
	if at == nil {
		return nil
	}
	v := p.involved(at)
	return &v
}

// rangeWords is "lane 3" or "lanes 3 to 5".
func rangeWords(word string, from, to uint64) string {
	if to == from+1 {
		return fmt.Sprintf("%s %d", word, from)
	}
	return fmt.Sprintf("%ss %d to %d", word, from, to-1)
}

// extentWords names what was touched: bytes of a variable or a buffer, cells of tensor memory.
func (k *Kernel) extentWords(r *machine.Report, l *machine.Launch) string {
	x := r.Extent
	n := x.To - x.From
	switch x.Space {
	case machine.Tensor:
		return fmt.Sprintf("tensor memory%s, %s, %s", ofRank(x, l), rangeWords("lane", uint64(x.Row), uint64(x.End)), rangeWords("column", x.From, x.To))
	case machine.Registers:
		if f := decode.FuncOf(r.Then.Func); f != nil {
			if name := decode.RegisterAt(f, r.Then.PC, uint32(x.From)); name != "" && r.Kind != machine.UnwrittenDecides {
				return "register " + name
			}
			if name := decode.UnwrittenAt(f, uint32(x.From)); name != "" {
				return "register " + name
			}
		}
		return "a register"
	case machine.Shared:
		return fmt.Sprintf("%d bytes of shared memory%s at %#x%s", n, ofRank(x, l), x.From, k.sharedName(x.From-uint64(l.Target.ReservedShared)))
	}
	if x.Space == machine.Local {
		return fmt.Sprintf("%d bytes of local memory at %#x", n, x.From)
	}
	return fmt.Sprintf("%d bytes of global memory at %#x%s", n, x.From, k.program.globalName(x.From))
}

// ofRank names the CTA of a cluster whose memory it is.
func ofRank(x machine.Extent, l *machine.Launch) string {
	if l.Cluster == [3]uint32{1, 1, 1} {
		return ""
	}
	return fmt.Sprintf(" of CTA rank %d", x.CTA)
}

// sharedName says in which variable an offset of static shared memory lies, of those that the
// kernel names: other kernels have others there.
func (k *Kernel) sharedName(off uint64) (name string) {
	var visit func(ops []ir.Operand)
	visit = func(ops []ir.Operand) {
		for i := range ops {
			v := ops[i].Var
			if v != nil && v.Space == ir.SpaceShared && !v.Dynamic && off-uint64(v.Offset) < uint64(v.Size) {
				written, _, _ := strings.Cut(v.Name, "~") // lowering makes the names of kernels' variables unique
				name = fmt.Sprintf(" (%s+%d)", kernelname.Demangle(written), off-uint64(v.Offset))
			}
			visit(ops[i].Elems)
		}
	}
	for pc := range k.fn.Insts {
		visit(k.fn.Insts[pc].Ops)
	}
	return name
}

// globalName says in which allocation an address lies.
func (p *Program) globalName(addr uint64) string {
	a, ok := p.d.machine.Arena.Find(addr)
	if !ok {
		return ""
	}
	name := kernelname.Demangle(a.Label)
	if name == "" {
		name = "a buffer"
	}
	return fmt.Sprintf(" (byte %d of %s, which has %d)", addr-a.Start, name, a.End-a.Start)
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
		seen[at] = k.newReport(&san.Found{Report: *s.Report(), Times: 1}, &machine.Launch{Cluster: [3]uint32{1, 1, 1}})
		reports = append(reports, seen[at])
	}
	return reports
}
