package vm

import (
	"context"
	"encoding/binary"
	"runtime"
	"testing"
	"unsafe"

	"ptxvm.invalid/ptxvm/internal/capture"
)

// TestCaptureElsewhere: memory of the program and of another device comes back at its own address, and a replay leaves the same bytes.
func TestCaptureElsewhere(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory of the host is the device's on Linux only")
	}
	mine := make([]uint64, 2000) // not moved: it has no pointers, and is large
	at := uint64(uintptr(unsafe.Pointer(&mine[7])))
	for name, place := range map[string]func(t *testing.T, devices []*Device) uint64{
		capture.Host: func(t *testing.T, devices []*Device) uint64 {
			addr, err := devices[1].Adopt(at, 8000)
			if err != nil {
				t.Fatal(err)
			}
			return addr
		},
		capture.Device: func(t *testing.T, devices []*Device) uint64 { return testBuffer(t, devices[0], 8000).Addr() },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir() + "/kept"
			devices := testDevices(t, 2, DeviceConfig{Memory: 1 << 20, HostPointers: true})
			addr := place(t, devices)
			devices[1].machine.Arena.Bytes(addr, 4)[0] = 3
			p := testProgram(t, devices[1])
			launch := Launch{Grid: Dim3{X: 4}, Block: Dim3{X: 64}}
			captured := launch
			captured.Capture = dir
			if _, err := testKernel(t, p, "bump").Launch(context.Background(), captured, addr); err != nil {
				t.Fatal(err)
			}
			want := binary.LittleEndian.Uint32(devices[1].machine.Arena.Bytes(addr, 4))
			if want != 3+4*64 {
				t.Fatalf("the launch left %d", want)
			}
			for _, engine := range []Engine{Interp, Auto} {
				d := testDevices(t, 1, DeviceConfig{Memory: 1 << 20, Restore: dir, Engine: engine})[0]
				d.tuning.QuickAfter, d.tuning.HotAfter = 1, 1
				if b := d.machine.Arena.Bytes(addr, 8000); b == nil || b[0] != 3 {
					t.Fatalf("%v: at %#x there is %v", engine, addr, b[:min(len(b), 4)])
				}
				stats, err := testKernel(t, testProgram(t, d), "bump").Launch(context.Background(), launch, addr)
				if err != nil || stats.Replay != ReplaySame {
					t.Errorf("%v: %v, replay %d", engine, err, stats.Replay)
				}
				if have := binary.LittleEndian.Uint32(d.machine.Arena.Bytes(addr, 4)); have != want {
					t.Errorf("%v: %d, want %d", engine, have, want)
				}
			}
		})
	}
	runtime.KeepAlive(mine)
}
