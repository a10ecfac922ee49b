package host

// This file holds the goroutines that help a launch's caller. Waking a sleeping thread takes 60 µs and more on a
// virtual machine, and until it runs on another processor milliseconds; so where launches follow each other closely,
// a helper that has ended stays awake for a moment and looks out for the next launch.

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A caller stays awake for helpers that are about to end for leastWait, and for a quarter of what it has worked, at most
// for mostWait. One that sleeps has to be woken, and so has the helper for the next launch, as its thread goes on with the caller.
const leastWait, mostWait = 20 * time.Microsecond, time.Millisecond

// awakeUntil is until when one stays awake that has worked since began.
func awakeUntil(began time.Time) time.Time {
	if !spinning() {
		return began
	}
	now := time.Now()
	return now.Add(max(leastWait, min(now.Sub(began)/4, mostWait)))
}

// helper runs one worker of a crew beside the caller's, for one launch after the other.
type helper struct {
	worker  *worker
	state   atomic.Uint32
	coming  atomic.Bool  // a goroutine has been started and does not run yet
	lookout atomic.Int64 // nanoseconds within which the next launch is expected, 0 if it is not
	before  uint32       // state in which it was called; the caller's
	copies  bool         // it has been called to a write; the caller's
	grid    *grid        // what it is called to: a launch, else
	write   hostWrite    // this
	from    int32        // processor of the caller, as processor returns it
	ended   chan struct{}
	_       [64]byte // keeps helpers off each other's cache lines
}

// States of a helper. The caller makes away or ready called, and called what it was before; the helper the rest.
const (
	away    uint32 = iota // no goroutine of its looks out
	ready                 // one does
	called                // one is to come
	working               // one is there
	awaited               // working, and the caller sleeps until it is told in ended
)

func newHelper(wk *worker) *helper { return &helper{worker: wk, ended: make(chan struct{}, 1)} }

// call has the helper work on a launch. Behind it the helper looks out for another one, if that is expected.
func (h *helper) call(g *grid, lookout time.Duration) {
	h.grid, h.from = g, processor()
	h.lookout.Store(int64(lookout))
	h.before = h.state.Swap(called)
	if h.before == away && h.coming.CompareAndSwap(false, true) {
		go h.run()
		// Go expects the goroutine that was started last to follow the one that has started it, and lets no other have
		// it for some 50 µs. Those before it are free at once.
		go func() {}()
	}
}

// callAwake has the helper copy what the host writes, if it is awake.
func (h *helper) callAwake(w hostWrite) bool {
	if h.state.Load() != ready {
		return false
	}
	h.write, h.from, h.before = w, processor(), ready
	return h.state.CompareAndSwap(ready, called)
}

// wait returns when the helper does not work, and will not; false if it never did. The caller stays awake until then, or a time.
func (h *helper) wait(awake time.Time) (came bool) {
	defer func() { h.grid, h.write = nil, hostWrite{} }()
	if h.state.CompareAndSwap(called, h.before) {
		return false
	}
	for h.state.Load() == working {
		if time.Now().After(awake) && h.state.CompareAndSwap(working, awaited) {
			<-h.ended
		}
	}
	return true
}

// run is a goroutine of the helper's.
func (h *helper) run() {
	h.coming.Store(false)
	if h.lookout.Load() != 0 {
		h.state.CompareAndSwap(away, ready)
	}
	for h.await() && h.serve() {
	}
}

// await looks out for a launch; true if the helper is to work.
func (h *helper) await() bool {
	for began := time.Now(); ; {
		switch h.state.Load() {
		case called:
			if h.state.CompareAndSwap(called, working) {
				return true
			}
		case ready:
			if int64(time.Since(began)) > h.lookout.Load() && h.state.CompareAndSwap(ready, away) {
				return false
			}
		default: // it was called back, or another goroutine works
			return false
		}
	}
}

// serve works; false if the helper goes away then: because no other launch is expected, the caller has gone to sleep,
// whose goroutine follows on this thread at once, or this one is to end (runtime.Goexit in an observer).
func (h *helper) serve() (stays bool) {
	defer func() {
		if stays = stays && h.state.CompareAndSwap(working, ready); !stays && h.state.Swap(away) == awaited {
			h.ended <- struct{}{}
		}
	}()
	if h.from >= 0 && processor() == h.from {
		moveFrom(h.from)
	}
	if h.grid == nil {
		h.write.copy()
	} else {
		h.worker.work(h.grid)
	}
	return h.lookout.Load() != 0
}

// spinning reports whether one goroutine can be awake for another.
func spinning() bool { return runtime.GOMAXPROCS(0) > 1 }
