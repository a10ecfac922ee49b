//go:build !amd64

package native

// Maker knows nobody: no machine code is made here.
func Maker() (name string, family int) { return "", 0 }
