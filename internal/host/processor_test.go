//go:build linux && amd64

package host

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMoveKeepsMask: whatever processors a thread may run on, it may run on them when it has moved; one that may run on
// one alone stays there.
func TestMoveKeepsMask(t *testing.T) {
	done := make(chan bool)
	go func() { // its thread ends with it
		defer close(done)
		runtime.LockOSThread()
		var all unix.CPUSet
		if err := unix.SchedGetaffinity(0, &all); err != nil {
			t.Error(err)
			return
		}
		for range 20 {
			moveFrom(processor())
			keepsMask(t, all)
		}
		var one unix.CPUSet
		p := int(processor())
		one.Set(p)
		if err := unix.SchedSetaffinity(0, &one); err != nil {
			t.Logf("affinity cannot be set here: %v", err)
			return
		}
		moveFrom(int32(p))
		keepsMask(t, one)
		if at := int(processor()); at != p {
			t.Errorf("on processor %d, may only be on %d", at, p)
		}
	}()
	<-done
}

func keepsMask(t *testing.T, want unix.CPUSet) {
	t.Helper()
	var have unix.CPUSet
	if err := unix.SchedGetaffinity(0, &have); err != nil || have != want {
		t.Errorf("%v: may be on %x, want %x", err, have[:2], want[:2])
	}
}
