package ptxvm

// This file bounds the memory that sanitizers take for their shadows of global memory: as much as the device has itself.

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
)

// shadowBudget counts the shadows of a device.
type shadowBudget struct {
	limit int64
	used  atomic.Int64

	mu    sync.Mutex
	stops map[*launchShadow]context.CancelCauseFunc // of the launches that run
}

// shadowError says that there is no more: it ends a launch.
type shadowError struct{ limit int64 }

func (e shadowError) Error() string {
	return fmt.Sprintf("%v: the shadow memory of the sanitizers exceeds the %d bytes that the device has (DeviceConfig.Memory, --memory)", ErrOutOfMemory, e.limit)
}
func (e shadowError) Unwrap() error { return ErrOutOfMemory }

// took counts bytes, and stops the launches that run if there are too many.
func (b *shadowBudget) took(n int) {
	if b.used.Add(int64(n)) <= b.limit {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, stop := range b.stops {
		stop(shadowError{b.limit})
	}
}

// launchShadow is what one launch takes.
type launchShadow struct {
	of   *shadowBudget
	used atomic.Int64
}

// took counts bytes that the end of the launch gives back.
func (l *launchShadow) took(n int) {
	l.used.Add(int64(n))
	l.of.took(n)
}

// watch returns a context that ends when there is no more; end ends both.
func (l *launchShadow) watch(ctx context.Context) (watched context.Context, end func()) {
	if l == nil {
		return ctx, func() {}
	}
	ctx, stop := context.WithCancelCause(ctx)
	b := l.of
	b.mu.Lock()
	b.stops[l] = stop
	b.mu.Unlock()
	b.took(0)
	return ctx, func() {
		b.mu.Lock()
		delete(b.stops, l)
		b.mu.Unlock()
		b.used.Add(-l.used.Load())
		stop(nil)
	}
}
