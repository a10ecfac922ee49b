package main

// This file measures the kernels of bench/kernels, each at two sizes, and says how their two halves fare.

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"ptxvm.invalid/ptxvm/bench/kernels"
)

// kernelSpan is how long each side of each kernel is measured at each size: half of what -time says, since there are many.
func kernelSpan(span time.Duration) time.Duration { return span / 2 }

// broadRow is what was measured of one kernel at one size.
type broadRow struct {
	kernels.Kernel
	size    int
	c, ours time.Duration
	by      string // the compiler of C
	executed
}

// ratio is how much of C's speed we have.
func (r broadRow) ratio() float64 { return r.c.Seconds() / r.ours.Seconds() }

// half names the half that a kernel belongs to.
func half(k kernels.Kernel) string {
	if k.Tuned() {
		return "tuned"
	}
	return "only measured"
}

// kernelsTable measures every kernel whose name matches, prints a table and both halves, and writes path, where it is not empty.
func kernelsTable(path string) func(*series) error {
	return func(s *series) error {
		fmt.Printf("Machine: %s, vectors of %d bits; C by %s.\n\n", machine(), vectorBits(), strings.Join(compilersHere(), " and "))
		head := slices.Concat([]string{"Kernel", "Kind", "Half", "Size", "C", "by", "ptxvm", "Of C"}, executedHead())
		fmt.Printf("| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
		var rows []broadRow
		for _, k := range kernels.All() {
			if !s.match.MatchString(k.Name) {
				continue
			}
			for _, size := range []int{k.Small, k.Large} {
				row, err := compareBroad(s, k, size)
				if err != nil {
					return fmt.Errorf("%s, size %d: %w", k.Name, size, err)
				}
				row.print()
				rows = append(rows, row)
			}
		}
		printHalves(rows)
		if path == "" {
			return nil
		}
		return writeRows(path, rows)
	}
}

// compareBroad measures one kernel; C runs first, since what it writes is what ours is held to.
func compareBroad(s *series, k kernels.Kernel, size int) (row broadRow, err error) {
	w := &workload{name: k.Name, ptx: k.PTX(), reference: k.Reference()}
	r := k.Make(size)
	row = broadRow{Kernel: k, size: size}
	if row.c, row.by, err = w.c(s, r, nil); err == nil {
		row.ours, _, err = w.ours(s, r)
	}
	if err == nil && counts(s.engine) {
		row.executed, err = w.executes(s.top, r)
	}
	if err == nil && byCallgrind && row.warps > 0 {
		row.byC, err = w.executedByC(s, r)
	}
	return row, err
}

func (r broadRow) print() {
	fmt.Printf("| %s | %s | %s | %d | %.1f µs | %s | %.1f µs | %.3f | %s |\n", r.Name, r.Kind, half(r.Kernel), r.size, micros(r.c), r.by, micros(r.ours), r.ratio(),
		strings.Join(r.row(), " | "))
}

// printHalves prints for each half, and for all, at each size and at both: the mean, the least, and how many are slow.
func printHalves(rows []broadRow) {
	fmt.Println("\n| Half | Size | Kernels | Geometric mean | Least | Below 0.5 |\n|---|---|---|---|---|---|")
	for _, name := range []string{"tuned", "only measured", "all"} {
		for _, size := range []string{"small", "large", "both"} {
			var list ratios
			for _, r := range rows {
				if (name == "all" || name == half(r.Kernel)) && (size == "both" || (size == "small") == (r.size == r.Small)) {
					list = append(list, r.ratio())
				}
			}
			if len(list) > 0 {
				fmt.Printf("| %s | %s | %d | %.3f | %.3f | %d |\n", name, size, len(list), list.mean(), slices.Min(list), list.below(0.5))
			}
		}
	}
}

// below counts the ratios that are less than a bound.
func (r ratios) below(bound float64) (n int) {
	for _, v := range r {
		if v < bound {
			n++
		}
	}
	return n
}

// writeRows writes what was measured as comma-separated values, times in nanoseconds.
func writeRows(path string, rows []broadRow) error {
	records := [][]string{slices.Concat([]string{"kernel", "kind", "half", "size", "bits", "c_ns", "by", "ptxvm_ns", "ratio"}, executedHead())}
	for _, r := range rows {
		records = append(records, slices.Concat([]string{r.Name, r.Kind, half(r.Kernel), fmt.Sprint(r.size), fmt.Sprint(vectorBits()),
			fmt.Sprint(r.c.Nanoseconds()), r.by, fmt.Sprint(r.ours.Nanoseconds()), fmt.Sprintf("%.4f", r.ratio())}, r.row()))
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := csv.NewWriter(f).WriteAll(records); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// expectTable prints what the tests of bench/kernels want: what the references make of the small inputs.
func expectTable(s *series) error {
	fmt.Println("# What the references in C make of the small inputs; `go run ./bench -kernels -expect` prints this file.")
	for _, k := range kernels.All() {
		if !s.match.MatchString(k.Name) {
			continue
		}
		r := k.Make(k.Small)
		if _, _, err := (&workload{name: k.Name, reference: k.Reference()}).c(s, r, nil); err != nil {
			return fmt.Errorf("%s: %w", k.Name, err)
		}
		for _, b := range r.Buffers {
			fmt.Println(k.Name, b.Name, kernels.Summary(b.Want, b))
		}
	}
	return nil
}
