package main

// This file counts what a kernel's machine code executes: instructions of each kind for each warp, part by part.
// Code counts how often its parts run (jit.CountFromNow); what a part holds is read from the listing. A loop inside a
// part (over lanes, or over cache lines) counts as one turn, a skipped instruction as executed.

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// kinds of machine instructions, in the order of the columns.
var kinds = []string{"vector", "vector loads", "vector stores", "scalar", "scalar loads", "scalar stores", "tests", "branches"}

// kindOf sorts a machine instruction; -1: none.
func kindOf(text string) int {
	op, operands, _ := strings.Cut(text, " ")
	first, _, _ := strings.Cut(operands, ", ")
	vector := op[0] == 'v' || op[0] == 'k'
	kind := 3
	if vector {
		kind = 0
	}
	switch {
	case op[0] == 'j' || op == "ret" || op == "call":
		return 7
	case op == "cmp" || op == "test" || op == "vptest" || strings.HasPrefix(op, "kortest") || op == "bt":
		return 6
	case strings.Contains(first, "ptr ["):
		return kind + 2
	case strings.Contains(operands, "ptr ["):
		return kind + 1
	}
	return kind
}

// part is machine code that runs from its beginning to its end.
type part struct {
	title   string
	counter int
	count   uint64
	kinds   [8]int // instructions
	loops   int    // of them in loops inside
	lines   []string
}

// size is the number of instructions.
func (p *part) size() (n int) {
	for _, k := range p.kinds {
		n += k
	}
	return n
}

// within reports whether the part runs PTX; else it brings warps in and out.
func (p *part) within() bool {
	return strings.Contains(p.title, " lanes, ") || strings.Contains(p.title, "a pass ") || strings.Contains(p.title, " turn")
}

var (
	noteOfPTX   = regexp.MustCompile(`^# +\d+  `)
	instruction = regexp.MustCompile(`^ +[0-9a-f]+  (.*)`)
)

// partsOf reads a listing.
func partsOf(c *jit.Counted) (list []*part) {
	var p *part
	title, skip := "", false
	labels := map[string]int{}
	for line := range strings.Lines(c.Listing) {
		line = strings.TrimRight(line, "\n")
		switch {
		case noteOfPTX.MatchString(line):
			if p != nil {
				p.lines = append(p.lines, line)
			}
		case strings.HasPrefix(line, "# counted "):
			n, _ := strconv.Atoi(line[len("# counted "):])
			p, skip = &part{title: title, counter: n, count: c.Counts[n]}, true
			labels = map[string]int{}
			list = append(list, p)
		case line == "# behind the counter":
			skip = false
		case strings.HasPrefix(line, "# "):
			title, p = line[2:], nil
		case p != nil && !skip:
			p.add(line, labels)
		}
	}
	return list
}

// add counts a line; labels are those of the part, by the instructions before them.
func (p *part) add(line string, labels map[string]int) {
	p.lines = append(p.lines, line)
	m := instruction.FindStringSubmatch(line)
	if m == nil {
		labels[strings.TrimSuffix(line, ":")] = p.size()
		return
	}
	p.kinds[kindOf(m[1])]++
	if _, to, ok := strings.Cut(m[1], " "); ok && m[1][0] == 'j' {
		if at, back := labels[to]; back {
			p.loops += p.size() - at
		}
	}
}

// profile runs the workloads that match and prints their parts.
func profile(match *regexp.Regexp) error {
	top, err := root()
	if err != nil {
		return err
	}
	jit.CountFromNow()
	for i := range workloads {
		if w := &workloads[i]; match.MatchString(w.name) {
			if err := w.profile(top, w.make(corpus.Target{Arch: 90})); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
		}
	}
	for _, k := range kernels.All() { // profiles of the other half are not read
		if k.Tuned() && match.MatchString(k.Name) {
			if err := (&workload{name: k.Name, ptx: k.PTX()}).profile(top, k.Make(k.Large)); err != nil {
				return fmt.Errorf("%s: %w", k.Name, err)
			}
		}
	}
	return nil
}

func (w *workload) profile(top string, r *corpus.Run) error {
	warps, left, err := w.counted(top, r)
	if err != nil {
		return err
	}
	var parts []*part
	for _, c := range jit.AllCounted() {
		for _, p := range partsOf(c) {
			if p.title = c.Name + ": " + p.title; p.count != 0 {
				parts = append(parts, p)
			}
		}
		clear(c.Counts)
	}
	slices.SortFunc(parts, func(a, b *part) int { return cmp.Compare(b.count*uint64(b.size()), a.count*uint64(a.size())) })
	fmt.Printf("%s: %d warps, vectors of %d bits; instructions for each warp, by part\n\n| Part | Times | Instructions | In loops | %s |\n|%s\n",
		w.name, warps, vectorBits(), strings.Join(kinds, " | "), strings.Repeat("---|", 4+len(kinds)))
	var in, out part
	per := func(n uint64) string { return strconv.FormatFloat(float64(n)/float64(warps), 'f', 1, 64) }
	row := func(title string, p *part, times string) {
		fmt.Printf("| %s | %s | %s | %s", title, times, per(uint64(p.size())), per(uint64(p.loops)))
		for _, k := range p.kinds {
			fmt.Printf(" | %s", per(uint64(k)))
		}
		fmt.Println(" |")
	}
	for i, p := range parts {
		sum := &out
		if p.within() {
			sum = &in
		}
		for k := range p.kinds {
			p.kinds[k] *= int(p.count)
			sum.kinds[k] += p.kinds[k]
		}
		p.loops *= int(p.count)
		sum.loops += p.loops
		if i < 12 {
			row(p.title, p, per(p.count))
		}
	}
	row("**all, instructions of PTX**", &in, "")
	row("**all, from warp to warp**", &out, "")
	fmt.Printf("\nLeft to the interpreter: %s times a warp.\n\n", per(left))
	return nil
}

// counted runs the launches twice, and counts the second time: the first learns of allocations.
func (w *workload) counted(top string, r *corpus.Run) (warps, left uint64, err error) {
	x, err := w.start(top, r, ptxvm.JIT, 1)
	if err != nil {
		return 0, 0, err
	}
	defer x.device.Close()
	for range 2 {
		for _, c := range jit.AllCounted() {
			clear(c.Counts)
		}
		left = 0
		if _, _, err := x.round(r, func(s ptxvm.Stats) {
			for i := range s.Left {
				left += s.Left[i].Times
			}
		}); err != nil {
			return 0, 0, err
		}
	}
	for _, l := range r.Launches {
		threads := uint64(l.Block[0] * max(l.Block[1], 1) * max(l.Block[2], 1))
		warps += uint64(l.Grid[0]*max(l.Grid[1], 1)*max(l.Grid[2], 1)) * ((threads + 31) / 32)
	}
	return warps, left, nil
}
