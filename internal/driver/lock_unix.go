//go:build unix

package driver

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile keeps other processes that lock the file out, until unlock.
func lockFile(f *os.File) (unlock func(), err error) {
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return nil, err
	}
	return func() { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }, nil
}
