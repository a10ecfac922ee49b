package ptxvm

// This file carries printf to the writer of the configuration: a writer that fails ends the
// launch, so that no output is lost in silence.

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// watchOutput returns a context that ends when writing to w fails. A nil w discards.
func watchOutput(ctx context.Context, w io.Writer) (context.Context, *output) {
	if w == nil {
		w = io.Discard
	}
	ctx, cancel := context.WithCancelCause(ctx)
	return ctx, &output{w, cancel}
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
	var failed outputError
	if (err == nil || errors.Is(err, context.Canceled)) && errors.As(context.Cause(ctx), &failed) {
		return failed
	}
	return err
}
