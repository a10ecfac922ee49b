// Package ptxtest tests kernels from Go in a few lines: compile, run, compare.
//
//	func TestSaxpy(t *testing.T) {
//		x, y := []float32{0, 1, 2}, []float32{1, 1, 1}
//		k := ptxtest.Compile(t, saxpyPTX, "saxpy", nil)
//		k.Run(ptxvm.Launch{Block: ptxvm.Dim3{X: 32}}, int32(3), float32(2.5), x, y)
//		ptxtest.Equal(t, y, []float32{1, 3.5, 6})
//	}
//
// What goes wrong ends the test with the report that the command prints: diagnostics with the line of the module, a fault
// with the instruction, the line of the source, the thread and the buffer.
package ptxtest

import (
	"encoding/binary"
	"errors"
	"reflect"
	"strings"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
)

// Kernel is a kernel on a device of its own, which ends with the test.
type Kernel struct {
	*ptxvm.Kernel
	T       testing.TB
	Device  *ptxvm.Device
	Program *ptxvm.Program
}

// Compile makes a kernel of a module ready to run; "" is the only kernel there is. cfg may be nil; without an architecture
// the device has the module's target. Errors end the test.
func Compile(t testing.TB, src, kernel string, cfg *ptxvm.DeviceConfig) *Kernel {
	t.Helper()
	m, err := ptxvm.Compile(t.Name()+".ptx", []byte(src), nil)
	check(t, err)
	d := Device(t, configured(cfg, m.Target()))
	p := Load(t, d, m)
	k, err := p.Kernel(kernel)
	check(t, err)
	return &Kernel{Kernel: k, T: t, Device: d, Program: p}
}

// configured is a configuration for a target, unless it names one itself.
func configured(cfg *ptxvm.DeviceConfig, target string) *ptxvm.DeviceConfig {
	if cfg == nil {
		cfg = &ptxvm.DeviceConfig{}
	}
	out := *cfg
	if out.Arch == "" {
		out.Arch = target
	}
	return &out
}

// Device makes a device that is closed when the test ends.
func Device(t testing.TB, cfg *ptxvm.DeviceConfig) *ptxvm.Device {
	t.Helper()
	d, err := ptxvm.NewDevice(cfg)
	check(t, err)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// Load links modules on a device; errors end the test.
func Load(t testing.TB, d *ptxvm.Device, modules ...*ptxvm.Module) *ptxvm.Program {
	t.Helper()
	p, err := d.Load(modules...)
	check(t, err)
	return p
}

// Run launches the kernel and waits for its end; an error ends the test. Arguments are those of ptxvm.Kernel.Launch, and
// slices of numbers, such as []float32: each is copied to the device, the kernel gets the address, and when it has ended the
// slice holds what the memory holds. ([]byte is the bytes of a parameter, as in Launch.)
func (k *Kernel) Run(l ptxvm.Launch, args ...any) ptxvm.Stats {
	k.T.Helper()
	stats, err := k.Try(l, args...)
	check(k.T, err)
	return stats
}

// Try is Run for a launch that may fail, as one that must fault: it returns the launch's error.
func (k *Kernel) Try(l ptxvm.Launch, args ...any) (ptxvm.Stats, error) {
	k.T.Helper()
	given := make([]any, len(args))
	var copies []copied
	for i, arg := range args {
		if given[i] = arg; isSlice(arg) {
			c := k.upload(arg)
			copies, given[i] = append(copies, c), c.buffer
		}
	}
	stats, err := k.Launch(k.T.Context(), l, given...)
	for _, c := range copies {
		k.download(c)
	}
	return stats, err
}

// copied is a slice and its memory on the device.
type copied struct {
	slice  any
	buffer ptxvm.Buffer
}

// isSlice tells slices of numbers, but for bytes.
func isSlice(arg any) bool {
	t := reflect.TypeOf(arg)
	return t != nil && t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 && binary.Size(arg) >= 0
}

func (k *Kernel) upload(slice any) copied {
	k.T.Helper()
	data, err := binary.Append(nil, binary.LittleEndian, slice)
	check(k.T, err)
	b, err := k.Device.Alloc(len(data))
	check(k.T, err)
	_, err = b.WriteAt(data, 0)
	check(k.T, err)
	return copied{slice, b}
}

func (k *Kernel) download(c copied) {
	k.T.Helper()
	data := make([]byte, c.buffer.Len())
	_, err := c.buffer.ReadAt(data, 0)
	check(k.T, err)
	_, err = binary.Decode(data, binary.LittleEndian, c.slice)
	check(k.T, errors.Join(err, c.buffer.Free()))
}

// check ends the test with all that an error has to say.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(words(err))
	}
}

// words is an error as the command prints it.
func words(err error) string {
	var b strings.Builder
	var list diag.List
	var detailed interface{ Detail() string }
	switch {
	case errors.As(err, &list):
		_ = diag.WriteText(&b, list, diag.TextOptions{}) // a Builder takes everything
	case errors.As(err, &detailed):
		b.WriteString(detailed.Detail())
	default:
		b.WriteString(err.Error())
	}
	return "\n" + b.String()
}
