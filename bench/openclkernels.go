package main

// This file measures the kernels of bench/kernels that are in OpenCL C, too, against an implementation of that and against C, all in one run.

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ptxvm.invalid/ptxvm/bench/kernels"
)

// rowOpenCL is what was measured of one kernel at one size.
type rowOpenCL struct {
	broadRow
	cl ranOpenCL
}

// kernelsOpenCL measures each kernel whose name matches at both sizes, prints a table, and writes path, where it is not empty.
func kernelsOpenCL(path, icd string) func(*series) error {
	return func(s *series) error {
		cl, err := s.buildOpenCL(icd)
		if err != nil {
			return err
		}
		var rows []rowOpenCL
		for _, k := range kernels.All() {
			if _, err := os.Stat(filepath.Join(s.top, k.OpenCL())); err != nil || !s.match.MatchString(k.Name) {
				continue
			}
			for _, size := range []int{k.Small, k.Large} {
				row, err := s.compareOpenCL(cl, k, size)
				if err != nil {
					return fmt.Errorf("%s, size %d: %w", k.Name, size, err)
				}
				if rows = append(rows, row); len(rows) == 1 {
					row.printHead()
				}
				row.print()
			}
		}
		printOpenCL(rows)
		if path == "" {
			return nil
		}
		return writeOpenCL(path, rows)
	}
}

// compareOpenCL measures one kernel; C runs first, since what it writes is what the others are held to.
func (s *series) compareOpenCL(cl *openCL, k kernels.Kernel, size int) (row rowOpenCL, err error) {
	w := &workload{name: k.Name, ptx: k.PTX(), reference: k.Reference()}
	r := k.Make(size)
	row.broadRow = broadRow{Kernel: k, size: size}
	if row.c, row.by, err = w.c(s, r, nil); err == nil {
		row.cl, err = cl.run(s, k.OpenCL(), "once", r)
	}
	if err == nil {
		row.ours, _, err = w.ours(s, r)
	}
	return row, err
}

func (r *rowOpenCL) printHead() {
	fmt.Printf("Machine: %s, vectors of %d bits; C by %s; %s.\n\n", machine(), vectorBits(), strings.Join(compilersHere(), " and "), r.cl.implementation)
	fmt.Println("| Kernel | Kind | Size | C | by | OpenCL | driver | ptxvm | Of C | Of OpenCL |\n|---|---|---|---|---|---|---|---|---|---|")
}

func (r *rowOpenCL) print() {
	fmt.Printf("| %s | %s | %d | %.1f µs | %s | %.1f µs | %s | %.1f µs | %.3f | %.2f |\n", r.Name, r.Kind, r.size, micros(r.c), r.by, micros(r.cl.took), r.cl.by,
		micros(r.ours), r.ratio(), r.cl.times(r.ours))
}

// printOpenCL prints for each size the mean, and where we are behind.
func printOpenCL(rows []rowOpenCL) {
	for _, size := range []string{"small", "large"} {
		var all ratios
		var behind []string
		for _, r := range rows {
			if (size == "small") != (r.size == r.Small) {
				continue
			}
			times := r.cl.times(r.ours)
			if all = append(all, times); times < 1 {
				behind = append(behind, fmt.Sprintf("%s %.2f", r.Name, times))
			}
		}
		if len(all) > 0 {
			fmt.Printf("\nOf %d kernels, %s size: geometric mean %.2f times as fast as OpenCL, behind on %d: %s.\n", len(all), size, all.mean(), len(behind), strings.Join(behind, ", "))
		}
	}
}

// writeOpenCL writes what was measured as comma-separated values, times in nanoseconds.
func writeOpenCL(path string, rows []rowOpenCL) error {
	records := [][]string{{"kernel", "kind", "size", "bits", "c_ns", "by", "opencl_ns", "driver", "ptxvm_ns", "of_c", "of_opencl"}}
	for _, r := range rows {
		ns := func(d time.Duration) string { return fmt.Sprint(d.Nanoseconds()) }
		records = append(records, []string{r.Name, r.Kind, fmt.Sprint(r.size), fmt.Sprint(vectorBits()), ns(r.c), r.by, ns(r.cl.took), r.cl.by, ns(r.ours),
			fmt.Sprintf("%.4f", r.ratio()), fmt.Sprintf("%.4f", r.cl.times(r.ours))})
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
