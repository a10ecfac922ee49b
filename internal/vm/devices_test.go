package vm

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"runtime"
	"testing"

	"ptxvm.invalid/ptxvm/internal/mem"
)

func testDevices(t *testing.T, n int, cfg DeviceConfig) []*Device {
	t.Helper()
	devices, err := NewDevices(n, &cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := closeAll(devices); err != nil {
			t.Error(err)
		}
	})
	return devices
}

// bump runs the kernel that adds one to a word and to its program's total.
func bump(t *testing.T, p *Program, threads int, at any) error {
	t.Helper()
	_, err := testKernel(t, p, "bump").Launch(context.Background(), Launch{Grid: Dim3{X: 4}, Block: Dim3{X: uint32(threads)}}, at)
	return err
}

func testWord(t *testing.T, b Buffer, want uint32) {
	t.Helper()
	var word [4]byte
	if _, err := b.ReadAt(word[:], 0); err != nil {
		t.Fatal(err)
	}
	if got := binary.LittleEndian.Uint32(word[:]); got != want {
		t.Errorf("%#x holds %d, want %d", b.Addr(), got, want)
	}
}

// TestPeerMemory lets kernels of two devices count in the memory of one; each program has its own variables.
func TestPeerMemory(t *testing.T) {
	for _, engine := range []Engine{Interp, Auto} {
		devices := testDevices(t, 2, DeviceConfig{Memory: 1 << 20, Engine: engine})
		word := testBuffer(t, devices[0], 4)
		for i, d := range devices {
			p := testProgram(t, d)
			for range i + 1 {
				if err := bump(t, p, 64, word); err != nil {
					t.Fatal(err)
				}
			}
			total, err := p.Global("total")
			if err != nil {
				t.Fatal(err)
			}
			testWord(t, total, uint32(i+1)*256)
		}
		testWord(t, word, 3*256)
		if _, err := devices[1].Alloc(1 << 20); !errors.Is(err, ErrOutOfMemory) {
			t.Errorf("beside a program's variables 1 MiB fits into 1 MiB: %v", err)
		}
		p := testProgram(t, devices[1])
		if err := devices[0].Close(); err != nil {
			t.Fatal(err)
		}
		if err := bump(t, p, 1, word); !errors.Is(err, ErrClosed) {
			t.Errorf("a buffer of a closed device: %v", err)
		}
		if err := bump(t, p, 1, word.Addr()); !errors.As(err, new(*Fault)) {
			t.Errorf("an address on a closed device: %v", err)
		}
	}
}

// TestHostPointers runs kernels on memory whose device address is its host address, in every engine.
func TestHostPointers(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("on Linux only")
	}
	for _, engine := range []Engine{Interp, Auto} {
		d := testDevices(t, 1, DeviceConfig{Memory: 1 << 20, Engine: engine, HostPointers: true})[0]
		d.tuning.QuickAfter, d.tuning.HotAfter = 1, 1
		p, word := testProgram(t, d), testBuffer(t, d, 4)
		if word.Addr() < mem.HostBase || word.Addr() >= mem.GlobalBase {
			t.Errorf("a buffer at %#x", word.Addr())
		}
		for range 3 {
			if err := bump(t, p, 1024, word); err != nil {
				t.Fatal(err)
			}
		}
		testWord(t, word, 3*4096)
		if !bytes.Equal(hostMemory(word.Addr(), 4), d.machine.Arena.Bytes(word.Addr(), 4)) {
			t.Error("the host reads another word")
		}
		if err := bump(t, p, 32, word.Addr()+4); !errors.As(err, new(*Fault)) {
			t.Errorf("behind the end: %v", err)
		}
	}
}
