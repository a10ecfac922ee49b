package vm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/vm"
	"ptxvm.invalid/ptxvm/ptxtest"
)

const pastShared = `.version 8.0
.target sm_90
.address_size 64
.extern .shared .b32 s[];
.visible .entry k(.param .u64 to, .param .u32 at, .param .u32 plain)
{
	.reg .pred %p;
	.reg .b32 %i, %v;
	.reg .b64 %to, %a;
	ld.param.u64 %to, [to];
	ld.param.u32 %i, [at];
	ld.param.u32 %v, [plain];
	setp.ne.u32 %p, %v, 0;
	mul.wide.u32 %a, %i, 4;
	mov.u64 %to, s;
	add.u64 %a, %to, %a;
	ld.param.u64 %to, [to];
	@!%p cvta.shared.u64 %a, %a;
	@%p st.shared.u32 [%a], 7;
	@!%p st.u32 [%a], 7;
	bar.sync 0;
	@%p ld.shared.u32 %v, [%a];
	@!%p ld.u32 %v, [%a];
	st.global.u32 [%to], %v;
	ret;
}`

// kernelOf loads a module, and returns it with its kernel.
func kernelOf(t *testing.T, d *vm.Device, text string) (*vm.Program, *vm.Kernel) {
	t.Helper()
	m, err := vm.Compile("k.ptx", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := ptxtest.Load(t, d, m)
	k, err := p.Kernel("")
	if err != nil {
		t.Fatal(err)
	}
	return p, k
}

// TestSharedBounds: with bounds of pages a kernel may pass the end of its dynamic shared memory as far as hardware hands it out, a
// multiple of 128 bytes, which is told of each instruction; with exact bounds that is a fault.
func TestSharedBounds(t *testing.T) {
	engines := []vm.Engine{vm.Interp, vm.JIT}
	d, err := vm.NewDevice(&vm.DeviceConfig{Engine: vm.JIT})
	if errors.Is(err, vm.ErrNoJIT) {
		engines = engines[:1] // .ci/quick builds so
	} else if err != nil {
		t.Fatal(err)
	} else {
		defer d.Close()
	}
	for _, engine := range engines {
		for _, check := range []vm.Sanitize{0, vm.SanitizeAll} {
			for _, pages := range []bool{false, true} {
				for at, past := range map[uint32]bool{499: false, 500: true, 511: true, 512: true} {
					for plain := range uint32(2) {
						t.Run(fmt.Sprint(engine, check, pages, at, plain), func(t *testing.T) {
							d := ptxtest.Device(t, &vm.DeviceConfig{Arch: "sm_90", Engine: engine, Sanitize: check, PageBounds: pages})
							_, k := kernelOf(t, d, pastShared)
							to, err := d.Alloc(4)
							if err != nil {
								t.Fatal(err)
							}
							stats, err := k.Launch(context.Background(), vm.Launch{Block: vm.Dim3{X: 32}, Shared: 2000}, to, at, plain)
							var reports *vm.SanitizerError
							if errors.As(err, &reports) { // lanes of one warp store the same bits
								err = reports.Err
							}
							var fault *vm.Fault
							faults := past && !pages || at == 512
							if errors.As(err, &fault) != faults || !faults && err != nil {
								t.Fatalf("error %v, want a fault: %v", err, faults)
							}
							if faults {
								return
							}
							holds(t, to, 7)
							if want := map[bool]int{true: 2}[past]; len(stats.Past) != want {
								t.Fatalf("%d accesses past the end, want %d", len(stats.Past), want)
							}
							for _, f := range stats.Past {
								if text := f.Detail(); !strings.Contains(text, "passed: the launch went on") || !strings.Contains(text, "128 bytes") {
									t.Error(text)
								}
							}
						})
					}
				}
			}
		}
	}
}

// TestManyConstants: with bounds of pages a module may have more constant variables than pages of 2 MiB lie within the 2 GiB that
// all of them share.
func TestManyConstants(t *testing.T) {
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_90\n.address_size 64\n")
	for i := range 1200 {
		fmt.Fprintf(&b, ".const .b8 c%d[3] = {1, 2, 3};\n", i)
	}
	b.WriteString(".visible .entry k(.param .u64 to)\n{\n.reg .b64 %to;\n.reg .b16 %v;\nld.param.u64 %to, [to];\nld.const.u8 %v, [c1199+1];\nst.global.u8 [%to], %v;\nret;\n}\n")
	d := ptxtest.Device(t, &vm.DeviceConfig{Memory: 1 << 20, PageBounds: true})
	for range 3 { // what has ended leaves holes
		p, k := kernelOf(t, d, b.String())
		to, err := d.Alloc(4)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := k.Launch(context.Background(), vm.Launch{}, to); err != nil {
			t.Fatal(err)
		}
		holds(t, to, 2)
		if err := errors.Join(to.Free(), p.Unload()); err != nil {
			t.Fatal(err)
		}
	}
}
