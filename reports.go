package ptxvm

// This file says what the reports of the machine mean: words, what would mend it, and the names of what is touched.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/decode"
	"ptxvm.invalid/ptxvm/internal/ir"
	"ptxvm.invalid/ptxvm/internal/kernelname"
	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/san"
	"ptxvm.invalid/ptxvm/report"
)

// reportKind is what a kind of reports says.
type reportKind struct {
	kind        string // Report.Kind
	code        diag.Code
	msg         string // %s: what both touch
	role, other string // of the two places
	missing     string // what would order them; races say it by how far the threads are from each other
	fix         string
}

// What several kinds say.
const (
	aWait      = "a wait for the operation"
	writeFirst = "write it first; here it holds what the allocation left there, on hardware anything"
)

var reportKinds = map[machine.ReportKind]reportKind{
	machine.ReadBeforeDone: {"early-read", diag.AsyncInUse, "read of %s, which an asynchronous operation may not have written yet", "read", "written", aWait,
		"wait for the operation before the read: for its group, its mbarrier, or with the wait of its own kind"},
	machine.WriteBeforeDone: {"early-write", diag.AsyncInUse, "write to %s, which an asynchronous operation may still write", "write", "written", aWait,
		"wait for the operation before the write: for its group, its mbarrier, or with the wait of its own kind"},
	machine.WriteBeforeRead: {"overwrite", diag.AsyncInUse, "write to %s, which an asynchronous operation may still read", "write", "read", aWait,
		"wait until the operation has read its source: for its group, its mbarrier, or with the wait of its own kind"},
	machine.OpenAtExit: {"open-at-exit", diag.AsyncInUse, "the CTA ends while an asynchronous operation may still read %s", "exit", "read", aWait,
		"wait for the operation before the last thread exits"},
	machine.NeverWritten:     {"unwritten-load", diag.UninitializedRead, "read of %s, which nothing has written", "read", "new", "", writeFirst},
	machine.UnwrittenDecides: {"unwritten", diag.UninitializedRead, "%s is made of %s, which nothing has written", "used", "read", "", writeFirst},
	machine.UnwrittenResult:  {"unwritten-result", diag.UninitializedRead, "the host reads %s, made of what nothing has written", "written", "read", "", writeFirst},
	machine.OutsideObject: {"outside", diag.OutsideObject, "access to %s: %s, from which its pointer was made", "access", "", "",
		"keep the index inside the object; another object may lie there, or nothing"},
	machine.AfterFree: {"after-free", diag.AfterFree, "access to %s, in %s that has been freed", "access", "freed", "",
		"free it behind its last use"},
	machine.NoProxyFence: {"proxy-fence", diag.ProxyOrder, "the async proxy reads %s, written through the generic proxy without a proxy fence since", "read", "written", "a proxy fence",
		"fence.proxy.async, by the writing threads before they synchronise with the reader, or by the reading thread behind that"},
	machine.NoFenceBefore: {"tensor-fence-before", diag.TensorOrder, "two operations on %s, without tcgen05.fence::before_thread_sync behind the first", "then", "first", "a tcgen05 fence behind the first",
		"tcgen05.fence::before_thread_sync behind the first operation and its wait, before the barrier or flag"},
	machine.NoFenceAfter: {"tensor-fence-after", diag.TensorOrder, "two operations on %s, without tcgen05.fence::after_thread_sync before the second", "then", "first", "a tcgen05 fence before the second",
		"tcgen05.fence::after_thread_sync behind the wait for the barrier or flag, before the second operation"},
	machine.TensorKept: {"tensor-memory", diag.Leak, "the CTA ends, and nothing has freed %s", "exit", "new", "",
		"tcgen05.dealloc before the CTA ends, by a warp of it"},
	machine.BytesMissing: {"expected-bytes", diag.Leak, "the CTA ends while the mbarrier in %s still expects %s", "exit", "asked", "",
		"a copy of as many bytes that completes at the mbarrier, and a wait for its phase"},
	machine.NotWaited: {"not-waited", diag.Leak, "the CTA ends with a copy to %s %s", "exit", "copy", aWait,
		"cp.async.commit_group behind it, and cp.async.wait_group before the thread ends"},
	machine.HeapKept: {"malloc", diag.Leak, "nothing has freed %s, which a kernel has allocated", "end", "new", "",
		"free it, in the kernel or in a later one"},
	machine.NeverUsed: {"unused", diag.Leak, "no kernel has touched %s", "", "", "",
		"a smaller allocation, or a kernel that reaches all of it"},
	machine.RaceRAW:   {"RAW", diag.DataRace, "race: read of %s, which another thread has written, with nothing to order them", "read", "written", "", ""},
	machine.RaceWAR:   {"WAR", diag.DataRace, "race: write to %s, which another thread has read, with nothing to order them", "write", "read", "", ""},
	machine.RaceWAW:   {"WAW", diag.DataRace, "race: write to %s, which another thread has written, with nothing to order them", "write", "written", "", ""},
	machine.RaceEqual: {"equal-bits", diag.DataRace, "two threads write the same bits to %s, with nothing to order them", "write", "written", "", ""},
	machine.RaceScope: {"scope", diag.DataRace, "race: access to %s by threads outside the scope of one of the two", "access", "other", "a wider scope",
		"a scope that includes both threads: .gpu for CTAs of different clusters, .cluster within one"},
	machine.MbarrierMisuse: {"mbarrier", diag.SyncMisuse, "%s", "here", "others", "",
		"mbarrier.inval before the memory has another use, and between the two no access but by operations on mbarriers"},
	machine.PeerMisuse: {"peer", diag.SyncMisuse, "%s", "access", "", "a barrier of the cluster",
		"barrier.cluster.arrive and .wait (cluster.sync()) by the threads of both CTAs: before the first access, and behind the last"},
	machine.ProductMisuse: {"wgmma", diag.SyncMisuse, "%s", "here", "", "wgmma.fence",
		"wgmma.fence before the first wgmma.mma_async, and wherever its registers were written by something else"},
	machine.Livelock: {"livelock", diag.Livelock, "a loop that can never end reads %s, and nothing that still runs writes it", "read", "", "",
		"store what the loop waits for before the wait, from a thread that does not wait itself"},
	machine.SyncMisuse: {"misuse", diag.SyncMisuse, "%s", "here", "others", "",
		"all threads that the instruction names must execute it together, with one mask: move it out of the branch, or make the mask that of the branch (__activemask is no such mask)"},
}

