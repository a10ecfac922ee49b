package mutants

// Running a room's tests on a mutant, with the go command and an overlay.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// Runner runs the tests of one room.
type Runner struct {
	Root    string // the module root
	Room    *Room
	Tests   []string // the room's test packages that exist
	Scratch string   // a folder for overlays
	Env     []string
	limit   time.Duration // of one test binary
}

// errNoTests says that nothing guards a room.
var errNoTests = errors.New("the room has no tests")

// NewRunner runs the tests without a mutant: they must pass, and their time gives the limit
// for a mutant that hangs.
func NewRunner(root string, room *Room, scratch string, env []string) (*Runner, error) {
	r := &Runner{Root: root, Room: room, Scratch: scratch, Env: env, limit: 10 * time.Minute}
	for _, p := range room.Tests {
		if found, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(p), "*_test.go")); len(found) > 0 {
			r.Tests = append(r.Tests, p)
		}
	}
	if len(r.Tests) == 0 {
		return nil, fmt.Errorf("%s: %w", room.Name, errNoTests)
	}
	var slowest time.Duration
	for _, p := range r.Tests {
		out, err := r.goTest(p)
		if err != nil {
			return nil, fmt.Errorf("%s fails without a mutant: %w\n%s", p, err, out)
		}
		slowest = max(slowest, elapsed(out))
	}
	r.limit = 10*time.Second + 4*slowest
	return r, nil
}

// elapsed reads the time that the go command reports behind "ok".
func elapsed(out []byte) time.Duration {
	out = bytes.TrimSpace(out)
	d, err := time.ParseDuration(string(out[bytes.LastIndexAny(out, " \t")+1:]))
	if err != nil {
		return time.Minute
	}
	return d
}

// goTest runs the tests of a package once, on one processor: two mutants run side by side.
func (r *Runner) goTest(pkg string, flags ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), r.limit+2*time.Minute) // compilation included
	defer cancel()
	args := append([]string{"test", "-count=1", "-failfast", "-vet=off", "-timeout=" + r.limit.String()}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+pkg)...)
	cmd.Dir, cmd.Env = r.Root, append(os.Environ(), append(r.Env, "GOMAXPROCS=1")...)
	cmd.WaitDelay = 5 * time.Second
	return cmd.CombinedOutput()
}

// Run judges one mutant: by the short tests first, by all if it survives those.
func (r *Runner) Run(m *Mutant) (Result, error) {
	start := time.Now()
	overlay, err := r.overlay(m)
	if err != nil {
		return Result{}, err
	}
	defer os.RemoveAll(filepath.Dir(overlay))
	verdict := r.judge("-short=true", overlay)
	if verdict == Survived {
		verdict = r.judge("-short=false", overlay)
	}
	return Result{*m, verdict, time.Since(start).Seconds()}, nil
}

// judge runs the room's tests, one package after the other, until one fails.
func (r *Runner) judge(short, overlay string) Verdict {
	for _, p := range r.Tests {
		if out, err := r.goTest(p, short, "-overlay="+overlay); err != nil {
			return verdictOf(out)
		}
	}
	return Survived
}

// verdictOf tells a failed test from a failed build.
func verdictOf(out []byte) Verdict {
	if bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")) {
		return NotCompiling
	}
	return Killed
}

// overlay writes the mutated file and the JSON that puts it in place of the original.
func (r *Runner) overlay(m *Mutant) (string, error) {
	dir, err := os.MkdirTemp(r.Scratch, "mutant")
	if err != nil {
		return "", err
	}
	original := filepath.Join(r.Root, filepath.FromSlash(m.File))
	src, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	mutated := filepath.Join(dir, filepath.Base(original))
	if err := os.WriteFile(mutated, m.apply(src), 0o600); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {original: mutated}})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}

// RunAll judges mutants, two at a time, and hands each result to report as it comes.
func (r *Runner) RunAll(ms []Mutant, report func(Result)) error {
	var (
		mu    sync.Mutex
		wg    sync.WaitGroup
		first error
	)
	next := make(chan *Mutant)
	for range 2 {
		wg.Go(func() {
			for m := range next {
				res, err := r.Run(m)
				mu.Lock()
				if err == nil {
					report(res)
				} else if first == nil {
					first = err
				}
				mu.Unlock()
			}
		})
	}
	for i := range ms {
		next <- &ms[i]
	}
	close(next)
	wg.Wait()
	return first
}
