package sizes

// Recorded verdicts: which registers ptxas takes for each instruction type at each site. Sites
// with equal verdicts share a block:
//
//	= ld.global sm_90, ld.shared sm_90
//	b8 b8 b16 b32 …
//
// A register with ! behind it makes ptxas crash, which is no verdict.

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"ptxvm.invalid/ptxvm/internal/testkit/judge"
)

// Verdict is what a judge says about a register.
type Verdict byte

// The verdicts.
const (
	Rejects Verdict = iota
	Accepts
	Crashes // and says nothing
)

// Verdicts are those of the cells at every site.
type Verdicts map[Site]map[[2]Type]Verdict

// each visits every site and cell, but for narrow elements in vectors of eight: ptxas 13.5 takes
// them or crashes from one run to the next.
func each(visit func(s Site, inst, reg Type)) {
	for _, s := range Sites() {
		for _, inst := range Types {
			for _, reg := range Types {
				if s.Vector < 8 || inst.Bits >= 32 {
					visit(s, inst, reg)
				}
			}
		}
	}
}

// Ask asks ptxas about every cell at every site.
func Ask(path string) (Verdicts, error) {
	var cases []*judge.Case
	each(func(s Site, inst, reg Type) { cases = append(cases, s.question(inst, reg)) })
	if err := judge.Ask(path, cases); err != nil {
		return nil, err
	}
	v := Verdicts{}
	each(func(s Site, inst, reg Type) {
		v.add(s, inst, reg, verdictOf(cases[0].Ptxas))
		cases = cases[1:]
	})
	return v, nil
}

// verdictOf reads the first error of ptxas.
func verdictOf(message string) Verdict {
	switch {
	case message == "":
		return Accepts
	case message == "dies", strings.Contains(message, "Internal compiler error"), strings.Contains(message, "stack smashing"):
		return Crashes
	}
	return Rejects
}

func (v Verdicts) add(s Site, inst, reg Type, verdict Verdict) {
	if v[s] == nil {
		v[s] = map[[2]Type]Verdict{}
	}
	v[s][[2]Type{inst, reg}] = verdict
}

// Of is the verdict on a cell.
func (v Verdicts) Of(s Site, inst, reg Type) Verdict { return v[s][[2]Type{inst, reg}] }

// Write prints verdicts, sites with equal ones together.
func (v Verdicts) Write(w io.Writer) error {
	b := bufio.NewWriter(w)
	names := map[string][]string{}
	var order []string
	for _, s := range Sites() {
		text := v.lines(s)
		if names[text] == nil {
			order = append(order, text)
		}
		names[text] = append(names[text], s.Name())
	}
	for _, text := range order {
		fmt.Fprintf(b, "= %s\n%s", strings.Join(names[text], ", "), text)
	}
	return b.Flush()
}

func (v Verdicts) lines(s Site) string {
	var b strings.Builder
	for _, inst := range Types {
		b.WriteString(inst.String())
		for _, reg := range Types {
			switch v.Of(s, inst, reg) {
			case Accepts:
				b.WriteString(" " + reg.String())
			case Crashes:
				b.WriteString(" " + reg.String() + "!")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Read reads what Write has written.
func Read(r io.Reader) (Verdicts, error) {
	byName := map[string]Site{}
	for _, s := range Sites() {
		byName[s.Name()] = s
	}
	v := Verdicts{}
	var block []Site
	for lines := bufio.NewScanner(r); lines.Scan(); {
		text := lines.Text()
		if strings.HasPrefix(text, "#") {
			continue
		}
		if names, ok := strings.CutPrefix(text, "= "); ok {
			block = nil
			for _, name := range strings.Split(names, ", ") {
				s, ok := byName[name]
				if !ok {
					return nil, fmt.Errorf("no such site: %s", name)
				}
				v[s] = map[[2]Type]Verdict{}
				block = append(block, s)
			}
			continue
		}
		inst, registers, _ := strings.Cut(text, " ")
		for _, s := range block {
			v.line(s, types(inst)[0], registers)
		}
	}
	if len(v) != len(byName) {
		return nil, fmt.Errorf("verdicts for %d sites of %d", len(v), len(byName))
	}
	return v, nil
}

// line adds the registers of one line.
func (v Verdicts) line(s Site, inst Type, registers string) {
	for _, word := range strings.Fields(registers) {
		name, crash := strings.CutSuffix(word, "!")
		verdict := Accepts
		if crash {
			verdict = Crashes
		}
		v.add(s, inst, types(name)[0], verdict)
	}
}
