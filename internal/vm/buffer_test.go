package vm_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm/internal/vm"
	"ptxvm.invalid/ptxvm/ptxtest"
)

// uploaded is 1, 2, … n on a device.
func uploaded(t *testing.T, d *vm.Device, n int) vm.Buffer {
	t.Helper()
	vals := make([]uint32, n)
	for i := range vals {
		vals[i] = uint32(i + 1)
	}
	b, err := vm.Upload(d, vals)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// holds compares a buffer with values.
func holds(t *testing.T, b vm.Buffer, want ...uint32) {
	t.Helper()
	have := make([]uint32, len(want))
	if err := vm.Download(b, have); err != nil || !slices.Equal(have, want) {
		t.Errorf("have %v, %v; want %v", have, err, want)
	}
}

// TestCopy: within an allocation both ways, between buffers, between devices, and what is refused.
func TestCopy(t *testing.T) {
	cfg := &vm.DeviceConfig{Memory: 8 << 20}
	d, other := ptxtest.Device(t, cfg), ptxtest.Device(t, cfg)
	for name, c := range map[string]struct {
		from, to int
		want     []uint32
	}{
		"up":   {0, 4, []uint32{1, 1, 2, 3, 5}},
		"down": {4, 0, []uint32{2, 3, 4, 4, 5}},
	} {
		b := uploaded(t, d, 5)
		if err := vm.Copy(b.Slice(c.to, 20), b.Slice(c.from, c.from+12)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		holds(t, b, c.want...)
	}
	const n = 1<<18 + 3 // more than goes at a time
	src, same, far := uploaded(t, d, n), uploaded(t, d, 4), uploaded(t, other, n)
	if err := errors.Join(vm.Fill(far, uint32(0)), vm.Copy(far, src), vm.Copy(same, src.Slice(4*n-8, 4*n))); err != nil {
		t.Fatal(err)
	}
	holds(t, far.Slice(0, 8), 1, 2)
	holds(t, far.Slice(4*n-8, 4*n), n-1, n)
	holds(t, same, n-1, n, 3, 4)
	if err := vm.Copy(same, src); err == nil || !strings.Contains(err.Error(), "to a buffer of 16") {
		t.Errorf("too short: %v", err)
	}
	holds(t, same, n-1, n, 3, 4)
	if err := same.Free(); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"to freed": vm.Copy(same, src.Slice(0, 4)), "from freed": vm.Copy(src, same), "from nothing": vm.Copy(src, vm.Buffer{}),
		"to nothing": vm.Copy(vm.Buffer{}, src), "across": vm.Copy(far, same), "fill freed": vm.Fill(same, 0.5),
	} {
		if !errors.Is(err, vm.ErrClosed) {
			t.Errorf("%s: %v, want ErrClosed", name, err)
		}
	}
}

func TestFill(t *testing.T) {
	d := ptxtest.Device(t, &vm.DeviceConfig{Memory: 1 << 20})
	b := uploaded(t, d, 6)
	if err := errors.Join(vm.Fill(b.Slice(4, 20), uint32(0x01020304)), vm.Fill(b.Slice(8, 9), int8(-1)), vm.Fill(b.Slice(0, 0), 1.5)); err != nil {
		t.Fatal(err)
	}
	holds(t, b, 1, 0x01020304, 0x010203ff, 0x01020304, 0x01020304, 6)
	if err := vm.Fill(b.Slice(0, 6), uint32(1)); err == nil || !strings.Contains(err.Error(), "no whole number") {
		t.Errorf("half a value: %v", err)
	}
	holds(t, b, 1, 0x01020304)
}

// TestCopiesAreWrites: a branch may depend on what was filled or copied, not on the rest of the allocation.
func TestCopiesAreWrites(t *testing.T) {
	const src = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) { .reg .b64 a; .reg .b32 v; .reg .pred q; ld.param.u64 a, [p]; ld.global.u32 v, [a]; setp.eq.u32 q, v, 5; @q st.global.u32 [a], v; ret; }"
	k := ptxtest.Compile(t, src, "", &vm.DeviceConfig{Sanitize: vm.SanitizeInitLoads, Memory: 1 << 20})
	b, err := k.Device.Alloc(16)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(vm.Fill(b.Slice(0, 4), int32(1)), vm.Copy(b.Slice(8, 12), b.Slice(0, 4))); err != nil {
		t.Fatal(err)
	}
	for off, reported := range map[int]bool{0: false, 4: true, 8: false, 12: true} {
		_, err := k.Try(vm.Launch{}, b.Slice(off, off+4))
		var report *vm.SanitizerError
		if errors.As(err, &report) != reported {
			t.Errorf("byte %d: %v", off, err)
		}
	}
}
