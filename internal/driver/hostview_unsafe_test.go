package driver

import (
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/vm"
)

// TestHostView: the host writes guarded memory at another address, kernels read it at its own, and --sanitize init:loads believes that
// it has values where the host says so, and nowhere else.
func TestHostView(t *testing.T) {
	sanitize, err := vm.ParseSanitize("init:loads")
	if err != nil {
		t.Fatal(err)
	}
	for _, guard := range []bool{true, false} {
		r := newRig(t, Config{Device: vm.DeviceConfig{HostGuard: guard, Sanitize: sanitize}})
		at := r.alloc(64)
		view, code := r.HostView(at, 64)
		r.want(code, Success)
		if guard == (view == at) {
			t.Fatalf("guarded %v: the host's address of %#x is %#x", guard, at, view)
		}
		hostWord32(view + 12).Store(7)
		r.want(r.HostWrote(at+12, 4), Success)
		add := r.function("add")
		r.want(r.launch(0, add, 1, addParams(at+12, 5, 1)), Success)
		r.want(r.Synchronize(0), Success)
		if left := hostWord32(view + 12).Load(); left != 12 || len(r.errors) != 0 {
			t.Errorf("guarded %v: the kernel left %d; reports %q", guard, left, r.errors)
		}
		r.want(r.launch(0, add, 1, addParams(at+16, 5, 1)), Success)
		r.want(r.Synchronize(0), Success)
		if len(r.errors) == 0 || !strings.Contains(r.errors[0], "P8001") {
			t.Errorf("guarded %v: reports of a word without a value: %q", guard, r.errors)
		}
		for _, bad := range [][2]uint64{{at, 65}, {at + 64, 1}, {0, 4}, {at + 60, ^uint64(0)}} {
			if _, code := r.HostView(bad[0], bad[1]); code != InvalidValue {
				t.Errorf("a view of %d bytes at %#x: %v", bad[1], bad[0], code)
			}
			r.want(r.HostWrote(bad[0], bad[1]), InvalidValue)
		}
	}
}
