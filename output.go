package ptxvm

// This file carries printf to the writer of the configuration: a writer that fails ends the
// launch, so that no output is lost in silence.

import (
	"context"
	"errors"
	"fmt"
	"io"

	"ptxvm.invalid/ptxvm/internal/host"
)

// outputError is a failure of DeviceConfig.Stdout.
type outputError struct{ cause error }

func (e outputError) Error() string { return fmt.Sprintf("ptxvm: writing kernel output: %v", e.cause) }
func (e outputError) Unwrap() error { return e.cause }

// output is the writer of one launch.
type output struct {
	to     io.Writer
	cancel context.CancelCauseFunc
}

// watchOutput returns where a launch prints, and a context that ends when writing there fails; end ends both. A
// nil w discards, by nowhere.
func watchOutput(ctx context.Context, w io.Writer, limit int64, nowhere *host.Output) (watched context.Context, o *host.Output, end func()) {
	if w == nil {
		nowhere.Discard(limit)
		return ctx, nowhere, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, host.NewOutput(&output{w, cancel}, limit), func() { cancel(nil) }
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if err != nil {
		o.cancel(outputError{err})
	}
	return n, err
}

// outputFailed puts the writer's failure in the place of the cancellation that it caused.
func outputFailed(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if cause == nil || err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	var failed outputError
	if errors.As(cause, &failed) {
		return failed
	}
	return err
}
