// Package launches runs kernels through the public API, in both engines: the corpus of compiled and written ones with what
// they must leave, and what each part of the machine does to memory, surfaces, textures and tensor memory.
package launches_test

import (
	"fmt"
	"os"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/ptxtest"
)

// TestMain runs the tests in the root of the repository, where the modules are.
func TestMain(m *testing.M) {
	if err := os.Chdir("../../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// testDevice is a device that ends with the test.
func testDevice(t testing.TB, cfg ptxvm.DeviceConfig) *ptxvm.Device {
	t.Helper()
	if cfg.Memory == 0 {
		cfg.Memory = 64 << 20
	}
	return ptxtest.Device(t, &cfg)
}

func testBuffer(t testing.TB, d *ptxvm.Device, n int) ptxvm.Buffer {
	t.Helper()
	b, err := d.Alloc(n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func testKernel(t testing.TB, p *ptxvm.Program, name string) *ptxvm.Kernel {
	t.Helper()
	k, err := p.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}
