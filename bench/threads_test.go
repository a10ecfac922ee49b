package main

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestThreadsTime: what another thread has used counts while it runs.
func TestThreadsTime(t *testing.T) {
	var stop atomic.Bool
	defer stop.Store(true)
	started := make(chan bool)
	go func() {
		runtime.LockOSThread()
		close(started)
		for !stop.Load() {
		}
	}()
	<-started
	clock, err := threadsTime()
	if err != nil {
		t.Fatal(err)
	}
	before := clock()
	for began := time.Now(); clock() == before; time.Sleep(100 * time.Microsecond) {
		if time.Since(began) > 10*time.Second {
			t.Fatal("the clock stands")
		}
	}
}
