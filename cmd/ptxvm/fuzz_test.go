package main

import (
	"testing"

	"ptxvm.invalid/ptxvm/internal/cli"
)

// FuzzFlags: no value of a flag makes its parser panic.
func FuzzFlags(f *testing.F) {
	for _, seed := range []string{"", "tmem", "tmem=1,2,3", "0/5@20-31", "1,2,3", "48K", "10s", ":", "=", ",", "x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, fl := range []cli.Value{new(showFlag), new(traceFlag), new(dim3Flag), new(sizeFlag), new(durationFlag)} {
			_ = fl.Set(text) // what it says of a text is tested elsewhere
		}
	})
}