// noteKinds are reports of what a correct kernel may do, too.
var noteKinds = map[machine.ReportKind]bool{machine.RaceEqual: true, machine.NeverUsed: true}

// raceFixes say what would order two threads, by how far they are from each other.
var raceFixes = map[machine.Relation]struct{ missing, fix string }{
	machine.WithinWarp:     {"a barrier of the warp", "bar.warp.sync (__syncwarp) for both lanes between the two, or an atomic operation: from sm_70 lanes of a warp are not in step"},
	machine.WithinCTA:      {"a barrier of the CTA", "bar.sync (__syncthreads) between the two, reached by both threads, or an atomic operation"},
	machine.AcrossLaunches: {"an order of the two", "an event of the one's stream that the other's waits for (cudaStreamWaitEvent), one stream for both, or a wait of the host between the two; in Go, a call behind the other's return"},
	machine.AcrossCTAs:     {"a release and an acquire at gpu scope", "a release by the first thread that the second acquires at gpu scope (flag, grid barrier), an atomic operation in both, or two launches"},
}

// newReport puts a report into the terms of the source.
func (k *Kernel) newReport(f *san.Found, l *machine.Launch) *Report {
	w := reportKinds[f.Kind]
	r := &Report{Code: w.code, Kernel: k.info.Name, Times: f.Times, Check: report.CheckOf(w.code), Kind: w.kind, Fix: w.fix, Missing: w.missing,
		Object: f.Object, Extent: extentOf(&f.Report)}
	if noteKinds[f.Kind] {
		r.Severity = diag.Remark
	}
	if r.Fix == "" || f.Between == machine.AcrossLaunches {
		r.Missing, r.Fix = raceFixes[f.Between].missing, raceFixes[f.Between].fix
	}
	if r.Object == "" && r.Extent != nil {
		r.Object = k.objectName(&f.Report, l)
	}
	switch f.Kind {
	case machine.SyncMisuse, machine.MbarrierMisuse, machine.PeerMisuse, machine.ProductMisuse:
		r.Msg = f.Text
	case machine.UnwrittenDecides:
		r.Msg = fmt.Sprintf(w.msg, f.Text, k.extentWords(&f.Report, l))
	case machine.OutsideObject, machine.AfterFree, machine.BytesMissing, machine.NotWaited:
		r.Msg = fmt.Sprintf(w.msg, k.extentWords(&f.Report, l), f.Text)
	default:
		r.Msg = fmt.Sprintf(w.msg, k.extentWords(&f.Report, l))
	}
	if f.Kind == machine.Livelock && f.Text != "" {
		r.Msg = f.Text
	}
	if f.Between == machine.AcrossLaunches {
		r.Msg = fmt.Sprintf(acrossWords[f.Kind], k.extentWords(&f.Report, l), f.Text)
	}
	r.Here = k.program.involved(&f.Then)
	r.Here.Role = w.role
	before := k.program
	if l, ok := f.By.(launchOf); ok {
		before = l.kernel.program
	}
	if f.Op.Func != nil {
		other := before.involved(&f.Op)
		other.Role = w.other
		r.Other = &other
	}
	// A hash of the kind, the kernel and the two instructions: by function, text, and which of those with the same text in the
	// function it is. Lines that move do not change it.
	r.ID = report.ID(r.Code.String(), r.Kind, k.info.Name, k.program.named(&f.Then), before.named(&f.Op))
	return r
}

