package main

// This file spares short processes the garbage collector.

import (
	"os"
	"runtime/debug"
)

// smallSources is how much text, in all, is judged with a heap that may grow to several times what is in use: some ten
// bytes a byte of text.
const smallSources = 8 << 20

// lazyCollector lets the heap grow to five times what is in use, which a check of some ten thousand lines never
// reaches, and returns a function to be told of each text: beyond smallSources the collector is as eager as ever. $GOGC goes first.
func lazyCollector() func(size int) {
	if os.Getenv("GOGC") != "" {
		return func(int) {}
	}
	eager := debug.SetGCPercent(400)
	total := 0
	return func(size int) {
		if total += size; total > smallSources && total-size <= smallSources {
			debug.SetGCPercent(eager)
		}
	}
}
