//go:build !unix

package main

// This file says where CUDA programs do not run.

import (
	"errors"
)

func replaceProcess(string, []string, []string) error {
	return errors.New("CUDA programs run on Linux only")
}
