package san

// This file bounds the memory that sanitizers take for their shadows of global memory.

import (
	"context"
	"sync"
	"sync/atomic"
)

// Budget counts the bytes of the shadows of a device.
type Budget struct {
	limit int64
	full  error
	used  atomic.Int64

	mu    sync.Mutex
	stops map[*LaunchShadow]context.CancelCauseFunc // of the launches that run
}

// NewBudget allows so many bytes. A launch that takes more is cancelled; full is the cause.
func NewBudget(limit int64, full error) *Budget {
	return &Budget{limit: limit, full: full, stops: map[*LaunchShadow]context.CancelCauseFunc{}}
}

// Took counts bytes, and stops the launches that run if there are too many.
func (b *Budget) Took(n int) {
	if b.used.Add(int64(n)) <= b.limit {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, stop := range b.stops {
		stop(b.full)
	}
}

// LaunchShadow is what one launch takes of a budget; nil takes nothing.
type LaunchShadow struct {
	of   *Budget
	used atomic.Int64
}

// Launch begins a launch.
func (b *Budget) Launch() *LaunchShadow { return &LaunchShadow{of: b} }

// Took counts bytes that the end of the launch gives back.
func (l *LaunchShadow) Took(n int) {
	l.used.Add(int64(n))
	l.of.Took(n)
}

// Watch returns a context that ends when there is no more; end ends both.
func (l *LaunchShadow) Watch(ctx context.Context) (watched context.Context, end func()) {
	if l == nil {
		return ctx, func() {}
	}
	ctx, stop := context.WithCancelCause(ctx)
	b := l.of
	b.mu.Lock()
	b.stops[l] = stop
	b.mu.Unlock()
	b.Took(0)
	return ctx, func() {
		b.mu.Lock()
		delete(b.stops, l)
		b.mu.Unlock()
		b.used.Add(-l.used.Load())
		stop(nil)
	}
}
