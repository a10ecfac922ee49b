package main

// This file measures what each technique of the compiler brings: where it fires, and how much longer a kernel takes without it. Of
// the half that is only measured it tells no names.

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/bench/kernels"
	"ptxvm.invalid/ptxvm/internal/jit"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// The groups of kernels, each a column.
const (
	tunedHalf = iota
	measuredHalf
	theTwelve
	groups
)

// subject is a kernel on which techniques are measured.
type subject struct {
	*workload
	run   *corpus.Run
	group int
	gain  map[jit.Technique]float64 // of those that fire: the time without it, in terms of that with all
}

// subjects are the broad kernels at their large size, and the twelve.
func subjects(s *series) (list []*subject) {
	for _, k := range kernels.All() {
		if s.match.MatchString(k.Name) {
			group := measuredHalf
			if k.Tuned() {
				group = tunedHalf
			}
			list = append(list, &subject{workload: &workload{name: k.Name, ptx: k.PTX()}, run: k.Make(k.Large), group: group})
		}
	}
	for i := range workloads {
		if w := &workloads[i]; w.twelve && s.match.MatchString(w.name) {
			list = append(list, &subject{workload: w, run: w.make(corpus.Target{Arch: 90}), group: theTwelve})
		}
	}
	return list
}

// techniquesTable measures the techniques whose name matches on all kernels, prints a table and writes it to path, where that is not
// empty.
func techniquesTable(which *regexp.Regexp, path string) func(*series) error {
	return func(s *series) error {
		list := subjects(s)
		techniques := slices.DeleteFunc(jit.AllTechniques(), func(t jit.Technique) bool { return !which.MatchString(t.String()) })
		for _, k := range list {
			if err := k.measure(s, techniques); err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
		}
		rows := [][]string{
			{"Technique", "Tuned", "Measured", "Twelve", "Gain, tuned", "Most", "Gain, measured", "Of the half", "Gain, twelve", "Of the twelve", "Tuned kernels"},
			slices.Repeat([]string{"---"}, 11),
		}
		for _, t := range techniques {
			rows = append(rows, techniqueRow(t, list))
		}
		fmt.Printf("Machine: %s, vectors of %d bits.\n\n", machine(), vectorBits())
		for _, r := range rows {
			fmt.Println("| " + strings.Join(r, " | ") + " |")
		}
		if path == "" {
			return nil
		}
		var b bytes.Buffer
		if err := csv.NewWriter(&b).WriteAll(rows); err != nil {
			return err
		}
		return os.WriteFile(path, b.Bytes(), 0o666)
	}
}

// techniqueRow is a line of the table: in each group on how many kernels the technique fires, the geometric mean of its gains there,
// and what all of the group gains by it.
func techniqueRow(t jit.Technique, list []*subject) []string {
	var gains [groups]ratios
	var size [groups]int
	var names []string
	for _, k := range list {
		size[k.group]++
		if g, ok := k.gain[t]; ok {
			gains[k.group] = append(gains[k.group], g)
			if k.group == tunedHalf {
				names = append(names, fmt.Sprintf("%s %.2f", k.name, g))
			}
		}
	}
	mean := func(group int) string {
		if len(gains[group]) == 0 {
			return "–"
		}
		return fmt.Sprintf("%.2f", gains[group].mean())
	}
	whole := func(group int) string {
		if len(gains[group]) == 0 {
			return "–"
		}
		return fmt.Sprintf("%.3f", math.Pow(gains[group].mean(), float64(len(gains[group]))/float64(size[group])))
	}
	most := "–"
	if len(gains[tunedHalf]) > 0 {
		most = fmt.Sprintf("%.2f", slices.Max(gains[tunedHalf]))
	}
	return []string{t.String(), fmt.Sprint(len(gains[tunedHalf])), fmt.Sprint(len(gains[measuredHalf])), fmt.Sprint(len(gains[theTwelve])),
		mean(tunedHalf), most, mean(measuredHalf), whole(measuredHalf), mean(theTwelve), whole(theTwelve), strings.Join(names, ", ")}
}

// variant is a kernel on a device that compiles without one technique.
type variant struct {
	*running
	without jit.Technique
	all     bool // without none
	best    rounds
}

// variant compiles and runs the kernel twice; without is ignored if all techniques are there.
func (k *subject) variant(s *series, all bool, without jit.Technique, fired *jit.Techniques) (*variant, error) {
	x, err := k.start(s.top, k.run, ptxvm.JIT, 1)
	if err != nil {
		return nil, err
	}
	o := jit.Firing(jit.Options{}, fired)
	if !all {
		o = jit.Without(o, without)
	}
	err = vm.CompileWith(x.device, o)
	for range 2 {
		if err == nil {
			_, _, err = x.round(k.run, nil)
		}
	}
	return &variant{running: x, without: without, all: all}, err
}

// measure finds the gains of techniques on a kernel. All variants take turns, so that what others do to the machine is done to all of
// them.
func (k *subject) measure(s *series, techniques []jit.Technique) error {
	var fired, ignored jit.Techniques
	base, err := k.variant(s, true, 0, &fired)
	if base != nil {
		defer base.device.Close()
	}
	if err != nil {
		return err
	}
	list := []*variant{base}
	for _, t := range techniques {
		if !fired.Has(t) {
			continue
		}
		v, err := k.variant(s, false, t, &ignored)
		if v != nil {
			defer v.device.Close()
		}
		if err == nil {
			err = k.same(base, v)
		}
		if err != nil {
			return fmt.Errorf("without %v: %w", t, err)
		}
		list = append(list, v)
	}
	if len(list) == 1 {
		return nil
	}
	if err := k.rounds(s, list); err != nil {
		return err
	}
	k.gain = map[jit.Technique]float64{}
	for _, v := range list[1:] {
		k.gain[v.without] = v.best.fastest().Seconds() / base.best.fastest().Seconds()
	}
	return nil
}

// inTurn is how many rounds a variant has before the next one: the first of them brings what it touches into the caches.
const inTurn = 4

// rounds runs the variants in turn.
func (k *subject) rounds(s *series, list []*variant) error {
	for start, n := cpuTime(), 0; n < 3 || cpuTime()-start < time.Duration(len(list))*s.span; n++ {
		for _, v := range list {
			for range inTurn {
				took, _, err := v.round(k.run, nil)
				if err != nil {
					return err
				}
				v.best.add(took)
			}
		}
	}
	return nil
}

// same holds a variant's buffers to those of another.
func (k *subject) same(a, b *variant) error {
	for _, buf := range k.run.Buffers {
		var got [2][]byte
		for i, v := range []*variant{a, b} {
			got[i] = make([]byte, len(buf.Init))
			if _, err := v.buffers[buf].ReadAt(got[i], 0); err != nil {
				return err
			}
		}
		if !bytes.Equal(got[0], got[1]) {
			return fmt.Errorf("%s differs", cmp.Or(buf.Name, "a buffer"))
		}
	}
	return nil
}