// extentOf is what a report is about; nil if that is no memory.
func extentOf(r *machine.Report) *report.Extent {
	x := &r.Extent
	switch {
	case x.From == x.To && x.Space != machine.Registers:
		return nil
	case x.Space == machine.Registers:
		return &report.Extent{Space: "registers"}
	}
	return &report.Extent{Space: x.Space.String(), Rank: int(x.CTA), From: x.From, To: x.To, Row: int(x.Row), Last: int(x.End)}
}

// objectName is the variable, buffer or register that is touched; empty if it has no name.
func (k *Kernel) objectName(r *machine.Report, l *machine.Launch) string {
	x := &r.Extent
	switch x.Space {
	case machine.Shared:
		name, _ := k.sharedVar(x.From - uint64(l.Target.ReservedShared))
		return name
	case machine.Registers:
		return registerName(r)
	case machine.Global:
		a, ok := k.program.d.machine.Arena.Find(x.From)
		if !ok {
			return ""
		}
		return allocationName(a.Label)
	}
	return ""
}

// allocationName is the name of an allocation in reports.
func allocationName(label string) string { return cmp.Or(kernelname.Demangle(label), "a buffer") }

// registerName is the register that a report is about.
func registerName(r *machine.Report) string {
	f := decode.FuncOf(r.Then.Func)
	if f == nil {
		return ""
	}
	if name := decode.RegisterAt(f, r.Then.PC, uint32(r.Extent.From)); name != "" && r.Kind != machine.UnwrittenDecides {
		return name
	}
	return decode.UnwrittenAt(f, uint32(r.Extent.From))
}

// involved puts a place into the terms of the source.
func (p *Program) involved(at *machine.Place) report.Involved {
	v := report.Involved{CTA: index(at.CTA), Thread: index(at.Thread), Lanes: at.Lanes}
	if at.Func == nil {
		return v
	}
	v.PTX, v.Source, v.Text = p.locate(at.Func, at.PC)
	if order, scope, ok := decode.AccessOrder(at.Func, at.PC); ok {
		v.Order, v.Proxy = order.String(), at.Proxy.String()
		if order != machine.Weak {
			v.Scope = scope.String()
		}
	}
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
func (p *Program) involvedIn(at *machine.Place) *report.Involved {
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
		if name := registerName(r); name != "" {
			return "register " + name
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

// sharedName says in which variable an offset of static shared memory lies.
func (k *Kernel) sharedName(off uint64) string {
	name, at := k.sharedVar(off)
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" (%s+%d)", name, at)
}

// sharedVar is the variable that an offset of static shared memory lies in, of those that the kernel names (other kernels
// have others there), and the offset in it.
func (k *Kernel) sharedVar(off uint64) (name string, at uint64) {
	var visit func(ops []ir.Operand)
	visit = func(ops []ir.Operand) {
		for i := range ops {
			v := ops[i].Var
			if v != nil && v.Space == ir.SpaceShared && !v.Dynamic && off-uint64(v.Offset) < uint64(v.Size) {
				written, _, _ := strings.Cut(v.Name, "~") // lowering makes the names of kernels' variables unique
				name, at = kernelname.Demangle(written), off-uint64(v.Offset)
			}
			visit(ops[i].Elems)
		}
	}
	for pc := range k.fn.Insts {
		visit(k.fn.Insts[pc].Ops)
	}
	return name, at
}

// globalName says in which allocation an address lies.
func (p *Program) globalName(addr uint64) string {
	a, ok := p.d.machine.Arena.Find(addr)
	if !ok {
		return ""
	}
	return fmt.Sprintf(" (byte %d of %s, which has %d)", addr-a.Start, allocationName(a.Label), a.End-a.Start)
}

// named is an instruction apart from its line; empty where there is none.
func (p *Program) named(at *machine.Place) string {
	if at.Func == nil {
		return ""
	}
	_, _, text := p.locate(at.Func, at.PC)
	f, number := decode.FuncOf(at.Func), 0
	for pc := range at.PC {
		if f == nil {
			break
		}
		if _, _, earlier := p.locate(at.Func, pc); earlier == text {
			number++
		}
	}
	return fmt.Sprintf("%s %d %s", at.Func.Name, number, text)
}

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
	w := reportKinds[machine.NeverUsed]
	what := fmt.Sprintf("%d of the %d bytes of %s", n, b.size, name)
	if n != uint64(b.size) {
		what += fmt.Sprintf(", the first %d from byte %d on", end-first, first-b.addr)
	}
	return &Report{
		Code: w.code, Severity: diag.Remark, Kind: w.kind, Check: report.CheckOf(w.code), Msg: fmt.Sprintf(w.msg, what), Fix: w.fix, Times: 1, Object: name,
		Extent: &report.Extent{Space: machine.Global.String(), From: first, To: end}, ID: report.ID(w.code.String(), w.kind, name),
	}
}

// holds tells whether a function is the program's.
func (p *Program) holds(fn *machine.FuncInfo) bool {
	f := decode.FuncOf(fn)
	return f != nil && slices.Contains(p.module.Funcs, f)
}
