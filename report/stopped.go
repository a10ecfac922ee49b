package report

// This file holds launches that did not come to their end without a fault: deadlocks, and limits.

import (
	"fmt"
	"strings"

	"ptxvm.invalid/ptxvm/diag"
)

// DeadlockError says that no thread of a CTA and its cluster can go on: who waits for whom.
type DeadlockError struct {
	Kernel  string
	CTA     Index3 // of the first waiter
	Cluster bool   // there are several CTAs in the cluster
	Waiters []Waiter
	Moment  *uint64 // as in Fault, of the last instruction
}

// Waiter is a set of lanes of one warp that wait at one place.
type Waiter struct {
	CTA     Index3
	Warp    int
	Lanes   uint32
	Missing uint32 // lanes of the warp that they wait for; 0 if they wait for other warps
	Reason  string
	PTX     Location
	Source  []Location
	Text    string // the statement as written
}

// Error is one line: the kernel, and the CTA or cluster that cannot go on.
func (e *DeadlockError) Error() string {
	if e.Cluster {
		return fmt.Sprintf("deadlock: no thread of the cluster of CTA %s of kernel %s can go on", e.CTA, readable(e.Kernel))
	}
	return fmt.Sprintf("deadlock: no thread of CTA %s of kernel %s can go on", e.CTA, readable(e.Kernel))
}

// Detail is the whole report on several lines. Warps that wait at one place for the same are one item.
func (e *DeadlockError) Detail() string {
	var b strings.Builder
	b.WriteString(e.Error())
	for _, group := range e.groups() {
		w := group[0]
		place := headOr(w.Source, w.PTX)
		b.WriteString("\n  ")
		if e.Cluster {
			fmt.Fprintf(&b, "CTA %s ", w.CTA)
		}
		fmt.Fprintf(&b, "%s lanes %08x at %v: %s", warps(group), w.Lanes, place, w.Reason)
		if w.Text != "" {
			fmt.Fprintf(&b, "\n    ptx:  %v  %s", w.PTX, diag.Escape(w.Text))
		}
	}
	if e.Moment != nil {
		b.WriteString("\n  moment: " + at(*e.Moment))
	}
	fmt.Fprintf(&b, "\n  help:  ptxvm explain %v", diag.Deadlock)
	return b.String()
}

// groups are the waiters by what they say but for the warp, in the order of their first ones.
func (e *DeadlockError) groups() (list [][]Waiter) {
	type alike struct {
		cta    Index3
		lanes  uint32
		ptx    Location
		reason string
	}
	index := map[alike]int{}
	for _, w := range e.Waiters {
		key := alike{w.CTA, w.Lanes, w.PTX, w.Reason}
		i, ok := index[key]
		if !ok {
			i = len(list)
			index[key], list = i, append(list, nil)
		}
		list[i] = append(list[i], w)
	}
	return list
}

// warps names the warps of some waiters: "warp 3", "warps 0-5, 7".
func warps(list []Waiter) string {
	var names []string
	for i := 0; i < len(list); {
		k := i + 1
		for k < len(list) && list[k].Warp == list[k-1].Warp+1 {
			k++
		}
		if k == i+1 {
			names = append(names, fmt.Sprint(list[i].Warp))
		} else {
			names = append(names, fmt.Sprintf("%d-%d", list[i].Warp, list[k-1].Warp))
		}
		i = k
	}
	if len(list) == 1 {
		return "warp " + names[0]
	}
	return "warps " + strings.Join(names, ", ")
}

// StoppedError says that a launch was ended before the kernel ended. It wraps ErrStepLimit or the context's error.
type StoppedError struct {
	Kernel string
	Err    error
	Warps  []RunningWarp // those that executed most, at most eight; the hottest first
	Done   uint64        // CTAs that have ended
	CTAs   uint64        // of the launch
}

// RunningWarp is where a warp of such a launch was.
type RunningWarp struct {
	CTA    Index3
	Warp   int
	Lanes  uint32     // that were there, of those that could go on
	Steps  uint64     // warp instructions that it has executed; 0 where compiled code ran its CTA as a whole
	PTX    Location   // the instruction that comes next
	Source []Location // as in Fault
	Calls  []Location
	Text   string // the instruction as written
	Waits  string // what the lanes wait for; empty: they could go on
}

// Error is the kernel and what ended it.
func (e *StoppedError) Error() string {
	return fmt.Sprintf("ptxvm: kernel %s: %v", readable(e.Kernel), e.Err)
}

// Unwrap is Err: ErrStepLimit or the context's error.
func (e *StoppedError) Unwrap() error { return e.Err }

// Detail lists the warps, a few lines each, and of several CTAs how many have ended; empty if there is nothing to say.
func (e *StoppedError) Detail() string {
	var b strings.Builder
	for i, w := range e.Warps {
		if i == 0 {
			fmt.Fprintf(&b, "kernel %s was at, the warps that executed most first:\n", readable(e.Kernel))
		}
		w.print(&b)
	}
	if e.CTAs > 1 {
		fmt.Fprintf(&b, "%d of %d CTAs have ended\n", e.Done, e.CTAs)
	}
	return strings.TrimRight(b.String(), "\n")
}

func (w *RunningWarp) print(b *strings.Builder) {
	place := headOr(w.Source, w.PTX)
	fmt.Fprintf(b, "  CTA %v warp %d lanes %08x at %v", w.CTA, w.Warp, w.Lanes, place)
	if w.Steps != 0 {
		fmt.Fprintf(b, ", %d instructions", w.Steps)
	}
	if w.Waits != "" {
		b.WriteString(": " + w.Waits)
	}
	b.WriteByte('\n')
	fmt.Fprintf(b, "    ptx:  %v  %s\n", w.PTX, diag.Escape(w.Text))
	for i, l := range w.Calls {
		if i == callsShown {
			fmt.Fprintf(b, "    … %d more calls\n", len(w.Calls)-i)
			break
		}
		fmt.Fprintf(b, "    called from %v%s\n", l, inFunction(l.Function))
	}
}
