package main

// This file lets check judge several files at a time and print them in their order.

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// inOrder reads items 0 to n-1 one after the other, works on as many of them at a time as there are cores,
// and prints their results in order, on the calling goroutine. It ends at the first error of read, work or
// print; what comes before it is printed. At most one item a core is held besides the one that is printed.
// A panic of work goes on here, with its stack behind its first line.
func inOrder[In, Out any](n int, read func(i int) (In, error), work func(In) (Out, error), print func(Out) error) error {
	cores := max(1, min(n, runtime.GOMAXPROCS(0)))
	started := make(chan chan outcome[Out], cores-1)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		defer close(started)
		for i := range n {
			done := make(chan outcome[Out], 1)
			select {
			case started <- done:
			case <-stop:
				return
			}
			in, err := read(i)
			if err != nil {
				done <- outcome[Out]{err: err}
				return
			}
			go func() { done <- guard(work, in) }()
		}
	}()
	for done := range started {
		if err := finishOne(<-done, print); err != nil {
			return err
		}
	}
	return nil
}

// outcome is what became of one item.
type outcome[Out any] struct {
	out   Out
	err   error
	panic string // "" without one
}

// guard catches a panic, which would otherwise end the process without its exit code.
func guard[In, Out any](work func(In) (Out, error), in In) (r outcome[Out]) {
	defer func() {
		if p := recover(); p != nil {
			r.panic = fmt.Sprintf("%v\n%s", p, debug.Stack())
		}
	}()
	r.out, r.err = work(in)
	return r
}

func finishOne[Out any](r outcome[Out], print func(Out) error) error {
	if r.panic != "" {
		panic(r.panic)
	}
	if r.err != nil {
		return r.err
	}
	return print(r.out)
}
