// Package saxpy tests a kernel from Go: saxpy.cu, whose last thread reads one element too many.
package saxpy

import (
	_ "embed"
	"errors"
	"testing"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/ptxtest"
)

//go:embed saxpy.ptx
var source string

// warp is one block of 32 threads.
var warp = ptxvm.Launch{Block: ptxvm.Dim3{X: 32}}

// TestSaxpy computes y = a·x + y on three elements: the kernel, which counts to n inclusive, is told that they are two.
func TestSaxpy(t *testing.T) {
	x, y := []float32{0, 1, 2}, []float32{1, 1, 1}
	ptxtest.Compile(t, source, "saxpy", nil).Run(warp, int32(2), float32(2.5), x, y)
	ptxtest.Equal(t, y, []float32{1, 3.5, 6})
}

// TestFault gives it as many elements as it is told, which is one too few for `<=`.
func TestFault(t *testing.T) {
	_, err := ptxtest.Compile(t, source, "saxpy", nil).Try(warp, int32(3), float32(2.5), make([]float32, 3), make([]float32, 3))
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
