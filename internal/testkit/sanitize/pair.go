package sanitize

// This file reads tables of pairs.

import (
	"fmt"
	"strconv"
	"strings"
)

// pair is a kernel in two versions.
type pair struct {
	name, check          string
	grid, block, cluster uint32
	sm                   int
	family               bool   // the target is sm_NNa
	code, words          string // of the report
	kernel               string
	lines                []line

	ptx         [2]string // of a pair in CUDA C++: of the corrected and of the buggy version
	here, other int       // lines of its source
}

// line is a statement of both versions, or of one.
type line struct {
	text            string
	buggy, correct  bool
	isHere, isOther bool
	before          bool // it stands before the kernel
}

// readPairs reads a table.
func readPairs(text string) ([]*pair, error) {
	var all []*pair
	for n, raw := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(raw)
		switch {
		case strings.HasPrefix(raw, "== "):
			p, err := newPair(strings.Fields(raw)[1:])
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			all = append(all, p)
		case trimmed == "" || strings.HasPrefix(trimmed, "# "):
		case len(all) == 0:
			return nil, fmt.Errorf("line %d stands before the first pair", n+1)
		case strings.HasPrefix(trimmed, expected):
			all[len(all)-1].expect(trimmed)
		default:
			p := all[len(all)-1]
			p.lines = append(p.lines, newLine(raw))
		}
	}
	return all, nil
}

// expected is what the line of a report begins with.
const expected = "//= "

func (p *pair) expect(line string) {
	p.code, p.words, _ = strings.Cut(strings.TrimPrefix(line, expected), " ")
}

// readSource reads the pairs of a source in CUDA C++, where kernels have the names of their pairs.
func readSource(text string) (all []*pair, err error) {
	for n, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if head, ok := strings.CutPrefix(trimmed, "// == "); ok {
			p, err := newPair(strings.Fields(head))
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			p.kernel = p.name
			all = append(all, p)
		}
		if len(all) == 0 {
			continue
		}
		p := all[len(all)-1]
		if strings.HasPrefix(trimmed, expected) {
			p.expect(trimmed)
		}
		if strings.Contains(line, "//@here") {
			p.here = n + 1
		}
		if strings.Contains(line, "//@other") {
			p.other = n + 1
		}
	}
	return all, nil
}

func newPair(words []string) (*pair, error) {
	if len(words) < 2 {
		return nil, fmt.Errorf("want a name and a check")
	}
	p := &pair{name: words[0], check: words[1], grid: 1, block: 64, cluster: 1, sm: 90, code: "P8002", kernel: "k"}
	for _, w := range words[2:] {
		key, value, _ := strings.Cut(w, "=")
		n, err := strconv.Atoi(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w, err)
		}
		switch key {
		case "grid":
			p.grid = uint32(n)
		case "block":
			p.block = uint32(n)
		case "cluster":
			p.cluster = uint32(n)
		case "sm":
			p.sm, p.family = n, n >= 100
		case "family":
			p.family = n != 0
		default:
			return nil, fmt.Errorf("there is no option %s", key)
		}
	}
	return p, nil
}

func newLine(text string) line {
	l := line{buggy: true, correct: true}
	l.isHere, l.isOther = strings.Contains(text, "//@here"), strings.Contains(text, "//@other")
	switch {
	case strings.HasPrefix(text, "- "):
		l.correct = false
	case strings.HasPrefix(text, "+ "):
		l.buggy = false
	}
	if !l.buggy || !l.correct {
		text = text[2:]
	}
	text, l.before = strings.CutPrefix(text, "^ ")
	l.text, _, _ = strings.Cut(text, "//@")
	return l
}

// prelude declares what the kernels of the tables use: t is the thread, c the CTA, w the warp, l the lane, s the shared
// address of word t, g the global one of word t of p, gw of double word t, gmap that of a map of p, a shared array of 256 words and an mbarrier.
// pic is an array of 256 words, and line the words of p as a texture.
const prelude = `.version 8.7
.target %s
.address_size 64
.shared .align 128 .b8 array[1024];
.shared .align 8 .b64 mbar;
.global .surfref pic;
.global .texref line;
`

// opening opens the kernel, behind what stands before it.
const opening = `.visible .entry k(.param .u64 p, .param .align 64 .b8 map[128])
{
	.reg .b32 t, c, w, l, s, s0, x, y, z, m;
	.reg .b16 h0, h1;
	.reg .b64 g, g0, gn, gw, r, r0, q, gmap;
	.reg .pred lead, first, even, ok, low;
	mov.u32 t, %%tid.x; mov.u32 c, %%ctaid.x; shr.u32 w, t, 5; and.b32 l, t, 31;
	mov.u32 s0, array; mad.lo.u32 s, t, 4, s0;
	ld.param.u64 g0, [p]; cvta.to.global.u64 g0, g0; mad.wide.u32 g, t, 4, g0; add.u64 gn, g, 4; mad.wide.u32 gw, t, 8, g0; mov.u64 r0, 0;
	%s
	setp.eq.u32 lead, t, 0; setp.eq.u32 first, c, 0; setp.lt.u32 low, l, 16; and.b32 x, t, 1; setp.eq.u32 even, x, 0;
`

// kernelText begins the text of a module with one kernel; mapAddress are the instructions that give gmap its value.
func kernelText(target, mapAddress string) string {
	return fmt.Sprintf(prelude, target) + fmt.Sprintf(opening, mapAddress)
}

// module returns a version's PTX, and the lines of the report's places, 0 where there is none.
func (p *pair) module(buggy bool) (text string, here, other int) {
	if p.ptx[0] != "" {
		return p.ptx[one(buggy)], p.here, p.other
	}
	var b strings.Builder
	fmt.Fprintf(&b, prelude, p.target())
	opened := false
	for _, l := range p.lines {
		if buggy && !l.buggy || !buggy && !l.correct {
			continue
		}
		if !l.before && !opened {
			opened = true
			fmt.Fprintf(&b, opening, p.mapAddress())
		}
		at := 1 + strings.Count(b.String(), "\n")
		if l.isHere {
			here = at
		}
		if l.isOther {
			other = at
		}
		b.WriteString("\t" + strings.TrimSpace(l.text) + "\n")
	}
	b.WriteString("\tret;\n}\n")
	return b.String(), here, other
}

// mapAddress is a statement for the address of the map, on targets that have maps.
func (p *pair) mapAddress() string {
	if p.sm < 90 {
		return ""
	}
	return "mov.u64 gmap, map; cvta.param.u64 gmap, gmap;"
}

// target is the device; tensor memory and wgmma are there on those of a family alone.
func (p *pair) target() string {
	if p.family {
		return fmt.Sprintf("sm_%da", p.sm)
	}
	return fmt.Sprintf("sm_%d", p.sm)
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
