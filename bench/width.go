package main

// This file chooses the width of vectors, ours and those of C.

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/cpu"
)

// without512 hides AVX-512 from a Go program.
const without512 = "cpu.avx512f=off"

// setWidth makes the process use vectors of so many bits; 0 leaves it as it is. Go programs learn of the
// processor when they start, so it starts the program again for 256 bits; started tells that it has, and has ended.
func setWidth(bits int) (started bool, err error) {
	switch {
	case bits == 0 || bits == vectorBits():
		return false, nil
	case bits == 512:
		return false, fmt.Errorf("this processor has no AVX-512")
	case bits != 256:
		return false, fmt.Errorf("vectors have 256 or 512 bits")
	case strings.Contains(os.Getenv("GODEBUG"), without512):
		return false, fmt.Errorf("AVX-512 cannot be hidden here")
	}
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	again := exec.Command(self, os.Args[1:]...)
	again.Env = append(os.Environ(), "GODEBUG="+strings.Trim(os.Getenv("GODEBUG")+","+without512, ","))
	again.Stdout, again.Stderr = os.Stdout, os.Stderr
	return true, again.Run()
}

// vectorBits is the width that compiled code has here.
func vectorBits() int {
	if cpu.X86.HasAVX512F {
		return 512
	}
	return 256
}

// widthIndex is 0 for AVX-512, 1 for AVX2: as goals are listed.
func widthIndex() int {
	if vectorBits() == 512 {
		return 0
	}
	return 1
}

// widthFlags keep C to the width of compiled code.
func widthFlags() []string {
	if vectorBits() == 512 {
		return nil
	}
	return []string{"-mno-avx512f", "-mavx2", "-mfma"}
}
