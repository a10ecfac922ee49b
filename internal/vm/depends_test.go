package vm_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"ptxvm.invalid/ptxvm/internal/machine"
	"ptxvm.invalid/ptxvm/internal/vm"
)

// dependents are a kernel in front, which lets those behind it begin before it writes, and two behind it: one waits.
const dependents = `.version 8.0
.target sm_90
.address_size 64
.visible .entry front(.param .u64 p) {
	.reg .b64 %d<3>;
	.reg .b32 %r<3>;
	griddepcontrol.launch_dependents;
	ld.param.u64 %d1, [p];
	mov.u32 %r1, %ctaid.x;
	mul.wide.u32 %d2, %r1, 4;
	add.u64 %d1, %d1, %d2;
	mov.u32 %r2, 7;
	st.global.u32 [%d1], %r2;
	ret;
}
.visible .entry early(.param .u64 p, .param .u64 q) {
	.reg .b64 %d<5>;
	.reg .b32 %r<3>;
	ld.param.u64 %d1, [p];
	ld.param.u64 %d3, [q];
	mov.u32 %r1, %ctaid.x;
	mul.wide.u32 %d2, %r1, 4;
	add.u64 %d1, %d1, %d2;
	add.u64 %d3, %d3, %d2;
	ld.volatile.global.u32 %r2, [%d1];
	st.global.u32 [%d3], %r2;
	ret;
}
`

// TestLaunchesBeside: a launch whose CTAs hold until what depends on it has run sees it begin when all have issued
// launch_dependents, and its writes come behind; one that waits has them.
func TestLaunchesBeside(t *testing.T) {
	waiting := strings.NewReplacer("early(", "late(", "ld.volatile", "griddepcontrol.wait;\n\tld.volatile").Replace(dependents[strings.Index(dependents, ".visible .entry early"):])
	m, err := vm.Compile("dependents.ptx", []byte(dependents+waiting), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2} {
		for name, want := range map[string]uint32{"early": 0, "late": 7} {
			d, err := vm.NewDevice(&vm.DeviceConfig{Workers: workers, Seed: 3})
			if err != nil {
				t.Fatal(err)
			}
			besides(t, d, m, name, want)
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func besides(t *testing.T, d *vm.Device, m *vm.Module, name string, want uint32) {
	const ctas = 40
	p, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	from, _ := vm.Upload(d, make([]uint32, ctas))
	to, _ := vm.Upload(d, make([]uint32, ctas))
	grid := vm.Launch{Grid: vm.Dim3{X: ctas, Y: 1, Z: 1}, Block: vm.Dim3{X: 32, Y: 1, Z: 1}}
	var over, release atomic.Bool
	begun, done := make(chan struct{}), make(chan error, 2)
	start := func(kernel string, args []byte, terms vm.Terms, end *atomic.Bool) {
		k, err := p.Kernel(kernel)
		if err == nil {
			_, err = vm.LaunchAt(context.Background(), k, grid, args, nil, terms)
		}
		end.Store(true)
		done <- err
	}
	go start("front", words(from.Addr()), vm.Terms{Depends: &machine.Dependence{
		Issued: func() { close(begun) },
		Holds:  func() bool { return !release.Load() },
	}}, &over)
	<-begun
	go start(name, words(from.Addr(), to.Addr()), vm.Terms{Depends: &machine.Dependence{
		Over:  over.Load,
		Waits: func() { release.Store(true) },
	}}, &release)
	for range 2 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	got := make([]uint32, ctas)
	if err := vm.Download(to, got); err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if v != want {
			t.Fatalf("%s, CTA %d: %d, want %d", name, i, v, want)
		}
	}
}

// words is a parameter block.
func words(list ...uint64) (b []byte) {
	for _, v := range list {
		for i := range 8 {
			b = append(b, byte(v>>(8*i)))
		}
	}
	return b
}
