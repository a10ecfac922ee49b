package mutants

// The programs that judge: test binaries of a room's packages, built with an overlay.

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// program is a test binary for each guard of a room.
type program struct{ dir string }

func (p *program) binary(i int) string { return filepath.Join(p.dir, strconv.Itoa(i)+".test") }

// build compiles the room's tests with files, by name from the module root, in the place of
// the original ones. What the compiler says is returned if it finds errors.
func (r *Runner) build(files map[string][]byte) (p *program, output []byte, err error) {
	p = &program{}
	if p.dir, err = os.MkdirTemp(r.Scratch, "mutant"); err != nil {
		return nil, nil, err
	}
	overlay, err := r.overlay(p.dir, files)
	if err != nil {
		return nil, nil, err
	}
	for i, g := range r.guards {
		cmd := exec.Command("go", "test", "-c", "-vet=off", "-overlay="+overlay, "-ldflags=-w", "-gcflags=-e", "-o", p.binary(i), "./"+g.pkg)
		cmd.Dir, cmd.Env = r.Root, append(os.Environ(), r.Env...)
		if output, err := cmd.CombinedOutput(); err != nil {
			return p, append(output, '\n'), nil
		}
	}
	return p, nil, nil
}

// overlay writes the files and the JSON that puts them in place.
func (r *Runner) overlay(dir string, files map[string][]byte) (string, error) {
	replace := map[string]string{}
	for name, text := range files {
		to := filepath.Join(dir, strings.ReplaceAll(name, "/", "+"))
		if err := os.WriteFile(to, text, 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(r.Root, filepath.FromSlash(name))] = to
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}

var blamedLine = regexp.MustCompile(`mutant(\d+)\.go:\d+`)

// blamed are the mutants that the compiler's errors name.
func (s *sheet) blamed(output []byte) (out []*Mutant) {
	seen := map[string]bool{}
	for _, m := range blamedLine.FindAllSubmatch(output, -1) {
		number, _ := strconv.Atoi(string(m[1]))
		if !seen[string(m[1])] && s.on[number] != nil {
			out = append(out, s.on[number])
		}
		seen[string(m[1])] = true
	}
	return out
}

// measure runs the tests without a mutant, short and at full size: they must pass, and their
// times give the order and the limits for mutants.
func (r *Runner) measure(p *program) error {
	type task struct {
		i     int
		short bool
	}
	var tasks []task
	for i := range r.guards {
		if tasks = append(tasks, task{i, false}); r.Room.Runs == nil {
			tasks = append(tasks, task{i, true})
		}
	}
	return twoAtATime(tasks, func(t task) error {
		g, start := r.guards[t.i], time.Now()
		flags := []string{"-test.v", "-test.short=" + strconv.FormatBool(t.short)}
		if r.Room.Runs != nil {
			flags = r.Room.flags(strings.Join(r.Room.Runs, "|"))
		}
		out, err := r.test(p, t.i, 0, 10*time.Minute, flags...)
		if err != nil {
			return fmt.Errorf("%s fails without a mutant: %w\n%s", g.pkg, err, out)
		}
		if t.short {
			g.short, g.quick = time.Since(start), quickTests(out)
		} else {
			g.full = time.Since(start)
		}
		return nil
	})
}

var testLine = regexp.MustCompile(`(?m)^--- PASS: (\w+) \(([0-9.]+s)\)$`)

// quickTests is the pattern of the tests that together take a quarter of the time which
// -test.v reports, those that take least.
func quickTests(out []byte) string {
	type test struct {
		name string
		took time.Duration
	}
	var tests []test
	var all, sum time.Duration
	for _, m := range testLine.FindAllSubmatch(out, -1) {
		if took, err := time.ParseDuration(string(m[2])); err == nil {
			tests, all = append(tests, test{string(m[1]), took}), all+took
		}
	}
	slices.SortStableFunc(tests, func(a, b test) int { return cmp.Compare(a.took, b.took) })
	var names []string
	for _, t := range tests {
		if sum += t.took; sum <= all/4 {
			names = append(names, t.name)
		}
	}
	return "^(" + strings.Join(names, "|") + ")$"
}
