// Package saxpy tests a kernel from Go: saxpy.cu, whose last thread reads one element too many.
package saxpy

import (
	"context"
	_ "embed"
	"errors"
	"testing"
	"time"

	"ptxvm.invalid/ptxvm"
)

//go:embed saxpy.ptx
var source []byte

// saxpy runs y = a·x + y with the n that the kernel is told, and returns y.
func saxpy(ctx context.Context, n int32, a float32, xs, ys []float32) ([]float32, error) {
	m, err := ptxvm.Compile("saxpy.ptx", source, nil)
	if err != nil {
		return nil, err
	}
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: m.Target(), Memory: 1 << 20})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	p, err := d.Load(m)
	if err != nil {
		return nil, err
	}
	k, err := p.Kernel("saxpy")
	if err != nil {
		return nil, err
	}
	x, err := ptxvm.Upload(d, xs)
	if err != nil {
		return nil, err
	}
	y, err := ptxvm.Upload(d, ys)
	if err != nil {
		return nil, err
	}
	if _, err := k.Launch(ctx, ptxvm.Launch{Block: ptxvm.Dim3{X: 32}}, n, a, x, y); err != nil {
		return nil, err
	}
	out := make([]float32, len(ys))
	return out, ptxvm.Download(y, out)
}

func TestSaxpy(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	got, err := saxpy(ctx, 2, 2.5, []float32{0, 1, 2}, []float32{1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, y := range got {
		if want := 2.5*float32(i) + 1; y != want {
			t.Errorf("y[%d] is %v, want %v", i, y, want)
		}
	}
}

// TestFault gives it as many elements as it is told, which is one too few for `<=`.
func TestFault(t *testing.T) {
	_, err := saxpy(context.Background(), 3, 2.5, []float32{0, 1, 2}, []float32{1, 1, 1})
	var fault *ptxvm.Fault
	if !errors.As(err, &fault) {
		t.Fatalf("got %v, want a fault", err)
	}
	if len(fault.Source) == 0 || fault.Source[0].File != "saxpy.cu" || fault.Source[0].Line != 5 {
		t.Errorf("the fault is at %v, want saxpy.cu:5", fault.Source)
	}
	if fault.Thread != (ptxvm.Index3{X: 3}) || fault.Near == nil || fault.Near.Param != "saxpy_param_2" {
		t.Errorf("the fault is of thread %v near %+v, want thread 3 behind x", fault.Thread, fault.Near)
	}
}
