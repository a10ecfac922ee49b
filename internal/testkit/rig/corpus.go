package rig

// This file launches kernels of the corpus.

import (
	"bytes"
	"cmp"
	"context"
	"strings"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/internal/testkit/corpus"
)

// Launch starts one kernel of a case; trace is nil without one.
func Launch(
	d *ptxvm.Device, p *ptxvm.Program, l corpus.Launch, buffers map[*corpus.Buffer]ptxvm.Buffer, trace *ptxvm.Trace,
) (ptxvm.Stats, error) {
	return LaunchCaptured(d, p, l, buffers, trace, "")
}

// LaunchCaptured is Launch that writes the launch to a folder before it begins, unless that is "".
func LaunchCaptured(
	d *ptxvm.Device, p *ptxvm.Program, l corpus.Launch, buffers map[*corpus.Buffer]ptxvm.Buffer, trace *ptxvm.Trace, folder string,
) (ptxvm.Stats, error) {
	k, shape, args, err := Ready(d, p, l, buffers)
	if err != nil {
		return ptxvm.Stats{}, err
	}
	shape.Capture = folder
	return k.Watch(context.Background(), shape, ptxvm.Watch{Trace: trace}, args...)
}

// Ready is what one kernel of a case is launched with.
func Ready(
	d *ptxvm.Device, p *ptxvm.Program, l corpus.Launch, buffers map[*corpus.Buffer]ptxvm.Buffer,
) (k *ptxvm.Kernel, shape ptxvm.Launch, args []any, err error) {
	if k, err = findKernel(p, l.Kernel); err != nil {
		return nil, shape, nil, err
	}
	args = make([]any, len(l.Args))
	for i, a := range l.Args {
		if a.Tiles != nil {
			if args[i], err = tensorMap(d, a, buffers); err != nil {
				return nil, shape, nil, err
			}
			continue
		}
		args[i] = argument(a, buffers)
	}
	shape = ptxvm.Launch{Grid: Dim(l.Grid), Block: Dim(l.Block), Cluster: Dim(l.Cluster), Shared: l.Shared}
	return k, shape, args, nil
}

// findKernel knows a kernel by its symbol or by a piece of it.
func findKernel(p *ptxvm.Program, name string) (*ptxvm.Kernel, error) {
	for _, k := range p.Kernels() {
		if k.Name != name && strings.Contains(k.Name, name) {
			return p.Kernel(k.Name)
		}
	}
	return p.Kernel(name)
}

// tensorMap describes a buffer as a tensor.
func tensorMap(d *ptxvm.Device, a corpus.Arg, buffers map[*corpus.Buffer]ptxvm.Buffer) (ptxvm.TensorMap, error) {
	t := ptxvm.TensorMapTiled{Buffer: buffers[a.Buffer], Type: cmp.Or(a.Tiles.Type, "f16"), Dims: a.Tiles.Dims, Box: a.Tiles.Box}
	if a.Tiles.Swizzle == 128 {
		t.Swizzle = ptxvm.Swizzle128
	}
	return d.NewTensorMap(t)
}

// argument gives the bytes of an argument; a struct is padded with zeros.
func argument(a corpus.Arg, buffers map[*corpus.Buffer]ptxvm.Buffer) any {
	data := a.Scalar
	if a.Buffer != nil {
		data = make([]byte, 8)
		for i := range data {
			data[i] = byte(buffers[a.Buffer].Addr() >> (8 * i))
		}
	}
	if a.Size > len(data) {
		data = append(bytes.Clone(data), make([]byte, a.Size-len(data))...)
	}
	return data
}

// Dim is an extent of a case.
func Dim(v [3]int) ptxvm.Dim3 {
	return ptxvm.Dim3{X: uint32(v[0]), Y: uint32(v[1]), Z: uint32(v[2])}
}
