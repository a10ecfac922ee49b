package vm_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/vm"
	"ptxvm.invalid/ptxvm/ptxtest"
)

// breakpointKernel writes 10 times the lane behind a breakpoint of the odd lanes.
const breakpointKernel = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
	.reg .u64 %a;
	.reg .u32 %lane, %x, %dead;
	.reg .pred %p;
	.shared .u32 s[4];
	mov.u32 %lane, %laneid;
	mul.lo.u32 %dead, %lane, 3;
	mul.lo.u32 %x, %lane, 10;
	and.b32 %dead, %dead, 1;
	setp.ne.u32 %p, %dead, 0;
	st.shared.u32 [s+4], 77;
	@%p brkpt;
	ld.shared.u32 %dead, [s+8];
	ld.param.u64 %a, [out];
	mad.wide.u32 %a, %lane, 4, %a;
	add.u32 %x, %x, %dead;
	st.global.u32 [%a], %x;
	ret;
}
`

// TestBreakpoint stops at brkpt, looks at the warp, changes its shared memory and goes on; without a hook, and where the hook
// says so, the launch ends.
func TestBreakpoint(t *testing.T) {
	for _, engine := range []vm.Engine{vm.Interp, vm.Auto} {
		k := ptxtest.Compile(t, breakpointKernel, "k", &vm.DeviceConfig{Engine: engine, Memory: 1 << 20})
		out, err := k.Device.Alloc(256)
		if err != nil {
			t.Fatal(err)
		}
		stops := 0
		look := func(b *vm.Breakpoint) error {
			stops++
			if b.Lanes != 0xaaaaaaaa || b.Active != ^uint32(0) || b.PTX.Line != 15 || b.Kernel != "k" {
				t.Errorf("stopped at %+v", b)
			}
			var names []string
			for _, r := range b.Registers() {
				names = append(names, r.Name+":"+r.Value(5))
			}
			if have := strings.Join(names, " "); have != "%lane:0x00000005 %x:0x00000032 %p:1" {
				t.Errorf("registers %s", have)
			}
			shared, _ := b.Shared()
			if len(shared) < 16 || shared[4] != 77 {
				t.Errorf("shared memory % x", shared)
			}
			shared[8] = byte(stops)
			return nil
		}
		l := vm.Launch{Grid: vm.Dim3{X: 2}, Block: vm.Dim3{X: 32}}
		if _, err := k.Watch(context.Background(), l, vm.Watch{Breakpoints: &vm.Breakpoints{Each: look}}, out); err != nil || stops != 2 {
			t.Fatalf("%d stops, %v", stops, err)
		}
		have := make([]byte, 256)
		if _, err := out.ReadAt(have, 0); err != nil {
			t.Fatal(err)
		}
		if have[4*7] != 71 && have[4*7] != 72 {
			t.Errorf("lane 7 wrote %d", have[4*7])
		}
		for _, w := range []vm.Watch{{}, {Breakpoints: &vm.Breakpoints{Each: func(*vm.Breakpoint) error { return errors.New("enough") }}}} {
			_, err := k.Watch(context.Background(), l, w, out)
			var f *vm.Fault
			if !errors.As(err, &f) || f.Code != diag.Trap {
				t.Errorf("the launch ended with %v", err)
			}
			if w.Breakpoints != nil && !strings.Contains(err.Error(), "enough") {
				t.Errorf("the hook's reason is not in %v", err)
			}
		}
	}
}
