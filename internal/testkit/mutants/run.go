package mutants

// Judging mutants by a room's tests: those of one sheet in one program, the quick tests first.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Verdict is what became of a mutant.
type Verdict uint8

const (
	Killed       Verdict = iota // a test failed, crashed or ran into the time limit
	Survived                    // every test passed
	NotCompiling                // no mutant of the program; it does not count
)

// Result is the verdict on one mutant.
type Result struct {
	Mutant
	Verdict Verdict
	Seconds float64
}

// Runner judges the mutants of one room.
type Runner struct {
	Root    string // the module root
	Room    *Room
	Scratch string // a folder for overlays and programs
	Env     []string
	guards  []*guard
	sources []*source
}

// guard is a package of tests, and what is known of them without a mutant.
type guard struct {
	pkg         string
	quick       string // a pattern that matches the tests that take little time
	short, full time.Duration
}

// errNoTests says that nothing guards a room.
var errNoTests = errors.New("the room has no tests")

// NewRunner looks for the room's tests.
func NewRunner(root string, room *Room, scratch string, env []string) (*Runner, error) {
	r := &Runner{Root: root, Room: room, Scratch: scratch, Env: env}
	for _, p := range room.Tests {
		if found, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(p), "*_test.go")); len(found) > 0 {
			r.guards = append(r.guards, &guard{pkg: p})
		}
	}
	if len(r.guards) == 0 {
		return nil, fmt.Errorf("%s: %w", room.Name, errNoTests)
	}
	for _, dir := range slices.Concat([]string{room.Dir}, room.Wings) {
		files, err := parseDir(root, dir)
		if err != nil {
			return nil, err
		}
		r.sources = append(r.sources, files...)
	}
	return r, nil
}

// RunAll judges mutants, two at a time, and hands each result to report as it comes.
func (r *Runner) RunAll(ms []Mutant, report func(Result)) error {
	s, p, err := r.fill(pointers(ms))
	if err != nil {
		return err
	}
	defer os.RemoveAll(p.dir)
	if err := r.measure(p); err != nil {
		return err
	}
	var mu sync.Mutex
	done := func(m *Mutant, v Verdict, start time.Time) {
		mu.Lock()
		defer mu.Unlock()
		report(Result{*m, v, time.Since(start).Seconds()})
	}
	numbers := make([]int, 0, len(s.on))
	for n := range s.on {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	err = twoAtATime(numbers, func(n int) error {
		start := time.Now()
		done(s.on[n], r.judge(p, n), start)
		return nil
	})
	return errors.Join(err, twoAtATime(s.alone, func(m *Mutant) error {
		start := time.Now()
		v, err := r.alone(m)
		if err == nil {
			done(m, v, start)
		}
		return err
	}))
}

func pointers(ms []Mutant) (out []*Mutant) {
	for i := range ms {
		out = append(out, &ms[i])
	}
	return out
}

// twoAtATime does something for each member of a list, and returns all errors.
func twoAtATime[T any](list []T, do func(T) error) error {
	next, errs := make(chan T), [2]error{}
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for x := range next {
				errs[i] = errors.Join(errs[i], do(x))
			}
		})
	}
	for _, x := range list {
		next <- x
	}
	close(next)
	wg.Wait()
	return errors.Join(errs[:]...)
}

// fill makes a sheet of the mutants that compile beside one another, and its program.
func (r *Runner) fill(ms []*Mutant) (*sheet, *program, error) {
	var alone []*Mutant
	for {
		s := newSheet(r.sources, ms)
		p, output, err := r.build(s.files)
		if err != nil {
			return nil, nil, err
		}
		if output == nil {
			s.alone = append(s.alone, alone...)
			return s, p, nil
		}
		blamed := s.blamed(output)
		if len(blamed) == 0 {
			return nil, nil, fmt.Errorf("%s does not compile:\n%s", r.Room.Name, output)
		}
		alone = append(alone, blamed...)
		ms = slices.DeleteFunc(slices.Clone(ms), func(m *Mutant) bool { return slices.Contains(blamed, m) })
	}
}

// alone judges a mutant by a program of its own.
func (r *Runner) alone(m *Mutant) (Verdict, error) {
	text, err := os.ReadFile(filepath.Join(r.Root, filepath.FromSlash(m.File)))
	if err != nil {
		return 0, err
	}
	p, output, err := r.build(map[string][]byte{m.File: m.apply(text)})
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(p.dir)
	if output != nil {
		return NotCompiling, nil
	}
	return r.judge(p, 0), nil
}

// judge runs the room's tests until one fails: of every package the short and quick ones,
// then the other short ones, then all at full size; or those that the room names.
func (r *Runner) judge(p *program, number int) Verdict {
	for _, pattern := range r.Room.Runs {
		for i, g := range r.guards {
			if _, err := r.test(p, i, number, 10*time.Second+4*g.full, r.Room.flags(pattern)...); err != nil {
				return Killed
			}
		}
	}
	if r.Room.Runs != nil {
		return Survived
	}
	for stage := range 3 {
		for i, g := range r.guards {
			flags, took := []string{"-test.short"}, g.short
			switch stage {
			case 0:
				flags = append(flags, "-test.run="+g.quick)
			case 1:
				flags = append(flags, "-test.skip="+g.quick)
			default:
				flags, took = nil, g.full
			}
			if _, err := r.test(p, i, number, 10*time.Second+4*took, flags...); err != nil {
				return Killed
			}
		}
	}
	return Survived
}

// test runs the tests of a package once, on one processor: two mutants run side by side.
func (r *Runner) test(p *program, i, number int, limit time.Duration, flags ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit+time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.binary(i), append(flags, "-test.failfast", "-test.timeout="+limit.String())...)
	cmd.Dir = filepath.Join(r.Root, filepath.FromSlash(r.guards[i].pkg))
	cmd.Env = append(os.Environ(), append(r.Env, "GOMAXPROCS=1", pickVariable+"="+strconv.Itoa(number))...)
	cmd.WaitDelay = 5 * time.Second
	return cmd.CombinedOutput()
}
