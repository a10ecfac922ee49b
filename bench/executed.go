package main

// This file counts the machine instructions that kernels execute, for the table of kernels: they do not move with what else the machine does.

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// executed are machine instructions of a run: all, of each kind, and C's, 0 where these were not counted.
type executed struct {
	warps, all uint64
	kinds      [len(kinds)]uint64
	byC        uint64
}

// executedColumns are the columns of what a warp executes, and which kinds are in each.
var executedColumns = []struct {
	name  string
	kinds []int
}{
	{"spills", []int{kindSpills}}, {"reloads", []int{kindReloads}}, {"frame", []int{kindFrame}}, {"loads", []int{kindVector + 1, kindScalar + 1}},
	{"stores", []int{kindVector + 2, kindScalar + 2}}, {"vector", []int{kindVector}}, {"scalar", []int{kindScalar}},
	{"moves", []int{kindMoves}}, {"tests", []int{kindTests}}, {"branches", []int{kindBranches}},
}

// byCallgrind tells that C's instructions are counted, too.
var byCallgrind bool

// executes counts what the machine code of a run executes; what the interpreter executes is none of it.
func (w *workload) executes(top string, r *corpus.Run) (e executed, err error) {
	jit.CountFromNow()
	defer jit.CountNoMore()
	if e.warps, _, err = w.counted(top, r); err != nil {
		return e, err
	}
	for _, p := range countedParts() {
		for k, n := range p.kinds {
			e.kinds[k] += uint64(n)
			e.all += uint64(n)
		}
	}
	return e, nil
}

// counts tells whether instructions are counted: of machine code that we have made.
func counts(e ptxvm.Engine) bool { return e != ptxvm.Interp && !throughC }

// row is what a warp executes, for the table and for files; C does as much as a warp does.
func (e *executed) row() (cells []string) {
	per := func(n, counted uint64) string {
		if counted == 0 {
			return "–"
		}
		return strconv.FormatFloat(float64(n)/float64(e.warps), 'f', 1, 64)
	}
	cells = []string{per(e.byC, e.byC), per(e.all, e.all)}
	for _, col := range executedColumns {
		n := uint64(0)
		for _, k := range col.kinds {
			n += e.kinds[k]
		}
		cells = append(cells, per(n, e.all))
	}
	return cells
}

// executedHead are the names of a row's cells.
func executedHead() []string {
	head := []string{"C executes", "a warp executes"}
	for _, col := range executedColumns {
		head = append(head, col.name)
	}
	return head
}

// collected is what callgrind says at the end.
var collected = regexp.MustCompile(`Collected : (\d+)`)

// executedByC counts the instructions of one run of C, by the compiler for which they are fewest: callgrind counts in `once`, which the
// reference calls twice where it is given no time. It knows no AVX-512.
func (w *workload) executedByC(s *series, r *corpus.Run) (least uint64, err error) {
	args, err := w.arguments(s.dir, r)
	if err != nil {
		return 0, err
	}
	for _, cc := range compilersHere() {
		for _, form := range w.forms() {
			binary, err := w.buildC(s, cc, form)
			if err != nil {
				return 0, err
			}
			n, err := callgrind(binary, s.dir, args)
			if err != nil {
				return 0, fmt.Errorf("%s by callgrind: %w", filepath.Base(binary), err)
			}
			if n /= 2; least == 0 || n < least {
				least = n
			}
		}
	}
	return least, nil
}

// callgrind counts the instructions of all calls of once.
func callgrind(binary, dir string, args []string) (uint64, error) {
	out := filepath.Join(dir, "callgrind.out")
	defer os.Remove(out)
	cmd := exec.Command("valgrind", slices.Concat([]string{"--tool=callgrind", "--toggle-collect=once", "--callgrind-out-file=" + out, binary, "0"}, args)...)
	var text bytes.Buffer
	cmd.Stderr = &text
	err := cmd.Run()
	m := collected.FindSubmatch(text.Bytes())
	if err == nil && m == nil {
		err = fmt.Errorf("it has counted nothing")
	}
	if err != nil {
		return 0, fmt.Errorf("%w\n%s", err, text.Bytes())
	}
	return strconv.ParseUint(string(m[1]), 10, 64)
}
