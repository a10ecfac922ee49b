//go:build js

package main

import (
	"io"

	"ptxvm.invalid/ptxvm"
)

// progressBar shows nothing: in js/wasm no stream is a terminal, and the bar's library
// does not build there.
type progressBar struct{}

func newProgressBar(io.Writer, bool) *progressBar { return &progressBar{} }

func (*progressBar) update(ptxvm.Progress) {}

func (*progressBar) done() {}
