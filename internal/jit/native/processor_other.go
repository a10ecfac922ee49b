//go:build !amd64

package native

import "runtime"

// Processor names the processor.
func Processor() string { return runtime.GOARCH }
