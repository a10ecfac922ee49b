package main

import (
	"testing"
	"time"
)

// TestRounds: a round that seems to have used less than it did does not count, unless all are like that.
func TestRounds(t *testing.T) {
	const us = time.Microsecond
	var r rounds
	r.add(spent{cpu: 40 * us, wall: 90 * us})
	if have := r.fastest(); have != 40*us {
		t.Errorf("%v without a whole round, want 40µs", have)
	}
	r.add(spent{cpu: 90 * us, wall: 95 * us})
	r.add(spent{cpu: 85 * us, wall: 90 * us})
	r.add(spent{cpu: 0, wall: 90 * us})
	if have := r.fastest(); have != 85*us {
		t.Errorf("%v, want that of the fastest whole round, 85µs", have)
	}
}
