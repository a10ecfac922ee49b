package vm

// This file bounds what preparing modules and launches takes.

import (
	"context"
	"errors"
	"fmt"
	"math"

	"ptxvm.invalid/ptxvm/internal/quota"
)

// CompilingError says that a limit was reached before anything of a kernel ran: while its module was read, checked, lowered or
// decoded.
type CompilingError struct {
	What string // that was being prepared: "kernel k", "module m.ptx"
	Pass string // "parse", "check", "liveness"
	Err  error  // the context's, or ErrOutOfMemory
}

// Error says what was being done.
func (e *CompilingError) Error() string {
	return fmt.Sprintf("ptxvm: compiling %s (%s): %v", e.What, e.Pass, e.Err)
}

// Unwrap is the reason.
func (e *CompilingError) Unwrap() error { return e.Err }

// leastCompiling is what preparing may take on the smallest device.
const leastCompiling = 512 << 20

// newQuota is what one call may take that prepares something: as much as the device's memory, but no less than leastCompiling. 0 is
// no limit.
func newQuota(ctx context.Context, memory int64) *quota.Quota {
	return quota.New(ctx, compilingMemory(memory))
}

// compilingMemory is how many bytes preparing may take where a device has so many, 0 for no limit.
func compilingMemory(device int64) int64 {
	if device == 0 {
		return math.MaxInt64
	}
	return max(device, leastCompiling)
}

// limited makes a limit of a quota that was passed an error. It is deferred.
func limited(err *error) {
	switch p := recover().(type) {
	case nil:
	case *quota.Error:
		if *err = (&CompilingError{p.What, p.Pass, p.Err}); errors.Is(p, quota.ErrMemory) {
			*err = &CompilingError{p.What, p.Pass, ErrOutOfMemory}
		}
	default:
		panic(p)
	}
}
