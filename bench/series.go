package main

import (
	"fmt"
	"os"
	"regexp"
	"time"

	"ptxvm.invalid/ptxvm"
)

// series is what measurements of many workloads share.
type series struct {
	match  *regexp.Regexp // names of workloads
	engine ptxvm.Engine
	span   time.Duration // of one measurement
	top    string        // the folder of the sources
	dir    string        // where programs and buffers of the measurement are written
}

// measure prints the table that a function makes of a series.
func measure(match *regexp.Regexp, engine string, span time.Duration, table func(*series) error) error {
	e, err := ptxvm.ParseEngine(engine)
	if err != nil {
		return err
	}
	top, err := root()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return table(&series{match, e, span, top, dir})
}

// each goes through the workloads of the series.
func (s *series) each(f func(*workload) error) error { return s.among(workloads, f) }

// among is each of another list.
func (s *series) among(list []workload, f func(*workload) error) error {
	for i := range list {
		w := &list[i]
		if !s.match.MatchString(w.name) {
			continue
		}
		if err := f(w); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return nil
}
