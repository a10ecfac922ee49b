// Package ptxas runs NVIDIA's assembler as the judge of PTX modules, in tests, where it is
// installed.
package ptxas

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ptxvm.invalid/ptxvm/internal/isa"
)

// Find returns the path of ptxas: $PTXVM_PTXAS, the .cuda folder at the top of the module,
// or the PATH. The error says where it looked.
func Find() (string, error) {
	if p := os.Getenv("PTXVM_PTXAS"); p != "" {
		return p, nil
	}
	if dir, err := os.Getwd(); err == nil {
		for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
			found, _ := filepath.Glob(filepath.Join(dir, ".cuda", "nvidia", "*", "bin", "ptxas"))
			if len(found) > 0 {
				return found[0], nil
			}
		}
	}
	p, err := exec.LookPath("ptxas")
	if err != nil {
		return "", errors.New("no ptxas: $PTXVM_PTXAS is not set, there is none under .cuda nor in PATH")
	}
	return p, nil
}

// oldest is the least architecture that the assembler compiles to; it judges modules for
// older ones all the same.
const oldest = 75

// renamed is the old number of architecture 110, which modules may have and the assembler has not.
const renamed = 101

// Report is what the assembler says about a module.
type Report struct {
	Accepted bool
	Died     bool // of a signal: not all of the errors need be true
	Errors   []Error
	Stderr   string
}

// Error is one error line.
type Error struct {
	Line  int // 0: none given
	Fatal bool
	Msg   string
}

var errorLine = regexp.MustCompile(`(?m)^ptxas .*?(?:, line (\d+))?; (error|fatal) *: *(.*)$|^ptxas (error|fatal) *: *(.*)$`)

// Judge assembles a module for its target, or tells what that said before (answers.go).
func Judge(path, text string, t isa.Target) (*Report, error) {
	switch {
	case t.Arch < oldest:
		t = isa.Target{Arch: oldest}
	case t.Arch == renamed:
		t.Arch = 110
	}
	r, key, err := remembered(path, text, t)
	if r != nil || err != nil {
		return r, err
	}
	if r, err = ask(path, text, t); err != nil {
		return nil, err
	}
	return r, remember(key, r)
}

func ask(path, text string, t isa.Target) (*Report, error) {
	dir, err := os.MkdirTemp("", "ptxas")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "m.ptx")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), judgeTime)
	defer cancel()
	var stderr bytes.Buffer
	cmd := limited(ctx, path, "-arch", t.String(), "-O0", "-o", os.DevNull, file)
	cmd.Stderr = &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("ptxas: %w", err)
	}
	r := report(err == nil, stderr.String())
	r.Died = exit != nil && !exit.Exited()
	return r, nil
}

// What one run may take: some invalid statements make the assembler allocate without end.
const (
	judgeTime   = 30 * time.Second
	judgeMemory = 2 << 20 // KiB
)

// limited is a command whose address space is bounded, where there is a shell that can do so.
func limited(ctx context.Context, path string, args ...string) *exec.Cmd {
	sh, err := exec.LookPath("sh")
	if err != nil {
		return exec.CommandContext(ctx, path, args...)
	}
	script := fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, judgeMemory)
	return exec.CommandContext(ctx, sh, append([]string{"-c", script, path}, args...)...)
}

// Assemble makes the machine code of a module for its target: a cubin.
func Assemble(path, text string, t isa.Target) ([]byte, error) {
	dir, err := os.MkdirTemp("", "ptxas")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file, image := filepath.Join(dir, "m.ptx"), filepath.Join(dir, "m.cubin")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return nil, err
	}
	if out, err := exec.Command(path, "-arch", t.String(), "-o", image, file).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("ptxas: %w\n%s", err, bytes.TrimSpace(out))
	}
	return os.ReadFile(image)
}

func report(accepted bool, stderr string) *Report {
	r := &Report{Accepted: accepted, Stderr: stderr}
	for _, m := range errorLine.FindAllStringSubmatch(stderr, -1) {
		line, _ := strconv.Atoi(m[1])
		e := Error{Line: line, Fatal: m[2] == "fatal" || m[4] == "fatal", Msg: m[3] + m[5]}
		if strings.HasPrefix(e.Msg, "Ptx assembly aborted") {
			continue
		}
		r.Errors = append(r.Errors, e)
	}
	return r
}
