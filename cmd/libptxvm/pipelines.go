//go:build cudart && pipelines

package main

// This file is for tests alone (PTXVM_TAGS=pipelines .ci/cudart DIR): the environment says by which compiler engines that compile do so, as
// -pipeline does for tests in Go, and to which file to add what the new pipeline says of each kernel.

import (
	"fmt"
	"os"

	"ptxvm.invalid/ptxvm/internal/testkit/rig"
)

func init() {
	*rig.NewPipeline = os.Getenv("TEST_PIPELINE")
	name := os.Getenv("TEST_PIPELINE_NOTES")
	if name == "" {
		return
	}
	rig.Note = func(kernel string, refused error) {
		f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		defer f.Close()
		text := "taken"
		if refused != nil {
			text = "refused: " + refused.Error()
		}
		if _, err := fmt.Fprintf(f, "%s %s\n", kernel, text); err != nil {
			panic(err)
		}
	}
}
