//go:build !linux || !(amd64 || arm64)

package main

import (
	"fmt"
	"runtime"
)

// openCUDA refuses: the driver's library is looked for on Linux.
func openCUDA() (Driver, error) {
	return nil, fmt.Errorf("%w: not looked for on %s/%s", errNoDriver, runtime.GOOS, runtime.GOARCH)
}
