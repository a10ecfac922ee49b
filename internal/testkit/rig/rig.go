// Package rig makes what tests launch kernels on: devices that end with the test, buffers and kernels that are there.
package rig

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/vm"
	"ptxvm.invalid/ptxvm/ptxtest"
)

// InRoot runs tests of a package three folders below the root of the repository there, where the modules are.
func InRoot(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// Device is a device that ends with the test, of 64 MiB unless cfg says how much.
func Device(t testing.TB, cfg ptxvm.DeviceConfig) *ptxvm.Device {
	t.Helper()
	if cfg.Memory == 0 {
		cfg.Memory = 64 << 20
	}
	return ptxtest.Device(t, &cfg)
}

// Buffer is n bytes of a device.
func Buffer(t testing.TB, d *ptxvm.Device, n int) ptxvm.Buffer {
	t.Helper()
	b, err := d.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Kernel is a kernel of a program.
func Kernel(t testing.TB, p *ptxvm.Program, name string) *ptxvm.Kernel {
	t.Helper()
	k, err := p.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Line is the number of the first line of a text that has a mark.
func Line(text, mark string) int { return 1 + strings.Count(text[:strings.Index(text, mark)], "\n") }

// NeedJIT skips the test where there is no compiled code.
func NeedJIT(t testing.TB) {
	t.Helper()
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Engine: ptxvm.JIT, Memory: 1 << 20})
	if errors.Is(err, ptxvm.ErrNoJIT) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
}

// NeedC skips the test where kernels are not compiled by way of C.
func NeedC(t testing.TB) {
	t.Helper()
	NeedJIT(t)
	if what := vm.MissingForC(); what != "" {
		t.Skip(what)
	}
}
