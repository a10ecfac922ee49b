package main

// This file counts what a kernel's machine code executes: instructions of each kind for each warp, part by part.
// Code counts how often its parts run (jit.CountFromNow); what a part holds is read from the listing. In the old
// compiler's code a loop inside a part (over lanes, or over cache lines) counts as one turn, and a skipped instruction
// as executed; the new pipeline's parts run from their first instruction to their last.

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
	"ptxvm.invalid/ptxvm/internal/jit/x86"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// kinds of machine instructions, in the order of the columns. What moves a value to or from the part of the frame that
// has values without a register is a spill or a reload, as is what reads one there to compute; frame is what reads or
// writes the rest of it. Only the new pipeline's code has a frame.
var kinds = [...]string{"vector", "vector loads", "vector stores", "scalar", "scalar loads", "scalar stores", "tests", "branches",
	"moves", "reloads", "spills", "frame"}

// The kinds that have names here.
const (
	kindVector   = 0
	kindScalar   = 3
	kindTests    = 6
	kindBranches = 7
	kindMoves    = 8
	kindReloads  = 9
	kindSpills   = 10
	kindFrame    = 11
)

// kindOf sorts a machine instruction; slots is where in the frame values without a register are, 0 for code without.
func kindOf(text string, slots int) int {
	op, operands, _ := strings.Cut(text, " ")
	first, _, _ := strings.Cut(operands, ", ")
	kind := kindScalar
	if op[0] == 'v' || op[0] == 'k' {
		kind = kindVector
	}
	inFrame := strings.Contains(operands, "ptr [rsp")
	switch {
	case op[0] == 'j' || op == "ret" || op == "call":
		return kindBranches
	case inFrame:
		return kindInFrame(operands, strings.Contains(first, "[rsp"), slots)
	case op == "cmp" || op == "test" || op == "vptest" || strings.HasPrefix(op, "kortest") || op == "bt":
		return kindTests
	case strings.Contains(first, "ptr ["):
		return kind + 2
	case strings.Contains(operands, "ptr ["):
		return kind + 1
	case slots > 0 && moves[op] && !immediate.MatchString(operands):
		return kindMoves
	}
	return kind
}

// moves are instructions that bring a value from register to register, unless they have an immediate.
var (
	moves     = map[string]bool{"mov": true, "vmovaps": true, "kmovw": true, "kmovq": true}
	immediate = regexp.MustCompile(`, -?\d+$`)
)

// kindInFrame is the kind of an instruction that touches the frame.
func kindInFrame(operands string, written bool, slots int) int {
	_, at, _ := strings.Cut(operands, "[rsp")
	at, _, _ = strings.Cut(at, "]")
	off, _ := strconv.Atoi(strings.TrimPrefix(at, "+")) // [rsp] is 0
	switch {
	case slots == 0 || off < slots:
		return kindFrame
	case written:
		return kindSpills
	}
	return kindReloads
}

// part is machine code that runs from its beginning to its end.
type part struct {
	title   string
	counter int
	count   uint64
	slots   int
	kinds   [len(kinds)]int // instructions
	loops   int             // of them in loops inside
	lines   []string
}

// size is the number of instructions.
func (p *part) size() (n int) {
	for _, k := range p.kinds {
		n += k
	}
	return n
}

// within reports whether the part runs PTX; else it brings warps in and out. Blocks of the new pipeline do so from the level of warps on, but
// for those that end one.
func (p *part) within() bool {
	if p.slots > 0 {
		return levelOfPTX.MatchString(p.title) && !slices.ContainsFunc(p.lines, endsWarp.MatchString)
	}
	return strings.Contains(p.title, " lanes, ") || strings.Contains(p.title, "a pass ") || strings.Contains(p.title, " turn")
}

var (
	noteOfPTX   = regexp.MustCompile(`^# +\d+  |^#   `)
	levelOfPTX  = regexp.MustCompile(`: b\d+ level ([2-9]|\d\d)`)
	endsWarp    = regexp.MustCompile(`^#   .* = (endwarp|turn)\(`)
	instruction = regexp.MustCompile(`^ +[0-9a-f]+  (.*)`)
)

// partsOf reads a listing.
func partsOf(c *jit.Counted) (list []*part) {
	var p *part
	var notes []string // in front of the next part
	title, skip := "", false
	labels := map[string]int{}
	for line := range strings.Lines(c.Listing) {
		line = strings.TrimRight(line, "\n")
		switch {
		case noteOfPTX.MatchString(line):
			if p != nil {
				p.lines = append(p.lines, line)
			} else {
				notes = append(notes, line)
			}
		case strings.HasPrefix(line, "# counted "):
			n, _ := strconv.Atoi(line[len("# counted "):])
			p, skip = &part{title: title, counter: n, count: c.Counts[n], slots: c.Slots, lines: notes}, true
			labels = map[string]int{}
			list = append(list, p)
		case line == "# "+x86.CountedEnd:
			skip = false
		case strings.HasPrefix(line, "# "):
			title, p, notes = line[2:], nil, nil
		case p != nil && !skip:
			p.read(line, labels)
		}
	}
	return list
}

// read counts a line; labels are those of the part, by the instructions before them.
func (p *part) read(line string, labels map[string]int) {
	p.lines = append(p.lines, line)
	m := instruction.FindStringSubmatch(line)
	if m == nil {
		labels[strings.TrimSuffix(line, ":")] = p.size()
		return
	}
	p.kinds[kindOf(m[1], p.slots)]++
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
	parts := countedParts()
	slices.SortFunc(parts, func(a, b *part) int { return cmp.Compare(b.size(), a.size()) })
	fmt.Printf("%s: %d warps, vectors of %d bits; instructions for each warp, by part\n\n| Part | Times | Instructions | In loops | %s |\n|%s\n",
		w.name, warps, vectorBits(), strings.Join(kinds[:], " | "), strings.Repeat("---|", 4+len(kinds)))
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
		sum.add(p)
		if i < 12 {
			row(p.title, p, per(p.count))
		}
	}
	row("**all, instructions of PTX**", &in, "")
	row("**all, from warp to warp**", &out, "")
	fmt.Printf("\nLeft to the interpreter: %s times a warp.\n\n", per(left))
	return nil
}

// countedParts are those that have run since the counters were cleared, which they are then. Their instructions are all that they have executed.
// What the new pipeline's code has of a block, piece by piece, is one part, which has run as often as its first piece.
func countedParts() (parts []*part) {
	for _, c := range jit.AllCounted() {
		var last *part
		for _, p := range partsOf(c) {
			if p.title = c.Name + ": " + p.title; p.count == 0 {
				continue
			}
			for k := range p.kinds {
				p.kinds[k] *= int(p.count)
			}
			p.loops *= int(p.count)
			if last != nil && p.slots > 0 && p.title == last.title {
				last.add(p)
				continue
			}
			parts, last = append(parts, p), p
		}
		clear(c.Counts)
	}
	return parts
}

// add adds what another part has executed.
func (p *part) add(other *part) {
	for k, n := range other.kinds {
		p.kinds[k] += n
	}
	p.loops += other.loops
	p.lines = append(p.lines, other.lines...)
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
