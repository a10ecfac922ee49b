package host

// This file collects what kernels print.

import (
	"io"
	"sync"
	"time"
)

// Output collects what kernels print, one message after the other, up to a limit. It writes when enough has come
// together, when some time has passed, and at Close.
type Output struct {
	mu     sync.Mutex
	to     io.Writer
	limit  bool
	left   int64  // of the limit
	held   []byte // not yet written
	timer  *time.Timer
	failed error // of the writer; what comes later is lost
}

const (
	maxHeld  = 64 << 10              // bytes that are written at once
	holdTime = 20 * time.Millisecond // that a message waits at most, as long as the writer takes it
)

// NewOutput writes to w at most limit bytes; 0 is no limit. A nil w discards.
func NewOutput(w io.Writer, limit int64) *Output {
	return &Output{to: w, left: limit, limit: limit > 0}
}

// Discard begins anew, for output that is dropped, at most limit bytes. No launch prints there meanwhile.
func (o *Output) Discard(limit int64) { o.to, o.left, o.limit = nil, limit, limit > 0 }

// Print takes one message whole; false if it exceeds the limit, in which case it takes the part that fits.
func (o *Output) Print(msg []byte) (fits bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	fits = true
	if o.limit {
		if fits = int64(len(msg)) <= o.left; !fits {
			msg = msg[:o.left]
		}
		o.left -= int64(len(msg))
	}
	if o.to == nil || len(msg) == 0 {
		return fits
	}
	if len(o.held) == 0 {
		o.wake()
	}
	if o.held = append(o.held, msg...); len(o.held) >= maxHeld {
		o.write()
	}
	return fits
}

// wake sees to it that what is held does not wait for more.
func (o *Output) wake() {
	if o.timer != nil {
		o.timer.Reset(holdTime)
		return
	}
	o.timer = time.AfterFunc(holdTime, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.write()
	})
}

// write hands over what is held.
func (o *Output) write() {
	if len(o.held) > 0 && o.failed == nil {
		_, o.failed = o.to.Write(o.held)
	}
	o.held = o.held[:0]
}

// Flush writes what is held.
func (o *Output) Flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.write()
}

// Close writes what is held and returns why writing failed, if it did.
func (o *Output) Close() error {
	if o.to == nil { // nothing is held
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.timer != nil {
		o.timer.Stop()
	}
	o.write()
	return o.failed
}
