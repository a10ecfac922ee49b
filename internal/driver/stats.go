package driver

// This file tells what kernels have executed: a line a launch (PTXVM_TRACE=kernels), and at the end a table
// (PTXVM_STATS).

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// tally is what the launches of one kernel have executed.
type tally struct {
	Kernel    string             `json:"kernel"`
	Demangled string             `json:"demangled"`
	Launches  int                `json:"launches"`
	ElapsedNs int64              `json:"elapsed_ns"`
	LaneOps   uint64             `json:"lane_ops"`
	Sectors   uint64             `json:"sectors,omitempty"` // counted by PTXVM_STATS=sectors
	Engines   map[string]float64 `json:"engines"`           // share of LaneOps
	Helpers   map[string]uint64  `json:"helpers"`           // by operation, times that compiled code had its handler execute it

	compiled, compiledC uint64
}

// tallies are those of all kernels, by symbol.
type tallies struct {
	mu sync.Mutex
	of map[string]*tally

	notC []string // why kernels are not compiled by way of C (PTXVM_ENGINE=cc), of the device that has most to say
}

func (t *tallies) add(w *kernelWork, s *vm.Stats) {
	info := w.on.kernel.Info()
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.of[info.Name]
	if k == nil {
		if t.of == nil {
			t.of = map[string]*tally{}
		}
		k = &tally{Kernel: info.Name, Demangled: info.Demangled, Helpers: map[string]uint64{}}
		t.of[info.Name] = k
	}
	k.Launches++
	k.ElapsedNs += s.Elapsed.Nanoseconds()
	k.LaneOps += s.LaneOps
	k.Sectors += s.Sectors
	k.compiled += s.Compiled
	k.compiledC += s.CompiledC
	if len(s.NotC) > len(t.notC) {
		t.notC = s.NotC
	}
	for _, h := range s.Helpers {
		k.Helpers[h.Op] += h.Times
	}
}

// list is the kernels, those that took longest first.
func (t *tallies) list() []*tally {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := slices.Collect(maps.Values(t.of))
	for _, k := range list {
		s := vm.Stats{LaneOps: k.LaneOps, Compiled: k.compiled, CompiledC: k.compiledC}
		k.Engines = s.EngineShares()
	}
	slices.SortFunc(list, func(a, b *tally) int {
		return cmp.Or(-cmp.Compare(a.ElapsedNs, b.ElapsedNs), cmp.Compare(a.Kernel, b.Kernel))
	})
	return list
}

// reasons are why kernels are not compiled by way of C.
func (t *tallies) reasons() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.notC
}

// helpersShown is how many operations a line of the table names.
const helpersShown = 3

// table is for people.
func table(list []*tally) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "launches\ttime\tlane-ops\tlane-ops/s\tcompiled\t  kernel, and what compiled code left to handlers")
	for _, k := range list {
		took := time.Duration(k.ElapsedNs)
		s := vm.Stats{LaneOps: k.LaneOps, Elapsed: took}
		fmt.Fprintf(w, "%d\t%v\t%d\t%.3g\t%.1f %%\t  %s%s\n", k.Launches, took.Round(100*time.Nanosecond),
			k.LaneOps, s.LaneOpsPerSecond(), 100*(1-k.Engines["interp"]), k.Demangled, helped(k.Helpers))
	}
	_ = w.Flush() // a Builder takes everything
	return strings.TrimSuffix(b.String(), "\n")
}

// helped names the most frequent operations.
func helped(times map[string]uint64) string {
	ops := slices.SortedFunc(maps.Keys(times), func(a, b string) int {
		return cmp.Or(-cmp.Compare(times[a], times[b]), cmp.Compare(a, b))
	})
	var b strings.Builder
	for i, op := range ops {
		if i == helpersShown {
			fmt.Fprintf(&b, ", … %d more", len(ops)-i)
			break
		}
		fmt.Fprintf(&b, ", %s %d times", op, times[op])
	}
	return b.String()
}

// tellStats prints the table, once, and writes it to the report.
func (d *Driver) tellStats() {
	if !d.cfg.Stats || d.toldStats.Swap(true) {
		return
	}
	list := d.tallies.list()
	if d.host.Error != nil {
		for line := range strings.Lines(table(list) + "\n") {
			d.host.Error("stats: " + line)
		}
		for _, why := range d.tallies.reasons() {
			d.host.Error("stats: not by the C compiler: " + why + "\n")
		}
	}
	d.reports.writeStats(list)
}

// writeStats appends the tallies to a report in JSON.
func (r *reports) writeStats(list []*tally) {
	if r.to == nil || r.isLog {
		return
	}
	data, err := json.Marshal(struct {
		Schema int      `json:"schema"`
		Stats  []*tally `json:"stats"`
	}{1, list})
	if err != nil {
		return // every field is a number or a text
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, _ = r.to.Write(append(data, '\n')) // a full disk must not end the program
}

// launches is where a line for each launch goes; nil: nowhere.
type launches struct {
	mu sync.Mutex
	to func(line string)
}

// openLaunches opens what PTXVM_TRACE=kernels names.
func (d *Driver) openLaunches() error {
	switch file := d.cfg.KernelsTo; {
	case !d.cfg.Kernels:
	case file == "":
		d.launches.to = d.host.Error
	default:
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return fmt.Errorf("PTXVM_TRACE: %w", err)
		}
		d.launches.to = func(line string) {
			_, _ = f.WriteString(line) // as long as the process lives; a full disk must not end it
		}
	}
	return nil
}

// launched tells of a launch that is over.
func (d *Driver) launched(w *kernelWork, s *vm.Stats) {
	if d.cfg.Stats {
		d.tallies.add(w, s)
	}
	if d.launches.to == nil {
		return
	}
	line := w.line(s.Elapsed)
	d.launches.mu.Lock()
	defer d.launches.mu.Unlock()
	d.launches.to(line)
}

// line is a launch on a line: what <<<>>> says, and its time.
func (w *kernelWork) line(took time.Duration) string {
	var b bytes.Buffer
	l := &w.launch
	fmt.Fprintf(&b, "kernel %s grid=(%v) block=(%v)", w.on.kernel.Info().Demangled, l.Grid, l.Block)
	if c := l.Cluster; c != (vm.Dim3{}) {
		fmt.Fprintf(&b, " cluster=(%v)", c)
	}
	fmt.Fprintf(&b, " shared=%d %s: %.1f us\n", l.Shared, w.from(), float64(took.Nanoseconds())/1e3)
	return b.String()
}

// from is where the launch was put.
func (w *kernelWork) from() string {
	if !w.queued {
		return "graph"
	}
	return fmt.Sprintf("stream=%#x", w.stream)
}
