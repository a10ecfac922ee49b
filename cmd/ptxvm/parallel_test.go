package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// ordered runs inOrder over n items whose later ones are done sooner, and returns what it printed.
func ordered(n, badRead, badWork int) (printed []int, most int32, err error) {
	var running, peak atomic.Int32
	bad := func(what string, i, at int) error {
		if i == at {
			return fmt.Errorf("%s %d", what, i)
		}
		return nil
	}
	err = inOrder(n,
		func(i int) (int, error) { return i, bad("read", i, badRead) },
		func(i int) (int, error) {
			peak.Store(max(peak.Load(), running.Add(1)))
			time.Sleep(time.Duration(n-i) * 200 * time.Microsecond)
			running.Add(-1)
			return i, bad("work", i, badWork)
		},
		func(i int) error { printed = append(printed, i); return nil })
	return printed, peak.Load(), err
}

func upTo(n int) []int {
	var all []int
	for i := range n {
		all = append(all, i)
	}
	return all
}

func TestInOrder(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for _, c := range []struct {
		n, badRead, badWork, printed int
		err                          string
	}{
		{0, -1, -1, 0, ""}, {1, -1, -1, 1, ""}, {20, -1, -1, 20, ""},
		{20, 7, -1, 7, "read 7"}, {20, -1, 7, 7, "work 7"}, {20, 9, 8, 8, "work 8"}, {20, 0, -1, 0, "read 0"},
	} {
		printed, most, err := ordered(c.n, c.badRead, c.badWork)
		if !slices.Equal(printed, upTo(c.printed)) || c.err != "" && (err == nil || err.Error() != c.err) || c.err == "" && err != nil {
			t.Errorf("%+v printed %v: %v", c, printed, err)
		}
		if most > 3 || c.printed == 20 && most < 2 {
			t.Errorf("%+v had %d at a time, want at most 3, and more than one", c, most)
		}
	}
}

// TestInOrderEnds: an error of print ends it, and a panic comes out on the caller with its stack.
func TestInOrderEnds(t *testing.T) {
	same := func(i int) (int, error) { return i, nil }
	broken := errors.New("broken pipe")
	if err := inOrder(5, same, same, func(int) error { return broken }); err != broken {
		t.Errorf("got %v", err)
	}
	defer func() {
		if p := fmt.Sprint(recover()); !strings.HasPrefix(p, "a defect\n") || !strings.Contains(p, "goroutine") {
			t.Errorf("got the panic %q", p)
		}
	}()
	_ = inOrder(5, same, func(int) (int, error) { panic("a defect") }, func(int) error { return nil })
	t.Error("the panic was lost")
}
