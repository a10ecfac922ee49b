package driver

// This file knows which kernels run, and how far they are, for a user who waits.

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// patience is how long a kernel runs before it is spoken of, and the time between two words about it.
const patience = 10 * time.Second

// running are the launches under way. How far one is counts only with Config.Progress: a launch that is counted costs
// more than an empty one.
type running struct {
	mu    sync.Mutex
	since map[*kernelWork]time.Time
	last  map[string]vm.Progress   // by kernel, of the launch that told last
	said  map[string]time.Duration // the same, when it was spoken of
}

func (r *running) begin(w *kernelWork) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.since == nil {
		r.since, r.last, r.said = map[*kernelWork]time.Time{}, map[string]vm.Progress{}, map[string]time.Duration{}
	}
	r.since[w] = time.Now()
}

func (r *running) end(w *kernelWork) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.since, w)
	if len(r.last) != 0 {
		name := w.on.kernel.Info().Name
		delete(r.last, name)
		delete(r.said, name)
	}
}

// others names the kernels that run beside one.
func (r *running) others(w *kernelWork) (names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for other := range r.since {
		if other != w {
			names = append(names, other.on.kernel.Info().Name)
		}
	}
	slices.Sort(names)
	return names
}

// note keeps how far a kernel is, and tells whether it is time to speak of it.
func (r *running) note(p vm.Progress) (speak bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil {
		return false
	}
	r.last[p.Kernel] = p
	if speak = p.Elapsed >= r.said[p.Kernel]+patience; speak {
		r.said[p.Kernel] = p.Elapsed
	}
	return speak
}

// progress is what the devices call while a kernel runs.
func (d *Driver) progress(p vm.Progress) {
	if d.running.note(p) {
		d.warn("kernel %s", farther(p))
	}
}

// Running says, a line each, which kernels run.
func (d *Driver) Running() string {
	r := &d.running
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.since) == 0 {
		return "ptxvm: no kernel runs\n"
	}
	var b strings.Builder
	for w, since := range r.since {
		name := w.on.kernel.Info().Name
		if p, ok := r.last[name]; ok {
			fmt.Fprintf(&b, "ptxvm: kernel %s\n", farther(p))
			continue
		}
		fmt.Fprintf(&b, "ptxvm: kernel %s has run for %s: %d CTAs of %d threads\n", name, seconds(time.Since(since)), w.launch.Grid.Count(), w.launch.Block.Count())
	}
	return b.String()
}

// farther says how far a kernel is.
func farther(p vm.Progress) string {
	return fmt.Sprintf("%s has run for %s: %d of %d CTAs are done, %.3g million lane-ops a second", p.Kernel, seconds(p.Elapsed), p.CTAsDone, p.CTAs, p.LaneOpsPerSecond()/1e6)
}

func seconds(d time.Duration) string { return d.Round(100 * time.Millisecond).String() }
