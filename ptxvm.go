// Package ptxvm is NVIDIA's PTX virtual machine on the CPU: it reads PTX modules of
// every version, judges them as ptxas does, and runs their kernels with the results
// that the hardware gives. It needs no GPU, no CUDA and no cgo.
//
//	m, err := ptxvm.Compile("saxpy.ptx", src, nil)
//	d, err := ptxvm.NewDevice(nil)
//	defer d.Close()
//	p, err := d.Load(m)
//	k, err := p.Kernel("saxpy")
//	x, err := ptxvm.Upload(d, xs)
//	_, err = k.Launch(ctx, ptxvm.Launch{Grid: ptxvm.Dim3{X: 4}, Block: ptxvm.Dim3{X: 256}}, int32(1000), float32(2.5), x, y)
//	err = ptxvm.Download(y, ys)
//
// Errors carry what a user needs: Diagnostics of a module that is not valid, *ArgError,
// *Fault, *DeadlockError, *UnsupportedError, ErrStepLimit, ErrOutOfMemory and the
// context's own. PTX is untrusted input: no module can crash the process or reach
// memory outside the device.
package ptxvm

// What this package exports is written by internal/gen/face, with the documentation: types are those of internal/vm by another
// name, functions call it.

//go:generate go run ./internal/gen/face
