//go:build !cudart

package main

// This file says what a build without the tag is.

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "libptxvm is a shared library: .ci/cudart DIR builds it")
	os.Exit(2)
}
