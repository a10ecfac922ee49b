package sanitize

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/kernels"
	"ptxvm.invalid/ptxvm/internal/vm"
)

var carefulCount = flag.Int("careful", 20, "random kernels whose values are followed the short and the long way")

// TestCareful: the short ways of what follows values report what the long way does, of the corrected kernels of the tables and
// of those with a bug of mem and init, under each of these checks and both.
func TestCareful(t *testing.T) {
	reported := 0
	for _, p := range append(readTables(t), readCUDA(t)...) {
		followed := strings.Contains(p.check, "mem") || strings.Contains(p.check, "init")
		for _, bug := range []bool{false, true} {
			if bug && !followed { // it may not end
				continue
			}
			text, _, _ := p.module(bug)
			reported += bothWays(t, p.name, func(checks string, set func(*ptxvm.Device)) string {
				reports, fault := p.runUnder(t, text, checks, &ptxvm.DeviceConfig{Workers: 1}, set)
				if fault != nil {
					return fault.Error()
				}
				return details(reports)
			})
		}
	}
	if reported < 80 {
		t.Errorf("only %d runs have reports", reported)
	}
}

// bothWays compares what a run says, and counts those that say something.
func bothWays(t *testing.T, name string, run func(checks string, set func(*ptxvm.Device)) string) (reported int) {
	t.Helper()
	for _, checks := range []string{"mem", "init", "mem,init"} {
		short := run(checks, func(*ptxvm.Device) {})
		long := run(checks, func(d *ptxvm.Device) { vm.TuningOf(d).Careful = true })
		if short != long {
			t.Errorf("%s under %s: the short way says\n%s\nthe long way\n%s", name, checks, short, long)
		}
		reported += one(long != "")
	}
	return reported
}

// TestCarefulKernels: the same of random kernels, whose input is written in part and whose pointer is held to a part of it.
func TestCarefulKernels(t *testing.T) {
	reported := 0
	for seed := range uint64(*carefulCount) {
		k := kernels.New(seed)
		for _, block := range kernels.Blocks(k, seed)[:1] {
			reported += bothWays(t, fmt.Sprintf("kernel %d, block %v", seed, block), func(checks string, set func(*ptxvm.Device)) string {
				return followed(t, k, seed, block, checks, set)
			})
		}
	}
	if reported < *carefulCount {
		t.Errorf("only %d of %d runs have reports", reported, 3**carefulCount)
	}
}

// followed is all that a run of a random kernel reports.
func followed(t *testing.T, k *kernels.Kernel, seed uint64, block [3]uint32, names string, set func(*ptxvm.Device)) string {
	t.Helper()
	checks, err := ptxvm.ParseSanitize(names)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ptxvm.Compile("k.ptx", []byte(k.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: "sm_90", Memory: 1 << 24, Workers: 1, Sanitize: checks, MaxReports: 1000, MaxSteps: 1 << 24})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	set(d)
	prog, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	kernel, err := prog.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	shape := k.Shape()
	in, err := d.Alloc(shape.In)
	if err != nil {
		t.Fatal(err)
	}
	out, err := d.Alloc(shape.Out)
	if err != nil {
		t.Fatal(err)
	}
	for r, at := rand.New(rand.NewPCG(seed, 9)), 0; at < shape.In; at += 1 + r.IntN(1<<14) {
		some := make([]byte, min(1+r.IntN(1<<14), shape.In-at))
		if _, err := in.WriteAt(some, int64(at)); err != nil {
			t.Fatal(err)
		}
	}
	launch := ptxvm.Launch{Grid: ptxvm.Dim3{X: shape.Grid[0], Y: shape.Grid[1]}, Block: ptxvm.Dim3{X: block[0], Y: block[1], Z: block[2]}}
	_, err = kernel.Launch(context.Background(), launch, in.Slice(shape.In/2, shape.In-shape.In/8), out, uint32(shape.Turns))
	var b strings.Builder
	var found *ptxvm.SanitizerError
	switch {
	case errors.As(err, &found):
		b.WriteString(details(found.Reports))
	case err != nil:
		fmt.Fprintln(&b, err)
	}
	b.WriteString(details(d.Unwritten(out)))
	return b.String()
}
