package main

// The questions of the surface sweep, answered by ptxvm: once with every assumption at its default, and
// once for each other position of an assumption about surfaces.

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ptxvm.invalid/ptxvm"
	"ptxvm.invalid/ptxvm/diag"
	"ptxvm.invalid/ptxvm/internal/assume"
	"ptxvm.invalid/ptxvm/internal/isa"
	"ptxvm.invalid/ptxvm/internal/testkit/vec"
)

// surfaceAssumptions are those that the sweep can settle.
var surfaceAssumptions = []assume.Assumption{assume.SurfaceAlignment, assume.SurfaceLayer, assume.SampleInteger, assume.SurfaceExtent}

// position is one answer to an assumption; the zero value of text means every default.
type position struct {
	assumption assume.Assumption
	name       string
	text       string // U23=mask
}

// otherPositions lists the positions of the assumptions about surfaces that are not defaults.
func otherPositions() (list []position) {
	for _, g := range surfaceAssumptions {
		for _, p := range assume.Table[g].Positions[1:] {
			list = append(list, position{g, p.Name, fmt.Sprintf("%v=%s", g, p.Name)})
		}
	}
	return list
}

// emulation is a device of ptxvm with one set of assumptions.
type emulation struct {
	position
	d      *ptxvm.Device
	out    ptxvm.Buffer
	arrays map[string]ptxvm.Array
	loaded *access // the statement of kernel
	p      *ptxvm.Program
	kernel *ptxvm.Kernel
}

func newEmulation(t isa.Target, p position) (*emulation, error) {
	d, err := ptxvm.NewDevice(&ptxvm.DeviceConfig{Arch: t.String(), Workers: 1, Memory: 1 << 20, Assume: p.text})
	if err != nil {
		return nil, err
	}
	e := &emulation{position: p, d: d, arrays: map[string]ptxvm.Array{}}
	e.out, err = d.Alloc(outBytes)
	return e, err
}

// load makes a statement's kernel the one that runs.
func (e *emulation) load(a *access, m *ptxvm.Module) (err error) {
	if e.loaded == a {
		return nil
	}
	if e.p != nil {
		err = e.p.Unload()
	}
	if err == nil {
		e.p, err = e.d.Load(m)
	}
	if err == nil {
		e.kernel, err = e.p.Kernel("surface")
	}
	e.loaded = a
	return err
}

// array is an array with its first contents.
func (e *emulation) array(desc ptxvm.ArrayDesc) (a ptxvm.Array, err error) {
	a, known := e.arrays[describe(desc)]
	if !known {
		if a, err = e.d.NewArray(desc); err != nil {
			return a, err
		}
		e.arrays[describe(desc)] = a
	}
	return a, a.Write(vec.Pattern(a.Len()))
}

// answer runs one case whose kernel is loaded.
func (e *emulation) answer(c *surfaceCase) (result, error) {
	a, err := e.array(c.array)
	if err != nil {
		return result{}, err
	}
	if _, err := e.out.WriteAt(poison(), 0); err != nil {
		return result{}, err
	}
	args := []any{e.out, a.Surface()}
	for _, v := range c.at {
		args = append(args, v)
	}
	var fault *ptxvm.Fault
	_, err = e.kernel.Launch(context.Background(), ptxvm.Launch{}, args...)
	switch {
	case errors.As(err, &fault) && slices.Contains(placeFaults, fault.Code):
		return result{fault: true}, nil
	case err != nil:
		return result{}, err
	}
	read, image := make([]byte, outBytes), make([]byte, a.Len())
	if _, err := e.out.ReadAt(read, 0); err != nil {
		return result{}, err
	}
	err = a.Read(image)
	return result{read: string(read), image: string(image)}, err
}

// placeFaults are the faults of a place: out of bounds, misaligned. Any other is a mistake here.
var placeFaults = []diag.Code{7030, 7031}
