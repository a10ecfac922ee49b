package main

// This file talks to a workload in C that runs alone or as two processes at once (native/main.c).

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// pair is the workload in C, waiting for its turns.
type pair struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// startPair starts the reference of gcc.
func (w *workload) startPair(s *series, r *corpus.Run) (*pair, error) {
	args, err := w.arguments(s.dir, r)
	if err != nil {
		return nil, err
	}
	binary, err := w.buildC(s, "gcc", w.forms()[len(w.forms())/2])
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(binary, append([]string{"turns"}, args...)...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &pair{cmd, in, bufio.NewReaderSize(out, 1<<16)}, cmd.Start()
}

func (p *pair) close() error { return errors.Join(p.in.Close(), p.cmd.Wait()) }

// turns makes turns of so many processes.
func (p *pair) turns(processes int) func(time.Duration) ([]spent, error) {
	return func(span time.Duration) (list []spent, err error) {
		if _, err := fmt.Fprintln(p.in, processes, span.Nanoseconds()); err != nil {
			return nil, err
		}
		for {
			var s spent
			if _, err := fmt.Fscan(p.out, &s.wall, &s.cpu); err != nil || s.wall == 0 {
				return list, err
			}
			list = append(list, s)
		}
	}
}
