// Package quota bounds what preparing a module takes, from its text to code that runs: time, by a context, and memory, as it is
// counted by those who take it. Each pass says what it does and how much; where a limit is passed it ends by a panic, which Caught
// makes an error in the function that began. A nil *Quota has no limits.
package quota

import (
	"context"
	"errors"
	"fmt"
)

// ErrMemory says that preparing a module would take more memory than it may.
var ErrMemory = errors.New("out of memory for compiling")

// lookAfter is after how many steps, of some nanoseconds each, the context is looked at.
const lookAfter = 1 << 14

// Quota is what is left. It is for one goroutine.
type Quota struct {
	ctx    context.Context
	memory int64 // bytes left
	steps  int   // until the context is looked at
	what   string
	pass   string
}

// Error is how a preparation ended that passed a limit.
type Error struct {
	What string // that was prepared: "kernel k", "module m.ptx"
	Pass string // that came to the limit: "liveness"
	Err  error  // of the context, or ErrMemory
}

// Error says what was being done.
func (e *Error) Error() string { return fmt.Sprintf("compiling %s (%s): %v", e.What, e.Pass, e.Err) }

// Unwrap is the reason.
func (e *Error) Unwrap() error { return e.Err }

// New is a quota of some bytes for as long as a context lasts.
func New(ctx context.Context, memory int64) *Quota {
	return &Quota{ctx: ctx, memory: memory, steps: lookAfter}
}

// Prepare says what is being prepared from here on.
func (q *Quota) Prepare(what, name string) {
	if q != nil {
		q.what = what + " " + name
	}
}

// Enter begins a pass. The context is looked at.
func (q *Quota) Enter(pass string) {
	if q != nil {
		q.pass = pass
		q.look()
	}
}

// Spend counts steps.
func (q *Quota) Spend(steps int) {
	if q == nil {
		return
	}
	if q.steps -= steps; q.steps < 0 {
		q.look()
	}
}

func (q *Quota) look() {
	q.steps = lookAfter
	if err := q.ctx.Err(); err != nil {
		q.end(err)
	}
}

// Take counts bytes that stay taken.
func (q *Quota) Take(bytes int) {
	if q == nil {
		return
	}
	if q.memory -= int64(bytes); q.memory < 0 {
		q.end(ErrMemory)
	}
	q.Spend(bytes >> 6)
}

func (q *Quota) end(err error) { panic(&Error{q.what, q.pass, err}) }

// Caught is deferred by who made the quota: it makes a limit that was passed an error.
func Caught(err *error) {
	switch p := recover().(type) {
	case nil:
	case *Error:
		*err = p
	default:
		panic(p)
	}
}
