package quota

import (
	"context"
	"errors"
	"testing"
)

// work is a pass of some steps that takes memory at each.
func work(q *Quota, steps, bytes int) (done int, err error) {
	defer Caught(&err)
	q.Prepare("kernel", "k")
	q.Enter("pass")
	for range steps {
		q.Spend(1)
		q.Take(bytes)
		done++
	}
	return done, nil
}

func TestMemory(t *testing.T) {
	for _, limit := range []int{0, 10, 99, 100, 1000} {
		done, err := work(New(context.Background(), int64(limit)), 100, 1)
		if done != min(limit, 100) || (err == nil) != (limit >= 100) {
			t.Errorf("%d steps of a byte within %d: %v", done, limit, err)
		}
		if err != nil && (!errors.Is(err, ErrMemory) || err.Error() != "compiling kernel k (pass): out of memory for compiling") {
			t.Errorf("%v", err)
		}
	}
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	q := New(ctx, 1<<30)
	if done, err := work(q, 3*lookAfter, 0); err != nil || done != 3*lookAfter {
		t.Fatalf("%d steps, %v", done, err)
	}
	cancel()
	if done, err := work(q, 1, 0); done != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("a pass begins when nobody waits any more: %d, %v", done, err)
	}
	if done, err := work(nil, 10, 1<<40); done != 10 || err != nil {
		t.Errorf("without a quota: %d, %v", done, err)
	}
}

// TestSteps: the context is looked at in the middle of a pass.
func TestSteps(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	q, n := New(ctx, 1<<30), 0
	err := func() (err error) {
		defer Caught(&err)
		q.Enter("pass")
		cancel()
		for ; n < 10*lookAfter; n++ {
			q.Spend(1)
		}
		return nil
	}()
	if !errors.Is(err, context.Canceled) || n > lookAfter {
		t.Errorf("%d steps, %v", n, err)
	}
}

// TestDefect: other panics are not caught.
func TestDefect(t *testing.T) {
	defer func() {
		if p := recover(); p != "a defect" {
			t.Errorf("recovered %v", p)
		}
	}()
	var err error
	defer Caught(&err)
	panic("a defect")
}
